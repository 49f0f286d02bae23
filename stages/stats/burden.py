"""Review burden: how many points of an answer the judge rejected as unsupported by the record, for each verdict on the answer.

It says how much a reader would have to check, and nothing of whether a rejected point is wrong: nobody has checked the judge. An answer
is read anew for each verdict on it, so its burden is its rejected points over the verdicts on it that could be read; answers with more
such verdicts do not look heavier.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stages.stats.clustered import SAME, Clustered, around, cluster_sums, sandwich
from stages.stats.proportions import LEVEL, Estimate, rate

Counts = Mapping[tuple[str, str], int]  # by matter and contestant


@dataclass(frozen=True)
class Burden:
    """One contestant's answers that have a readable verdict. mean: points a verdict, every answer with the same weight."""

    contestant: str
    answers: int
    verdicts: int
    points: int
    mean: float | None
    with_any: Estimate | None


@dataclass(frozen=True)
class Difference:
    """The mean over matters of contestant_1's burden less contestant_2's. no_interval: why se and interval are not there."""

    contestant_1: str
    contestant_2: str
    matters: int
    difference: float | None
    found: Clustered | None
    no_interval: str | None


def burdens(verdicts: Counts, points: Counts, contestants: Iterable[str], level: float = LEVEL) -> list[Burden]:
    """In alphabetical order. ``verdicts``: the readable ones on each answer. Raises ValueError for a point where there is none."""
    found = _by_answer(verdicts, points)
    out = []
    for name in sorted(set(contestants)):
        own = [key for key in found if key[1] == name]
        total, heavy = sum(points.get(key, 0) for key in own), sum(points.get(key, 0) > 0 for key in own)
        mean = float(np.mean([found[key] for key in own])) if own else None
        out.append(Burden(name, len(own), sum(verdicts[key] for key in own), total, mean, rate(heavy, len(own), level)))
    return out


def differences(verdicts: Counts, points: Counts, contestants: Iterable[str], level: float = LEVEL) -> list[Difference]:
    """Every pair in alphabetical order, over the matters where both answers have a verdict: one difference a matter, the cluster."""
    found = _by_answer(verdicts, points)
    matters = sorted({matter for matter, _ in found})
    out = []
    for one, two in combinations(sorted(set(contestants)), 2):
        own = [found[matter, one] - found[matter, two] for matter in matters if (matter, one) in found and (matter, two) in found]
        out.append(_difference(one, two, own, level))
    return out


def _by_answer(verdicts: Counts, points: Counts) -> dict[tuple[str, str], float]:
    """Points a verdict, for every answer that has one."""
    for key in sorted(key for key, count in points.items() if count and not verdicts.get(key)):
        raise ValueError(f"a point was rejected in {key[1]}'s answer to {key[0]}, which has no readable verdict")
    return {key: points.get(key, 0) / times for key, times in sorted(verdicts.items()) if times}


def _difference(one: str, two: str, differ: list[float], level: float) -> Difference:
    matters = len(differ)
    if not matters:
        return Difference(one, two, 0, None, None, "no matter has a readable verdict on both")
    mean = float(np.mean(differ))
    if matters == 1:
        return Difference(one, two, 1, mean, None, "one matter shows no spread")
    sums = cluster_sums(np.array(differ)[:, None] - mean, np.arange(matters), matters)
    (found,) = around(np.array([mean]), sandwich(np.array([[1 / matters]]), sums), matters, level)
    return Difference(one, two, matters, mean, found, SAME if found.interval is None else None)
