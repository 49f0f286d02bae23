"""The published tables: their columns, their order and the bytes they are written in. The only module that imports pyarrow.

Rows are dicts in JSON's spelling: a time is text such as 2026-11-30T08:15:11.123Z, a day is text such as 2026-11-30. The files hold
typed columns. Equal rows give equal bytes under one pyarrow version, and an equal logical digest under every version.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate, pairwise
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from stages.schema.canonical import text_digest
from stages.schema.jsonl import Row, rows_text
from stages.schema.names import nearest
from stages.schema.plain_files import plain_file
from stages.schema.shapes import is_day

if TYPE_CHECKING:
    import pandas as pd

FOLDER = Path("data/tables")

# Readers skip and load whole row groups. At 8 kB of text a row, 16,384 rows are 130 MB unpacked: that fits where a laptop reads it.
ROW_GROUP = 16_384

_ARROW = {
    "text": pa.string(),
    "int": pa.int64(),
    "real": pa.float64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("ms", tz="UTC"),
    "day": pa.date32(),
}


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    optional: bool


@dataclass(frozen=True)
class Table:
    """One published table. key: the columns that rows are sorted by, and that no two rows share."""

    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(column.name, _ARROW[column.kind], nullable=column.optional) for column in self.columns])


def _table(key: str, **kinds: str) -> Table:
    """A kind that ends in ``?`` may be missing."""
    columns = (Column(name, kind.rstrip("?"), kind.endswith("?")) for name, kind in kinds.items())
    return Table(tuple(key.split()), tuple(columns))


_JUDGE = {
    "judge": "text", "provider": "text", "model": "text", "family": "text", "route": "text?", "weights_sha256": "text?",
    "settings": "text", "config_sha256": "text", "passing_rate": "real?", "order_consistency": "real?", "matters": "int?",
}  # fmt: skip
_VERDICT = {
    "verdict_id": "text", "pairing_id": "text", "matter_id": "text", "contestant_1": "text", "contestant_2": "text",
    "answer_a_was": "text", "answer_b_was": "text", "verdict": "text", "winner": "text?", "material_difference": "bool?",
    "rationale": "text?", "unreadable_because": "text?", "raw_text": "text", "presentation_id": "text", "judge": "text",
    "attempt": "int", "instrument": "text", "instrument_sha256": "text", "reader": "text", "request_sha256": "text",
    "response_sha256": "text", "started_at": "time", "source_path": "text",
}  # fmt: skip
_CONTROL = {
    "control_id": "text", "matter_id": "text", "kind": "text", "use": "text", "order_number": "int", "expected": "text",
    "verdict": "text", "passed": "bool", "material_difference": "bool?", "rationale": "text?", "unreadable_because": "text?",
    "raw_text": "text", "presentation_id": "text", "judge": "text", "attempt": "int", "instrument": "text",
    "instrument_sha256": "text", "reader": "text", "request_sha256": "text", "response_sha256": "text", "started_at": "time",
    "source_path": "text",
}  # fmt: skip

TABLES = {
    "matters": _table(
        "matter_id",
        matter_id="text", series="text", title="text", area="text", published="day",
        facts="text", law="text", assignment="text", matter_sha256="text", source_path="text",
    ),
    "contestants": _table(
        "contestant",
        contestant="text", provider="text", model="text", family="text", route="text?", weights_sha256="text?",
        settings="text", config_sha256="text", trained_until="day?",
    ),
    "attempts": _table(
        "matter_id contestant attempt",
        attempt_id="text", matter_id="text", contestant="text", attempt="int", scored="bool", attempt_rule="text",
        status="text", finish_reason="text?", provider_code="text?", text="text", text_sha256="text", reasoning="text?",
        names_itself="bool", addresses_the_judge="bool",
        route="text", settings_sha256="text", served_model="text?", served_by="text?",
        prompt_tokens="int?", completion_tokens="int?", cost_usd="real?", started_at="time", elapsed_ms="int", tries="int",
        request_sha256="text", response_sha256="text", ordered_by="text?", reason="text?", source_path="text",
    ),
    "answers": _table(
        "matter_id contestant",
        answer_id="text", matter_id="text", contestant="text", attempt="int", attempt_rule="text", status="text", finish_reason="text?",
        text="text", text_sha256="text", names_itself="bool", addresses_the_judge="bool", source_path="text",
    ),
    "assignments": _table(
        "matter_id contestant_1 contestant_2",
        pairing_id="text", matter_id="text", contestant_1="text", contestant_2="text", answer_a_was="text", answer_b_was="text",
        drawn_by="text", rederivable="bool", ordinal="int", seed="int",
    ),
    "verdicts": _table("matter_id contestant_1 contestant_2 judge", **_VERDICT),
    "rejected_points": _table(
        "matter_id verdict_id point_number",
        verdict_id="text", matter_id="text", contestant="text", point_number="int", point="text", why="text", changes_course="bool",
    ),
    "calls": _table(
        "kind request_sha256",
        request_sha256="text", response_sha256="text", settings_sha256="text", kind="text", endpoint="text", model="text",
        served_model="text?", served_by="text?", finish_reason="text?", started_at="time", elapsed_ms="int", tries="int",
        replies="int", prompt_tokens="int?", completion_tokens="int?", cost_usd="real?",
    ),
    "judges": _table("judge", **_JUDGE),
    "controls": _table("matter_id kind order_number", **_CONTROL),
    "orders": _table(
        "order_sha256",
        order_sha256="text", order="text", matter_id="text", contestant="text?", attempt="int?", pairing_id="text?", reason="text",
        ordered_by="text", ordered_at="time", source_path="text",
    ),
    "scenarios": _table("scenario", scenario="text", rule="text?", matters="text?", reason="text"),
    "second_judges": _table("judge", **_JUDGE),
    "second_verdicts": _table("matter_id contestant_1 contestant_2 judge turned", **_VERDICT, turned="bool"),
    "second_controls": _table("matter_id kind order_number judge", **_CONTROL),
}  # fmt: skip
# What a study asks beside its scores. They are empty where it asks for nothing, and then no digest is published of them.
SECOND = ("second_controls", "second_judges", "second_verdicts")


def columns(name: str) -> list[str]:
    """The columns of a table, in order. Raises ValueError for a table that is none of these."""
    return _named(name).names


def ordered(name: str, rows: list[Row]) -> list[Row]:
    """The rows as the table holds them: checked, in one spelling (no -0.0, no 1 for 1.0), sorted by the table's key.

    Raises ValueError for a missing or unknown column, a value of another kind, NaN or an infinity, and for two rows with one key.
    """
    table = _named(name)
    _check_columns(table, rows)
    found = _rows_of(table, [_one_spelling(table, column, rows) for column in table.columns])
    found.sort(key=itemgetter(*table.key))
    for before, after in pairwise(found):
        if all(before[column] == after[column] for column in table.key):
            raise ValueError(f"table {name}: two rows have the key {_spoken_key(table, after)}")
    return found


def write_table(name: str, rows: list[Row], folder: Path) -> Path:
    """Write ``<folder>/<name>.parquet`` from rows in any order. Returns its path. Raises ValueError as ``ordered`` does."""
    table, found = _named(name), ordered(name, rows)
    arrays = [_chunks(column.kind, [row[column.name] for row in found]) for column in table.columns]
    path = folder / f"{name}.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=table.schema),
        path,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=3,  # on 320 real answers level 19 saved 16 % and took 40 times as long
        version="2.6",
        data_page_version="1.0",  # the pages that every reader takes
    )
    return path


def read_table(name: str, folder: Path) -> list[Row]:
    """The rows of ``<folder>/<name>.parquet``, spelled as ``write_table`` took them.

    Raises ValueError when the file is no such table, OSError when it cannot be read.
    """
    table, arrow = _named(name), _read(name, folder)
    try:
        return _rows_of(table, [_spelled(column.kind, arrow[column.name].to_pylist()) for column in table.columns])
    except (UnicodeDecodeError, OverflowError):
        raise ValueError("it holds bytes that are no text, or a time beyond all calendars") from None


def read_frame(name: str, folder: Path) -> "pd.DataFrame":
    """The table as a data frame: times as datetimes, days as dates, whole numbers whole also where some are missing.

    Raises what ``read_table`` raises.
    """
    import pandas as pd  # noqa: PLC0415  takes 0.4 s to import, and whoever reads rows needs none of it

    kinds = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame: pd.DataFrame = _read(name, folder).to_pandas(types_mapper=kinds.get)
    return frame


def logical_digest(name: str, rows: list[Row]) -> str:
    """sha256 of the table as sorted canonical JSON, one row a line: what the table says, whatever version wrote its bytes.

    Raises ValueError as ``ordered`` does.
    """
    return text_digest(rows_text(ordered(name, rows)))


def _named(name: str) -> Table:
    if name not in TABLES:
        raise ValueError(f"no table is called {name!r}; {nearest(name, TABLES)}")
    return TABLES[name]


def _rows_of(table: Table, values: list[list[Any]]) -> list[Row]:
    """Rows from columns. A table is checked and converted column by column: a quarter of the time that it takes row by row."""
    return [dict(zip(table.names, row, strict=True)) for row in zip(*values, strict=True)]


def _spoken_key(table: Table, row: Row) -> str:
    return ", ".join(f"{column} {row.get(column)!s:.80}" for column in table.key)


def _check_columns(table: Table, rows: list[Row]) -> None:
    names = set(table.names)
    for row in rows:
        if row.keys() == names:
            continue
        for missing in sorted(names - row.keys()):
            raise ValueError(f"row {_spoken_key(table, row)}: column {missing!r} is missing")
        for unknown in sorted(row.keys() - names):
            raise ValueError(f"row {_spoken_key(table, row)}: unknown column {unknown!r}; {nearest(unknown, names)}")


def _one_spelling(table: Table, column: Column, rows: list[Row]) -> list[Any]:
    """The column's values in their one spelling. Raises ValueError that names the row of a value that the column cannot hold."""
    spelling, found = _SPELLINGS[column.kind], []
    for row in rows:
        value = row[column.name]
        try:
            found.append(None if value is None and column.optional else spelling(value))
        except ValueError as error:
            raise ValueError(f"row {_spoken_key(table, row)}: {column.name} is {value!r:.60}, {error}") from None
    return found


