"""How much a pair's numbers hang on single matters: what it takes to lose a lead, and how far one matter moves each number."""

from collections.abc import Iterable
from dataclasses import dataclass

from stages.stats.sign_test import sign_test


@dataclass(frozen=True)
class Fragility:
    """Matters that the leader won, taken out: so many erase the lead, so many give it to the other. None where none can.

    A lead over a contestant that won nothing can be erased but not reversed, and where nobody leads there is nothing to reverse.
    """

    to_erase: int
    to_reverse: int | None
    n: int


@dataclass(frozen=True)
class Range:
    """From lo to hi: extremes that occurred, no interval of confidence."""

    lo: float
    hi: float


@dataclass(frozen=True)
class WithoutOne:
    """The least and the greatest value of each number when one matter, whichever, is left out. None where no value remains."""

    net_difference: Range | None
    decisive_share: Range | None
    p: Range | None


def fragility(wins: int, losses: int, n: int) -> Fragility:
    """to_erase = |wins - losses|, to_reverse = to_erase + 1: 6 against 4 gives 2 and 3. n: all scored matters."""
    lead = abs(wins - losses)
    return Fragility(lead, lead + 1 if lead and min(wins, losses) else None, n)


def without_one(wins: int, losses: int, undecided: int) -> WithoutOne:
    """Leave-one-matter-out extremes. Only three things can happen, since counts add up: a win, a loss or an undecided verdict goes."""
    cases = [(wins - 1, losses, undecided), (wins, losses - 1, undecided), (wins, losses, undecided - 1)]
    left = [case for case in cases if min(case) >= 0 and sum(case) > 0]
    return WithoutOne(
        net_difference=_range((won - lost) / (won + lost + rest) for won, lost, rest in left),
        decisive_share=_range(won / (won + lost) for won, lost, _ in left if won + lost),
        p=_range(sign_test(won, lost).p for won, lost, _ in left),
    )


def _range(values: Iterable[float]) -> Range | None:
    found = list(values)
    return Range(min(found), max(found)) if found else None
