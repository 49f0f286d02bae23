"""moot abandon: ends a gap that will not close. The answer, or the verdict, is bought no more; its pairings count as missing."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from stages.runtime.compose import choices
from stages.runtime.errors import BadInput, BadRecord, refusing
from stages.runtime.paths import (
    ANSWER_ORDERS,
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    ATTEMPTS,
    MATTERS,
    VERDICT_ORDERS,
    VERDICTS_RECORDING,
)
from stages.schema.jsonl import Row, read_rows, rows_text
from stages.schema.names import nearest, pairing_id
from stages.schema.orders import AnswerOrder, VerdictOrder
from stages.schema.rows import Assignment, Attempt, in_force
from stages.schema.settings import Choices, settings

EXAMPLE = """example:
  moot abandon --contestant alder --matter Q03 --reason "the provider withdrew the model" --by "A. Author"
  moot abandon --pairing Q03:alder~birch --reason "the judge's endpoint refuses this text" --by "A. Author"

The order goes into data/orders/, which git tracks: commit it, then run `uv run dvc repro`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--contestant", help="whose answer")
    parser.add_argument("--matter", help="to which matter, such as Q03")
    parser.add_argument("--pairing", help="instead of an answer: whose verdict, such as Q03:alder~birch")
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
    with refusing(str(folder)):
        row = order.row()
        _write(folder / order.file_name, row)
    return row


def _write(path: Path, row: Row) -> None:
    """Write one order. Raises ValueError where the same thing is abandoned already."""
    if path.exists():
        (before,) = read_rows(path)
        raise ValueError(f"{path.name}: that is abandoned already, by {before['by']} on {before['ordered_at'][:10]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rows_text([row]), "utf-8", newline="\n")


def _check_answer(contestant: str, matter: str) -> None:
    chosen: Choices = choices(settings)
    if contestant not in chosen.contestants:
        raise BadInput(f"--contestant {contestant!r} is not in params.yaml; {nearest(contestant, chosen.contestants)}")
    with refusing(f"{MATTERS} (run `uv run dvc repro matters` first)"):
        known = [row["matter_id"] for row in read_rows(MATTERS)]
    if matter not in known:
        raise BadInput(f"--matter {matter!r} is not in the battery; {nearest(matter, known)}")
    with refusing(str(ANSWERS_RECORDING), BadRecord):
        rows = read_rows(ANSWERS_RECORDING) if ANSWERS_RECORDING.exists() else []
    if any((row["contestant"], row["matter_id"]) == (contestant, matter) for row in rows):
        raise BadInput(f"{contestant} has a recorded answer to {matter}: there is no gap to end, and nothing recorded is taken back")


def _presentation(pairing: str) -> str:
    """What the judge knows the pairing as. Raises BadInput unless it is a pairing of this record without a recorded verdict."""
    with refusing("data/recordings and data/work (run `uv run dvc repro conceal` first)"):
        stored = in_force([Assignment.from_row(row) for row in read_rows(ASSIGNMENTS_RECORDING)])
        texts = {(row["matter_id"], row["contestant"]): Attempt.from_row(row) for row in read_rows(ATTEMPTS) if row["scored"]}
        matters = {row["matter_id"]: row["matter_sha256"] for row in read_rows(MATTERS)}
        verdicts = read_rows(VERDICTS_RECORDING) if VERDICTS_RECORDING.exists() else []
    if pairing not in stored:
        raise BadInput(f"--pairing {pairing!r} has no stored assignment; {nearest(pairing, stored)}")
    assignment = stored[pairing]
    both = (assignment.contestant_1, assignment.contestant_2)
    if not all((assignment.matter_id, side) in texts for side in both):
        raise BadInput(f"{pairing_id(assignment.matter_id, *both)} lacks an answer: abandon the answer instead")
    shown = assignment.shown_as(matters[assignment.matter_id], {side: texts[assignment.matter_id, side].text_sha256 for side in both})
    if any(row["presentation_id"] == shown for row in verdicts):
        raise BadInput(f"{pairing} has a recorded verdict: there is no gap to end, and nothing recorded is taken back")
    return shown


def told(row: Row) -> str:
    """What the command prints."""
    answer = "contestant" in row
    what = f"the answer of {row['contestant']} to {row['matter_id']}" if answer else f"presentation {row['presentation_id'][:12]}"
    return f"{what} is abandoned: {row['reason']} ({row['by']}). Commit data/orders/, then run `uv run dvc repro`.\n"
