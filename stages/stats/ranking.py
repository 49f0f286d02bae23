"""Strengths from pairwise verdicts: Davidson's model of wins and ties, and Bradley and Terry's with a tie as half a win each.

Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison experiments, JASA 65, 317-328:
    P(i wins against j) = pi_i / (pi_i + pi_j + nu * sqrt(pi_i * pi_j)),    P(tie) = nu * sqrt(pi_i * pi_j) / (the same).
evalica fits it by Newman (2023), JMLR 24(238), whose v is nu / 2. What is published are logs of pi, centred on mean 0: other scalings
are a matter of versions. evalica stops when the strengths stand still, whether or not v does; so a few Newton steps follow, and the fit
counts only when its score equations hold.
"""

from dataclasses import dataclass, replace

import evalica
import numpy as np

from stages.stats.clustered import SAME, Floats, Ints, Refused, around, cluster_sums, inverse, sandwich, too_few
from stages.stats.contests import Contests, ladder, without_bound
from stages.stats.proportions import LEVEL, Interval

LIMIT = 10_000  # evalica's own default of 100 stops short without a word
TOLERANCE = 1e-10
_STEPS = 25  # Newton doubles the digits at each step; evalica leaves it at about 1e-8
_ZERO = 1e-9  # of a score equation, for each verdict in it

DAVIDSON = "Davidson 1970, maximum likelihood"
BRADLEY_TERRY = "Bradley-Terry, a tie as half a win each, maximum likelihood"


@dataclass(frozen=True)
class Strength:
    """One contestant's log strength (natural logarithm, mean 0 over all) with its interval; rank 1 is the strongest, equals share one."""

    contestant: str
    rank: int
    log_strength: float
    se: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Ranking:
    """A fitted ranking. n = decisive + ties; n + both_inadequate + unreadable = the verdicts there are.

    tie_parameter: Davidson's nu, None where the model has none. no_interval: why se and interval are None, where they are.
    """

    method: str
    level: float
    n: int
    decisive: int
    ties: int
    both_inadequate: int
    unreadable: int
    matters: int
    tie_parameter: float | None
    strengths: tuple[Strength, ...]
    no_interval: str | None


@dataclass(frozen=True)
class _Pairs:
    """Contests added up by pair: how often one won, how often two won, how often they tied. pair: each contest's row in these."""

    size: int
    one: Ints
    two: Ints
    wins_1: Floats
    wins_2: Floats
    ties: Floats
    pair: Ints

    @property
    def n(self) -> Floats:
        return self.wins_1 + self.wins_2 + self.ties

    @property
    def contrast(self) -> Floats:
        """(pairs, contestants): +1 for one, -1 for two."""
        return np.asarray(np.eye(self.size)[self.one] - np.eye(self.size)[self.two])


@dataclass(frozen=True)
class _Fit:
    """theta: log strengths, and log nu where ties are modelled. bread: the inverse information of theta."""

    theta: Floats
    bread: Floats


def davidson(found: Contests, level: float = LEVEL) -> Ranking | Refused:
    """Davidson's ranking with an interval clustered by matter at ``level``; refused where its maximum does not exist or is not reached."""
    reason = without_bound(found) or ladder(found)
    if reason:
        return Refused(DAVIDSON, reason, found.n)
    pairs = _added_up(found)
    return _ranked(DAVIDSON, found, pairs, _started(pairs), level)


def bradley_terry(found: Contests, level: float = LEVEL) -> Ranking | Refused:
    """The same under Bradley and Terry with half a win each for a tie. For comparison: where most verdicts tie, it shrinks to nothing."""
    reason = without_bound(found)
    if reason:
        return Refused(BRADLEY_TERRY, reason, found.n)
    pairs = _added_up(found)
    half = pairs.ties / 2
    halves = replace(pairs, wins_1=pairs.wins_1 + half, wins_2=pairs.wins_2 + half, ties=np.zeros_like(half))
    return _ranked(BRADLEY_TERRY, found, halves, _started_without_ties(pairs), level)


