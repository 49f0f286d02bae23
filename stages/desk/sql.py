"""moot sql: one SELECT over the published tables, in DuckDB. Nothing but the tables is in its reach, and nothing is changed."""

import argparse
import sys
from textwrap import wrap

from stages.desk.layout import count, set_out
from stages.desk.sql_tables import opened, selected
from stages.runtime.errors import BadInput
from stages.schema.jsonl import Row
from stages.schema.tables import TABLES

EXAMPLE = """example:
  moot sql "SELECT contestant_1, contestant_2, winner, count(*) AS n FROM verdicts GROUP BY ALL ORDER BY ALL"
  moot sql "SELECT area, verdict FROM verdicts JOIN matters USING (matter_id)" --json
  moot sql - < query.sql

Long cells are cut in words and whole in --json, which prints columns and rows. GLOSSARY.md says what a column means.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help="one SELECT in DuckDB's SQL; - reads it from standard input")
    parser.epilog = f"{parser.epilog}\n{schema()}"


def schema() -> str:
    """Every table with its columns and their kinds; a kind with a question mark may be empty."""
    parts = ["the tables, with the kind of each column (? may be empty):"]
    for name, table in TABLES.items():
        listed = ", ".join(f"{column.name}~{column.kind}{'?' if column.optional else ''}" for column in table.columns)
        lines = wrap(listed, 118, initial_indent="    ", subsequent_indent="    ")
        parts += [f"  {name}", *(line.replace("~", " ") for line in lines)]  # a column and its kind stay on one line
    return "\n".join(parts)


def run(given: argparse.Namespace) -> Row:
    """What the query finds. Raises BadInput for what is no single SELECT, and where there are no tables."""
    found = selected(opened(), _from_input() if given.query == "-" else _sound(given.query))
    return {"columns": found.columns, "rows": found.rows}


def _from_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"standard input: byte {error.start} is not UTF-8") from None


def _sound(query: str) -> str:
    """The query, if a shell gave text. Raises BadInput for bytes that are none: Python hands them on as lone surrogates."""
    try:
        query.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(f"the query is not UTF-8 at its character {error.start + 1}") from None
    return query


def told(found: Row) -> str:
    """What the command prints."""
    return set_out(found["columns"], found["rows"]) + f"{count(len(found['rows']), 'row')}\n"
