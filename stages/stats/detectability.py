"""What a pair's design could have shown, whatever it did show: no difference found is no news where none could be found.

All powers are those of the exact two-sided sign test, summed from binomial probabilities; nothing is simulated or approximated.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr

from stages.stats.sign_test import at_most

ALPHA = 0.05
POWER = 0.8
SIXTY = 0.6


@dataclass(frozen=True)
class Reach:
    """What could be seen with n decisive verdicts at this alpha.

    least_wins: the smallest number of wins among them with p <= alpha. detectable_share: the true share of decisive verdicts that
    would be found with this power. Both None where not even n against 0 reaches alpha (below 6 at 0.05).
    """

    n: int
    alpha: float
    power: float
    least_wins: int | None
    detectable_share: float | None


@dataclass(frozen=True)
class Needed:
    """What it takes to find this share with this power at this alpha: so many decisive verdicts, so many matters at the observed rate.

    matters is None where no verdict was decisive: no number of them would do.
    """

    share: float
    power: float
    alpha: float
    decisive: int
    matters: int | None


@cache
def reach(decisive: int, alpha: float = ALPHA, power: float = POWER) -> Reach:
    """What ``decisive`` verdicts could have shown at ``alpha``."""
    wins = least_wins(decisive, alpha)
    share = None if wins is None else float(brentq(lambda s: power_of(decisive, s, alpha) - power, 0.5, 1.0, xtol=1e-12))
    return Reach(decisive, alpha, power, wins, share)


def needed(decisive: int, n: int, share: float = SIXTY, power: float = POWER, alpha: float = ALPHA) -> Needed:
    """What finding ``share`` would take where ``decisive`` of ``n`` verdicts are decisive: 210 and, at 10 of 80, 1,680 matters for 0.6."""
    wanted = decisive_needed(share, power, alpha)
    return Needed(share, power, alpha, wanted, -(-wanted * n // decisive) if decisive else None)  # rounded up


@cache
def least_wins(decisive: int, alpha: float) -> int | None:
    """The smallest k >= decisive / 2 whose two-sided p is at most alpha: 9 for 10 at 0.05. None where there is none."""
    losses = np.arange((decisive + 1) // 2)
    reached = np.flatnonzero(2 * bdtr(losses, decisive, 0.5) <= alpha)
    return decisive - int(reached[-1]) if len(reached) else None


def power_of(decisive: int, share: float, alpha: float) -> float:
    """The probability of p <= alpha when each of ``decisive`` verdicts is a win with probability ``share``, in either direction."""
    wins = least_wins(decisive, alpha)
    if wins is None:
        return 0.0
    return at_most(decisive - wins, decisive, share) + at_most(decisive - wins, decisive, 1 - share)


@cache
def decisive_needed(share: float, power: float, alpha: float) -> int:
    """The number of decisive verdicts from which on the power never falls below ``power`` again: 210 for 0.6, 54 for 0.7.

    The power of an exact test rises in saw teeth: 199 verdicts reach 0.8 for 0.6, and 209 miss it again. The teeth shrink, so that the
    last miss lies well before twice the first hit. Raises ValueError for a share that no test can tell from a half.
    """
    if not 0.5 < share <= 1:
        raise ValueError(f"a share to be found lies above 0.5 and is at most 1, and {share} is not")
    first = 1
    while power_of(first, share, alpha) < power:
        first += 1
    return max((d for d in range(first, 2 * first) if power_of(d, share, alpha) < power), default=first - 1) + 1
