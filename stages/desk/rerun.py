"""moot rerun: orders a further attempt at an answer that was cut off or kept back. Both attempts stay; the study's rule picks one."""

import argparse
from datetime import UTC, datetime

from stages.desk.in_use import InUse, load
from stages.providers.attempts import Asked
from stages.providers.reading import recorded_reply
from stages.runtime.errors import BadInput, refusing
from stages.runtime.paths import RERUN_ORDERS
from stages.schema.attempt_rules import check_ordered_again
from stages.schema.jsonl import Row, rows_text
from stages.schema.names import nearest
from stages.schema.orders import RerunOrder

EXAMPLE = """example:
  moot rerun --contestant alder --matter Q12 --reason "the reply was cut off after three lines" --by "A. Author"

The order goes into data/orders/reruns/, which git tracks, before anything is asked: commit it, then run `uv run dvc repro`.
Only an attempt that was blocked, empty, filtered or truncated can be ordered again."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--contestant", required=True, help="whose answer")
    parser.add_argument("--matter", required=True, help="to which matter, such as Q12")
    parser.add_argument("--reason", required=True, help="why it is asked for once more; it is published")
    parser.add_argument("--by", required=True, help="who decides; it is published")


def run(given: argparse.Namespace) -> Row:
    """Write the order and return it with what it follows. Raises BadInput for a wrong name, a missing reason or author, an attempt that
    does not exist or may not be asked for again, and one that is ordered already."""
    study = load()
    last = last_attempt(study, given.contestant, given.matter)
    with refusing():
        check_ordered_again(last.name, recorded_reply(last.rows[0]).status)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        order = RerunOrder("rerun", given.reason, given.by, now, given.contestant, given.matter, last.number + 1, last.request.sha256)
        row, path = order.row(), RERUN_ORDERS / order.file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(rows_text([row]))
    after = {"after_status": recorded_reply(last.rows[0]).status, "attempt_rule": study.rules[given.matter]}
    return {**row, "file": path.as_posix(), **after}


def last_attempt(study: InUse, contestant: str, matter: str) -> Asked:
    """The last attempt at an answer. Raises BadInput for a wrong name, where there is none, and where a further one is ordered already."""
    if contestant not in study.contestants:
        raise BadInput(f"--contestant {contestant!r} is not in params.yaml; {nearest(contestant, study.contestants)}")
    if matter not in study.battery:
        raise BadInput(f"--matter {matter!r} is not in the battery; {nearest(matter, study.battery)}")
    last = [asked for asked in study.attempts if asked.key == (matter, contestant)][-1]
    if last.rows:
        return last
    if last.order:
        when = f"by {last.order.by} on {last.order.ordered_at[:10]}"
        raise BadInput(f"attempt {last.name} is ordered already, {when}: `uv run dvc repro` asks for it")
    raise BadInput(f"{contestant} has no recorded attempt at {matter}: `uv run dvc repro` asks for the first one, without an order")


def told(row: Row) -> str:
    """What the command prints."""
    counts = {
        "recorded_attempt": "the rule of its series is recorded_attempt, so the first attempt stays the one that is scored",
        "completed_rerun": "the rule of its series is completed_rerun, so it is scored if it comes complete",
    }
    after = f"the one before was {row['after_status']}; {counts[row['attempt_rule']]}"
    what = f"Attempt {row['attempt']} of {row['contestant']} at {row['matter_id']} is ordered: {row['reason']} ({row['by']})"
    return f"{what}: {after}. Commit {row['file']}, then run `uv run dvc repro`.\n"
