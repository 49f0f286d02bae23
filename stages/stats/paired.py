"""The headline of a pair: how far one contestant is ahead over all matters, with the interval that a paired design calls for.

One matter gives one verdict on a pair, so wins, losses and the rest (ties, both inadequate) are the cells of one multinomial, and
(wins - losses) / n is the difference of two paired proportions. Turning a pair round changes signs and nothing else, bit for bit.
"""

from math import sqrt

from scipy.optimize import brentq

from stages.stats.proportions import LEVEL, Estimate, Interval, normal_quantile

CLOSE = 1e-12  # of a root: far below the six digits that are published


def net_difference(wins: int, losses: int, n: int, level: float = LEVEL) -> Estimate | None:
    """(wins - losses) / n, between -1 and 1, with Tango's interval; None where n is 0.

    n: all scored matters, undecided ones included. Raises ValueError for counts that cannot be.
    """
    if min(wins, losses) < 0 or wins + losses > n:
        raise ValueError(f"there are no {wins} wins and {losses} losses among {n} verdicts")
    return Estimate((wins - losses) / n, n, tango(wins, losses, n, level)) if n else None


def ties_half(wins: int, losses: int, ties: int, level: float = LEVEL) -> Estimate | None:
    """(wins + ties / 2) / (wins + losses + ties), between 0 and 1; None where there is nothing to score.

    It is 1/2 + D/2 with D the net difference over these verdicts, so its interval is Tango's, halved and moved.
    """
    net = net_difference(wins, losses, wins + losses + ties, level)
    if net is None:
        return None
    around = Interval(0.5 + net.interval.lo / 2, 0.5 + net.interval.hi / 2, net.interval.method, level)
    return Estimate(0.5 + net.value / 2, net.n, around)


def tango(wins: int, losses: int, n: int, level: float = LEVEL) -> Interval:
    """The score interval for the difference of paired proportions: every D that the score test of difference = D does not reject.

    Tango 1998, Statistics in Medicine 17:891-908. Where nothing is decisive it is +- z^2 / (n + z^2), not a point as Wald's would be.
    """
    z = normal_quantile(level)
    return Interval(-_upper(losses, wins, n, z), _upper(wins, losses, n, z), "tango_score", level)


def _upper(wins: int, losses: int, n: int, z: float) -> float:
    """The root D above (wins - losses) / n of   n D - (wins - losses) = z sqrt(n (2 q + D (1 - D))),   q as below.

    In three corners the variance is zero at the estimate itself, which then is a root too; there the other one is known in closed form.
    """
    slack = z * z / (n + z * z)
    if wins == n:
        return 1.0
    if wins == 0 and losses in (0, n):
        return 2 * slack - 1 if losses else slack

    def beyond(difference: float) -> float:
        variance = 2 * _losing(wins, losses, n, difference) + difference * (1 - difference)
        return n * difference - (wins - losses) - z * sqrt(max(0.0, n * variance))

    return float(brentq(beyond, (wins - losses) / n, 1.0, xtol=CLOSE))


def _losing(wins: int, losses: int, n: int, difference: float) -> float:
    """q: the most likely probability of a loss, given that the probability of a win is larger by ``difference``."""
    a = 2 * n
    b = -wins - losses + (2 * n - wins + losses) * difference
    c = -losses * difference * (1 - difference)
    return (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
