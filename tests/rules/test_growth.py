"""The shipped record only grows: what any commit recorded stands in the present files, byte for byte."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from stages.runtime.paths import RECORDINGS

ROOT = Path(__file__).parents[2]
KEPT = [path.relative_to(ROOT) for path in sorted((ROOT / RECORDINGS).glob("*.jsonl"))]
EVERYWHERE = "--full-history"  # a plain log passes over a branch whose rows a merge has dropped


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, check=True).stdout


def history(*words):
    """The lines of a log over every branch that was ever merged. Skips the test where there is no history."""
    try:
        return git("log", EVERYWHERE, *words).decode().split()
    except subprocess.CalledProcessError:
        pytest.skip("not a git repository: there is no history to hold the files to")


def commits(path):
    """Every commit that touched ``path``, the newest first."""
    return history("--format=%H", "--", path)


def taken_away(before, after):
    """The lines, with their ends, of ``before`` that ``after`` has not, or has fewer times."""
    return Counter(before.splitlines(keepends=True)) - Counter(after.splitlines(keepends=True))


def test_a_changed_and_a_lost_row_are_both_seen():
    assert not taken_away(b"a\nb\n", b"a\nnew\nb\n")
    assert taken_away(b"a\nb\n", b"a\n") == {b"b\n": 1}
    assert taken_away(b"a\nb\n", b"a\nB\n") == {b"b\n": 1}
    assert taken_away(b"a\na\n", b"a\n") == {b"a\n": 1}


@pytest.mark.parametrize("path", KEPT, ids=str)
def test_every_row_of_every_earlier_commit_is_there_byte_for_byte(path):
    now = (ROOT / path).read_bytes()
    for commit in commits(path):
        assert not taken_away(git("show", f"{commit}:{path.as_posix()}"), now), f"{commit} recorded what {path} no longer holds"


def test_every_recording_of_every_earlier_commit_is_there():
    names = set(history("--format=", "--name-only", "--", f"{RECORDINGS.as_posix()}/*.jsonl"))
    assert names <= {path.as_posix() for path in KEPT}
