"""Whether a lead among decisive verdicts could be chance: the exact sign test, its mid-p version, and Holm's correction over all pairs.

Under the hypothesis of no difference each decisive verdict is a fair coin. On paired yes-or-no data this is the exact McNemar test.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import bdtr, betainc


@dataclass(frozen=True)
class SignTest:
    """Two-sided p-values on n decisive verdicts. p: exact, it keeps its level. p_mid: less cautious, it keeps it on average."""

    p: float
    p_mid: float
    n: int
    method: str = "exact_binomial"


def sign_test(wins: int, losses: int) -> SignTest:
    """p = min(1, 2 P[X <= min(wins, losses)]) with X binomial(n, 1/2), n = wins + losses. Without a decisive verdict both p are 1.

    The mid-p counts the observed value half: p_mid = 2 P[X < min] + P[X = min] (Fagerland, Lydersen and Laake 2013, BMC Medical Research
    Methodology 13:91). At wins = losses this is 1; their formula for that case, 1 - P[X = min] / 2, would make even counts look uneven.
    Raises ValueError for a negative count.
    """
    if min(wins, losses) < 0:
        raise ValueError(f"there are no {wins} wins and {losses} losses")
    fewer, n = min(wins, losses), wins + losses
    if wins == losses:
        return SignTest(1.0, 1.0, n)
    up_to, below = at_most(fewer, n), at_most(fewer - 1, n)
    return SignTest(min(1.0, 2 * up_to), min(1.0, up_to + below), n)


def at_most(count: int, n: int, share: float = 0.5) -> float:
    """P[X <= count] for X binomial(n, share)."""
    return float(bdtr(count, n, share)) if count >= 0 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number m, in the order given: the k-th smallest times m - k + 1, never falling, at most 1.

    Whoever rejects what is at most alpha errs anywhere among them with a probability of at most alpha, however the tests hang together
    (Holm 1979, Scandinavian Journal of Statistics 6:65-70).
    """
    corrected, least = list(p_values), 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(order) - rank)))
        corrected[place] = least
    return corrected


def share_above_half(wins: int, losses: int) -> float | None:
    """P(share > 1/2) for the share of decisive verdicts won, after Jeffreys' prior Beta(1/2, 1/2); None without a decisive verdict.

    1 - I_{1/2}(wins + 1/2, losses + 1/2), the regularised incomplete beta function (Brown, Cai and DasGupta 2001, section 3).
    """
    return float(betainc(losses + 0.5, wins + 0.5, 0.5)) if wins + losses else None
