"""What this checkout's study rests on, built anew from sources and recordings alone: nothing under data/work is believed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Literal

from stages.instrument.asking import instrument_digest, messages
from stages.instrument.reader import Reading, read
from stages.providers.attempts import Asked, attempts, by_answer
from stages.providers.reading import recorded_reply
from stages.providers.requests import Model, Question, verdict_request
from stages.runtime.compose import CONF, choices, settings_of
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import (
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    CONTROLS_FOLDER,
    MATTERS_FOLDER,
    QUALIFICATION_RECORDING,
    RERUN_ORDERS,
    VERDICTS_RECORDING,
)
from stages.schema.attempt_rules import AttemptRule, scored_attempt
from stages.schema.calls import Request, Row
from stages.schema.canonical import text_digest
from stages.schema.controls import Control, controls, read_controls
from stages.schema.matter import Matter, battery_of, read_battery
from stages.schema.names import pairs, verdict_id
from stages.schema.orders import RerunOrder, orders_in
from stages.schema.rows import Assignment, Presentation, Stored, chosen, in_force, turned_in_force, turned_in_use
from stages.schema.settings import Choices, HostedJudge, Instrument, LocalJudge, Runner, Study, settings
from stages.store.recordings import Recording

Judge = LocalJudge | HostedJudge


@dataclass(frozen=True)
class Second:
    """What one judge is asked beside the scores: a pairing on its other order, or, of a second judge, on either."""

    judge: str
    sides: Assignment
    shown: Presentation
    turned: bool


@dataclass(frozen=True)
class InUse:
    """One study with its settings, matters and recordings, and everything that follows from them."""

    choices: Choices
    study: Study
    instrument: Instrument
    judge: Judge
    runner: Runner
    second_judges: dict[str, Judge]
    contestants: dict[str, Model]
    battery: dict[str, Matter]
    all_matters: dict[str, Matter]
    answers: dict[str, list[Row]]
    reruns: list[RerunOrder]
    rules: dict[str, AttemptRule]
    verdicts: dict[str, list[Row]]
    stored: Stored
    stored_turned: Stored
    controls: list[Control]
    qualification: dict[str, list[Row]]

    @cached_property
    def instrument_sha256(self) -> str:
        return instrument_digest(self.instrument)

    @cached_property
    def attempts(self) -> list[Asked]:
        """Every attempt at a planned answer: the first ones, and further ones that an order asks for; with its recorded replies."""
        return attempts(
            self.contestants,
            self.battery,
            self.reruns,
            lambda asked: {r.sha256: self.answers[r.sha256] for r in asked if r.sha256 in self.answers},
        )

    @cached_property
    def scored(self) -> dict[tuple[str, str], Asked]:
        """The attempt that the study's rule scores, of each (matter, contestant) that has one."""
        found = {}
        for (matter, contestant), made in by_answer(self.attempts).items():
            found[matter, contestant] = made[scored_attempt(self.rules[matter], [recorded_reply(asked.rows[0]).status for asked in made])]
        return found

    @cached_property
    def answer_requests(self) -> dict[str, Request]:
        """The request of every planned answer by its id: of the attempt that is scored, or of the first where none came."""
        return {":".join(asked.key): self.scored.get(asked.key, asked).request for asked in self.attempts if asked.number == 1}

    @cached_property
    def other_attempts(self) -> dict[str, Asked]:
        """Every attempt that is not the answer's own, by matter:contestant:attempt."""
        own = {request.sha256 for request in self.answer_requests.values()}
        return {asked.name: asked for asked in self.attempts if asked.request.sha256 not in own}

    @cached_property
    def texts(self) -> dict[tuple[str, str], str]:
        """The answer of each (matter, contestant) that has one."""
        return {key: recorded_reply(asked.rows[0]).text for key, asked in self.scored.items()}

    @cached_property
    def assignments(self) -> dict[str, Assignment]:
        """The stored assignment in use of every pairing with both answers, by pairing id."""
        return chosen(
            {name: rows for name, rows in self.stored.items() if self._answered(rows[0])}, lambda row: self.shown(row).presentation_id
        )

    def _answered(self, row: Assignment) -> bool:
        sides = [(row.matter_id, row.contestant_1), (row.matter_id, row.contestant_2)]
        return row.matter_id in self.battery and all(side in self.texts for side in sides)

    def shown(self, row: Assignment) -> Presentation:
        """What the judge sees of a pairing with both answers."""
        a, b = self.texts[row.matter_id, row.answer_a_was], self.texts[row.matter_id, row.answer_b_was]
        digests = {row.answer_a_was: text_digest(a), row.answer_b_was: text_digest(b)}
        return Presentation(row.shown_as(self.battery[row.matter_id].matter_sha256, digests), row.matter_id, a, b)

    @cached_property
    def presentations(self) -> dict[str, Presentation]:
        """What the judge sees, by pairing id, of every pairing with both answers and a stored assignment."""
        return {pairing: self.shown(row) for pairing, row in self.assignments.items()}

    @cached_property
    def verdict_rounds(self) -> dict[str, list[Request]]:
        """The recorded requests of every verdict in turn, by pairing id: a further one where an unreadable reply was asked for again."""
        return {pairing: self._rounds(self.choices.judge, shown, "verdict") for pairing, shown in self.presentations.items()}

    @cached_property
    def verdict_requests(self) -> dict[str, Request]:
        """The request of every verdict that can be asked for, by pairing id: the last one that is recorded, else the first."""
        return {
            pairing: (self.verdict_rounds[pairing] or [self.verdict_request_of(shown, 1)])[-1]
            for pairing, shown in self.presentations.items()
        }

    @property
    def judges(self) -> dict[str, Judge]:
        """The study's judge, and the second ones after it."""
        return {self.choices.judge: self.judge, **self.second_judges}

    @cached_property
    def turned_assignments(self) -> dict[str, Assignment]:
        """The stored turned assignment of every pairing in use, by pairing id; none where the study asks for one order."""
        if not self.study.both_orders:
            return {}
        return turned_in_use(self.assignments.values(), self.stored_turned, lambda row: self.shown(row).presentation_id)

    @cached_property
    def second(self) -> dict[str, Second]:
        """Everything that is asked beside the scores, by verdict id."""
        first = [(judge, self.assignments, False) for judge in self.second_judges]
        other = [(judge, self.turned_assignments, True) for judge in self.judges]
        return {
            verdict_id(pairing, judge, turned): Second(judge, sides, self.shown(sides), turned)
            for judge, assignments, turned in first + other
            for pairing, sides in assignments.items()
        }

    @cached_property
    def second_rounds(self) -> dict[str, list[Request]]:
        """The recorded requests of every second verdict in turn, by verdict id."""
        return {name: self._rounds(each.judge, each.shown, "verdict") for name, each in self.second.items()}

    @cached_property
    def second_requests(self) -> dict[str, Request]:
        """The request of every second verdict, by verdict id: the last one that is recorded, else the first."""
        return {
            name: (self.second_rounds[name] or [self.verdict_request_of(each.shown, 1, judge=each.judge)])[-1]
            for name, each in self.second.items()
        }

    @property
    def all_rounds(self) -> dict[str, list[Request]]:
        """verdict_rounds and second_rounds."""
        return {**self.verdict_rounds, **self.second_rounds}

    @property
    def all_requests(self) -> dict[str, Request]:
        """verdict_requests and second_requests."""
        return {**self.verdict_requests, **self.second_requests}

    @property
    def all_presentations(self) -> dict[str, Presentation]:
        """What is shown, by the names of ``all_requests``."""
        return {**self.presentations, **{name: each.shown for name, each in self.second.items()}}

    @property
    def tests(self) -> list[tuple[str, Control]]:
        """Every control in each order, with every judge that is asked it: one without thresholds is asked none."""
        return [(name, control) for name, judge in self.judges.items() if judge.qualifies for control in self.controls]

    @cached_property
    def control_rounds(self) -> list[tuple[str, Control, list[Request]]]:
        """Every judge's every control in each order, with its recorded requests in turn."""
        return [(judge, control, self._rounds(judge, control.shown, "control")) for judge, control in self.tests]

    def _rounds(self, judge: str, shown: Presentation, kind: Literal["verdict", "control"]) -> list[Request]:
        """The last one's reply counts. None is asked for after one that can be read."""
        recorded, again = self.verdicts if kind == "verdict" else self.qualification, self.judges[judge].ask_again
        found: list[Request] = []
        for attempt in range(1, again + 2):
            request = self.verdict_request_of(shown, attempt, kind, judge)
            if request.sha256 not in recorded:
                break
            found.append(request)
            if attempt <= again and self._readable(recorded[request.sha256][0]):
                break
        return found

    @cached_property
    def reading(self) -> Callable[[str], Reading]:
        """What a reply of a judge says under this instrument. One text is read once."""
        return cache(partial(read, self.instrument))

    def _readable(self, row: Row) -> bool:
        return self.reading(recorded_reply(row).text).verdict != "unreadable"

    @cached_property
    def control_requests(self) -> dict[str, Request]:
        """The first request of every control, by control and order; of a second judge's, by its name as well."""
        return {
            self.test_label(judge, control): self.verdict_request_of(control.shown, 1, "control", judge) for judge, control in self.tests
        }

    @cached_property
    def recorded_by(self) -> dict[tuple[str, str, str | None], list[Row]]:
        """Every recorded reply by its kind, by whom it is and by matter; under None, those on every matter."""
        found: dict[tuple[str, str, str | None], list[Row]] = {}
        for recorded in (self.answers, self.verdicts, self.qualification):
            for row in (row for replies in recorded.values() for row in replies):
                by = row["contestant" if row["kind"] == "answer" else "judge"]
                found.setdefault((row["kind"], by, row["matter_id"]), []).append(row)
                found.setdefault((row["kind"], by, None), []).append(row)
        return found

    def test_label(self, judge: str, control: Control) -> str:
        by = f" by {judge}" if judge in self.second_judges else ""
        return f"{control.control_id} in order {control.order_number}{by}"

    def verdict_request_of(
        self, shown: Presentation, attempt: int, kind: Literal["verdict", "control"] = "verdict", judge: str | None = None
    ) -> Request:
        """What a judge is asked about a presentation: the study's, unless another one is named."""
        name = judge or self.choices.judge
        matter = self.all_matters[shown.matter_id]
        words = messages(self.instrument, matter.brief, shown.answer_a, shown.answer_b)
        asked = Question(self.instrument_sha256, words, self.instrument.reply_schema)
        return verdict_request(name, self.judges[name], matter, shown, asked, attempt, kind)

    @property
    def planned_pairings(self) -> int:
        return len(self.battery) * len(pairs(self.contestants))


