"""Agreement: one judge with itself when the sides are turned, and several judges with each other.

Where most verdicts are ties, kappa falls to nothing although the judges agree (Feinstein and Cicchetti 1990), so Gwet's AC1 stands
beside Krippendorff's alpha. Both compare the raw agreement with what chance would give, and mean different things by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import evalica
import numpy as np
import pandas as pd

from stages.stats.clustered import Floats, Refused
from stages.stats.counts import Verdicts
from stages.stats.proportions import LEVEL, Estimate, rate
from stages.stats.sign_test import SignTest, sign_test

ALPHA = "Krippendorff's alpha, nominal"
AC1 = "Gwet's AC1"
Ratings = Sequence[Sequence[str | None]]  # one row a rater, one column a unit; None where there is no rating


@dataclass(frozen=True)
class BothOrders:
    """Pairings judged twice with their sides turned. The same letter twice means that the place decided.

    consistent + first_place + second_place + tie_and_winner + adequate_and_not = n; n + unreadable + only_once = the pairings there are.
    first_place: A both times. adequate_and_not: both inadequate in one order only. test: is first_place as likely as second_place?
    """

    n: int
    consistent: int
    first_place: int
    second_place: int
    tie_and_winner: int
    adequate_and_not: int
    unreadable: int
    only_once: int
    consistency: Estimate | None
    test: SignTest


@dataclass(frozen=True)
class Agreement:
    """Chance-corrected agreement among raters on ``units``, those with two ratings at least. raw: the share of rating pairs that agree."""

    method: str
    raters: int
    units: int
    raw: float
    value: float


def both_orders(verdicts: Verdicts, turned: Verdicts, level: float = LEVEL) -> BothOrders:
    """Compares the verdicts of two passes over the same pairings. Raises ValueError where both passes show the same order."""
    first, second = _words(verdicts), _words(turned)
    found = {key: (first[key], second[key]) for key in first.keys() & second.keys()}
    for key in sorted(key for key, (one, two) in found.items() if one[0] == two[0]):
        raise ValueError(f"{key[0]} shows {key[1]} and {key[2]} in the same order twice")
    pairs = [(one[1], two[1]) for one, two in found.values()]
    kinds = [_kind(*pair) for pair in pairs]
    count = {kind: kinds.count(kind) for kind in _KINDS}
    n = len(kinds) - count["unreadable"]
    return BothOrders(
        n=n, **count, only_once=len(first.keys() ^ second.keys()), consistency=rate(count["consistent"], n, level),
        test=sign_test(count["first_place"], count["second_place"]),
    )  # fmt: skip


_KINDS = ("consistent", "first_place", "second_place", "tie_and_winner", "adequate_and_not", "unreadable")


def _kind(one: str, two: str) -> str:
    words = {one, two}
    if "unreadable" in words:
        return "unreadable"
    if words in ({"A", "B"}, {"tie"}, {"both_inadequate"}):
        return "consistent"
    if len(words) == 1:
        return "first_place" if one == "A" else "second_place"
    return "adequate_and_not" if "both_inadequate" in words else "tie_and_winner"


def _words(verdicts: Verdicts) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Who stood as A, and the word, by pairing."""
    keys = zip(verdicts.matter_id, verdicts.contestant_1, verdicts.contestant_2, strict=True)
    return dict(zip(keys, zip(verdicts.answer_a_was, verdicts.verdict, strict=True), strict=True))


def ac1(ratings: Ratings, categories: Sequence[str]) -> Agreement | Refused:
    """Gwet (2008), Br J Math Stat Psychol 61:29-48: (pa - pe) / (1 - pe), pe = sum pi_k (1 - pi_k) / (q - 1).

    pi_k: the mean over rated units of the share of their ratings that are k; q: how many ``categories`` there are to choose from, used or
    not. Raises ValueError for a rating that is none of them, for fewer than two of them, and for rows of unequal length.
    """
    if len(set(categories)) < 2:
        raise ValueError("agreement needs two categories at least")
    counts = _counts(ratings, categories)
    rated = counts[counts.sum(axis=1) > 0]
    raw, units = _raw(counts)
    if raw is None:
        return Refused(AC1, "no unit has two ratings", 0)
    share = (rated / rated.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float((share * (1 - share)).sum() / (len(set(categories)) - 1))
    return Agreement(AC1, len(ratings), units, raw, (raw - chance) / (1 - chance))


def alpha(ratings: Ratings, categories: Sequence[str]) -> Agreement | Refused:
    """Krippendorff (2011), Computing Krippendorff's alpha-reliability: 1 - observed / expected disagreement, for nominal categories.

    Refused where all ratings are one category: nothing is expected to differ then, and the ratio is 0/0. Raises ValueError as ``ac1``.
    """
    counts = _counts(ratings, categories)
    raw, units = _raw(counts)
    if raw is None:
        return Refused(ALPHA, "no unit has two ratings", 0)
    if (counts[counts.sum(axis=1) >= 2].sum(axis=0) > 0).sum() < 2:
        return Refused(ALPHA, "every rating is the same, so nothing could have shown disagreement", units)
    code = {category: float(index) for index, category in enumerate(categories)}
    table = pd.DataFrame([[np.nan if word is None else code[word] for word in row] for row in ratings])  # raters are rows
    return Agreement(ALPHA, len(ratings), units, raw, float(evalica.alpha(table, distance="nominal").alpha))


def _counts(ratings: Ratings, categories: Sequence[str]) -> Floats:
    """(units, categories): how many raters chose what."""
    if len({len(row) for row in ratings}) > 1:
        raise ValueError("every rater needs one entry for every unit, None where there is no rating")
    code = {category: index for index, category in enumerate(categories)}
    counts = np.zeros((len(ratings[0]) if ratings else 0, len(categories)))
    for row in ratings:
        for unit, word in enumerate(row):
            if word is None:
                continue
            if word not in code:
                raise ValueError(f"{word!r} is none of the categories {', '.join(categories)}")
            counts[unit, code[word]] += 1
    return counts


def _raw(counts: Floats) -> tuple[float | None, int]:
    """The mean over units with two ratings at least of the share of their rating pairs that agree, and how many such units there are."""
    twice = counts[counts.sum(axis=1) >= 2]
    ratings = twice.sum(axis=1)
    agreeing = (twice * (twice - 1)).sum(axis=1) / (ratings * (ratings - 1))
    return (float(agreeing.mean()) if len(twice) else None), len(twice)
