"""judge: obtains one blind verdict per presentation, under the one instrument, and reads the replies.

Its choices come on its command line, so it opens neither params.yaml nor anything else that names a contestant.
Appends to data/recordings/verdicts.jsonl, a sealed row per call (row format 1, stages/schema/calls.py).
Writes data/work/verdicts.jsonl, the replies in use as read, still in terms of A and B:
    {"judge":"qwen-1500m","matter_id":"Q01","presentation_id":"4be0…","rationale":"…","verdict":"A",…}
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

from stages.instrument.asking import instrument_digest, messages
from stages.instrument.reader import READER, read
from stages.instrument.readings import changes, reading_row
from stages.providers.openai import read_reply
from stages.providers.reading import call_fields
from stages.providers.requests import Question, verdict_request
from stages.providers.switchboard import Switchboard
from stages.runtime.compose import setting
from stages.runtime.entry import arguments, run
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import MATTERS, PRESENTATIONS, READINGS_RECORDING, VERDICT_ORDERS, VERDICTS, VERDICTS_RECORDING
from stages.runtime.progress import say
from stages.schema.calls import Request
from stages.schema.jsonl import Row, read_rows, write_rows
from stages.schema.matter import Matter, matter_from_row
from stages.schema.orders import VerdictOrder, orders_in
from stages.schema.rows import Presentation, Verdict
from stages.schema.settings import HostedJudge, Instrument, LocalJudge, Runner, settings
from stages.store.fetching import replies_to
from stages.store.recordings import Recording

Judge = LocalJudge | HostedJudge


def planned(
    judge: str, model: Judge, instrument: Instrument, battery: dict[str, Matter], presentations: Iterable[Presentation], attempt: int
) -> list[Request]:
    """The request of every verdict, in the order given."""
    fixed = instrument_digest(instrument)

    def request(shown: Presentation) -> Request:
        matter = battery[shown.matter_id]
        asked = Question(fixed, messages(instrument, matter.brief, shown.answer_a, shown.answer_b), instrument.reply_schema)
        return verdict_request(judge, model, matter, shown, asked, attempt)

    return [request(shown) for shown in presentations]


def verdict_of(rows: list[Row], model: Judge, instrument_name: str, instrument: Instrument) -> Verdict:
    """The verdict that the first of ``rows`` holds, or ``unreadable``. A later attempt may take the score from it."""
    reply = read_reply(rows[0])
    reading = read(instrument, reply.text)
    return Verdict(
        **call_fields(rows, reply, model),
        presentation_id=rows[0]["presentation_id"],
        matter_id=rows[0]["matter_id"],
        judge=rows[0]["judge"],
        attempt=rows[0]["attempt"],
        scored=True,
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


def rounds(shown: list[Presentation], ask_again: int, asked: Callable[[list[Presentation], int], list[Verdict]]) -> list[Verdict]:
    """Every reply for every presentation: an unreadable one is asked for again, ``ask_again`` times at most. The last one is scored."""
    found: list[Verdict] = []
    for attempt in range(1, ask_again + 2):
        replies = asked(shown, attempt)
        again = {verdict.presentation_id for verdict in replies}
        found = [replace(v, scored=v.scored and v.presentation_id not in again) for v in found] + replies
        unread = {verdict.presentation_id for verdict in replies if verdict.verdict == "unreadable"}
        shown = [presentation for presentation in shown if presentation.presentation_id in unread]
    return sorted(found, key=lambda verdict: (verdict.presentation_id, verdict.attempt))


def record_readings(now: list[Row], recording: Recording) -> None:
    """Keep what this version of the reader reads, and list every reply that an earlier version read differently.

    Raises BadRecord when the reader changed without a new version.
    """
    with refusing(str(recording.path), BadRecord):
        for sentence in changes(recording.load(), now):
            say(f"judge: {sentence}")
    recording.add(now)
    recording.save()


def judge(chosen: dict[str, str]) -> None:
    model: Judge = setting("judge", chosen["judge"], settings)
    instrument: Instrument = setting("instrument", chosen["instrument"], settings)
    runner: Runner = setting("runner", chosen["runner"], settings)
    with refusing("data/work"):
        battery = {row["matter_id"]: matter_from_row(row) for row in read_rows(MATTERS)}
        presentations = [Presentation.from_row(row) for row in read_rows(PRESENTATIONS)]
    with refusing(kind=BadRecord):
        ended = {order.presentation_id for order in orders_in(VERDICT_ORDERS, VerdictOrder)}

    def asked(shown: list[Presentation], attempt: int) -> list[Verdict]:
        requests = planned(chosen["judge"], model, instrument, battery, shown, attempt)
        board = Switchboard({chosen["judge"]: model}, runner)
        replies = replies_to("verdicts", requests, VERDICTS_RECORDING, board, runner, lambda r: r.subject["presentation_id"] in ended)
        return [verdict_of(replies[r.sha256], model, chosen["instrument"], instrument) for r in requests if r.sha256 in replies]

    verdicts = rounds(presentations, model.ask_again, asked)
    record_readings([reading_row(verdict) for verdict in verdicts], Recording(READINGS_RECORDING))
    write_rows(VERDICTS, (verdict.row() for verdict in verdicts))


def main() -> None:
    run("judge", lambda: judge(arguments(sys.argv[1:], ("judge", "instrument", "runner"))))


if __name__ == "__main__":
    main()
