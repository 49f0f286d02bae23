"""When git first saw each matter: the one thing about timing that no published file holds, because no output may hold a commit.

A folder without git, a shallow clone and a copy inside somebody else's repository cannot tell, and then nothing is claimed.
"""

import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime

from stages.runtime.paths import MATTERS_FOLDER
from stages.schema.matter import Matter


def first_days() -> dict[str, str] | str:
    """The day, in UTC, of the first commit of each file of data/matters, by its path; or a phrase that says why that is not known."""
    told = _git("rev-parse", "--show-prefix", "--is-shallow-repository")
    if told is None:
        return "there is no git history here"
    if told.endswith("true\n"):
        return "the clone is shallow, so its history does not reach back"
    log = _git("log", "--diff-filter=A", "--no-renames", "--relative", "--format=%x00%cI", "--name-only", "--", MATTERS_FOLDER.as_posix())
    if log is None:
        return "git has no commits here"
    return days_in(log)


def days_in(log: str) -> dict[str, str]:
    """The day of the earliest commit that adds each path: ``log`` is git's, latest first, a NUL and a time before the paths of a commit."""
    found: dict[str, str] = {}
    for commit in log.split("\0")[1:]:
        when, *paths = commit.split("\n")
        day = datetime.fromisoformat(when).astimezone(UTC).date().isoformat()
        for path in filter(None, paths):
            found[path] = min(day, found.get(path, day))
    return found


def earlier_than_committed(battery: Iterable[Matter], days: dict[str, str]) -> list[str]:
    """A phrase for each matter whose published day is earlier than its first commit. A matter without a commit has none here."""
    return [
        f"{matter.matter_id} (published {matter.published}, first commit {days[matter.source_path]})"
        for matter in battery
        if matter.source_path in days and matter.published < days[matter.source_path]
    ]


def _git(*words: str) -> str | None:
    """What git says; None where it is not there or fails."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False, timeout=60)  # noqa: S603, S607  fixed words, the user's git
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
