"""Adequacy contradictions: an answer called inadequate beside one opponent, and winning or tying as adequate beside another.

``both_inadequate`` says of both answers that neither is safely usable, whatever stands beside them. A win says that the winner improves
the client's position, a tie that both answers lead to the same safe course. So an answer that was inadequate once must not win or tie
on the same matter; that it loses is no contradiction.
"""

from collections import defaultdict
from dataclasses import dataclass

from stages.stats.counts import Verdicts, outcome


@dataclass(frozen=True)
class Contradiction:
    """A verdict that someone won, or that tied, with those of its contestants that won or tied although inadequate elsewhere."""

    matter_id: str
    contestant_1: str
    contestant_2: str
    winner: str
    inadequate: tuple[str, ...]


@dataclass(frozen=True)
class Adequacy:
    """found: the contradictions, by matter and pair. at_risk: wins and ties with a contestant that was inadequate elsewhere on the matter.

    len(found) <= at_risk.
    """

    at_risk: int
    found: tuple[Contradiction, ...]


def adequacy(verdicts: Verdicts) -> Adequacy:
    """Every contradiction among ``verdicts``, and how many verdicts could have been one."""
    columns = (verdicts.matter_id, verdicts.contestant_1, verdicts.contestant_2)
    sides = zip(verdicts.contestant_1, verdicts.answer_a_was, verdicts.answer_b_was, verdicts.verdict, strict=True)
    rows = sorted((*key, outcome(*side)) for key, side in zip(zip(*columns, strict=True), sides, strict=True))
    inadequate = defaultdict[str, set[str]](set)
    for matter, one, two, word in rows:
        if word == "both_inadequate":
            inadequate[matter] |= {one, two}
    at_risk = [row for row in rows if row[3] in ("wins_1", "wins_2", "ties") and inadequate[row[0]] & set(row[1:3])]
    found = [contradiction for row in at_risk if (contradiction := _contradiction(*row, inadequate[row[0]])).inadequate]
    return Adequacy(len(at_risk), tuple(found))


def _contradiction(matter: str, one: str, two: str, word: str, inadequate: set[str]) -> Contradiction:
    adequate = {"wins_1": (one,), "wins_2": (two,)}.get(word, (one, two))
    winner = "tie" if word == "ties" else adequate[0]
    return Contradiction(matter, one, two, winner, tuple(name for name in adequate if name in inadequate))
