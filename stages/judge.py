"""judge: obtains one blind verdict per presentation and judge, under the one instrument, and reads the replies.

Its choices come on its command line, so it opens neither params.yaml nor anything else that names a contestant.
Appends to data/recordings/verdicts.jsonl, a sealed row per call (row format 1, stages/schema/calls.py).
Writes data/work/verdicts.jsonl, the replies in use as read, still in terms of A and B:
    {"judge":"qwen-1500m","matter_id":"Q01","presentation_id":"4be0…","rationale":"…","verdict":"A",…}
"""

import sys
from collections.abc import Container, Iterable, Sequence

from stages.bench.judging import BESIDE, WORDS, bench
from stages.instrument.readings import changes, reading_row
from stages.runtime.entry import run, seated
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import MATTERS, PRESENTATIONS, READINGS_RECORDING, VERDICT_ORDERS, VERDICTS, VERDICTS_RECORDING
from stages.runtime.streams import say
from stages.schema.calls import Request
from stages.schema.jsonl import Row, write_rows
from stages.schema.matter import matters_in
from stages.schema.orders import VerdictOrder, orders_in
from stages.schema.rows import Presentation
from stages.store.fetching import Fetching
from stages.store.recordings import Recording


def check_presentations(presentations: Iterable[Presentation], battery: Container[str]) -> None:
    """Raise ValueError for a presentation of a matter that is not in the battery."""
    for shown in presentations:
        if shown.matter_id not in battery:
            name = f"presentation {shown.presentation_id[:12]} is of {shown.matter_id}"
            raise ValueError(f"{name}, which is not in {MATTERS}; `uv run dvc repro conceal` makes them anew")


def record_readings(now: list[Row], recording: Recording) -> None:
    """Keep what this version of the reader reads, and list every reply that an earlier version read differently.

    Raises BadRecord when the reader changed without a new version.
    """
    with refusing(str(recording.path), BadRecord):
        for sentence in changes(recording.load(), now):
            say(f"judge: {sentence}")
    recording.add(now)
    recording.save()


def judge(chosen: dict[str, str], beside: Sequence[str] = ()) -> None:
    judges = bench(chosen, beside)
    battery = {matter.matter_id: matter for matter in handed(MATTERS, matters_in)}
    presentations = handed(PRESENTATIONS, Presentation.read)
    with refusing(str(PRESENTATIONS), BadRecord):
        check_presentations(presentations, battery)
    with refusing(kind=BadRecord):
        ended = {order.presentation_id for order in orders_in(VERDICT_ORDERS, VerdictOrder)}

    fetching = Fetching("verdicts", VERDICTS_RECORDING, judges.runner, judges.board)

    def replies(requests: list[Request]) -> dict[str, list[Row]]:
        return fetching.replies_to(requests, lambda request: request.subject["presentation_id"] in ended)

    verdicts = judges.verdicts(battery, presentations, "verdict", replies)
    record_readings([reading_row(verdict) for verdict in verdicts], Recording(READINGS_RECORDING))
    write_rows(VERDICTS, (verdict.row() for verdict in verdicts))


def main() -> None:
    run("judge", lambda: judge(*seated(sys.argv[1:], WORDS, BESIDE)))


if __name__ == "__main__":
    main()