def _added_up(found: Contests) -> _Pairs:
    size = len(found.names)
    keys, pair = np.unique(found.one * size + found.two, return_inverse=True)
    wins_1, wins_2, ties = (np.bincount(pair[found.share == share], minlength=len(keys)).astype(np.float64) for share in (1.0, 0.0, 0.5))
    return _Pairs(size, keys // size, keys % size, wins_1, wins_2, ties, pair)


def _started(pairs: _Pairs) -> Floats | None:
    """evalica's fit of Davidson's model; None where it ran into its limit.

    v starts at ties / decisive, which is exact where all strengths are equal: there evalica stops before v has moved.
    """
    if not pairs.ties.any():
        return _started_without_ties(pairs)  # nu is 0, and the two models are one
    v = float(pairs.ties.sum() / (pairs.wins_1.sum() + pairs.wins_2.sum()))
    rows = _rows(pairs)
    fit = evalica.newman(*rows[:3], weights=rows[3], v_init=v, tolerance=TOLERANCE, limit=LIMIT)
    if fit.iterations >= LIMIT:
        return None
    strengths = np.log(fit.scores.sort_index().to_numpy())
    return np.append(strengths, np.log(2 * fit.v))


def _started_without_ties(pairs: _Pairs) -> Floats | None:
    rows = _rows(pairs)
    fit = evalica.bradley_terry(*rows[:3], weights=rows[3], tie_weight=0.5, tolerance=TOLERANCE, limit=LIMIT)
    return None if fit.iterations >= LIMIT else np.asarray(np.log(fit.scores.sort_index().to_numpy()))


def _rows(pairs: _Pairs) -> tuple[list[int], list[int], list[evalica.Winner], list[float]]:
    """Three weighted rows a pair, instead of one a verdict: the fit takes 0.3 ms at any number of verdicts."""
    words = (evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw)
    winners = [word for word in words for _ in pairs.one]
    weights = [*pairs.wins_1.tolist(), *pairs.wins_2.tolist(), *pairs.ties.tolist()]
    return pairs.one.tolist() * 3, pairs.two.tolist() * 3, winners, weights


def _chances(pairs: _Pairs, theta: Floats) -> Floats:
    """(pairs, 3): the chances that one wins, that two wins, that they tie."""
    half = (theta[pairs.one] - theta[pairs.two]) / 2
    tie = theta[pairs.size] if len(theta) > pairs.size else -np.inf
    logits = np.stack([half, -half, np.full_like(half, tie)], axis=1)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _score_and_information(pairs: _Pairs, theta: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log likelihood, and minus its second derivative, which here equals Fisher's information."""
    one, two, tie = _chances(pairs, theta).T
    contrast, n, lean = pairs.contrast, pairs.n, (one - two) / 2
    score = contrast.T @ ((pairs.wins_1 - pairs.wins_2) / 2 - n * lean)
    information = contrast.T @ (contrast * (n * ((one + two) / 4 - lean**2))[:, None])
    if len(theta) == pairs.size:
        return score, information
    across = contrast.T @ (-n * lean * tie)
    score = np.append(score, (pairs.ties - n * tie).sum())
    return score, np.block([[information, across[:, None]], [across[None, :], np.array([[(n * tie * (1 - tie)).sum()]])]])


def _newton(pairs: _Pairs, theta: Floats) -> _Fit | None:
    """From a fit to the exact one; None where the score equations do not come to hold."""
    theta = theta.copy()
    theta[: pairs.size] -= theta[: pairs.size].mean()
    for _ in range(_STEPS):
        score, information = _score_and_information(pairs, theta)
        bread = _inverse(information, pairs.size)
        if np.abs(score).max() <= _ZERO * pairs.n.sum():
            return _Fit(theta, bread)
        theta = theta + bread @ score
        if not np.isfinite(theta).all():
            return None
    return None


def _inverse(information: Floats, size: int) -> Floats:
    """Inverse on centred strengths. All strengths may move together, so that direction is filled; no score has any part in it."""
    filled = information.copy()
    filled[:size, :size] += np.trace(information[:size, :size]) / size**2
    return inverse(filled)


def _ranked(method: str, found: Contests, pairs: _Pairs, start: Floats | None, level: float) -> Ranking | Refused:
    fit = None if start is None else _newton(pairs, start)
    if fit is None:
        return Refused(method, f"the fit did not converge in {LIMIT} steps", found.n)
    parameters = len(fit.theta) - 1  # centring takes one
    no_interval = too_few(found.matters, parameters)
    strengths = _strengths(found, pairs, fit, level, bool(no_interval))
    if any(strength.interval is None for strength in strengths):
        no_interval = no_interval or SAME
    modelled = method == DAVIDSON
    tie_parameter = float(np.exp(fit.theta[pairs.size])) if len(fit.theta) > pairs.size else 0.0
    return Ranking(
        method, level, found.n, found.decisive, found.ties, found.both_inadequate, found.unreadable, found.matters,
        tie_parameter if modelled else None, strengths, no_interval,
    )  # fmt: skip


def _strengths(found: Contests, pairs: _Pairs, fit: _Fit, level: float, bare: bool) -> tuple[Strength, ...]:
    values = fit.theta[: pairs.size]
    ranks = [1 + int((values > value + _ZERO).sum()) for value in values]
    if bare:
        return tuple(Strength(*each, None, None) for each in zip(found.names, ranks, values.tolist(), strict=True))
    sums = cluster_sums(_scores(found, pairs, fit.theta), found.matter, found.matters)
    found_around = around(values, sandwich(fit.bread, sums)[: pairs.size, : pairs.size], found.matters, level)
    return tuple(
        Strength(name, rank, each.value, each.se, each.interval) for name, rank, each in zip(found.names, ranks, found_around, strict=True)
    )


def _scores(found: Contests, pairs: _Pairs, theta: Floats) -> Floats:
    """(contests, parameters): each contest's part in the score equations."""
    one, two, tie = _chances(pairs, theta)[pairs.pair].T
    pull = (found.share - 0.5) - (one - two) / 2
    strengths = pairs.contrast[pairs.pair] * pull[:, None]
    if len(theta) == pairs.size:
        return np.asarray(strengths)
    return np.column_stack([strengths, (found.share == 0.5) - tie])
