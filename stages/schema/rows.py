"""The rows that stages hand each other under data/: what an attempt, an assignment, a presentation and a verdict are."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

from stages.schema.canonical import digest
from stages.schema.names import pairing_id, presentation_id

Status = Literal["complete", "truncated", "filtered", "blocked", "refused", "empty"]
VerdictWord = Literal["A", "B", "tie", "both_inadequate", "unreadable"]


@dataclass(frozen=True)
class _Row:
    def row(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Self:
        return cls(**{field.name: row[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class Call(_Row):
    """What one recorded call says of itself: the part that attempts and verdicts share. Times are UTC, costs US dollars.

    tries: exchanges it took, the delivering one included. replies: recorded replies to this very request; the earliest is this one.
    """

    request_sha256: str
    response_sha256: str
    settings_sha256: str
    route: str
    model: str
    started_at: str
    elapsed_ms: int
    tries: int
    replies: int
    finish_reason: str | None
    served_model: str | None
    served_by: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class Attempt(Call):
    """One request for an answer and what came back. Exactly one attempt of an answered matter is ``scored``."""

    matter_id: str
    contestant: str
    attempt: int
    status: Status
    text: str
    text_sha256: str
    names_itself: bool
    addresses_the_judge: bool
    scored: bool
    attempt_rule: str
    ordered_by: str | None
    reason: str | None


@dataclass(frozen=True)
class Pairing(_Row):
    """Two contestants' answers to one matter, planned whether or not both answers exist."""

    pairing_id: str
    matter_id: str
    contestant_1: str
    contestant_2: str


@dataclass(frozen=True)
class Assignment(_Row):
    """Which answer is A and which is B, stored, the authority for ever.

    rule and seed say how it was drawn; ordinal tells apart two presentations of one matter with the same two texts.
    """

    matter_id: str
    contestant_1: str
    contestant_2: str
    answer_a_was: str
    answer_b_was: str
    ordinal: int
    rule: str
    seed: int

    @property
    def pairing_id(self) -> str:
        return pairing_id(self.matter_id, self.contestant_1, self.contestant_2)

    def shown_as(self, matter_sha256: str, text_sha256: dict[str, str]) -> str:
        """The presentation's id, given each contestant's text digest."""
        return presentation_id(matter_sha256, text_sha256[self.answer_a_was], text_sha256[self.answer_b_was], self.ordinal)


COIN = "coin-1"


def coin(seed: int, matter_id: str, contestant_1: str, contestant_2: str) -> bool:
    """True when contestant_1 is Answer A under rule coin-1: the lowest bit of a digest, fair and independent per pairing."""
    return int(digest([COIN, seed, matter_id, contestant_1, contestant_2]), 16) % 2 == 0


def draw(seed: int, pairing: Pairing, ordinal: int) -> Assignment:
    """A new assignment under today's rule."""
    one, two = pairing.contestant_1, pairing.contestant_2
    a, b = (one, two) if coin(seed, pairing.matter_id, one, two) else (two, one)
    return Assignment(pairing.matter_id, one, two, a, b, ordinal, COIN, seed)


def rederivable(assignment: Assignment) -> bool:
    """Whether the rule that the row names, with the row's seed, gives the stored sides."""
    if assignment.rule != COIN:
        return False
    first = coin(assignment.seed, assignment.matter_id, assignment.contestant_1, assignment.contestant_2)
    return assignment.answer_a_was == (assignment.contestant_1 if first else assignment.contestant_2)


Stored = dict[str, list[Assignment]]


def in_force(assignments: list[Assignment]) -> Stored:
    """The stored assignments of each pairing, by ordinal. They may differ in ordinal, never in sides.

    Raises ValueError for two rows of one pairing that contradict each other, and for a row whose sides are not its contestants.
    """
    found: Stored = {}
    for row in sorted(assignments, key=lambda row: row.ordinal):
        if {row.answer_a_was, row.answer_b_was} != {row.contestant_1, row.contestant_2} or row.contestant_1 >= row.contestant_2:
            raise ValueError(f"{row.pairing_id}: the sides {row.answer_a_was} and {row.answer_b_was} are not its two contestants")
        rows = found.setdefault(row.pairing_id, [])
        if rows and rows[0].answer_a_was != row.answer_a_was:
            raise ValueError(f"{row.pairing_id}: two stored assignments contradict each other about which answer was A")
        rows.append(row)
    return found


def chosen(stored: Stored, shown: Callable[[Assignment], str]) -> dict[str, Assignment]:
    """Of each pairing's stored assignments the one with the lowest ordinal that shows what no pairing before it shows.

    So a pairing that once shared its texts with another goes back to its first presentation, and its first verdict, when they differ
    again. A pairing all of whose presentations are taken is left out: it needs a further ordinal.
    """
    found: dict[str, Assignment] = {}
    taken: set[str] = set()
    for pairing, rows in sorted(stored.items()):
        free = next((row for row in rows if shown(row) not in taken), None)
        if free is not None:
            found[pairing] = free
            taken.add(shown(free))
    return found


@dataclass(frozen=True)
class Presentation(_Row):
    """A pairing as the judge sees it: a matter and two texts. No name, status or setting."""

    presentation_id: str
    matter_id: str
    answer_a: str
    answer_b: str


@dataclass(frozen=True)
class RejectedPoint(_Row):
    """Something in an answer that the judge found unsupported by the record."""

    answer: Literal["A", "B"]
    point: str
    why: str
    changes_course: bool


@dataclass(frozen=True)
class Verdict(Call):
    """One reply of the judge as the reader read it, still in terms of A and B. Exactly one of a presentation's replies is ``scored``."""

    presentation_id: str
    matter_id: str
    judge: str
    attempt: int
    scored: bool
    instrument: str
    instrument_sha256: str
    reader: str
    verdict: VerdictWord
    unreadable_because: str | None
    material_difference: bool | None
    rationale: str | None
    rejected_points: list[dict[str, Any]]
    raw_text: str