def _text(value: object) -> str:
    if type(value) is not str:
        raise ValueError("which is no text")
    if not value.isascii():
        _check_surrogates(value)
    return value


def _check_surrogates(value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a lone surrogate, which UTF-8 cannot spell") from None


def _whole(value: object) -> int:
    if type(value) is not int:  # exact: True is no number here
        raise ValueError("which is no int")
    if not -(2**63) <= value < 2**63:
        raise ValueError("which takes more than 64 bits")
    return value


def _real(value: object) -> float:
    number = float(_whole(value)) if type(value) is int else value
    if type(number) is not float:
        raise ValueError("which is no real")
    if not isfinite(number):
        raise ValueError("which is no finite number")
    return number + 0.0  # -0.0 + 0.0 is 0.0: one zero, one spelling


def _bool(value: object) -> bool:
    if type(value) is not bool:
        raise ValueError("which is no bool")
    return value


def _time(value: object) -> str:
    try:
        text = _text(value)
        if text.endswith("Z") and _spelled("time", [datetime.fromisoformat(text)]) == [text]:
            return text
    except ValueError:
        pass
    raise ValueError("not a time such as 2026-11-30T08:15:11.123Z")


def _day(value: object) -> str:
    if not isinstance(value, str) or not is_day(value):
        raise ValueError("not a day such as 2026-11-30")
    return value


_SPELLINGS: dict[str, Callable[[object], Any]] = {
    "text": _text, "int": _whole, "real": _real, "bool": _bool, "time": _time, "day": _day,
}  # fmt: skip


def _chunks(kind: str, values: list[Any]) -> pa.ChunkedArray:
    """A column for Arrow, in pieces of a row group: the texts of one piece may hold 2 GB."""
    starts = range(0, len(values), ROW_GROUP)
    return pa.chunked_array([_array(kind, values[start : start + ROW_GROUP]) for start in starts], type=_ARROW[kind])


def _array(kind: str, values: list[Any]) -> pa.Array:
    """A column, or a piece of one, made of the very bytes that Arrow keeps (its columnar format 1.0: variable-size binary, fixed-size
    primitive, bitmap). ``pa.array`` would make it of the values; it loads pandas to do so, which takes longer than all the tables."""
    there = [value is not None for value in values]
    valid = None if all(there) else _bits(there)
    if kind == "text":
        texts = [(value or "").encode("utf-8") for value in values]
        parts = [pa.py_buffer(array("i", accumulate(map(len, texts), initial=0))), pa.py_buffer(b"".join(texts))]
    elif kind == "bool":
        parts = [_bits(values)]
    else:
        code, stored = _STORED[kind]
        parts = [pa.py_buffer(array(code, [0 if value is None else stored(value) for value in values]))]
    return pa.Array.from_buffers(_ARROW[kind], len(values), [valid, *parts])


def _bits(flags: list[Any]) -> pa.Buffer:
    """Flags, the first in the lowest bit of the first byte."""
    digits = "".join("1" if flag else "0" for flag in reversed(flags))
    return pa.py_buffer(int(digits or "0", 2).to_bytes((len(flags) + 7) // 8, "little"))


def _milliseconds(text: str) -> int:
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1)


def _days(text: str) -> int:
    return date.fromisoformat(text).toordinal() - _EPOCH.toordinal()


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STORED: dict[str, tuple[str, Callable[[Any], Any]]] = {  # the C type of an array, and what stands in it for JSON's spelling
    "int": ("q", int), "real": ("d", float), "time": ("q", _milliseconds), "day": ("i", _days),
}  # fmt: skip


def _spelled(kind: str, values: list[Any]) -> list[Any]:
    """JSON's spelling of a column that Arrow gives back."""
    if kind == "day":
        return [None if value is None else value.isoformat() for value in values]
    if kind == "time":
        return [None if value is None else value.isoformat(timespec="milliseconds").replace("+00:00", "Z") for value in values]
    return values


def _read(name: str, folder: Path) -> pa.Table:
    """The file as Arrow's table. Raises ValueError, in words of ours, for what is no such table."""
    wanted, path = _named(name), plain_file(folder / f"{name}.parquet")
    try:
        with pq.ParquetFile(path) as file:
            table = file.read()
    except pa.ArrowException:
        raise ValueError(_TORN) from None
    except OSError as error:
        if error.errno is not None:  # the system's own; Arrow's have no number
            raise
        raise ValueError(_TORN) from None
    _check_read(wanted, table)
    return table


_TORN = "it is no Parquet file, or a torn one"


def _check_read(wanted: Table, table: pa.Table) -> None:
    """Raise ValueError for a missing, an unknown and another column, and for nothing where something must be."""
    for missing in [column for column in wanted.names if column not in table.column_names]:
        raise ValueError(f"it has no column {missing!r}")
    for unknown in [column for column in table.column_names if column not in wanted.names]:
        raise ValueError(f"unknown column {unknown!r}; {nearest(unknown, wanted.names)}")
    for column in wanted.columns:
        if not table.schema.field(column.name).type.equals(_ARROW[column.kind]):
            raise ValueError(f"column {column.name!r} is no column of {column.kind}s")
        if table[column.name].null_count and not column.optional:
            raise ValueError(f"column {column.name!r} has rows without a value")
    if not table.schema.equals(wanted.schema):
        raise ValueError("its columns are in another order than those of this version")
