"""Standard errors where the matter is what was sampled: verdicts on one matter hang together, and no number of them is worth two matters.

Sandwich of Liang and Zeger (1986); its factor for few clusters and Student's t with (matters - 1) degrees of freedom follow Cameron and
Miller (2015), A practitioner's guide to cluster-robust inference, section VI.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from stages.stats.proportions import LEVEL, Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

METHOD = "cluster_sandwich_t"
SAME = "every matter says the same, so nothing shows how far another might differ"
_ZERO = 1e-9  # what rounding leaves of a standard error of 0


@dataclass(frozen=True)
class Refused:
    """A number that does not exist for these data: what it would be, why it is not there, and on how many verdicts it would rest."""

    method: str
    reason: str
    n: int


@dataclass(frozen=True)
class Clustered:
    """An estimate with its standard error and the interval value -+ t * se. interval is None where se is 0: see ``SAME``."""

    value: float
    se: float
    interval: Interval | None


def cluster_sums(scores: Floats, matter: Ints, matters: int) -> Floats:
    """The rows of ``scores`` (n, p) summed within each matter: (matters, p). ``matter`` holds each row's matter, from 0."""
    sums = np.zeros((matters, scores.shape[1]))
    np.add.at(sums, matter, scores)
    return sums


def inverse(matrix: Floats) -> Floats:
    """The inverse of a square matrix. Raises numpy.linalg.LinAlgError where there is none."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def sandwich(bread: Floats, sums: Floats) -> Floats:
    """The covariance (p, p) of estimates: bread, the inverse information (p, p); sums, the scores summed by matter (matters, p)."""
    matters = len(sums)
    return np.asarray(bread @ (sums.T @ sums) @ bread * (matters / (matters - 1)))


def too_few(matters: int, parameters: int) -> str | None:
    """Why there can be no standard error: the summed scores span fewer directions than there are parameters. None where there can."""
    if matters > parameters:
        return None
    return f"an interval for {parameters} parameters needs more than {parameters} matters, and there are {matters}"


def around(values: Floats, covariance: Floats, matters: int, level: float = LEVEL) -> list[Clustered]:
    """Each value with its standard error and interval at ``level``, from their covariance (p, p)."""
    reach = float(stdtrit(matters - 1, (1 + level) / 2))
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist()
    return [
        Clustered(value, error, Interval(value - reach * error, value + reach * error, METHOD, level) if error > _ZERO else None)
        for value, error in zip(values.tolist(), errors, strict=True)
    ]
