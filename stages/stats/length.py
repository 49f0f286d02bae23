"""Length: how often the longer answer won, and how far place and length move the judge once the contestants' strengths are held fixed.

Lengths are characters (Unicode code points) of the answers as delivered.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit

from stages.stats.clustered import Clustered, Floats, Ints, Refused, around, cluster_sums, inverse, sandwich, too_few
from stages.stats.counts import Verdicts
from stages.stats.proportions import LEVEL, Estimate, clopper_pearson

Lengths = Mapping[tuple[str, str], int]  # by matter and contestant

METHOD = "logit of A winning on place, contestants and length, clustered by matter"
PER_PARAMETER = 10  # decisive verdicts, by rule of thumb: with fewer a logit leans outwards and its intervals are too short
_STEPS = 50
_ZERO = 1e-10


@dataclass(frozen=True)
class LongerWon:
    """longer + shorter + equal = decisive. share: longer / (longer + shorter) with its exact interval; None where there is none."""

    longer: int
    shorter: int
    equal: int
    share: Estimate | None

    @property
    def decisive(self) -> int:
        return self.longer + self.shorter + self.equal


@dataclass(frozen=True)
class Adjusted:
    """Log odds of A winning: ``place`` between equal answers, ``length`` for each standard deviation of the log ratio of lengths.

    n: decisive verdicts. spread: that standard deviation. parameters: place, length and all contestants but one.
    """

    method: str
    level: float
    n: int
    matters: int
    parameters: int
    place: Clustered
    length: Clustered
    spread: float


@dataclass(frozen=True)
class _Design:
    """One row a decisive verdict. columns (n, parameters): 1, the contestants, the log ratio of lengths; won: 1 where A won."""

    columns: Floats
    won: Floats
    matter: Ints
    matters: int
    spread: float


def longer_won(verdicts: Verdicts, lengths: Lengths, level: float = LEVEL) -> LongerWon:
    """Counts over the decisive verdicts. Raises ValueError for an answer without a length."""
    differ = [
        (_of(lengths, matter, a) - _of(lengths, matter, b)) * (1 if word == "A" else -1) for matter, a, b, word in _decisive(verdicts)
    ]  # by how much the winner's is longer
    longer, equal = sum(d > 0 for d in differ), sum(d == 0 for d in differ)
    n = len(differ) - equal
    share = Estimate(longer / n, n, clopper_pearson(longer, n, level)) if n else None
    return LongerWon(longer, n - longer, equal, share)


def _decisive(verdicts: Verdicts) -> list[tuple[str, str, str, str]]:
    """(matter, who was A, who was B, word) of each."""
    rows = zip(verdicts.matter_id, verdicts.answer_a_was, verdicts.answer_b_was, verdicts.verdict, strict=True)
    return [row for row in rows if row[3] in ("A", "B")]


def _of(lengths: Lengths, matter: str, contestant: str) -> int:
    if (matter, contestant) not in lengths:
        raise ValueError(f"there is a verdict on {contestant}'s answer to {matter}, and no such answer")
    return lengths[matter, contestant]


def place_and_length(verdicts: Verdicts, lengths: Lengths, level: float = LEVEL) -> Adjusted | Refused:
    """A maximum likelihood logit with a sandwich clustered by matter, times M/(M-1) * (n-1)/(n-p) (Cameron and Miller 2015, section II).

    Refused where there is too little, or where the maximum does not exist: when a mix of the columns predicts every verdict, none does
    (Albert and Anderson 1984, Biometrika 71:1-10).
    """
    design = _design(verdicts, lengths)
    n, parameters = design.columns.shape
    reason = _too_little(design) or too_few(design.matters, parameters) or _inseparable(design)
    theta = None if reason else _fit(design)
    if theta is None:
        return Refused(METHOD, reason or "the fit did not converge", n)
    information, scores = _information_and_scores(design, theta)
    sums = cluster_sums(scores, design.matter, design.matters)
    covariance = sandwich(inverse(information), sums) * (n - 1) / (n - parameters)
    found = around(theta, covariance, design.matters, level)
    return Adjusted(METHOD, level, n, design.matters, parameters, found[0], found[-1], design.spread)


def _design(verdicts: Verdicts, lengths: Lengths) -> _Design:
    rows = _decisive(verdicts)
    names = sorted({side for row in rows for side in row[1:3]})
    order = {matter: index for index, matter in enumerate(sorted({row[0] for row in rows}))}
    place = {name: index for index, name in enumerate(names)}
    a, b = (np.array([place[row[side]] for row in rows], dtype=np.intp) for side in (1, 2))
    ratio = np.array([_log(_of(lengths, row[0], row[1])) - _log(_of(lengths, row[0], row[2])) for row in rows], dtype=np.float64)
    spread = float(ratio.std()) if rows else 0.0
    contestants = np.eye(len(names))[a] - np.eye(len(names))[b]
    columns = np.column_stack([np.ones(len(rows)), contestants[:, 1:], ratio / (spread or 1.0)])
    won = np.array([float(row[3] == "A") for row in rows])
    return _Design(columns, won, np.array([order[row[0]] for row in rows], dtype=np.intp), len(order), spread)


def _log(length: int) -> float:
    """An empty answer counts as one character: a logarithm needs one."""
    return float(np.log(max(length, 1)))


def _too_little(design: _Design) -> str | None:
    n, parameters = design.columns.shape
    if n < PER_PARAMETER * parameters:
        return f"{parameters} parameters need {PER_PARAMETER * parameters} decisive verdicts, and there are {n}"
    if design.spread < _ZERO or np.linalg.matrix_rank(design.columns) < parameters:
        return "place, length and contestants cannot be told apart in these verdicts"
    return None


def _inseparable(design: _Design) -> str | None:
    """The reason if some mix of the columns is never on the wrong side of a verdict, and on the right side of at least one."""
    towards = design.columns * (2 * design.won - 1)[:, None]
    best = linprog(-towards.sum(axis=0), A_ub=-towards, b_ub=np.zeros(len(towards)), bounds=(-1, 1), method="highs")
    separated = best.status != 0 or -best.fun > 1e-7
    return "a mix of place, length and contestants predicts every decisive verdict, so the likelihood has no maximum" if separated else None


def _information_and_scores(design: _Design, theta: Floats) -> tuple[Floats, Floats]:
    chance = expit(design.columns @ theta)
    information = design.columns.T @ (design.columns * (chance * (1 - chance))[:, None])
    return information, design.columns * (design.won - chance)[:, None]


def _fit(design: _Design) -> Floats | None:
    """Newton from 0. The likelihood is concave; where it has a maximum, and it has one here, the steps reach it or are seen not to."""
    theta = np.zeros(design.columns.shape[1])
    for _ in range(_STEPS):
        information, scores = _information_and_scores(design, theta)
        score = scores.sum(axis=0)
        if np.abs(score).max() <= _ZERO * len(design.won):
            return theta
        theta = theta + np.linalg.solve(information, score)
    return None
