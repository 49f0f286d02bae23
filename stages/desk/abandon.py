"""moot abandon: ends a gap that will not close. The answer, or the verdict, is bought no more; its pairings count as missing."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from stages.desk.in_use import load
from stages.runtime.errors import BadInput, refusing
from stages.runtime.paths import ANSWER_ORDERS, VERDICT_ORDERS
from stages.schema.jsonl import Row, rows_text
from stages.schema.names import nearest
from stages.schema.orders import AnswerOrder, VerdictOrder, order_in

EXAMPLE = """example:
  moot abandon --contestant alder --matter Q03 --reason "the provider withdrew the model" --by "A. Author"
  moot abandon --pairing Q03:alder~birch --reason "the judge's endpoint refuses this text" --by "A. Author"

The order goes into data/orders/, which git tracks: commit it, then run `uv run dvc repro`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--contestant", help="whose answer")
    parser.add_argument("--matter", help="to which matter, such as Q03")
    parser.add_argument("--pairing", help="instead of an answer: whose verdict, such as Q03:alder~birch or Q03:alder~birch@elm")
    parser.add_argument("--reason", required=True, help="why the gap will not close; it is published")
    parser.add_argument("--by", required=True, help="who decides; it is published")


def run(given: argparse.Namespace) -> Row:
    """Write the order and return its row. Raises BadInput for a wrong name, a missing reason, or what is answered already."""
    if bool(given.pairing) == bool(given.contestant or given.matter) or bool(given.contestant) != bool(given.matter):
        raise BadInput("name either --contestant and --matter, or --pairing")
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    order: AnswerOrder | VerdictOrder
    if given.pairing:
        order, folder = VerdictOrder("abandon", given.reason, given.by, now, _presentation(given.pairing)), VERDICT_ORDERS
    else:
        _check_answer(given.contestant, given.matter)
        order, folder = AnswerOrder("abandon", given.reason, given.by, now, given.contestant, given.matter), ANSWER_ORDERS
    with refusing():
        _write(folder / order.file_name, order)
    return order.row()


def _write(path: Path, order: AnswerOrder | VerdictOrder) -> None:
    """Write one order. Raises ValueError where the same thing is abandoned already, or something else stands in its file."""
    text = rows_text([order.row()])
    if path.exists() or path.is_symlink():
        before = order_in(path, type(order))
        raise ValueError(f"{path}: that is abandoned already, by {before.by} on {before.ordered_at[:10]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")


def _check_answer(contestant: str, matter: str) -> None:
    study = load()
    if contestant not in study.contestants:
        raise BadInput(f"--contestant {contestant!r} is not in params.yaml; {nearest(contestant, study.contestants)}")
    if matter not in study.battery:
        raise BadInput(f"--matter {matter!r} is not in the battery; {nearest(matter, study.battery)}")
    if (matter, contestant) in study.texts:
        raise BadInput(f"{contestant} has a recorded answer to {matter}: there is no gap to end, and nothing recorded is taken back")


def _presentation(pairing: str) -> str:
    """What a judge knows the pairing as. Raises BadInput unless it is a pairing with both answers and without this verdict."""
    study = load()
    asked = study.all_requests
    if pairing not in asked:
        raise BadInput(f"--pairing {pairing!r} has no two answers or no stored sides; {nearest(pairing, asked)}")
    if asked[pairing].sha256 in study.verdicts:
        raise BadInput(f"{pairing} has a recorded verdict: there is no gap to end, and nothing recorded is taken back")
    return str(asked[pairing].subject["presentation_id"])


def told(row: Row) -> str:
    """What the command prints."""
    answer = "contestant" in row
    what = f"the answer of {row['contestant']} to {row['matter_id']}" if answer else f"presentation {row['presentation_id'][:12]}"
    return f"{what} is abandoned: {row['reason']} ({row['by']}). Commit data/orders/, then run `uv run dvc repro`.\n"
