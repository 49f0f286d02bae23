"""Triads: whether three verdicts of one judge on three answers to one matter go together.

Of the 27 patterns of wins and ties, 13 are an order with ties (consistent), 2 a circle of wins, 6 two wins in a row whose ends tie, and
6 two ties with a win across. The last kind is what a judge with a threshold must produce, small differences adding up to one that
counts (a semiorder: Luce 1956, Econometrica 24:178-191), so it is reported apart and is no fault.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stages.stats.counts import Verdicts, outcome

_WINS = {"wins_1": 1, "wins_2": -1, "ties": 0}
_STATES = {"both_inadequate": 1, "unreadable": 2}  # the worst of the three verdicts says why a triad is skipped
_MISSING = 3
_KINDS = ("consistent", "circles", "chains_with_end_tie", "two_ties_and_a_win", "both_inadequate", "unreadable", "missing")


@dataclass(frozen=True)
class Circle:
    """first won against second, second against third, third against first. first is the first in the alphabet."""

    matter_id: str
    first: str
    second: str
    third: str


@dataclass(frozen=True)
class Triads:
    """consistent + circles + chains_with_end_tie + two_ties_and_a_win = evaluable.

    evaluable + both_inadequate + unreadable + missing = total, matters times C(N,3); the three say why a triad is skipped.
    """

    total: int
    consistent: int
    circles: int
    chains_with_end_tie: int
    two_ties_and_a_win: int
    both_inadequate: int
    unreadable: int
    missing: int
    found_circles: tuple[Circle, ...]

    @property
    def evaluable(self) -> int:
        return self.consistent + self.circles + self.chains_with_end_tie + self.two_ties_and_a_win


def triads(verdicts: Verdicts, contestants: Iterable[str], matters: Iterable[str]) -> Triads:
    """Every three of ``contestants`` on every one of ``matters``. Raises ValueError for a verdict on anything else."""
    names, ids = sorted(set(contestants)), sorted(set(matters))
    wins, states = _tables(verdicts, names, ids)
    numbers, circles = np.zeros(len(_KINDS), dtype=np.intp), list[Circle]()
    for i, j, k in combinations(range(len(names)), 3):
        around = np.stack([wins[:, i, j], wins[:, j, k], -wins[:, i, k]])  # +1: the earlier in the round i, j, k, i won
        state = np.maximum(np.maximum(states[:, i, j], states[:, j, k]), states[:, i, k])
        ties, total = (around == 0).sum(axis=0), around.sum(axis=0)
        kinds = np.select([state > 0, np.abs(total) == 3, (ties == 1) & (total != 0), ties == 2], [3 + state, 1, 2, 3], default=0)
        numbers += np.bincount(kinds, minlength=len(_KINDS))
        circles += [_circle(ids[row], names[i], names[j], names[k], total[row] > 0) for row in np.flatnonzero(kinds == 1)]
    circles.sort(key=lambda circle: (circle.matter_id, circle.first, circle.second, circle.third))
    counts = dict(zip(_KINDS, numbers.tolist(), strict=True))
    return Triads(total=int(numbers.sum()), found_circles=tuple(circles), **counts)


def _tables(verdicts: Verdicts, names: list[str], ids: list[str]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """(matters, contestants, contestants), above the diagonal: who won, and what a pairing is if it is not scored."""
    place, row = ({name: index for index, name in enumerate(found)} for found in (names, ids))
    wins = np.zeros((len(ids), len(names), len(names)), dtype=np.int8)
    states = np.full_like(wins, _MISSING)
    columns = (verdicts.matter_id, verdicts.contestant_1, verdicts.contestant_2, verdicts.answer_a_was, verdicts.answer_b_was)
    for matter, one, two, a, b, word in zip(*columns, verdicts.verdict, strict=True):
        if matter not in row or one not in place or two not in place:
            raise ValueError(f"there is a verdict on {one} and {two} in {matter}, which is not planned")
        found = outcome(one, a, b, word)
        wins[row[matter], place[one], place[two]] = _WINS.get(found, 0)
        states[row[matter], place[one], place[two]] = _STATES.get(found, 0)
    return wins, states


def _circle(matter: str, first: str, second: str, third: str, forwards: bool) -> Circle:
    return Circle(matter, first, second, third) if forwards else Circle(matter, first, third, second)
