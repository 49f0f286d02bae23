"""Counting with some pairings left out, and what that turns round against the count with none left out.

The identity, for every pair:   n + unreadable + missing + left_out = planned, with planned the same in every scenario.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Literal

from stages.stats.counts import PairCount, Verdicts, pair_counts

Pairing = tuple[str, str, str]  # matter, contestant_1, contestant_2
Turn = Literal["reversed", "erased", "gained"]


@dataclass(frozen=True)
class Left:
    """One pair with some of its pairings left out. count: over the pairings that stay; left_out: how many do not."""

    count: PairCount
    left_out: int

    @property
    def planned(self) -> int:
        """n + unreadable + missing + left_out."""
        return self.count.planned + self.left_out


def leaving_out(verdicts: Verdicts, contestants: Iterable[str], matters: Iterable[str], out: Collection[Pairing]) -> list[Left]:
    """Every pair of ``contestants`` without the pairings ``out``, whether or not these have a verdict.

    Raises ValueError as ``pair_counts`` does, and for a pairing left out that is not planned.
    """
    planned, names = set(matters), set(contestants)
    for matter, one, two in sorted(out):
        if matter not in planned or not {one, two} <= names or one >= two:
            raise ValueError(f"the pairing {matter} of {one} and {two} is left out, and was never planned")
    gone = Counter((one, two) for _, one, two in set(out))
    found = []
    for whole in pair_counts(_without(verdicts, out), names, planned):
        left_out = gone[whole.contestant_1, whole.contestant_2]
        own = {field.name: getattr(whole, field.name) for field in fields(PairCount)}
        found.append(Left(PairCount(**{**own, "planned": whole.planned - left_out}), left_out))
    return found


def _without(verdicts: Verdicts, out: Collection[Pairing]) -> Verdicts:
    gone = set(out)
    columns = [getattr(verdicts, field.name) for field in fields(Verdicts)]
    pairings = zip(verdicts.matter_id, verdicts.contestant_1, verdicts.contestant_2, strict=True)
    kept = [place for place, pairing in enumerate(pairings) if pairing not in gone]
    return Verdicts(*([column[place] for place in kept] for column in columns))


def leader(count: PairCount) -> str | None:
    """Who won more of this pair's matters; None where nobody did."""
    if count.wins_1 == count.wins_2:
        return None
    return count.contestant_1 if count.wins_1 > count.wins_2 else count.contestant_2


def turned(headline: PairCount, here: PairCount) -> Turn | None:
    """What became of the lead: ``reversed``, ``erased`` (nobody leads here), ``gained`` (nobody led), or None where it is as it was."""
    before, after = leader(headline), leader(here)
    if before == after:
        return None
    if before is None:
        return "gained"
    return "erased" if after is None else "reversed"
