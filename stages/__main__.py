"""moot: the commands that people type. ``python -m stages`` is the same."""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from typing import Any

from stages.runtime.entry import run
from stages.runtime.streams import close_streams, open_streams, tell

COMMANDS = {
    "abandon": "end a gap that will not close, with a reason and a name",
    "audit": "walk from a number or an id to the bytes that it rests on, and back up",
    "diff": "say why numbers moved between two commits",
    "explain-miss": "say which part of a missing call's key differs from the nearest recorded call",
    "export": "write the record as an RO-Crate, for other programs",
    "plan": "say what the next run would buy, what it may cost, and why each reply is missing",
    "rerun": "order a further attempt at an answer that was cut off, with a reason and a name",
    "show": "print matters, contestants, answers or verdicts as a table, or one in full",
    "site": "serve the evidence pages on this machine and open the browser",
    "sql": "run one SELECT over the published tables",
    "verify": "recompute from the recordings all that the record claims",
    "version": "print the commit, whether files differ from it, and the package versions",
}
EXAMPLE = """example:
  moot verify
  moot audit --help

A command needs no key and no network unless its help says so. The exit codes stand in README.md."""


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The command line for these words. Only the command that they name is loaded, so that none pays for what another computes with.

    A command is a module of the desk with a docstring, an EXAMPLE, ``arguments(parser)``, ``run(given)`` and ``told(result)``.
    """
    whole = argparse.ArgumentParser(
        prog="moot",
        description="Blind pairwise comparison of language models, with its evidence.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = next((word for word in words if not word.startswith("-")), None)
    for name, what in COMMANDS.items():
        one = commands.add_parser(name, help=what, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == named:
            _complete(one, importlib.import_module(f"stages.desk.{name.replace('-', '_')}"))
    return whole


def _complete(one: argparse.ArgumentParser, module: Any) -> None:
    """Give a command its words. ``arguments`` may put more into the epilog than the example."""
    one.description, one.epilog = module.__doc__, module.EXAMPLE
    one.add_argument("--json", action="store_true", help="print JSON instead of words")
    module.arguments(one)
    one.set_defaults(module=module)


def main(words: Sequence[str] | None = None) -> None:
    open_streams()
    words = sys.argv[1:] if words is None else words
    try:
        given = parser(words).parse_args(words)
    finally:
        close_streams()  # after --help, too, the reader may have left

    def command() -> None:
        result = given.module.run(given)
        tell(json.dumps(result, ensure_ascii=False, indent=2) + "\n" if given.json else given.module.told(result))

    run(f"moot {given.command}", command)


if __name__ == "__main__":
    main()
