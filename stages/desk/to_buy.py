"""Which replies a study still asks for, told before anything is bought: the same questions that the stages will ask, in their order."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from stages.desk.in_use import InUse
from stages.instrument.reader import read
from stages.providers.attempts import Asked, attempts
from stages.providers.reading import recorded_reply
from stages.schema.calls import Request, Row
from stages.schema.canonical import text_digest
from stages.schema.names import answer_id, pairing_id, pairs, verdict_id
from stages.schema.rows import Assignment, Pairing, Presentation, assigned, draw, turned, turned_of
from stages.store.journal import Journal

Kind = Literal["answer", "verdict", "control"]
State = Literal["recorded", "journal", "buy", "maybe", "abandoned", "unanswered"]


@dataclass(frozen=True)
class Wanted:
    """One reply that the study asks for, and where it will come from.

    recorded: from the recording. journal: from this machine's journal. buy: from its provider. maybe: a verdict on an answer that is
    still to come; it is bought unless that answer comes word for word as one that was judged before, or is a further attempt that comes
    incomplete. abandoned: an order says not to buy it. unanswered: a verdict on an abandoned answer. A maybe has no request.
    """

    label: str
    kind: Kind
    asked: str
    matter_id: str
    state: State
    request: Request | None = None
    attempt: int = 1


@dataclass(frozen=True)
class Seat:
    """Under which label which judge is asked, and whether it sees the pairing's other order."""

    label: str
    judge: str
    turned: bool = False


@dataclass(frozen=True)
class Ended:
    """What orders say to buy no more: answers by (matter, contestant), verdicts by presentation."""

    answers: frozenset[tuple[str, str]] = frozenset()
    presentations: frozenset[str] = frozenset()


