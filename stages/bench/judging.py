"""One judge under one instrument, asked about presentations: the same code for a study's pairings and for the controls."""

from collections.abc import Callable, Iterable, Mapping
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
Replies = Callable[[list[Request]], Mapping[str, list[Row]]]


@dataclass(frozen=True)
class Bench:
    """Who judges, under what, at which pace, with the names by which conf/ knows them."""

    judge: str
    model: Judge
    instrument_name: str
    instrument: Instrument
    runner: Runner

    def board(self) -> Switchboard:
        """Where the judge is asked, for one round."""
        return Switchboard({self.judge: self.model}, self.runner)

    def requests(
        self, battery: Mapping[str, Matter], shown: Iterable[Presentation], attempt: int, kind: Literal["verdict", "control"]
    ) -> list[Request]:
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

    def verdicts(
        self, battery: Mapping[str, Matter], shown: list[Presentation], kind: Literal["verdict", "control"], replies: Replies
    ) -> list[Verdict]:
        """Every reply for every presentation, as read. ``replies`` obtains those of one round, from wherever they are recorded or sold."""

        def asked(presentations: list[Presentation], attempt: int) -> list[Verdict]:
            requests = self.requests(battery, presentations, attempt, kind)
            found = replies(requests)
            return [self.verdict_of(found[request.sha256]) for request in requests if request.sha256 in found]

        return rounds(shown, self.model.ask_again, asked)


def bench(chosen: Mapping[str, str]) -> Bench:
    """The bench of a stage's command line: judge, instrument and runner by name. Raises BadInput for a name or a file that is wrong."""
    return Bench(
        chosen["judge"],
        setting("judge", chosen["judge"], settings),
        chosen["instrument"],
        setting("instrument", chosen["instrument"], settings),
        setting("runner", chosen["runner"], settings),
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