def load(picked: Choices | None = None) -> InUse:
    """Read this checkout, as params.yaml chooses or as ``picked`` does instead.

    Raises BadInput or BadRecord for the first thing that is wrong.
    """
    picked = picked or choices(settings)
    with refusing():
        every = read_battery(MATTERS_FOLDER)
        battery = battery_of(every, picked.matters)
        all_matters = {matter.matter_id: matter for matter in every}
        tests = controls(read_controls(CONTROLS_FOLDER, all_matters), all_matters)
    with refusing(str(ASSIGNMENTS_RECORDING), BadRecord):
        rows = [Assignment.from_row(row) for row in Recording(ASSIGNMENTS_RECORDING).load()]
        stored, turned = in_force(rows), turned_in_force(rows)
    names, beside = sorted(picked.contestants), picked.panel.second_judges
    files = [("study", picked.study), ("instrument", picked.instrument), ("judge", picked.judge), ("runner", picked.runner)]
    further = [*(("judge", name) for name in beside), *(("contestant", name) for name in names)]
    study, instrument, judge, runner, *models = settings_of([*files, *further], settings)
    with refusing(f"{CONF / 'study' / picked.study}.yaml"):
        rules = {matter.matter_id: study.rule_of(matter.series, matter.source_path) for matter in battery}
    with refusing(kind=BadRecord):
        reruns = orders_in(RERUN_ORDERS, RerunOrder)
    return InUse(
        choices=picked,
        study=study,
        instrument=instrument,
        judge=judge,
        runner=runner,
        second_judges=dict(zip(beside, models, strict=False)),
        contestants=dict(zip(names, models[len(beside) :], strict=True)),
        battery={matter.matter_id: matter for matter in battery},
        all_matters=all_matters,
        answers=Recording(ANSWERS_RECORDING).by_request(),
        reruns=reruns,
        rules=rules,
        verdicts=Recording(VERDICTS_RECORDING).by_request(),
        controls=tests,
        qualification=Recording(QUALIFICATION_RECORDING).by_request(),
        stored_turned=turned,
        stored={name: rows for name, rows in stored.items() if {rows[0].contestant_1, rows[0].contestant_2} <= set(picked.contestants)},
    )
