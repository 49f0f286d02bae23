"""One state of the record: for every pairing that it plans, what came of it and what that rests on."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.desk.in_use import InUse, load
from stages.desk.rebuilt import said_of
from stages.instrument.reader import READER
from stages.providers.attempts import by_answer
from stages.runtime.errors import Refusal
from stages.runtime.paths import (
    ANSWER_ORDERS,
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    METRICS,
    QUALIFICATION_RECORDING,
    READINGS_RECORDING,
    RERUN_ORDERS,
    VERDICT_ORDERS,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Row
from stages.schema.jsonl import load_json
from stages.schema.names import pairs
from stages.store.recordings import Recording

OUTCOMES = ("wins_1", "wins_2", "ties", "both_inadequate", "unreadable", "missing")
RECORDINGS = (ANSWERS_RECORDING, ASSIGNMENTS_RECORDING, VERDICTS_RECORDING, READINGS_RECORDING, QUALIFICATION_RECORDING)
Key = tuple[str, str]  # a pair's name and a matter's id


@dataclass(frozen=True)
class Cell:
    """One planned pairing. answers: digests of the two replies; attempts: of all replies to choose from; request, reply: of the judge;
    reading: reader and word. None: not there."""

    outcome: str
    matter_sha256: str
    answers: tuple[str | None, str | None]
    attempts: tuple[frozenset[str], frozenset[str]]
    sides: tuple[str, int] | None
    request: str | None
    reply: str | None
    reading: tuple[str, str] | None


@dataclass(frozen=True)
class State:
    """A record at one revision. counted: the published counts of pairs; rows: every recorded row by file and digest."""

    name: str
    study: InUse
    cells: dict[Key, Cell]
    counted: dict[str, dict[str, int]]
    metrics: dict[str, Any]
    rows: dict[str, dict[str, Row]]
    reader: str
    packages: dict[str, str]
    orders: frozenset[str]


def state(name: str) -> State:
    """The record in this folder. Raises the refusal of what cannot be read, with the revision's name."""
    try:
        study = load()
        rows = {path.as_posix(): {row["row_sha256"]: row for row in Recording(path).load()} for path in RECORDINGS}
        reader = _reader()
        cells = dict(_cells(study, reader, rows[READINGS_RECORDING.as_posix()]))
    except Refusal as refusal:
        raise type(refusal)(f"{name}: {refusal}") from None
    metrics = {path.stem: _json(path) for path in sorted(METRICS.glob("*.json"))}
    orders = frozenset(path.as_posix() for folder in (ANSWER_ORDERS, RERUN_ORDERS, VERDICT_ORDERS) for path in folder.glob("*.json"))
    return State(name, study, cells, metrics.get("pairs") or {}, metrics, rows, reader, _packages(), orders)


def _json(path: Path) -> Any:
    try:
        return load_json(path.read_text("utf-8"))
    except (ValueError, OSError):
        return {}  # what is no metrics file counts as none: verify says what is wrong with it


def _reader() -> str:
    """The version of the reader that this revision's code has."""
    path = Path("stages/instrument/reader.py")
    found = re.search(r'^READER = "([\w.-]+)"', path.read_text("utf-8"), re.MULTILINE) if path.is_file() else None
    return found[1] if found else READER


def _packages() -> dict[str, str]:
    path = Path("uv.lock")
    try:
        return {each["name"]: each.get("version", "") for each in tomllib.loads(path.read_text("utf-8")).get("package", [])}
    except (OSError, ValueError):
        return {}


def _cells(study: InUse, reader: str, readings: dict[str, Row]) -> Any:
    known = {(row["request_sha256"], row["response_sha256"], row["reader"]): row["verdict"] for row in readings.values()}
    said = {key: frozenset(asked.rows[0]["response_sha256"] for asked in made) for key, made in by_answer(study.attempts).items()}
    scored = {key: asked.rows[0]["response_sha256"] for key, asked in study.scored.items()}
    for one, two in pairs(study.contestants):
        for matter in study.battery.values():
            sides = [(matter.matter_id, one), (matter.matter_id, two)]
            own = {
                "matter_sha256": matter.matter_sha256,
                "answers": tuple(scored.get(side) for side in sides),
                "attempts": tuple(said.get(side, frozenset()) for side in sides),
            }
            yield (f"{one}~{two}", matter.matter_id), _cell(study, f"{matter.matter_id}:{one}~{two}", own, reader, known)


def _cell(study: InUse, pairing: str, own: dict[str, Any], reader: str, known: dict[Any, str]) -> Cell:
    sides, rounds = study.assignments.get(pairing), study.verdict_rounds.get(pairing, [])
    if sides is None or not rounds:
        return Cell("missing", **own, sides=(sides.answer_a_was, sides.ordinal) if sides else None, request=None, reply=None, reading=None)
    row = study.verdicts[rounds[-1].sha256][0]
    word = known.get((row["request_sha256"], row["response_sha256"], reader)) or said_of(study, row)[1].verdict
    first = "A" if sides.answer_a_was == sides.contestant_1 else "B"
    names = {"tie": "ties", "both_inadequate": "both_inadequate", "unreadable": "unreadable"}
    outcome = names.get(word) or ("wins_1" if word == first else "wins_2")
    replied = {"request": row["request_sha256"], "reply": row["response_sha256"], "reading": (reader, word)}
    return Cell(outcome, **own, sides=(sides.answer_a_was, sides.ordinal), **replied)
