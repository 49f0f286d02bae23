"""A revision of the record, laid out in a folder of its own for as long as it is looked at."""

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from stages.runtime.errors import BadInput

WANTED = (
    "conf",
    "data/matters",
    "data/controls",
    "data/orders",
    "data/recordings",
    "metrics",
    "params.yaml",
    "uv.lock",
    "dvc.yaml",
    "stages/instrument",
)
HERE = "the working tree"


def git(*words: str) -> bytes:
    """What git prints. Raises BadInput, in its own words, where it says no or is not there."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False)  # noqa: S603, S607  fixed words, the user's own git
    except OSError:
        raise BadInput("git is not installed, and revisions stand in git") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gave no reason"]
        raise BadInput(f"git {words[0]} says no: {said[0]}")
    return done.stdout


def commit_of(revision: str) -> str:
    """The commit that a revision names: whatever ``dvc metrics diff`` takes, an experiment's name too.

    Raises BadInput that says so where this clone is shallow and does not reach it.
    """
    git("rev-parse", "--git-dir")
    for name in (revision, *_experiments(revision)):
        try:
            return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()
        except BadInput:
            continue
    if git("rev-parse", "--is-shallow-repository").strip() == b"true":
        raise BadInput(f"{revision!r} is not in this clone, which is shallow; `git fetch --unshallow` brings its whole history")
    raise BadInput(f"{revision!r} is no commit, branch, tag or experiment of this repository")


def _experiments(name: str) -> list[str]:
    """The references under which DVC keeps an experiment of this name."""
    return [ref for ref in git("for-each-ref", "--format=%(refname)", "refs/exps").decode().split() if ref.rsplit("/", 1)[-1] == name]


@contextmanager
def laid_out(revision: str | None) -> Iterator[str]:
    """Stand in a folder that holds what the record of ``revision`` rests on; None: in the working tree. Gives its name for readers."""
    if revision is None:
        yield HERE
        return
    commit = commit_of(revision)
    with tempfile.TemporaryDirectory(prefix="moot-diff-") as folder:
        there = set(git("ls-tree", "-r", "--name-only", "--full-tree", commit).decode().splitlines())
        wanted = [path for path in WANTED if path in there or any(name.startswith(f"{path}/") for name in there)]
        with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", commit, *wanted))) as archive:
            archive.extractall(folder, filter="data")
        with chdir(folder):
            (Path("data") / "controls").mkdir(parents=True, exist_ok=True)
            yield revision if commit.startswith(revision) else f"{revision} ({commit[:10]})"


def changed_files(one: str, two: str | None, *paths: str) -> list[str]:
    """The files under ``paths`` that differ between two revisions."""
    names = [commit_of(revision) for revision in (one, two) if revision is not None]
    return git("diff", "--name-only", *names, "--", *paths).decode().splitlines()
