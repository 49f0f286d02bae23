"""moot show: the matters, contestants, answers and verdicts of the record as readable tables, or one of them in full."""

import argparse
from dataclasses import dataclass
from typing import get_args

from stages.desk.layout import count, set_out, visible
from stages.desk.sql_tables import opened, selected
from stages.runtime.errors import BadInput
from stages.schema.jsonl import Row
from stages.schema.names import nearest
from stages.schema.rows import Status, VerdictWord
from stages.schema.tables import TABLES

EXAMPLE = """example:
  moot show verdicts --winner tie
  moot show verdicts --contestant qwen-500m --matter Q03
  moot show answers --status truncated --flag names_itself
  moot show answers Q01:qwen-500m       one in full; the beginning of an id does where no other begins so

Long cells are cut in a table. --json prints every column whole. Text of a model stands as it was delivered, with control characters
spelled out."""


@dataclass(frozen=True)
class _View:
    """One kind of thing: the column that holds its id, the columns of its table on a terminal, and the columns that filters look at."""

    key: str
    columns: tuple[str, ...]
    filters: dict[str, tuple[str, ...]]


_SIDES = ("contestant_1", "contestant_2")
_VIEWS = {
    "matters": _View("matter_id", ("matter_id", "series", "area", "published", "title"), {"matter": ("matter_id",)}),
    "contestants": _View(
        "contestant", ("contestant", "provider", "model", "family", "trained_until"), {"contestant": ("contestant",)}
    ),
    "answers": _View(
        "answer_id",
        ("answer_id", "status", "names_itself", "addresses_the_judge", "text"),
        {"matter": ("matter_id",), "contestant": ("contestant",), "status": ("status",), "flag": ("names_itself", "addresses_the_judge")},
    ),
    "verdicts": _View(
        "verdict_id",
        ("verdict_id", "verdict", "winner", "material_difference", "rationale"),
        {
            "matter": ("matter_id",), "contestant": _SIDES, "winner": ("winner",), "verdict": ("verdict",),
            "flag": ("material_difference",),
        },
    ),
}  # fmt: skip
_FILTERS = ("matter", "contestant", "winner", "verdict", "status", "flag")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=_VIEWS, help="what to show")
    parser.add_argument("id", nargs="?", help="only this one, in full: an id, or the beginning of one")
    parser.add_argument("--matter", metavar="ID", help="only of this matter")
    parser.add_argument("--contestant", metavar="NAME", help="only of this contestant, on either side")
    parser.add_argument("--winner", metavar="NAME", help="only verdicts with this winner: a contestant, tie or both_inadequate")
    parser.add_argument("--verdict", metavar="WORD", help=f"only verdicts of this word: {', '.join(get_args(VerdictWord))}")
    parser.add_argument("--status", metavar="WORD", help=f"only answers of this status: {', '.join(get_args(Status))}")
    parser.add_argument("--flag", metavar="COLUMN", help="only where this is true: names_itself, addresses_the_judge, material_difference")


def run(given: argparse.Namespace) -> Row:
    """The rows asked for. Raises BadInput for a filter of another kind, for a value that there is not, and for an unknown id."""
    view, table = _VIEWS[given.kind], TABLES[given.kind]
    database = opened()
    rows = selected(database, f'SELECT * FROM "{given.kind}" ORDER BY {", ".join(table.key)}').records  # noqa: S608  names of ours
    names = [row["contestant"] for row in selected(database, "SELECT contestant FROM contestants").records]
    for name in _FILTERS:
        value = getattr(given, name)
        if value is not None:
            rows = [row for row in rows if _passes(row, name, _checked(given.kind, name, value, names), view)]
    whole = given.id is not None
    return {"kind": given.kind, "whole": whole, "rows": [_one(rows, given.id, view.key)] if whole else rows}


def _checked(kind: str, name: str, value: str, contestants: list[str]) -> str:
    """The value of a filter. Raises BadInput where this kind has no such filter, or nothing can have the value."""
    filters = _VIEWS[kind].filters
    if name not in filters:
        having = [other for other, view in _VIEWS.items() if name in view.filters]
        raise BadInput(f"--{name} is for {' and '.join(having)}, and {kind} have {', '.join(f'--{each}' for each in filters)}")
    known = {
        "contestant": contestants,
        "winner": [*contestants, "tie", "both_inadequate"],
        "verdict": get_args(VerdictWord),
        "status": get_args(Status),
        "flag": filters["flag"] if name == "flag" else (),
    }.get(name)
    if known is not None and value not in known:
        raise BadInput(f"--{name} {value!r}: {nearest(value, known)}")
    return value


def _passes(row: Row, name: str, value: str, view: _View) -> bool:
    if name == "flag":
        return row.get(value) is True
    return any(row.get(column) == value for column in view.filters[name])


def _one(rows: list[Row], wanted: str, key: str) -> Row:
    """The row with this id, or the only one whose id begins so. Raises BadInput, with the nearest."""
    found = [row for row in rows if row[key] == wanted] or [row for row in rows if str(row[key]).startswith(wanted)]
    if len(found) == 1:
        return found[0]
    ids = [str(row[key]) for row in rows]
    begins = [str(row[key]) for row in found]
    raise BadInput(
        f"{wanted!r} begins {len(begins)} ids: {', '.join(begins[:8])}" if begins else f"no {key} {wanted!r}; {nearest(wanted, ids)}"
    )


def told(found: Row) -> str:
    """What the command prints."""
    if found["whole"]:
        return _in_full(found["rows"][0])
    view = _VIEWS[found["kind"]]
    rows = [[row.get(column) for column in view.columns] for row in found["rows"]]
    return set_out(view.columns, rows) + f"{count(len(rows), found['kind'][:-1])}\n"


def _in_full(row: Row) -> str:
    """Short values a line each, then every long text under its name, indented so that no text can pass for a line of ours."""
    long = {name for name, value in row.items() if isinstance(value, str) and (len(value) > 90 or "\n" in value)}
    lines = [f"{name:20} {'' if value is None else visible(str(value))}".rstrip() for name, value in row.items() if name not in long]
    for name in row:
        if name in long:
            lines += ["", f"{name}:", *(f"  | {line}".rstrip() for line in visible(row[name], lines=True).split("\n"))]
    return "\n".join(lines) + "\n"
