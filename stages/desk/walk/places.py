"""Where a thing stands: a file at its git commit, a row at its line of a recording."""

import mmap
import subprocess
from pathlib import Path

from stages.runtime.paths import (
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    QUALIFICATION_RECORDING,
    READINGS_RECORDING,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Row

NEWLINE = b"\n"
RECORDINGS = (ANSWERS_RECORDING, ASSIGNMENTS_RECORDING, VERDICTS_RECORDING, READINGS_RECORDING, QUALIFICATION_RECORDING)


def committed(path: str) -> Row:
    """The commit in which a file came to be as git has it, and whether it was changed since. Nulls outside a git repository."""
    commit = _git("log", "-1", "--format=%H", "--", path)
    state = _git("status", "--porcelain", "--", path)
    return {"file": path, "commit": commit or None, "changed_since": bool(state) if commit else None}


def _git(*words: str) -> str:
    """What git says; nothing where it is not there or says no."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)  # noqa: S603, S607  fixed words, the user's own git
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def line_of(recording: Path, digest: str) -> str | None:
    """``data/recordings/answers.jsonl:3`` for the first row that holds this digest; None where none does. The file is not parsed."""
    if not recording.exists() or not recording.stat().st_size:
        return None
    with recording.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(digest.encode("ascii"))
        return f"{recording.as_posix()}:{data[:at].count(NEWLINE) + 1}" if at >= 0 else None


def row_at(recording: Path, row: Row) -> str | None:
    """Where a row stands in its recording."""
    return line_of(recording, str(row["row_sha256"]))
