"""The published tables as DuckDB sees them: every Parquet file of data/tables as a view, and nothing else in reach."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

import duckdb

from stages.runtime.errors import BadInput, BadRecord, refusing
from stages.runtime.paths import TABLES
from stages.schema.plain_files import plain_file

_APART: dict[
    str, str | bool | int | float | list[str]
] = {  # no extension is fetched, and nothing that does not fit into memory is put on the disk
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
}
_SEALED = {  # the database lives in memory; the tables' files are the only ones that it may open, and no statement can change that
    "TimeZone": "UTC",
    "enable_external_access": False,
    "lock_configuration": True,
}


def opened(folder: Path = TABLES) -> duckdb.DuckDBPyConnection:
    """A database of the tables in ``folder``, whatever version wrote them. No file but theirs can be read, none of theirs is changed by a
    SELECT, and no network is reached.

    Raises BadInput where there are no tables, BadRecord, naming the file, for one that is torn.
    """
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise BadInput(f"{folder} holds no tables; `uv run dvc repro` makes them")
    database = duckdb.connect(config=_APART)
    for path in files:
        with refusing(kind=BadRecord):
            plain_file(path)  # on a pipe DuckDB would wait for ever
        _show(database, path)
    database.execute(f"SET allowed_paths = [{', '.join(map(_quoted, files))}]")
    for name, value in _SEALED.items():
        database.execute(f"SET {name} = '{value}'")
    return database


@dataclass(frozen=True)
class Selection:
    """What a SELECT found: the names of its columns, and its rows in JSON's spelling (times and days as the tables spell them)."""

    columns: list[str]
    rows: list[list[Any]]

    @property
    def records(self) -> list[dict[str, Any]]:
        """A dict for each row; of two columns with one name, the later."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def selected(database: duckdb.DuckDBPyConnection, query: str, values: list[Any] | None = None) -> Selection:
    """What one SELECT finds. Raises BadInput, in DuckDB's words on one line, for what is none or asks for what there is not."""
    try:
        statements = database.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:  # EXPLAIN ANALYZE runs what it explains, COPY too
            kinds = ", ".join(statement.type.name for statement in statements) or "nothing"
            raise BadInput(f"one SELECT is taken, and here stands {kinds}: the tables are read and never changed")
        found = database.execute(statements[0], values)
        names = [column[0] for column in found.description or []]
        return Selection(names, [[_spelled(value) for value in row] for row in found.fetchall()])
    except duckdb.Error as error:
        raise BadInput(" ".join(str(error).split("\nLINE ")[0].split())) from None


def _spelled(value: Any) -> Any:
    """A value as JSON holds it. What JSON has no word for, such as NaN, becomes text."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list | tuple):
        return [_spelled(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _spelled(each) for key, each in value.items()}
    plain = value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    return value if plain else str(value)


def _show(database: duckdb.DuckDBPyConnection, path: Path) -> None:
    try:
        view = f'CREATE VIEW "{path.stem}" AS SELECT * FROM read_parquet({_quoted(path)})'  # noqa: S608  names of files on this disk
        database.execute(view)
    except duckdb.Error:
        raise BadRecord(f"{path}: it is no Parquet file, or a torn one; `uv run dvc repro` makes it anew") from None


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
