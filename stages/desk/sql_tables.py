"""The published tables as DuckDB sees them: every Parquet file of data/tables as a view, and nothing else in reach."""

from pathlib import Path

import duckdb

from stages.runtime.errors import BadInput, BadRecord
from stages.runtime.paths import TABLES

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
    database = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    for path in files:
        _show(database, path)
    database.execute(f"SET allowed_paths = [{', '.join(map(_quoted, files))}]")
    for name, value in _SEALED.items():
        database.execute(f"SET {name} = '{value}'")
    return database


def _show(database: duckdb.DuckDBPyConnection, path: Path) -> None:
    try:
        view = f'CREATE VIEW "{path.stem}" AS SELECT * FROM read_parquet({_quoted(path)})'  # noqa: S608  names of files on this disk
        database.execute(view)
    except duckdb.Error:
        raise BadRecord(f"{path}: it is no Parquet file, or a torn one; `uv run dvc repro` makes it anew") from None


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