class Outlook:
    """Everything that one study asks for. Reads the journal and changes nothing in it."""

    def __init__(self, study: InUse, journal: Journal, ended: Ended) -> None:
        self._given = study
        self._journal = journal
        self._ended = ended

    @cached_property
    def answers(self) -> list[Wanted]:
        """Every planned answer, and every further attempt that an order asks for."""
        given = self._given
        return [self._answer(asked) for asked in attempts(given.contestants, given.battery, given.reruns, self._replies)]

    def _replies(self, requests: list[Request]) -> dict[str, list[Row]]:
        """What a round of requests will find in the recordings or in the journal."""
        found = {request.sha256: self._given.answers.get(request.sha256, []) for request in requests}
        for request in requests:
            if not found[request.sha256] and not self._is_abandoned(request) and (row := self._journal.holds(request.sha256)):
                found[request.sha256] = [row]
        return found

    def _is_abandoned(self, request: Request) -> bool:
        """Whether an order ends this gap. A further attempt has an order of its own."""
        subject = request.subject
        return subject["attempt"] == 1 and (subject["matter_id"], subject["contestant"]) in self._ended.answers

    def _answer(self, asked: Asked) -> Wanted:
        state: State = "buy"
        if asked.request.sha256 in self._given.answers:
            state = "recorded"
        elif asked.rows:
            state = "journal"
        elif self._is_abandoned(asked.request):
            state = "abandoned"
        matter, contestant = asked.key
        return Wanted(asked.label, "answer", contestant, matter, state, asked.request, asked.number)

    @cached_property
    def study(self) -> InUse:
        """The study as it will be once the journal's answers are taken."""
        shas = [wanted.request.sha256 for wanted in self.answers if wanted.state == "journal" and wanted.request]
        taken = {sha256: [row] for sha256 in shas if (row := self._journal.holds(sha256))}
        return replace(self._given, answers={**self._given.answers, **taken})

    @cached_property
    def presentations(self) -> dict[tuple[str, bool], Presentation]:
        """What judges will see of every pairing whose two answers are there, by pairing id and whether it is turned."""
        texts, study = self.study.texts, self.study
        planned = [p for p in self._pairings() if all((p.matter_id, name) in texts for name in (p.contestant_1, p.contestant_2))]
        first = assigned(planned, study.stored, self._presentation_id, study.choices.seed)
        other = turned_of(first.values(), study.stored_turned, self._presentation_id) if study.study.both_orders else {}
        return {(name, is_turned): study.shown(row) for rows, is_turned in ((first, False), (other, True)) for name, row in rows.items()}

    def _presentation_id(self, row: Assignment) -> str:
        return self.study.shown(row).presentation_id

    def _pairings(self) -> Iterator[Pairing]:
        for matter in self._given.battery:
            for one, two in pairs(self._given.contestants):
                yield Pairing(pairing_id(matter, one, two), matter, one, two)

    @cached_property
    def verdicts(self) -> list[Wanted]:
        """Every planned verdict on which scores rest."""
        return [self._verdict(pairing, Seat(pairing.pairing_id, self._given.choices.judge)) for pairing in self._pairings()]

    @cached_property
    def second_verdicts(self) -> list[Wanted]:
        """Every verdict beside the scores: of second judges, and, where the study asks for both orders, of every judge on the other one."""
        given = self._given
        seats = [(judge, False) for judge in given.second_judges]
        seats += [(judge, True) for judge in given.judges] if given.study.both_orders else []
        return [
            self._verdict(pairing, Seat(verdict_id(pairing.pairing_id, judge, is_turned), judge, is_turned))
            for judge, is_turned in seats
            for pairing in self._pairings()
        ]

    def _verdict(self, pairing: Pairing, seat: Seat) -> Wanted:
        shown = self.presentations.get((pairing.pairing_id, seat.turned))
        if shown and self._may_be_replaced(pairing):
            return Wanted(seat.label, "verdict", seat.judge, pairing.matter_id, "maybe")
        if shown:
            return self._asked(seat, shown, "verdict", self.study.verdicts)
        sides = {answer_id(pairing.matter_id, name) for name in (pairing.contestant_1, pairing.contestant_2)}
        ended = any(wanted.state == "abandoned" for wanted in self.answers if wanted.label in sides)
        state: State = "unanswered" if ended else "maybe" if self._may_be_recorded(pairing, seat) else "buy"
        return Wanted(seat.label, "verdict", seat.judge, pairing.matter_id, state)

    def _may_be_replaced(self, pairing: Pairing) -> bool:
        """Whether a further attempt at one of the two answers is still to come, and is scored if it comes complete."""
        due = self._given.rules[pairing.matter_id] == "completed_rerun"
        sides = (pairing.contestant_1, pairing.contestant_2)
        return due and any((w.state, w.matter_id) == ("buy", pairing.matter_id) and w.asked in sides for w in self.answers)

    @cached_property
    def controls(self) -> list[Wanted]:
        """Every control, in both orders, of every judge that is asked it."""
        study = self.study
        return [
            self._asked(Seat(study.test_label(judge, each), judge), each.shown, "control", study.qualification)
            for judge, each in study.tests
        ]

    def _asked(self, seat: Seat, shown: Presentation, kind: Literal["verdict", "control"], recorded: dict[str, list[Row]]) -> Wanted:
        """The first request of a presentation whose reply is not there; where none is missing, the last that was asked."""
        found = Wanted(seat.label, kind, seat.judge, shown.matter_id, "recorded")
        for attempt in range(1, self.study.judges[seat.judge].ask_again + 2):
            request = self.study.verdict_request_of(shown, attempt, kind, seat.judge)
            rows = recorded.get(request.sha256, [])
            reply = rows[0] if rows else None if self._is_ended(shown, kind) else self._journal.holds(request.sha256)
            state: State = "recorded" if rows else "journal" if reply else "abandoned" if self._is_ended(shown, kind) else "buy"
            found = replace(found, state=state, request=request, attempt=attempt)
            if reply is None or read(self.study.instrument, recorded_reply(reply).text).verdict != "unreadable":
                break
        return found

    def _is_ended(self, shown: Presentation, kind: str) -> bool:
        return kind == "verdict" and shown.presentation_id in self._ended.presentations

    def _may_be_recorded(self, pairing: Pairing, seat: Seat) -> bool:
        """Whether a verdict is recorded that this pairing would take if its missing text came out as the one that was judged then."""
        stored = self.study.stored.get(pairing.pairing_id)
        first = stored[0] if stored else draw(self.study.choices.seed, pairing, ordinal=0)
        sides = turned(first) if seat.turned else first
        return any(self._fits(row, sides) for row in self._free_verdicts[seat.judge])

    def _fits(self, row: Row, sides: Assignment) -> bool:
        """Whether a recorded verdict is on this matter, and on the text of each side whose text is known."""
        known = {"answer_a_sha256": sides.answer_a_was, "answer_b_sha256": sides.answer_b_was}
        texts = {key: self.study.texts.get((sides.matter_id, name)) for key, name in known.items()}
        matter_sha256 = self.study.battery[sides.matter_id].matter_sha256
        return bool(
            row["matter_sha256"] == matter_sha256 and all(text is None or row[key] == text_digest(text) for key, text in texts.items())
        )

    @cached_property
    def _free_verdicts(self) -> dict[str, list[Row]]:
        """By judge, its recorded verdicts under this instrument that no pairing with both answers takes."""
        return {judge: self._free(judge) for judge in self.study.judges}

    def _free(self, judge: str) -> list[Row]:
        taken = {shown.presentation_id for shown in self.presentations.values()}
        study = self.study
        any_matter = next(iter(study.battery))
        asked = study.verdict_request_of(Presentation("0" * 64, any_matter, "", ""), 1, judge=judge)
        same = ("judge", "instrument_sha256", "settings_sha256", "wire", "route")
        wanted = asked.stated
        return [
            row
            for rows in study.verdicts.values()
            for row in rows
            if row["presentation_id"] not in taken and all(row[key] == wanted[key] for key in same)
        ]
