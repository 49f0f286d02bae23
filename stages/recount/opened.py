"""The published tables in DuckDB, with the views of views.sql over them, each made when a query first asks for it."""

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import duckdb
from duckdb.func import SPECIAL

from stages.recount.arithmetic import tango

TABLE_NAMES = (
    "matters", "contestants", "attempts", "answers", "assignments", "verdicts", "rejected_points", "calls", "judges", "controls", "orders",
    "scenarios", "second_judges", "second_verdicts", "second_controls",
)  # fmt: skip
_VIEWS = Path(__file__).with_name("views.sql")
_BLANKS = " ."  # what may stand around a point when it is repeated
_TOUCHED = (  # by an answer that is left out
    "answers", "attempts", "assignments", "verdicts", "second_verdicts", "rejected_points", "calls",
)  # fmt: skip
_PAIRINGS = "select (select count(*) from all_matters) * (select count(*) from all_contestants) ** 2"  # twice as many as there are, or more
_MANY = 10_000  # below, to look for the best way takes longer than to go any; at 100,000 verdicts it saves 17 s of 18
_LARGE = 8_000_000  # bytes of a file: below, it is read once, whole; above, each view takes the columns that it wants from the file


@dataclass(frozen=True)
class Connection:
    """A database, and what can still be made in it: for each name, in the order of making, the statement that makes it."""

    database: duckdb.DuckDBPyConnection
    unmade: dict[str, str] = field(default_factory=dict)

    def make(self, query: str) -> None:
        """Make everything that a query names and that is not there yet. Raises ValueError where a table lacks what a view wants."""
        wanted, words = [], set(_words(query))
        for name in reversed(self.unmade):  # a statement names only what stands before it
            if name in words:
                wanted.append(name)
                words |= _words(self.unmade[name])
        for name in reversed(wanted):
            try:
                self.database.execute(self.unmade.pop(name))
            except duckdb.Error as error:
                raise ValueError(str(error).splitlines()[0]) from None

    def close(self) -> None:
        self.database.close()


def opened(folder: Path, without: tuple[str, str] | None = None) -> Connection:
    """The tables of a folder, with the views. without: matter and contestant of an answer that is left out, with all that rests on it.

    Raises ValueError where a table is missing or is none.
    """
    database = duckdb.connect(config={"threads": 1})  # one: sums come in one order, and planning for more takes longer than counting
    database.execute("set TimeZone = 'UTC'")
    database.create_function("tells_apart", tells_apart, ["BIGINT", "BIGINT", "BIGINT"], "BOOLEAN")
    database.create_function("repeats", repeats, ["VARCHAR", "VARCHAR[]"], "BOOLEAN", null_handling=SPECIAL)
    unmade = {}
    try:
        for name in TABLE_NAMES:
            path = folder / f"{name}.parquet"
            file = str(path).replace("'", "''")
            database.execute(f"create view all_{name} as select * from read_parquet('{file}')")
            kind = "table" if path.stat().st_size < _LARGE else "view"
            unmade[name] = f"create {kind} {name} as select * from all_{name}{_left(name, without)}"
        if database.execute(_PAIRINGS).fetchall()[0][0] < _MANY:
            database.execute("pragma disable_optimizer")
    except duckdb.Error as error:
        raise ValueError(f"{folder}: {str(error).splitlines()[0]}") from None
    return Connection(database, unmade | _views())


@lru_cache(maxsize=1_000)
def _words(statement: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", statement))


@cache
def _views() -> dict[str, str]:
    """The statements of views.sql by the name that each makes."""
    return {made[1]: made[0] for made in re.finditer(r"^create table (\w+) as\n.*?;$", _VIEWS.read_text("utf-8"), re.DOTALL | re.MULTILINE)}


def touched(view: str) -> bool:
    """Whether a view may hold other rows when an answer is left out: whether a table that it rests on, however far below, then does."""
    words = {view}
    for name, statement in reversed(_views().items()):
        if name in words:
            words |= _words(statement)
    return not words.isdisjoint(_TOUCHED)


def _left(name: str, without: tuple[str, str] | None) -> str:
    """The condition under which a row of a table stands without that answer."""
    if without is None:
        return ""
    matter, contestant = (part.replace("'", "''") for part in without)
    on_it = f"matter_id = '{matter}' and '{contestant}' in (contestant_1, contestant_2)"
    own = f"matter_id = '{matter}' and contestant = '{contestant}'"
    judged = [f"select request_sha256 from all_{table} where {on_it}" for table in ("verdicts", "second_verdicts")]
    gone = " union all ".join([f"select request_sha256 from all_attempts where {own}", *judged])
    conditions = (
        f"not ({own})", f"not ({own})", f"not ({on_it})", f"not ({on_it})", f"not ({on_it})",
        "verdict_id in (select verdict_id from verdicts)", f"request_sha256 not in ({gone})",
    )  # fmt: skip
    return f" where {conditions[_TOUCHED.index(name)]}" if name in _TOUCHED else ""


def rows(connection: Connection, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    """The rows of a query. Raises ValueError as ``Connection.make`` does."""
    connection.make(query)
    return connection.database.execute(query, values or []).fetchall()


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
