"""The rows that stages hand each other under data/: what an attempt, an assignment, a presentation and a verdict are."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

from stages.schema.canonical import digest
from stages.schema.jsonl import read_made
from stages.schema.names import pairing_id, presentation_id
from stages.schema.shapes import Count, Dollars, MatterId, Moment, Number, PlainWord, Sha256, Text, Whole, checked, shape_of

Status = Literal["complete", "truncated", "filtered", "blocked", "refused", "empty"]
VerdictWord = Literal["A", "B", "tie", "both_inadequate", "unreadable"]
SEAL = ("format", "kind", "row_sha256")  # what a row has beside its own content once it is sealed


@dataclass(frozen=True)
class _Row:
    def row(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Self:
        """What a row says. Raises ValueError, naming the key, for other keys or types than these rows have."""
        checked(shape_of(cls), row)
        return cls(**row)

    @classmethod
    def read(cls, path: Path) -> list[Self]:
        """Every row of a file. Raises ValueError that names line and key, OSError when it cannot be read."""
        return read_made(path, cls.from_row)


@dataclass(frozen=True)
class Call(_Row):
    """What one recorded call says of itself: the part that attempts and verdicts share. Times are UTC, costs US dollars.

    tries: exchanges it took, the delivering one included. replies: recorded replies to this very request; the earliest is this one.
    """

    request_sha256: Sha256
    response_sha256: Sha256
    settings_sha256: Sha256
    route: Text
    model: Text
    started_at: Moment
    elapsed_ms: Count
    tries: Number
    replies: Number
    finish_reason: str | None
    served_model: str | None
    served_by: str | None
    prompt_tokens: Count | None
    completion_tokens: Count | None
    cost_usd: Dollars | None


@dataclass(frozen=True)
class Attempt(Call):
    """One request for an answer and what came back. Exactly one attempt of an answered matter is ``scored``.

    provider_code: the reply's own further word on how it ended. reasoning: what the reply tells apart from the answer; never judged.
    ordered_by and reason: of the order that this attempt follows, None for a first attempt.
    """

    matter_id: MatterId
    contestant: PlainWord
    attempt: Number
    status: Status
    provider_code: str | None
    text: str
    text_sha256: Sha256
    reasoning: str | None
    names_itself: bool
    addresses_the_judge: bool
    scored: bool
    attempt_rule: Text
    ordered_by: str | None
    reason: str | None


@dataclass(frozen=True)
class Pairing(_Row):
    """Two contestants' answers to one matter, planned whether or not both answers exist."""

    pairing_id: Text
    matter_id: MatterId
    contestant_1: PlainWord
    contestant_2: PlainWord


@dataclass(frozen=True)
class Assignment(_Row):
    """Which answer is A and which is B, stored, the authority for ever.

    rule and seed say how it was drawn; ordinal tells apart two presentations of one matter with the same two texts.
    """

    matter_id: MatterId
    contestant_1: PlainWord
    contestant_2: PlainWord
    answer_a_was: PlainWord
    answer_b_was: PlainWord
    ordinal: Count
    rule: Text
    seed: Whole

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Self:
        """The assignment in a row, its own or a sealed one."""
        return super().from_row({key: value for key, value in row.items() if key not in SEAL})

    @property
    def pairing_id(self) -> str:
        return pairing_id(self.matter_id, self.contestant_1, self.contestant_2)

    def shown_as(self, matter_sha256: str, text_sha256: dict[str, str]) -> str:
        """The presentation's id, given each contestant's text digest."""
        return presentation_id(matter_sha256, text_sha256[self.answer_a_was], text_sha256[self.answer_b_was], self.ordinal)


COIN = "coin-1"
TURNED = "turned-1"  # the sides of the pairing's first assignment, exchanged; seed is that of the first


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


def turned(first: Assignment) -> Assignment:
    """The other order of a pairing: the stored sides exchanged, whatever rule drew them. An assignment of its own."""
    return replace(first, answer_a_was=first.answer_b_was, answer_b_was=first.answer_a_was, ordinal=0, rule=TURNED)


def in_force(assignments: list[Assignment]) -> Stored:
    """The stored first assignments of each pairing, by ordinal. They may differ in ordinal, never in sides. Turned ones stand apart.

    Raises ValueError for two rows of one pairing that contradict each other, and for a row whose sides are not its contestants.
    """
    return _by_pairing(row for row in assignments if row.rule != TURNED)


