"""Judges under one instrument, asked about presentations: the same code for a study's pairings and for the controls."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from stages.instrument.asking import instrument_digest, messages
from stages.instrument.reader import READER, read
from stages.providers.reading import call_fields, recorded_reply
from stages.providers.requests import Question, verdict_request
from stages.providers.switchboard import Switchboard
from stages.runtime.compose import setting
from stages.schema.calls import Request
from stages.schema.jsonl import Row
from stages.schema.matter import Matter
from stages.schema.rows import Presentation, Verdict
from stages.schema.settings import HostedJudge, Instrument, LocalJudge, Runner, settings

Judge = LocalJudge | HostedJudge
Kind = Literal["verdict", "control"]
Replies = Callable[[list[Request]], Mapping[str, list[Row]]]
WORDS = ("judge", "instrument", "runner")  # of a stage's command line
BESIDE = "--second_judges"


@dataclass(frozen=True)
class Seat:
    """One judge, under what it judges, with the names by which conf/ knows both."""

    judge: str
    model: Judge
    instrument_name: str
    instrument: Instrument

    def requests(self, battery: Mapping[str, Matter], shown: Iterable[Presentation], attempt: int, kind: Kind) -> list[Request]:
        """The request of every verdict, in the order given."""
        fixed = instrument_digest(self.instrument)

        def request(presentation: Presentation) -> Request:
            matter = battery[presentation.matter_id]
            words = messages(self.instrument, matter.brief, presentation.answer_a, presentation.answer_b)
            asked = Question(fixed, words, self.instrument.reply_schema)
            return verdict_request(self.judge, self.model, matter, presentation, asked, attempt, kind)

        return [request(presentation) for presentation in shown]

    def verdict_of(self, rows: list[Row]) -> Verdict:
        """The verdict that the first of ``rows`` holds, or ``unreadable``. A later attempt may take the score from it."""
        reply = recorded_reply(rows[0])
        reading = read(self.instrument, reply.text)
        return Verdict(
            **call_fields(rows, reply, self.model),
            presentation_id=rows[0]["presentation_id"],
            matter_id=rows[0]["matter_id"],
            judge=rows[0]["judge"],
            attempt=rows[0]["attempt"],
            scored=True,
            instrument=self.instrument_name,
            instrument_sha256=rows[0]["instrument_sha256"],
            reader=READER,
            verdict=reading.verdict,
            unreadable_because=reading.unreadable_because,
            material_difference=reading.material_difference,
            rationale=reading.rationale,
            rejected_points=list(reading.rejected_points),
            raw_text=reply.text,
        )


Waiting = tuple[Seat, list[Presentation]]


@dataclass(frozen=True)
class Bench:
    """The study's judge and, after it, the second judges; and how hard to push all of them together."""

    seats: Sequence[Seat]
    runner: Runner

    def board(self) -> Switchboard:
        """Where the judges are asked, for one round."""
        return Switchboard({seat.judge: seat.model for seat in self.seats}, self.runner)

    def verdicts(self, battery: Mapping[str, Matter], shown: list[Presentation], kind: Kind, replies: Replies) -> list[Verdict]:
        """Every judge's every reply on every presentation, as read, each judge asked the very same.

        ``replies`` obtains those of one round, from wherever they are recorded or sold: one round for all judges, so that what is
        missing, and what it would cost, is known before anything is bought.
        """

        def asked(waiting: list[Waiting], attempt: int) -> list[Verdict]:
            requests = [(seat, request) for seat, each in waiting for request in seat.requests(battery, each, attempt, kind)]
            found = replies([request for _, request in requests])
            return [seat.verdict_of(found[request.sha256]) for seat, request in requests if request.sha256 in found]

        return rounds([(seat, shown) for seat in self.seats], asked)


def bench(chosen: Mapping[str, str], beside: Sequence[str] = ()) -> Bench:
    """The bench of a stage's command line: judge, instrument and runner by name, and the second judges.

    Raises BadInput for a name or a file that is wrong.
    """
    instrument = setting("instrument", chosen["instrument"], settings)
    names = (chosen["judge"], *beside)
    seats = [Seat(name, setting("judge", name, settings), chosen["instrument"], instrument) for name in names]
    return Bench(seats, setting("runner", chosen["runner"], settings))


def rounds(waiting: list[Waiting], asked: Callable[[list[Waiting], int], list[Verdict]]) -> list[Verdict]:
    """Every reply: an unreadable one is asked for again, as often as its judge's ``ask_again`` says. The last one is scored."""
    found: list[Verdict] = []
    for attempt in range(1, 2 + max((seat.model.ask_again for seat, _ in waiting), default=0)):
        replies = asked(waiting, attempt)
        again = {_of(verdict) for verdict in replies}
        found = [replace(verdict, scored=verdict.scored and _of(verdict) not in again) for verdict in found] + replies
        unread = {_of(verdict) for verdict in replies if verdict.verdict == "unreadable"}
        waiting = [
            (seat, [presentation for presentation in shown if (presentation.presentation_id, seat.judge) in unread])
            for seat, shown in waiting
            if attempt <= seat.model.ask_again
        ]
    return sorted(found, key=lambda verdict: (*_of(verdict), verdict.attempt))


def _of(verdict: Verdict) -> tuple[str, str]:
    return verdict.presentation_id, verdict.judge
