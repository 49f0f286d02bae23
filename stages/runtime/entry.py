"""How a stage starts and ends: plain words on stderr, an exit code, never a traceback for a user's mistake."""

import re
import resource
import sys
from collections.abc import Callable, Sequence

from stages.runtime.errors import BadInput, Refusal, Stopped, named, words_of
from stages.runtime.streams import close_streams, open_streams, say, tell


def arguments(given: Sequence[str], keys: Sequence[str]) -> dict[str, str]:
    """``key=value`` words as a stage gets them from dvc.yaml, each of ``keys`` once. Raises BadInput for anything else."""
    found = dict(word.partition("=")[::2] for word in given)
    if set(found) != set(keys) or len(given) != len(keys) or not all(re.fullmatch(r"[\w-]+", name) for name in found.values()):
        raise BadInput(f"the command line must be {' '.join(f'{key}=NAME' for key in keys)}, not {' '.join(given) or 'empty'}")
    return found


def run_stage(name: str, stage: Callable[[], None], about: str | None) -> None:
    """Run a stage that takes no words on its command line: --help tells what it is about, anything else is refused."""
    if set(sys.argv[1:]) & {"-h", "--help"}:
        run(name, lambda: tell(f"{about}\nDVC runs it: `uv run dvc repro {name}`. It takes no words on its command line.\n"))
    else:
        run(name, lambda: _without_words(stage))


def _without_words(stage: Callable[[], None]) -> None:
    if sys.argv[1:]:
        raise BadInput(
            f"a stage takes no words on its command line, and here stand {' '.join(sys.argv[1:])}; its choices are in params.yaml"
        )
    stage()


def run(name: str, stage: Callable[[], None]) -> None:
    """Run a stage and leave with its exit code. Whether anybody reads what it says changes neither."""
    open_streams()
    _dump_nothing()
    try:
        stage()
    except Refusal as refusal:
        _leave(name, [str(refusal), *getattr(refusal, "__notes__", [])], refusal.exit_code)
    except OSError as error:  # a folder that is no folder, a disk that is full: the system's no, wherever it came
        _leave(name, [f"{named(error)}{words_of(error)}"], Refusal.exit_code)
    except KeyboardInterrupt:
        _leave(name, ["stopped before anything was begun"], Stopped.exit_code)
    finally:
        close_streams()


def _dump_nothing() -> None:
    """No core file after a crash: it would hold the memory, and so the key."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def _leave(name: str, sentences: Sequence[str], exit_code: int) -> None:
    for sentence in sentences:
        say(f"{name}: {sentence}")
    sys.exit(exit_code)