def turned_in_force(assignments: list[Assignment]) -> Stored:
    """The stored turned assignments of each pairing, by ordinal.

    Raises what ``in_force`` raises, and ValueError for one that exchanges nothing: its pairing has no first, or one with the same sides.
    """
    firsts, found = in_force(assignments), _by_pairing(row for row in assignments if row.rule == TURNED)
    for pairing, rows in found.items():
        if pairing not in firsts or firsts[pairing][0].answer_a_was == rows[0].answer_a_was:
            raise ValueError(f"{pairing}: a turned assignment does not exchange the sides of a stored first one")
    return found


def _by_pairing(assignments: Iterable[Assignment]) -> Stored:
    found: Stored = {}
    for row in sorted(assignments, key=lambda row: row.ordinal):
        if {row.answer_a_was, row.answer_b_was} != {row.contestant_1, row.contestant_2} or row.contestant_1 >= row.contestant_2:
            raise ValueError(f"{row.pairing_id}: the sides {row.answer_a_was} and {row.answer_b_was} are not its two contestants")
        rows = found.setdefault(row.pairing_id, [])
        if rows and rows[0].answer_a_was != row.answer_a_was:
            raise ValueError(f"{row.pairing_id}: two stored assignments contradict each other about which answer was A")
        rows.append(row)
    return found


def chosen(stored: Stored, shown: Callable[[Assignment], str], beside: Container[str] = ()) -> dict[str, Assignment]:
    """Of each pairing's stored assignments the one with the lowest ordinal that shows what no pairing before it shows.

    beside: presentations that are taken already. The turned ones are chosen beside the first ones, and so can never displace one.

    So a pairing that once shared its texts with another goes back to its first presentation, and its first verdict, when they differ
    again. A pairing all of whose presentations are taken is left out: it needs a further ordinal.
    """
    found: dict[str, Assignment] = {}
    taken: set[str] = set()
    for pairing, rows in sorted(stored.items()):
        free = next((row for row in rows if shown(row) not in taken and shown(row) not in beside), None)
        if free is not None:
            found[pairing] = free
            taken.add(shown(free))
    return found


def assigned(planned: Iterable[Pairing], stored: Stored, shown: Callable[[Assignment], str], seed: int) -> dict[str, Assignment]:
    """An assignment for each pairing, by pairing id: the stored sides where there are any, a fair coin where there are none.

    Two pairings of one matter may show the same two texts. They are two calls, so the later one gets the next free ordinal.
    """
    return _placed({pairing.pairing_id: draw(seed, pairing, ordinal=0) for pairing in planned}, stored, shown)


def turned_of(firsts: Iterable[Assignment], stored: Stored, shown: Callable[[Assignment], str]) -> dict[str, Assignment]:
    """The turned assignment of each pairing that has a first one, by pairing id: the stored one where there is one.

    None of them shows what a first one shows: where texts are equal, a turned one gets the next free ordinal.
    """
    rows = list(firsts)
    return _placed({row.pairing_id: turned(row) for row in rows}, stored, shown, {shown(row) for row in rows})


def turned_in_use(firsts: Iterable[Assignment], stored: Stored, shown: Callable[[Assignment], str]) -> dict[str, Assignment]:
    """The stored turned assignment of each pairing in use that has one, by pairing id. None of them shows what a first one shows."""
    rows = list(firsts)
    known = {row.pairing_id: stored[row.pairing_id] for row in rows if row.pairing_id in stored}
    return chosen(known, shown, {shown(row) for row in rows})


def _placed(
    drawn: Mapping[str, Assignment], stored: Stored, shown: Callable[[Assignment], str], beside: Container[str] = ()
) -> dict[str, Assignment]:
    """Of each pairing the stored assignment, or the drawn one where there is none, at the lowest ordinal that shows a new thing."""
    known = {name: rows for name, rows in stored.items() if name in drawn}
    found = chosen(known, shown, beside)
    taken = {shown(row) for row in found.values()}
    for name, new in sorted(drawn.items()):
        if name in found:
            continue
        row = known[name][-1] if name in known else new
        while shown(row) in taken or shown(row) in beside:
            row = replace(row, ordinal=row.ordinal + 1)
        found[name] = row
        taken.add(shown(row))
    return found


@dataclass(frozen=True)
class Presentation(_Row):
    """A pairing as the judge sees it: a matter and two texts. No name, status or setting."""

    presentation_id: Sha256
    matter_id: MatterId
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

    presentation_id: Sha256
    matter_id: MatterId
    judge: Text
    attempt: Number
    scored: bool
    instrument: Text
    instrument_sha256: Sha256
    reader: Text
    verdict: VerdictWord
    unreadable_because: str | None
    material_difference: bool | None
    rationale: str | None
    rejected_points: list[dict[str, Any]]
    raw_text: str
