"""Does `moot audit` of one number stay interactive? Constructs 100,002 verdicts and compares with the time that its libraries take to load.

    python -m tests.benchmarks.audit_of_many        prints processor seconds, and the ratio to `python -c "import duckdb, pyarrow"`

The verdicts are constructed: no model said anything in them.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

from stages.schema.names import pairing_id, verdict_id
from stages.schema.tables import TABLES, write_table
from tests.published import dummy

ROOT = Path(__file__).parents[2]
NAMES = ("alder", "birch", "cedar", "dogwood")
MATTERS = 16_667  # times six pairs: 100,002 verdicts
RECORDING = 1_000_000_000  # bytes: about what so many replies take; only its size is looked at
WORDS = ("A", "B", "tie", "tie", "tie", "both_inadequate", "unreadable")
NUMBER = "alder~birch.wins_1"
LOADING = ("-c", "import duckdb, pyarrow")
AUDIT = ("-m", "stages", "audit", NUMBER)


def record(folder: Path, matters: int) -> int:
    """Write the tables, a recording's size and the number's file. Gives the number."""
    filled = {table: {column.name: dummy(column) for column in TABLES[table].columns} for table in TABLES}
    ids = [f"Q{number:05}" for number in range(matters)]
    verdicts = [_verdict(filled["verdicts"], place, matter, *pair) for place, (matter, pair) in enumerate(_pairings(ids))]
    columns = set(TABLES["assignments"].names)
    found = {
        "matters": [{**filled["matters"], "matter_id": matter} for matter in ids],
        "contestants": [{**filled["contestants"], "contestant": name} for name in NAMES],
        "answers": [
            {**filled["answers"], "matter_id": matter, "contestant": name, "answer_id": f"{matter}:{name}"}
            for matter in ids
            for name in NAMES
        ],
        "assignments": [{**filled["assignments"], **{k: v for k, v in row.items() if k in columns}} for row in verdicts],
        "verdicts": verdicts,
    }
    for table in TABLES:
        write_table(table, found.get(table, []), folder / "data/tables")
    won = sum(row["winner"] == "alder" for row in verdicts if row["contestant_2"] == "birch")
    (folder / "metrics").mkdir()
    (folder / "metrics/pairs.json").write_text(json.dumps({"alder~birch": {"wins_1": won}}))
    (folder / "data/recordings").mkdir()
    with (folder / "data/recordings/verdicts.jsonl").open("wb") as file:
        file.truncate(RECORDING)
    return won


def _pairings(ids):
    return ((matter, pair) for matter in ids for pair in combinations(NAMES, 2))


def _verdict(filled, place: int, matter: str, one: str, two: str) -> dict:
    """Words and sides in turn, so that every outcome occurs in every pair; a rationale as long as real ones."""
    a, b = (one, two) if place % 5 < 2 else (two, one)
    word = WORDS[place // 6 % len(WORDS)]
    pairing = pairing_id(matter, one, two)
    return {
        **filled, "verdict_id": verdict_id(pairing, "x"), "pairing_id": pairing, "matter_id": matter, "contestant_1": one, "contestant_2": two,
        "answer_a_was": a, "answer_b_was": b, "verdict": word, "winner": {"A": a, "B": b, "unreadable": None}.get(word, word),
        "rationale": f"Constructed rationale {place}. " * 20, "request_sha256": f"{place:064x}", "response_sha256": f"{place:064x}",
    }  # fmt: skip


def seconds(folder: Path, words: tuple[str, ...], times: int) -> float:
    """Processor seconds of the fastest of so many runs of Python with these words: they do not depend on who else is at work."""
    found = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record(folder, MATTERS)
        loading, audit = seconds(folder, LOADING, 3), seconds(folder, AUDIT, 3)
    print(f"{MATTERS * 6:,} verdicts: loading {loading:.2f} s, moot audit {NUMBER} {audit:.2f} s, ratio {audit / loading:.1f}")


if __name__ == "__main__":
    main()
