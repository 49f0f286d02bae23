"""Rows in files: one canonical JSON object a line, ending in a line feed. Only LF ends a row (U+2028 may stand in a text)."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from stages.schema.canonical import canonical
from stages.schema.plain_files import read_text

Made = TypeVar("Made")
Row = dict[str, Any]


def _once(pairs: list[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a key stands twice")
    return row


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def load_json(text: str) -> Any:
    """Read strict JSON. Raises ValueError for a repeated key, NaN or an infinity, and for what is no JSON."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _row(line: str) -> Row:
    row = load_json(line)
    if not isinstance(row, dict):
        raise ValueError("the row is not a JSON object")
    return row


def read_rows(path: Path) -> list[Row]:
    """All rows of ``path``. Raises ValueError that names the line; a last line without its line feed counts as cut off."""
    text = read_text(path)
    if text and not text.endswith("\n"):
        raise ValueError(f"line {text.count(chr(10)) + 1} is cut off (no line feed at its end)")
    rows = []
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            rows.append(_row(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return rows


def read_made(path: Path, made: Callable[[Row], Made]) -> list[Made]:
    """The rows of ``path``, each made into what it is. Raises ValueError that names the line of the row that ``made`` refuses."""
    found = []
    for number, row in enumerate(read_rows(path), start=1):
        try:
            found.append(made(row))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return found


def rows_text(rows: Iterable[Row]) -> str:
    """The rows as they stand in a file."""
    return "".join(canonical(row) + "\n" for row in rows)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write ``rows`` in the order given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(rows_text(rows).encode("utf-8"))
