"""Files that one stage makes for the next: where one is missing or is not what it was, the sentence names the stage that makes it."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import ATTEMPTS, CONTROLS, MATTERS, METRICS, PAIRINGS, PRESENTATIONS, TABLES, VERDICTS

Held = TypeVar("Held")
_MAKERS = {
    MATTERS: "matters", ATTEMPTS: "generate", PAIRINGS: "pair", PRESENTATIONS: "conceal", VERDICTS: "judge",
    CONTROLS: "qualify", TABLES: "record", METRICS: "measure",
}  # fmt: skip


def handed(path: Path, read: Callable[[Path], Held]) -> Held:
    """What ``read`` makes of a file that an earlier stage wrote. Raises BadRecord that names the file, what is wrong, and the stage."""
    try:
        with refusing(path.as_posix(), BadRecord):
            return read(path)
    except BadRecord as refusal:
        stage = _MAKERS.get(path) or _MAKERS.get(path.parent)
        remedy = f"; stage {stage} makes this file: `uv run dvc repro {stage}`" if stage else ""
        raise BadRecord(f"{refusal}{remedy}") from None
