"""Commands asked in this process, with a project as the working folder: starting another process takes longer than most of them."""

import argparse
import importlib
from contextlib import chdir

import pytest


def asked(project, command, *words):
    """What a command finds. Raises what it raises."""
    module = importlib.import_module(f"stages.desk.{command}")
    parser = argparse.ArgumentParser(epilog="")
    module.arguments(parser)
    given = parser.parse_args([str(word) for word in words])
    with chdir(project.folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_JOURNAL", str(project.journal))
        return module.run(given)
