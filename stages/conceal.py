"""conceal: stores which answer is A and which is B, and writes what the judge may see: a matter and two texts.

Appends to data/recordings/assignments.jsonl, a sealed row per pairing with both answers:
    {"answer_a_was":"qwen-500m","answer_b_was":"qwen-1500m","contestant_1":"qwen-1500m","contestant_2":"qwen-500m","format":1,
     "kind":"assignment","matter_id":"Q01","ordinal":0,"row_sha256":"…","rule":"coin-1","seed":20261130}
Writes data/work/presentations.jsonl, in the order of ids that nobody can compute from names:
    {"answer_a":"The appeal must …","answer_b":"Dear Ms …","matter_id":"Q01","presentation_id":"4be0…"}
Where the study asks for both orders, every pairing has a second, turned assignment (rule turned-1) and a presentation of it among these.
"""

from collections.abc import Callable, Iterable, Mapping

from stages.runtime.compose import choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import ASSIGNMENTS_RECORDING, ATTEMPTS, MATTERS, PAIRINGS, PRESENTATIONS
from stages.schema.calls import FORMAT, seal
from stages.schema.jsonl import Row, write_rows
from stages.schema.matter import matters_in
from stages.schema.rows import (
    Assignment,
    Attempt,
    Pairing,
    Presentation,
    Stored,
    assigned,
    in_force,
    turned_in_force,
    turned_of,
)
from stages.schema.settings import Choices, Study, settings
from stages.store.recordings import Recording

Answers = dict[tuple[str, str], Attempt]
Assigned = list[tuple[Assignment, Presentation]]


def scored_answers(attempts: Iterable[Attempt]) -> Answers:
    """The answer of each (matter, contestant)."""
    return {(attempt.matter_id, attempt.contestant): attempt for attempt in attempts if attempt.scored}


def answered(pairings: Iterable[Pairing], answers: Answers) -> list[Pairing]:
    """The pairings that have both answers."""
    return [p for p in pairings if {(p.matter_id, p.contestant_1), (p.matter_id, p.contestant_2)} <= answers.keys()]


def check_pairings(pairings: Iterable[Pairing], matter_sha256: dict[str, str]) -> None:
    """Raise ValueError for a pairing of a matter that is not in the battery."""
    for pairing in pairings:
        if pairing.matter_id not in matter_sha256:
            raise ValueError(f"pairing {pairing.pairing_id} is of a matter that is not in {MATTERS}; `uv run dvc repro pair` plans anew")


def shown(assignment: Assignment, matter_sha256: dict[str, str], answers: Answers) -> Presentation:
    """What the judge sees of one pairing."""
    matter = assignment.matter_id
    a, b = answers[matter, assignment.answer_a_was], answers[matter, assignment.answer_b_was]
    texts = {a.contestant: a.text_sha256, b.contestant: b.text_sha256}
    return Presentation(assignment.shown_as(matter_sha256[matter], texts), matter, a.text, b.text)


def assign(pairings: Iterable[Pairing], stored: Stored, matter_sha256: dict[str, str], answers: Answers, seed: int) -> Assigned:
    """An assignment and a presentation for each pairing, by the rule of ``assigned``."""
    presented = _shower(matter_sha256, answers)
    return _shown(assigned(pairings, stored, lambda row: presented(row).presentation_id, seed), presented)


def turn(first: Assigned, stored: Stored, matter_sha256: dict[str, str], answers: Answers) -> Assigned:
    """The other order of each pairing: an assignment and a presentation of its own, by the rule of ``turned_of``."""
    presented = _shower(matter_sha256, answers)
    return _shown(turned_of([row for row, _ in first], stored, lambda row: presented(row).presentation_id), presented)


def _shower(matter_sha256: dict[str, str], answers: Answers) -> Callable[[Assignment], Presentation]:
    return lambda assignment: shown(assignment, matter_sha256, answers)


def _shown(found: Mapping[str, Assignment], presented: Callable[[Assignment], Presentation]) -> Assigned:
    return [(row, presented(row)) for _, row in sorted(found.items())]


def assignment_row(assignment: Assignment) -> Row:
    """The sealed row of an assignment."""
    return seal({"format": FORMAT, "kind": "assignment", **assignment.row()})


def conceal() -> None:
    settled: Choices = choices(settings)
    study: Study = setting("study", settled.study, settings)
    matter_sha256 = {matter.matter_id: matter.matter_sha256 for matter in handed(MATTERS, matters_in)}
    answers = scored_answers(handed(ATTEMPTS, Attempt.read))
    pairings = answered(handed(PAIRINGS, Pairing.read), answers)
    with refusing(str(PAIRINGS), BadRecord):
        check_pairings(pairings, matter_sha256)
    recording = Recording(ASSIGNMENTS_RECORDING)
    recording.load()
    with refusing(str(ASSIGNMENTS_RECORDING), BadRecord):
        rows = [Assignment.from_row(row) for row in recording.rows]
        known, first, other = set(rows), in_force(rows), turned_in_force(rows)
    assigned = assign(pairings, first, matter_sha256, answers, settled.seed)
    assigned += turn(assigned, other, matter_sha256, answers) if study.both_orders else []
    recording.add([assignment_row(assignment) for assignment, _ in assigned if assignment not in known])
    recording.save()
    presentations = sorted((p for _, p in assigned), key=lambda p: p.presentation_id)
    write_rows(PRESENTATIONS, (presentation.row() for presentation in presentations))


def main() -> None:
    run_stage("conceal", conceal, __doc__)


if __name__ == "__main__":
    main()
