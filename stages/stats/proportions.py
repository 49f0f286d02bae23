"""A share of n and how far it can be trusted: the exact interval and the score interval of a binomial share.

Every result carries its settings. Clopper and Pearson guarantee their level and are wide; Wilson holds it on average and is better centred
(Brown, Cai and DasGupta 2001, Statistical Science 16:101-133). Wald's interval is not here: at small n it misses its level badly.
"""

from dataclasses import dataclass
from math import sqrt

from scipy.special import betaincinv, ndtri

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """lo <= value <= hi, in the value's own unit, with the method and the confidence level it was made by."""

    lo: float
    hi: float
    method: str
    level: float


@dataclass(frozen=True)
class Estimate:
    """A number, the count that it rests on, and its interval."""

    value: float
    n: int
    interval: Interval


def normal_quantile(level: float) -> float:
    """The standard normal quantile of a two-sided interval: 1.96 for 0.95. Raises ValueError for a level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, and {level} does not")
    return float(ndtri(0.5 + level / 2))


def clopper_pearson(count: int, n: int, level: float = LEVEL) -> Interval:
    """The exact interval of a binomial share, from quantiles of the beta distribution (Clopper and Pearson 1934, Biometrika 26:404-413).

    Raises ValueError unless 0 <= count <= n and n > 0.
    """
    _check(count, n)
    return Interval(_exact_lower(count, n, level), 1 - _exact_lower(n - count, n, level), "clopper_pearson", level)


def _exact_lower(count: int, n: int, level: float) -> float:
    """The share at which ``count`` or more has probability (1 - level) / 2. The upper limit is the lower one of the other side."""
    return float(betaincinv(count, n - count + 1, (1 - level) / 2)) if count else 0.0


def wilson(count: int, n: int, level: float = LEVEL) -> Interval:
    """The score interval of a binomial share: every p with |count/n - p| <= z sqrt(p (1 - p) / n) (Wilson 1927, JASA 22:209-212).

    Raises ValueError unless 0 <= count <= n and n > 0.
    """
    _check(count, n)
    return Interval(_score_lower(count, n, level), 1 - _score_lower(n - count, n, level), "wilson", level)


def _score_lower(count: int, n: int, level: float) -> float:
    z = normal_quantile(level)
    share = count / n
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (share + z * z / (2 * n) - half) / (1 + z * z / n)) if count else 0.0


def rate(count: int, n: int, level: float = LEVEL) -> Estimate | None:
    """count / n with Wilson's interval; None where n is 0."""
    return Estimate(count / n, n, wilson(count, n, level)) if n else None


def _check(count: int, n: int) -> None:
    if not 0 <= count <= n or n == 0:
        raise ValueError(f"there is no share of {count} in {n}")
