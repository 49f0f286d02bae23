"""Verdict tables to count: the constructed ones with known answers, the real record beside the project, and random ones.

The tables in tests/golden/constructed were made by hand-written code to have exactly known answers; no model said anything in them.
The record in ../shared/records/vicuna80 is real, belongs to others, and is read where it lies or not at all.
"""

import csv
import dataclasses
import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import strategies as st

from stages.stats.counts import WORDS, Verdicts

ROOT = Path(__file__).parents[1]
CONSTRUCTED = ROOT / "tests/golden/constructed"
VICUNA = ROOT.parent / "shared/records/vicuna80"
TABLES = ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"]
COLUMNS = [field.name for field in dataclasses.fields(Verdicts)]
NAMES = ["alder", "birch", "cedar", "dogwood"]
MATTERS = ["M01", "M02", "M03", "M04", "M05"]
LETTERS = {"A": "B", "B": "A"}


def verdicts(rows) -> Verdicts:
    return Verdicts(*([row[column] for row in rows] for column in COLUMNS))


def csv_rows(path: Path) -> list[dict]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def constructed(name: str) -> tuple[list[dict], dict]:
    return csv_rows(CONSTRUCTED / f"{name}.csv"), json.loads((CONSTRUCTED / f"{name}.expected.json").read_text(encoding="utf-8"))


def vicuna() -> tuple[list[dict], dict]:
    if not VICUNA.is_dir():
        pytest.skip("the real record lies beside the project on some machines only")
    rows = [{**row, "verdict": row["verdict"].replace("INVALID", "unreadable")} for row in csv_rows(VICUNA / "verdicts.csv")]
    return rows, json.loads((VICUNA / "expected.json").read_text(encoding="utf-8"))


def contestants_of(rows) -> list[str]:
    return sorted({row["contestant_1"] for row in rows} | {row["contestant_2"] for row in rows})


def matters_of(rows) -> list[str]:
    return sorted({row["matter_id"] for row in rows})


def row_of(matter: str, one: str, two: str, swapped: bool, word: str) -> dict:
    a, b = (two, one) if swapped else (one, two)
    return {"matter_id": matter, "contestant_1": one, "contestant_2": two, "answer_a_was": a, "answer_b_was": b, "verdict": word}


def met(*tallies: tuple[str, str, int, int, int]) -> list[dict]:
    """Rows from (one, two, wins of one, wins of two, ties), each on a matter of its own, every other one with its sides turned."""
    rows: list[dict] = []
    for one, two, wins, losses, ties in tallies:
        for word in ["A"] * wins + ["B"] * losses + ["tie"] * ties:
            swapped = len(rows) % 2 == 1
            rows.append(row_of(f"M{len(rows):04}", one, two, swapped, LETTERS.get(word, word) if swapped else word))
    return rows


def turned(rows) -> list[dict]:
    """The sides and the letters the other way round: the same verdicts, told from the other side of the table."""
    return [
        {**row, "answer_a_was": row["answer_b_was"], "answer_b_was": row["answer_a_was"], "verdict": LETTERS.get(row["verdict"], row["verdict"])}
        for row in rows
    ]  # fmt: skip


def relettered(rows) -> list[dict]:
    """Every win turned round: A for B and B for A, with the sides as they were."""
    return [{**row, "verdict": LETTERS.get(row["verdict"], row["verdict"])} for row in rows]


def renamed(rows, new: dict[str, str]) -> list[dict]:
    """The same rows under other names, with each pair in alphabetical order again."""
    out = []
    for row in rows:
        one, two = sorted((new[row["contestant_1"]], new[row["contestant_2"]]))
        out.append({**row, "contestant_1": one, "contestant_2": two, **{s: new[row[s]] for s in ("answer_a_was", "answer_b_was")}})
    return out


def rematted(rows, new: dict[str, str]) -> list[dict]:
    """The same rows with the matters' ids exchanged."""
    return [{**row, "matter_id": new[row["matter_id"]]} for row in rows]


@st.composite
def random_rows(draw, words=tuple(WORDS)) -> list[dict]:
    """Any verdicts, at most one a pairing."""
    pairings = [(matter, *pair) for matter in MATTERS for pair in combinations(NAMES, 2)]
    judged = draw(st.lists(st.sampled_from(pairings), unique=True))
    return [row_of(*pairing, draw(st.booleans()), draw(st.sampled_from(words))) for pairing in judged]


@st.composite
def full_rows(draw, words=tuple(WORDS)) -> list[dict]:
    """A verdict on every pairing: dense enough that most have a ranking."""
    pairings = [(matter, *pair) for matter in MATTERS for pair in combinations(NAMES, 2)]
    said = draw(st.lists(st.sampled_from(words), min_size=len(pairings), max_size=len(pairings)))
    sides = draw(st.integers(0, 2 ** len(pairings) - 1))
    return [row_of(*pairing, bool(sides >> place & 1), word) for place, (pairing, word) in enumerate(zip(pairings, said, strict=True))]
