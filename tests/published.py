"""The published tables of a test, and the metrics that the stage measure makes of them. Written into the working folder."""

import csv
import json
from collections.abc import Collection
from pathlib import Path

from stages import measure, record
from stages.schema.names import pairing_id, verdict_id
from stages.schema.scenarios import ALWAYS, scenario_row
from stages.schema.tables import TABLES, write_table

CONSTRUCTED = Path(__file__).parent / "golden/constructed"
TABLES_FOLDER = Path("data/tables")


def counted(rows) -> dict:
    """The metrics of these rows, as the stage makes them from the files."""
    for name, found in record.tables(rows).items():
        write_table(name, found, TABLES_FOLDER)
    return measured()


def measured() -> dict:
    return measure.metrics(*measure.read_tables(TABLES_FOLDER))


def constructed_tables(name: str, without: Collection[str] = ()) -> None:
    """Write a constructed verdict table as published tables, without these matters; what it does not say is the same dummy everywhere."""
    with (CONSTRUCTED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["matter_id"] not in without]
    sides = {"A": "answer_a_was", "B": "answer_b_was"}
    filled = {table: {column.name: dummy(column) for column in TABLES[table].columns} for table in TABLES}
    verdicts, assignments = [], []
    for row in rows:
        pairing = pairing_id(row["matter_id"], row["contestant_1"], row["contestant_2"])
        own = {"pairing_id": pairing, "verdict_id": verdict_id(pairing, "x")}
        winner = row[sides[row["verdict"]]] if row["verdict"] in sides else row["verdict"]
        verdicts.append({**filled["verdicts"], **row, **own, "winner": winner})
        assignments.append({**filled["assignments"], **{k: v for k, v in row.items() if k != "verdict"}, "pairing_id": pairing})
    matters = [{**filled["matters"], "matter_id": matter} for matter in {row["matter_id"] for row in rows}]
    names = {row[side] for row in rows for side in ("contestant_1", "contestant_2")}
    contestants = [{**filled["contestants"], "contestant": contestant} for contestant in names]
    judges = [{**filled["judges"], "judge": "x"}]
    answers = [
        {**filled["answers"], "status": "complete", "names_itself": False, "addresses_the_judge": False, **own}
        for own in constructed_answers(name, sorted({row["matter_id"] for row in rows}), names)
    ]
    scenarios = [scenario_row(name, scenario) for name, scenario in ALWAYS.items()]
    found = {
        "matters": matters, "contestants": contestants, "judges": judges, "answers": answers, "verdicts": verdicts, "assignments": assignments,
        "scenarios": scenarios,
    }  # fmt: skip
    for table in TABLES:
        write_table(table, found.get(table, []), TABLES_FOLDER)


def constructed_answers(name: str, matters: Collection[str], contestants: Collection[str]) -> list[dict]:
    """Answers as long as the constructed ones and that ended as they did, where there is a table of them; else one letter each."""
    path = CONSTRUCTED / f"{name[:2]}_answers.csv"
    if not path.exists():
        return [{"matter_id": matter, "contestant": contestant} for matter in matters for contestant in contestants]
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["matter_id"] in matters]
    ended = {"stop": "complete", "content_filter": "filtered"}
    return [
        {
            "matter_id": row["matter_id"], "contestant": row["contestant"], "text": "x" * int(row["chars"]),
            "status": ended[row["finish_reason"]], "attempt": 1 + int(row["rerun"]),
        }
        for row in rows
    ]  # fmt: skip


def expected(name: str) -> dict:
    """What independent code found for a constructed table."""
    return json.loads((CONSTRUCTED / f"{name}.expected.json").read_text(encoding="utf-8"))


def dummy(column):
    filling = {"text": "x", "int": 1, "real": 0.0, "bool": True, "time": "2026-11-30T08:15:11.123Z", "day": "2026-11-30"}
    return None if column.optional else filling[column.kind]


def leaves(tree, path=""):
    if not isinstance(tree, dict):
        return [(path, tree)]
    return [leaf for key, value in tree.items() for leaf in leaves(value, f"{path}.{key}")]


def five(tree):
    return tuple(tree[name] for name in ("wins_1", "wins_2", "ties", "both_inadequate", "n"))


def changed(tree, path, value):
    """The tree with another value at one place, or without that place."""
    key, *rest = path
    if rest:
        return {**tree, key: changed(tree[key], rest, value)}
    return {k: v for k, v in tree.items() if k != key} | ({} if value is ... else {key: value})
