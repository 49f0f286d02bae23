"""Formulas of docs/measures.md, a second time and by other ways: halving instead of root finders, sums of whole numbers instead of tables.

All results are unrounded; whoever compares allows for the published digits. A ``Chance`` is a p-value: it has six significant digits.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import comb, exp, lgamma, log, sqrt
from statistics import NormalDist

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
_EXACT = 1_000  # up to here binomial sums are made of whole numbers; beyond, of the incomplete beta function
_HALVINGS = 60  # of an interval no longer than 2: what is left is below 1e-17


class Chance(float):
    """A p-value."""


def halved(low: float, high: float, beyond: Callable[[float], bool]) -> float:
    """The place between ``low`` and ``high`` from which on ``beyond`` holds."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return (low + high) / 2


def beta_share(x: float, a: float, b: float) -> float:
    """I_x(a, b), the regularised incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    top, bottom, value = 1.0, 1.0 / (1 - (a + b) * x / (a + 1)), 1.0 / (1 - (a + b) * x / (a + 1))
    for step in range(1, 10_000):
        before = value
        for term in _terms(x, a, b, step):
            bottom, top = 1 / (1 + term * bottom), 1 + term / top
            value *= bottom * top
        if abs(value - before) < 1e-15 * abs(value):
            break
    return front * value


def _terms(x: float, a: float, b: float, step: int) -> tuple[float, float]:
    at = a + 2 * step
    return step * (b - step) * x / ((at - 1) * at), -(a + step) * (a + b + step) * x / (at * (at + 1))


def at_most(count: int, n: int, share: float) -> float:
    """P[X <= count] for X binomial(n, share)."""
    if count < 0 or count >= n:
        return float(count >= n)
    if share == 0.5 and n <= _EXACT:
        return float(sum(comb(n, k) for k in range(count + 1)) / 2**n)
    return beta_share(1 - share, n - count, count + 1)


@cache
def sign_test(wins: int, losses: int) -> tuple[Chance, Chance]:
    """The exact two-sided p and the mid-p; both 1 where nobody leads."""
    fewer, n = min(wins, losses), wins + losses
    if wins == losses:
        return Chance(1), Chance(1)
    up_to, below = at_most(fewer, n, 0.5), at_most(fewer - 1, n, 0.5)
    return Chance(min(1.0, 2 * up_to)), Chance(min(1.0, up_to + below))


def holm(chances: Sequence[float]) -> list[Chance]:
    """Each p-value corrected: the largest of the steps at or before its own, at most 1."""
    ranked = sorted(chances)
    steps = [min(1.0, p * (len(ranked) - rank)) for rank, p in enumerate(ranked)]
    return [Chance(max(steps[: ranked.index(p) + 1])) for p in chances]


@cache
def clopper_pearson(count: int, n: int) -> tuple[float, float]:
    """The shares at which as many or more, and as many or fewer, have a chance of a fortieth."""
    tail = (1 - LEVEL) / 2
    low = halved(0, 1, lambda share: 1 - at_most(count - 1, n, share) > tail) if count else 0.0
    high = halved(0, 1, lambda share: at_most(count, n, share) < tail) if count < n else 1.0
    return low, high


@cache
def wilson(count: int, n: int) -> tuple[float, float]:
    """Both ends of |count / n - p| <= z sqrt(p (1 - p) / n), each found by halving."""
    share = count / n
    low = halved(0, share, lambda p: share - p <= Z * sqrt(p * (1 - p) / n))
    high = halved(share, 1, lambda p: p - share > Z * sqrt(p * (1 - p) / n))
    return (low if count else 0.0), (high if count < n else 1.0)


@cache
def tango(wins: int, losses: int, n: int) -> tuple[float, float]:
    """Every difference that the score test of paired proportions does not reject, from the restricted likelihood itself."""
    return -_tango_end(losses, wins, n), _tango_end(wins, losses, n)


def _tango_end(wins: int, losses: int, n: int) -> float:
    def rejected(difference: float) -> bool:
        loss = _likeliest_loss(wins, losses, n, difference)
        spread = max(0.0, n * (2 * loss + difference - difference * difference))
        return n * difference - (wins - losses) > Z * sqrt(spread)

    return 1.0 if wins == n else halved((wins - losses) / n, 1, rejected)


def _likeliest_loss(wins: int, losses: int, n: int, difference: float) -> float:
    """The probability of a loss that makes the counts likeliest, a win being more probable by ``difference``."""
    rest = n - wins - losses
    low, high = max(0.0, -difference), (1 - difference) / 2
    for _ in range(_HALVINGS):  # ``halved``, written out: a ranking's pairs come here a hundred thousand times
        loss = (low + high) / 2
        slope = wins / max(loss + difference, 1e-300) if wins else 0.0
        slope += losses / max(loss, 1e-300) if losses else 0.0
        if slope < (2 * rest / max(1 - 2 * loss - difference, 1e-300) if rest else 0.0):
            high = loss
        else:
            low = loss
    return (low + high) / 2


@cache
def t_quantile(freedom: int) -> float:
    """Student's t for a two-sided interval at the level."""
    return halved(0, 1_000, lambda t: beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) < 1 - LEVEL)


@cache
def least_wins(decisive: int, alpha: float) -> int | None:
    """The fewest wins among so many decisive verdicts whose two-sided p is at most alpha; None where there are none."""
    if decisive > _EXACT:
        found = int(halved(0, decisive // 2, lambda losses: 2 * at_most(int(losses), decisive, 0.5) > alpha))
        return next((decisive - k for k in (found + 1, found, found - 1) if 2 * at_most(k, decisive, 0.5) <= alpha), None)
    fewest: int | None = None
    summed, ways, every = 0, 1, 2**decisive  # ways: comb(decisive, losses)
    for losses in range((decisive + 1) // 2):
        summed += ways
        if 2 * summed / every > alpha:
            break
        fewest = decisive - losses
        ways = ways * (decisive - losses) // (losses + 1)
    return fewest


def power(decisive: int, share: float, alpha: float) -> float:
    """The chance that the sign test finds a true share of wins."""
    wins = least_wins(decisive, alpha)
    return 0.0 if wins is None else at_most(decisive - wins, decisive, share) + at_most(decisive - wins, decisive, 1 - share)


@cache
def detectable(decisive: int, alpha: float, wanted: float) -> float | None:
    """The true share of wins that is found with this power; None where nothing is."""
    if least_wins(decisive, alpha) is None:
        return None
    return halved(0.5, 1, lambda share: power(decisive, share, alpha) > wanted)


@cache
def needed(share: float, wanted: float, alpha: float) -> int:
    """From how many decisive verdicts on the power for ``share`` stays at or above ``wanted``."""
    first = next(d for d in range(1, 100_000) if power(d, share, alpha) >= wanted)
    return 1 + max([d for d in range(first, 2 * first) if power(d, share, alpha) < wanted], default=first - 1)
