"""Verdicts that contradict the reasons they came with. They are flagged and counted, never changed: a verdict is what the judge said.

The instrument asks for the reasons first: whether the action differs materially, the rationale, and the rejected points, each with
whether removing it changes the course. Its menu then ties the verdict to them: A or B for a materially different action, a tie for the
same materially correct course; and a rejected point decides nothing if removing it leaves the same course.
"""

from collections.abc import Iterable
from dataclasses import dataclass

KINDS = {
    "winner_without_material_difference": "a winner, though the action does not differ materially",
    "tie_with_material_difference": "a tie, though the action differs materially",
    "tie_despite_a_point_that_changes_the_course": "a tie, though removing a rejected point changes the course of an answer",
    "winner_on_a_point_that_changes_nothing": "a winner, and the rationale repeats a rejected point whose removal changes nothing",
    "winner_whose_course_rests_on_a_rejected_point": "a winner whose own course a rejected point carries, and not the loser's",
}
_WORDS = 4  # a repeated point counts from four words on: "the deadline" in a rationale repeats nothing


@dataclass(frozen=True)
class Point:
    """A rejected point: whose answer it stands in, its words, and whether removing it changes that answer's course."""

    contestant: str
    words: str
    changes_course: bool


@dataclass(frozen=True)
class Reasoned:
    """A readable verdict with its reasons. winner: a contestant, ``tie`` or ``both_inadequate``."""

    pairing_id: str
    winner: str
    material_difference: bool
    rationale: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Flagged:
    """A verdict that contradicts its reasons, and in which ways (names from ``KINDS``, in their order)."""

    pairing_id: str
    kinds: tuple[str, ...]


def against_their_reasons(verdicts: Iterable[Reasoned]) -> list[Flagged]:
    """The verdicts that contradict their own reasons, in the order given.

    A winner on a point that changes nothing is found by its words alone, so one that is paraphrased is missed.
    """
    found = (Flagged(verdict.pairing_id, _kinds(verdict)) for verdict in verdicts)
    return [flagged for flagged in found if flagged.kinds]


def _kinds(verdict: Reasoned) -> tuple[str, ...]:
    tie, won = verdict.winner == "tie", verdict.winner not in ("tie", "both_inadequate")
    carried = {point.contestant for point in verdict.points if point.changes_course}
    repeated = (_repeats(verdict.rationale, point.words) for point in verdict.points if not point.changes_course)
    holds = (
        won and not verdict.material_difference,
        tie and verdict.material_difference,
        tie and bool(carried),
        won and any(repeated),
        won and carried == {verdict.winner},
    )
    return tuple(kind for kind, flagged in zip(KINDS, holds, strict=True) if flagged)


def _repeats(rationale: str, point: str) -> bool:
    """Whether the rationale holds the point word for word, whatever the case, the spaces and the full stop after it."""
    words = point.casefold().strip(" .").split()
    return len(words) >= _WORDS and f" {' '.join(words)}" in f" {' '.join(rationale.casefold().split())}"
