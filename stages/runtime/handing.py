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
        raise BadRecord(f"{refusal}; stage {maker(path)} makes this file: `uv run dvc repro -f {maker(path)}`") from None


def maker(path: Path) -> str:
    """The stage that writes ``path``, a file of data/work, or one in the folder of tables or of metrics."""
    return _MAKERS[path] if path in _MAKERS else _MAKERS[path.parent]
