"""What runs here and now: the commit, whether files differ from it, and the packages' versions. Printed, never stored in an output."""

import platform
import re
import subprocess
from importlib import metadata

from stages.schema.jsonl import Row


def checkout() -> Row:
    """commit (None outside git), dirty (None where git does not say), python, and the version of every package that Moot asks for."""
    commit, changed = git("rev-parse", "HEAD"), git("status", "--porcelain", "--untracked-files=normal")
    return {
        "moot": _version("moot"),
        "commit": commit.strip() if commit else None,
        "dirty": None if changed is None else bool(changed.strip()),
        "python": platform.python_version(),
        "packages": {name: version for name in _asked_for() if (version := _version(name))},
    }


def git(*words: str) -> str | None:
    """What git prints, None where it is not there or says no. It takes no lock, so that nothing under .git is written."""
    command = ["git", "--no-optional-locks", *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603  words of ours, no shell
    except OSError:
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _asked_for() -> list[str]:
    """The packages that Moot depends on, its extras left out."""
    try:
        asked = metadata.requires("moot") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted({re.split(r"[^\w.-]", line)[0] for line in asked if "extra ==" not in line})


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
