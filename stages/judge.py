"""judge: obtains one blind verdict per presentation, under the one instrument, and reads the replies.

Its choices come on its command line, so it opens neither params.yaml nor anything else that names a contestant.
Appends to data/recordings/verdicts.jsonl, a sealed row per call (row format 1, stages/schema/calls.py).
Writes data/work/verdicts.jsonl, the replies in use as read, still in terms of A and B:
    {"judge":"qwen-1500m","matter_id":"Q01","presentation_id":"4be0…","rationale":"…","verdict":"A",…}
"""

import sys
from collections.abc import Iterable

from stages.instrument.asking import instrument_digest, messages
from stages.instrument.reader import READER, read
from stages.providers.openai import read_reply
from stages.providers.reading import call_fields
from stages.providers.requests import verdict_request
from stages.providers.switchboard import Model, Switchboard
from stages.runtime.compose import setting
from stages.runtime.entry import arguments, run
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import MATTERS, PRESENTATIONS, VERDICT_ORDERS, VERDICTS, VERDICTS_RECORDING
from stages.schema.calls import Request
from stages.schema.jsonl import Row, read_rows, write_rows
from stages.schema.matter import Matter, matter_from_row
from stages.schema.orders import VerdictOrder
from stages.schema.rows import Presentation, Verdict
from stages.schema.settings import Instrument, Runner, settings
from stages.store.fetching import replies_to


def planned(
    judge: str, model: Model, instrument: Instrument, battery: dict[str, Matter], presentations: Iterable[Presentation]
) -> list[Request]:
    """The request of every verdict, in the order of ids."""
    fixed = instrument_digest(instrument)

    def request(shown: Presentation) -> Request:
        matter = battery[shown.matter_id]
        asked = messages(instrument, matter.brief, shown.answer_a, shown.answer_b)
        return verdict_request(judge, model, matter, shown, fixed, asked, instrument.reply_schema)

    return [request(shown) for shown in presentations]


def verdict_of(rows: list[Row], model: Model, instrument_name: str, instrument: Instrument) -> Verdict:
    """The verdict that the first of ``rows`` holds, or ``unreadable``."""
    reply = read_reply(rows[0])
    reading = read(instrument, reply.text)
    return Verdict(
        **call_fields(rows, reply, model),
        presentation_id=rows[0]["presentation_id"],
        matter_id=rows[0]["matter_id"],
        judge=rows[0]["judge"],
        instrument=instrument_name,
        instrument_sha256=rows[0]["instrument_sha256"],
        reader=READER,
        verdict=reading.verdict,
        unreadable_because=reading.unreadable_because,
        material_difference=reading.material_difference,
        rationale=reading.rationale,
        rejected_points=list(reading.rejected_points),
        raw_text=reply.text,
    )


def judge(chosen: dict[str, str]) -> None:
    model: Model = setting("judge", chosen["judge"], settings)
    instrument: Instrument = setting("instrument", chosen["instrument"], settings)
    runner: Runner = setting("runner", chosen["runner"], settings)
    with refusing("data/work"):
        battery = {row["matter_id"]: matter_from_row(row) for row in read_rows(MATTERS)}
        presentations = [Presentation.from_row(row) for row in read_rows(PRESENTATIONS)]
    with refusing(str(VERDICT_ORDERS), BadRecord):
        ended = {VerdictOrder.from_row(row).presentation_id for row in read_rows(VERDICT_ORDERS)}
    requests = planned(chosen["judge"], model, instrument, battery, presentations)
    board = Switchboard({chosen["judge"]: model}, runner)
    replies = replies_to("verdicts", requests, VERDICTS_RECORDING, board, runner, lambda r: r.subject["presentation_id"] in ended)
    verdicts = [verdict_of(replies[r.sha256], model, chosen["instrument"], instrument) for r in requests if r.sha256 in replies]
    write_rows(VERDICTS, (verdict.row() for verdict in verdicts))


def main() -> None:
    run("judge", lambda: judge(arguments(sys.argv[1:], ("judge", "instrument", "runner"))))


if __name__ == "__main__":
    main()
