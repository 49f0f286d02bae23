"""The published tables in DuckDB, with the views of views.sql over them."""

from pathlib import Path
from typing import Any

import duckdb
from duckdb.func import SPECIAL

from stages.recount.arithmetic import tango

Connection = duckdb.DuckDBPyConnection

TABLE_NAMES = (
    "matters", "contestants", "attempts", "answers", "assignments", "verdicts", "rejected_points", "calls", "judges", "controls", "orders",
    "scenarios", "second_judges", "second_verdicts", "second_controls",
)  # fmt: skip
_VIEWS = Path(__file__).with_name("views.sql")
_BLANKS = " ."  # what may stand around a point when it is repeated


def opened(folder: Path, without: tuple[str, str] | None = None) -> Connection:
    """The tables of a folder, with the views. without: matter and contestant of an answer that is left out, with all that rests on it.

    Raises ValueError where a table is missing or is none.
    """
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    connection.create_function("tells_apart", tells_apart, ["BIGINT", "BIGINT", "BIGINT"], "BOOLEAN")
    connection.create_function("repeats", repeats, ["VARCHAR", "VARCHAR[]"], "BOOLEAN", null_handling=SPECIAL)
    try:
        for name in TABLE_NAMES:
            file = str(folder / f"{name}.parquet").replace("'", "''")
            connection.execute(f"create view all_{name} as select * from read_parquet('{file}')")
        for name in TABLE_NAMES:
            connection.execute(f"create view {name} as select * from all_{name}{_left(name, without)}")
        connection.execute(_VIEWS.read_text("utf-8"))
    except duckdb.Error as error:
        raise ValueError(f"{folder}: {str(error).splitlines()[0]}") from None
    return connection


def _left(name: str, without: tuple[str, str] | None) -> str:
    """The condition under which a row of a table stands without that answer."""
    if without is None:
        return ""
    matter, contestant = (part.replace("'", "''") for part in without)
    touched = f"matter_id = '{matter}' and '{contestant}' in (contestant_1, contestant_2)"
    own = f"matter_id = '{matter}' and contestant = '{contestant}'"
    judged = [f"select request_sha256 from all_{table} where {touched}" for table in ("verdicts", "second_verdicts")]
    gone = " union all ".join([f"select request_sha256 from all_attempts where {own}", *judged])
    conditions = {
        "answers": f"not ({own})",
        "attempts": f"not ({own})",
        "assignments": f"not ({touched})",
        "verdicts": f"not ({touched})",
        "second_verdicts": f"not ({touched})",
        "rejected_points": "verdict_id in (select verdict_id from verdicts)",
        "calls": f"request_sha256 not in ({gone})",
    }
    return f" where {conditions[name]}" if name in conditions else ""


def rows(connection: Connection, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    return connection.execute(query, values or []).fetchall()


def tells_apart(wins: int, losses: int, n: int) -> bool:
    """Whether the interval of the net difference leaves zero out."""
    if not n:
        return False
    low, high = tango(wins, losses, n)
    return not low <= 0 <= high


def repeats(rationale: str, points: list[str] | None) -> bool:
    """Whether a rationale holds one of these points word for word: four words or more, whatever the case and the spaces between them."""
    said = f" {_plain(rationale)}"
    return any(
        len(point.split(" ")) >= 4 and f" {point}" in said for point in map(_plain, (p.casefold().strip(_BLANKS) for p in points or []))
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
