"""A metrics file holds numbers, texts, true and false, under names. DVC drops a list or a null without a word, so neither gets here.

An interval is {"lo": …, "hi": …}; a value that does not exist, such as a share of nothing, is left out.
"""

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any

import pandas as pd

from stages.stats.fragility import Range
from stages.stats.proportions import Estimate, Interval

Tree = dict[str, Any]
Frames = dict[str, pd.DataFrame]  # the published tables by name

DIGITS = 6  # beyond six digits only the summation order would show, or the version of a library


def rounded(value: float | None) -> float | None:
    """``value`` to six decimals; what does not exist stays so."""
    return None if value is None else round(value, DIGITS) + 0.0  # -0.0 + 0.0 is 0.0


def significant(p: float) -> float:
    """A p-value to six significant digits: however small, it never reads as zero."""
    return float(f"{p:.{DIGITS - 1}e}")


def bounds(found: Interval | Range | None) -> Tree | None:
    """{"lo": …, "hi": …}, rounded; None for None."""
    return None if found is None else {"lo": rounded(found.lo), "hi": rounded(found.hi)}


def estimate(found: Estimate | None, *beside: Interval) -> Tree | None:
    """A number with its n, its interval, the interval's method and level, and further intervals under their methods' names."""
    if found is None:
        return None
    own = {"value": rounded(found.value), "n": found.n, "interval": bounds(found.interval)}
    further = {interval.method: bounds(interval) for interval in beside}
    return {**own, "method": found.interval.method, "level": found.interval.level, **further}


def picked(count: object, names: Iterable[str]) -> Tree:
    """These attributes of ``count`` under their own names."""
    return {name: getattr(count, name) for name in names}


def present(tree: Tree) -> Tree:
    """The tree without what does not exist."""
    return {key: value for key, value in tree.items() if value is not None}


def metric_text(tree: Tree) -> str:
    """A metrics file: keys sorted, two spaces, a line feed last. Raises ValueError for what DVC would drop: a list, a null, a NaN."""
    _check(tree, "")
    return json.dumps(tree, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _check(value: object, path: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check(inner, f"{path}.{key}".lstrip("."))
    elif type(value) not in (int, float, str, bool) or (isinstance(value, float) and not isfinite(value)):
        raise ValueError(f"metric {path} is {value!r}, and a metric is a number, a text, or true or false")
