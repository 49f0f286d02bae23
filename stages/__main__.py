"""moot: the commands that people type. ``python -m stages`` is the same."""

import argparse
import importlib
import json
from collections.abc import Sequence

from stages.runtime.entry import run
from stages.runtime.streams import close_streams, open_streams, tell

COMMANDS = {
    "abandon": "end a gap that will not close, with a reason and a name",
    "audit": "walk from an id to the bytes that it rests on",
    "explain-miss": "say which part of a missing call's key differs from the nearest recorded call",
    "site": "serve the evidence pages on this machine and open the browser",
    "verify": "check every recording against its digests, its requests and its readings",
}


def parser() -> argparse.ArgumentParser:
    """The whole command line. Modules of commands are loaded here, and what they compute with only when they run."""
    whole = argparse.ArgumentParser(prog="moot", description="Blind pairwise comparison of language models, with its evidence.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in COMMANDS.items():
        module = importlib.import_module(f"stages.desk.{name.replace('-', '_')}")
        one = commands.add_parser(
            name, help=what, description=module.__doc__, epilog=module.EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        one.add_argument("--json", action="store_true", help="print JSON instead of words")
        module.arguments(one)
        one.set_defaults(module=module)
    return whole


def main(words: Sequence[str] | None = None) -> None:
    open_streams()
    try:
        given = parser().parse_args(words)
    finally:
        close_streams()  # after --help, too, the reader may have left

    def command() -> None:
        result = given.module.run(given)
        tell(json.dumps(result, ensure_ascii=False, indent=2) + "\n" if given.json else given.module.told(result))

    run(f"moot {given.command}", command)


if __name__ == "__main__":
    main()
