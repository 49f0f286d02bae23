"""How a stage starts and ends: plain words on stderr, an exit code, never a traceback for a user's mistake."""

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

from stages.runtime.errors import BadInput, Refusal


def own_interpreter() -> None:
    """Raise BadInput when this Python is not the project's own, where other package versions would write other bytes."""
    try:
        version("moot")
    except PackageNotFoundError:
        raise BadInput(f"{sys.executable} is not the project's own Python: use `uv run dvc repro` or `make repro`") from None


def arguments(given: Sequence[str], keys: Sequence[str]) -> dict[str, str]:
    """``key=value`` words as a stage gets them from dvc.yaml, each of ``keys`` once. Raises BadInput for anything else."""
    found = dict(word.partition("=")[::2] for word in given)
    if set(found) != set(keys) or len(given) != len(keys) or not all(found.values()):
        raise BadInput(f"the command line must be {' '.join(f'{key}=NAME' for key in keys)}, not {' '.join(given) or 'empty'}")
    return found


def run(name: str, stage: Callable[[], None]) -> None:
    """Run a stage and leave with its exit code."""
    try:
        own_interpreter()
        stage()
    except Refusal as refusal:
        for line in [str(refusal), *getattr(refusal, "__notes__", [])]:
            print(f"{name}: {line}", file=sys.stderr)
        sys.exit(refusal.exit_code)
