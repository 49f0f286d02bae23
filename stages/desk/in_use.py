"""What this checkout's study rests on, built anew from sources and recordings alone: nothing under data/work is believed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from stages.instrument.asking import instrument_digest, messages
from stages.providers.reading import recorded_reply
from stages.providers.requests import Model, Question, answer_request, verdict_request
from stages.runtime.compose import choices, setting
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import (
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    CONTROLS_FOLDER,
    MATTERS_FOLDER,
    QUALIFICATION_RECORDING,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Request, Row
from stages.schema.canonical import text_digest
from stages.schema.controls import Control, controls, read_controls
from stages.schema.matter import Matter, battery_of, read_battery
from stages.schema.names import pairs, verdict_id
from stages.schema.rows import Assignment, Presentation, Stored, chosen, in_force, turned_in_force
from stages.schema.settings import Choices, HostedJudge, Instrument, LocalJudge, Study, settings
from stages.store.recordings import Recording


@dataclass(frozen=True)
class InUse:
    """One study with its settings, matters and recordings, and everything that follows from them."""

    choices: Choices
    study: Study
    instrument: Instrument
    judge: LocalJudge | HostedJudge
    second_judges: dict[str, LocalJudge | HostedJudge]
    contestants: dict[str, Model]
    battery: dict[str, Matter]
    all_matters: dict[str, Matter]
    answers: dict[str, list[Row]]
    verdicts: dict[str, list[Row]]
    stored: Stored
    stored_turned: Stored
    controls: list[Control]
    qualification: dict[str, list[Row]]

    @cached_property
    def instrument_sha256(self) -> str:
        return instrument_digest(self.instrument)

    @cached_property
    def answer_requests(self) -> list[Request]:
        """The request of every planned answer."""
        return [answer_request(name, model, matter) for name, model in self.contestants.items() for matter in self.battery.values()]

    @cached_property
    def texts(self) -> dict[tuple[str, str], str]:
        """The answer of each (matter, contestant) that has one."""
        found = {}
        for request in self.answer_requests:
            for row in self.answers.get(request.sha256, [])[:1]:
                found[row["matter_id"], row["contestant"]] = recorded_reply(row).text
        return found

    @cached_property
    def assignments(self) -> dict[str, Assignment]:
        """The stored assignment in use of every pairing with both answers, by pairing id."""
        return chosen(
            {name: rows for name, rows in self.stored.items() if self._answered(rows[0])}, lambda row: self._shown(row).presentation_id
        )

    def _answered(self, row: Assignment) -> bool:
        sides = [(row.matter_id, row.contestant_1), (row.matter_id, row.contestant_2)]
        return row.matter_id in self.battery and all(side in self.texts for side in sides)

    def _shown(self, row: Assignment) -> Presentation:
        a, b = self.texts[row.matter_id, row.answer_a_was], self.texts[row.matter_id, row.answer_b_was]
        digests = {row.answer_a_was: text_digest(a), row.answer_b_was: text_digest(b)}
        return Presentation(row.shown_as(self.battery[row.matter_id].matter_sha256, digests), row.matter_id, a, b)

    @cached_property
    def presentations(self) -> dict[str, Presentation]:
        """What the judge sees, by pairing id, of every pairing with both answers and a stored assignment."""
        return {pairing: self._shown(row) for pairing, row in self.assignments.items()}

    @cached_property
    def turned_assignments(self) -> dict[str, Assignment]:
        """The stored turned assignment of every pairing in use, by pairing id; none where the study asks for one order."""
        if not self.study.both_orders:
            return {}
        taken = {shown.presentation_id for shown in self.presentations.values()}
        known = {name: self.stored_turned[name] for name in self.assignments if name in self.stored_turned}
        return chosen(known, lambda row: self._shown(row).presentation_id, taken)

    @cached_property
    def verdict_requests(self) -> dict[str, Request]:
        """The request of every verdict that can be asked for, by pairing id: the last one, where an unreadable one was asked again."""
        return {pairing: self._scored(self.choices.judge, shown) for pairing, shown in self.presentations.items()}

    @cached_property
    def second_requests(self) -> dict[str, Request]:
        """The request of every verdict on which no score rests, by verdict id: on turned presentations, and by second judges on either."""
        turned = {name: self._shown(row) for name, row in self.turned_assignments.items()}
        first = {(name, judge, False): shown for judge in self.second_judges for name, shown in self.presentations.items()}
        other = {(name, judge, True): shown for judge in self.judges for name, shown in turned.items()}
        return {verdict_id(*key): self._scored(key[1], shown) for key, shown in {**first, **other}.items()}

    @property
    def judges(self) -> dict[str, LocalJudge | HostedJudge]:
        """The study's judge, and the second ones after it."""
        return {self.choices.judge: self.judge, **self.second_judges}

    def _scored(self, judge: str, shown: Presentation) -> Request:
        request = self._verdict_request(judge, shown, 1)
        for attempt in range(2, self.judges[judge].ask_again + 2):
            again = self._verdict_request(judge, shown, attempt)
            if again.sha256 not in self.verdicts:
                break
            request = again
        return request

    @cached_property
    def control_requests(self) -> dict[str, Request]:
        """The first request of every control, by control and order; of a second judge's, by its name as well."""
        found = {}
        for judge in self.judges:
            by = f" by {judge}" if judge in self.second_judges else ""
            for control in self.controls:
                name = f"{control.control_id} in order {control.order_number}{by}"
                found[name] = self._verdict_request(judge, control.shown, 1, "control")
        return found

    def _verdict_request(self, judge: str, shown: Presentation, attempt: int, kind: Literal["verdict", "control"] = "verdict") -> Request:
        matter = (self.all_matters if kind == "control" else self.battery)[shown.matter_id]
        words = messages(self.instrument, matter.brief, shown.answer_a, shown.answer_b)
        asked = Question(self.instrument_sha256, words, self.instrument.reply_schema)
        return verdict_request(judge, self.judges[judge], matter, shown, asked, attempt, kind)

    @property
    def planned_pairings(self) -> int:
        return len(self.battery) * len(pairs(self.contestants))


def load() -> InUse:
    """Read this checkout. Raises BadInput or BadRecord for the first thing that is wrong."""
    picked: Choices = choices(settings)
    with refusing():
        every = read_battery(MATTERS_FOLDER)
        battery = battery_of(every, picked.matters)
        all_matters = {matter.matter_id: matter for matter in every}
        tests = controls(read_controls(CONTROLS_FOLDER, all_matters), all_matters)
    with refusing(str(ASSIGNMENTS_RECORDING), BadRecord):
        rows = [Assignment.from_row(row) for row in Recording(ASSIGNMENTS_RECORDING).load()]
        stored, turned = in_force(rows), turned_in_force(rows)
    return InUse(
        choices=picked,
        study=setting("study", picked.study, settings),
        instrument=setting("instrument", picked.instrument, settings),
        judge=setting("judge", picked.judge, settings),
        second_judges={name: setting("judge", name, settings) for name in picked.panel.second_judges},
        contestants={name: setting("contestant", name, settings) for name in sorted(picked.contestants)},
        battery={matter.matter_id: matter for matter in battery},
        all_matters=all_matters,
        answers=Recording(ANSWERS_RECORDING).by_request(),
        verdicts=Recording(VERDICTS_RECORDING).by_request(),
        controls=tests,
        qualification=Recording(QUALIFICATION_RECORDING).by_request(),
        stored_turned=turned,
        stored={name: rows for name, rows in stored.items() if {rows[0].contestant_1, rows[0].contestant_2} <= set(picked.contestants)},
    )
