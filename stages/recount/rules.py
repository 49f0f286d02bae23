"""How a number arises: a rule counts rows under a condition, a formula makes further numbers of the counts beside it.

A path is written as ``dvc metrics show`` writes it. A ``*`` stands for one name, such as a pair; ``keys`` holds SQL for each ``*``.
What begins with ``~`` is counted for a formula and not published.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, log10
from typing import Any

from stages.recount.arithmetic import LEVEL, Chance
from stages.recount.opened import Connection, rows

Number = int | float
Numbers = dict[str, Number]
Counts = Mapping[str, Any]
Every = Sequence[Counts]


@dataclass(frozen=True)
class Rule:
    """A number counted from rows. view: where they stand; enters: which of them are counted; value: how, one each by default.

    among: which rows it is about at all; those among them that do not enter are left out, each for the reason in its column ``why``.
    """

    path: str
    view: str
    enters: str = "true"
    keys: tuple[str, ...] = ()
    value: str = "count(*)"
    among: str = "true"
    optional: bool = False  # absent where nothing enters


@dataclass(frozen=True)
class Formula:
    """Numbers that follow from counts beside them. by: takes the counts under one name, and those under every name.

    ``under`` is the path of these numbers, ``of`` the counts that they rest on, with the same names for ``*``. What ``by`` gives as None
    does not exist.
    """

    under: str
    of: tuple[str, ...]
    by: Callable[[Counts, Every], Mapping[str, Any] | Number | None]
    words: str
    family: int = 0  # of the names in the place of stars, how many the counts in ``Every`` share with these


@dataclass(frozen=True)
class File:
    """How the numbers of one metrics file arise. held: paths of numbers that are not made again here, and why.

    spoken: of a file of sentences, how the counts in them are read, by path.
    """

    rules: tuple[Rule, ...]
    formulas: tuple[Formula, ...] = ()
    held: tuple[tuple[str, str], ...] = ()
    spoken: Callable[[Mapping[str, Any]], Mapping[str, int]] | None = None


def recounted(connection: Connection, file: File) -> Numbers:
    """Every number of a file that this implementation makes, by path; unrounded."""
    return concluded(file, counted(connection, file.rules))


def concluded(file: File, counts: Numbers) -> Numbers:
    """The counts of a file's rules, and what its formulas make of them."""
    found = dict(counts)
    for formula in file.formulas:
        found |= applied(formula, found)
    return {path: number for path, number in found.items() if not split(path)[-1].startswith("~")}


def counted(connection: Connection, rules: Iterable[Rule]) -> Numbers:
    """The numbers of all rules. Rules over one view with the same names are one query."""
    groups: dict[tuple[str, tuple[str, ...]], list[Rule]] = {}
    for rule in rules:
        groups.setdefault((rule.view, rule.keys), []).append(rule)
    found: Numbers = {}
    for (view, keys), group in groups.items():
        values = ", ".join(part for rule in group for part in _aggregates(rule))
        names = "".join(f"{key}, " for key in keys)
        grouped = f"group by {', '.join(map(str, range(1, len(keys) + 1)))}" if keys else ""
        for row in rows(connection, f"select {names}{values} from {view} {grouped}"):
            found |= _named(group, row[: len(keys)], row[len(keys) :])
    return found


def _aggregates(rule: Rule) -> list[str]:
    """A rule's number; and how many rows enter it, where it is absent if none does."""
    conditions = ["row_id is not null", *(f"({condition})" for condition in (rule.among, rule.enters) if condition != "true")]
    where = f"filter (where {' and '.join(conditions)})"
    return [f"{rule.value} {where}", *([f"count(*) {where}"] if rule.optional else [])]


def _named(group: list[Rule], names: tuple[Any, ...], values: tuple[Any, ...]) -> Numbers:
    found: Numbers = {}
    rest = iter(values)
    for rule in group:
        value, enters = next(rest), not rule.optional or next(rest) > 0
        if enters and None not in names:
            found[filled(rule.path, names)] = _number(value)
    return found


def _number(value: Any) -> Number:
    """What DuckDB gives as a number of Python's; the sum of nothing is 0."""
    if value is None:
        return 0
    return value if isinstance(value, bool | float) else int(value)


def filled(path: str, names: Iterable[Any]) -> str:
    """A path with its stars replaced."""
    for name in names:
        path = path.replace("*", str(name), 1)
    return path


def applied(formula: Formula, found: Numbers) -> Numbers:
    """The numbers of one formula, for every name that its counts stand under."""
    names = _names(formula.of[0], found)
    counts = [{path.split("*")[-1].strip("."): found.get(filled(path, own)) for path in formula.of} for own in names]
    made: Numbers = {}
    families: dict[tuple[str, ...], list[Counts]] = {}
    for own, under in zip(names, counts, strict=True):
        families.setdefault(own[: formula.family], []).append(under)
    for own, under in zip(names, counts, strict=True):
        made |= leaves(formula.by(under, families[own[: formula.family]]), filled(formula.under, own))
    return made


def _names(path: str, found: Numbers) -> list[tuple[str, ...]]:
    """What stands in the place of each star of ``path``, sorted."""
    return sorted({own for name in found if (own := matched(path, name)) is not None})


def matched(pattern: str, path: str) -> tuple[str, ...] | None:
    """The names in the places of the stars, or None where ``path`` is not of this pattern."""
    wanted, there = split(pattern), split(path)
    if len(wanted) != len(there) or any(one not in ("*", other) for one, other in zip(wanted, there, strict=True)):
        return None
    return tuple(other for one, other in zip(wanted, there, strict=True) if one == "*")


@lru_cache(maxsize=100_000)
def split(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def leaves(tree: Any, path: str) -> Numbers:
    """The numbers of a tree by path. None is nothing."""
    if isinstance(tree, Mapping):
        found: Numbers = {}
        for key, inner in tree.items():
            found |= leaves(inner, f"{path}.{key}".strip("."))
        return found
    return {} if tree is None else {path: tree}


def all_leaves(tree: Any, path: str = "") -> dict[str, Any]:
    """Everything that stands in a metrics file, texts too, by path."""
    if not isinstance(tree, Mapping):
        return {path: tree}
    found: dict[str, Any] = {}
    for key, inner in tree.items():
        found |= all_leaves(inner, f"{path}.{key}".strip("."))
    return found


def numbers_in(tree: Any, file: File) -> dict[str, Any]:
    """Everything that stands in a metrics file by path, and the counts in its sentences."""
    there = all_leaves(tree)
    return {**there, **file.spoken(there)} if file.spoken else there


def agrees(published: Any, made: Number) -> bool:
    """Whether a published number is ``made`` to the digits in which it is published: six decimals, and six digits for a p-value."""
    if isinstance(made, bool) or isinstance(published, bool):
        return published is made
    if not isinstance(published, int | float):
        return False
    if isinstance(made, int):
        return published == made
    unit = 10.0 ** (floor(log10(made)) - 5) if isinstance(made, Chance) and made > 0 else 1e-6
    return abs(published - made) <= 0.5 * unit * (1 + 1e-3)


def estimate(value: float | None, n: int, ends: tuple[float, float] | None) -> dict[str, Any] | None:
    """A number with its n, interval and level, as the files hold it; None where n is 0."""
    if not n or value is None:
        return None
    around = {"interval": {"lo": ends[0], "hi": ends[1]}, "level": LEVEL} if ends else {}
    return {"value": float(value), "n": n, **around}
