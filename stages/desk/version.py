"""moot version: the commit, whether files differ from it, and the versions of Python and of every package that Moot asks for."""

import argparse

from stages.desk.checkout import checkout
from stages.schema.jsonl import Row

EXAMPLE = """example:
  moot version --json

It is printed and stored nowhere: an output that held it would be another output on another machine."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def run(given: argparse.Namespace) -> Row:
    """What runs here."""
    return checkout()


def headline(found: Row) -> str:
    """The commit in words, such as ``moot 0.1.0, commit 4be07c…, with changes``."""
    state = {None: "", True: ", with changes that are not committed", False: ", nothing changed"}[found["dirty"]]
    commit = f"commit {found['commit']}" if found["commit"] else "no commit"
    return f"moot {found['moot'] or '(not installed)'}, {commit}{state}"


def told(found: Row) -> str:
    """What the command prints."""
    packages = "".join(f"  {name} {version}\n" for name, version in found["packages"].items())
    return f"{headline(found)}\nPython {found['python']}\n{packages}"
