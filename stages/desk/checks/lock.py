"""dvc.lock: what the last `dvc repro` ran with and made. The settings in use are still these, and so is every byte of its results.

This holds what no rule can count again: texts in metrics, fitted numbers, a title, the seed, the runner's limits.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from stages.desk.checks.check import Check
from stages.runtime.compose import PARAMS
from stages.runtime.errors import BadRecord, refusing

LOCK = Path("dvc.lock")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # five times as fast, where libyaml is there
_HELD = ("data/recordings/", "metrics/", "data/tables/")  # what stands in git, and the tables where they are there
_ABSENT = object()


def locked() -> dict[str, Any]:
    """The stages of dvc.lock by name; none where there is no such file. Raises BadRecord for what is no lock."""
    if not LOCK.exists():
        return {}
    with refusing(LOCK.as_posix(), BadRecord):
        found = _lock_in(LOCK.read_bytes())
        if not isinstance(found, dict) or not isinstance(found.get("stages"), dict):
            raise ValueError("it names no stages")
        return dict(found["stages"])


@lru_cache(maxsize=1)
def _lock_in(data: bytes) -> Any:
    return _yaml(data)


def _yaml(data: bytes) -> Any:
    try:
        return yaml.load(data, Loader=_LOADER)  # noqa: S506  a safe loader, whichever it is
    except yaml.YAMLError:
        raise ValueError("this is no YAML") from None


def results_stand() -> Check:
    """Every recording, metrics file and table has the md5 that dvc.lock names."""
    check = Check("recordings, metrics and packages are those of dvc.lock")
    for path, md5 in sorted(_files()):
        if path.suffix == ".parquet" and not path.exists():
            continue
        check.looked_at += 1
        found = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() if path.is_file() else "not there"
        if found != md5:
            check.failures.append(
                f"{path.as_posix()}: its md5 is {found}, and {LOCK} names {md5}; `git diff` and `uv run dvc status` say why"
            )
    if not check.looked_at:
        check.remark = f"{LOCK} is not there; `uv run dvc repro` makes it"
    return check


def _files() -> Iterator[tuple[Path, str]]:
    for stage in locked().values():
        for entry in stage.get("outs", []):
            if str(entry.get("path", "")).startswith(_HELD):
                yield Path(entry["path"]), str(entry.get("md5"))
        for entry in stage.get("deps", []):
            if entry.get("path") == "uv.lock":
                yield Path("uv.lock"), str(entry.get("md5"))


def settings_stand() -> Check:
    """Every value of params.yaml and of the files of conf/ in use is the one that dvc.lock names. Comments are no values."""
    check = Check("settings in use are those of dvc.lock")
    for file, values in _settings().items():
        with refusing(file):
            now = _yaml(Path(file).read_bytes())
        check.looked_at += len(values)
        for key, value in values.items():
            if _value(now, key) != value:
                check.failures.append(f"{file}: {key} is not what {LOCK} names; `uv run dvc params diff` shows both")
        if file != PARAMS.as_posix() and isinstance(now, dict):
            check.failures += [f"{file}: {key} is not in {LOCK}" for key in sorted(now.keys() - values.keys())]
    if not check.looked_at:
        check.remark = f"{LOCK} is not there; `uv run dvc repro` makes it"
    return check


def _settings() -> dict[str, dict[str, Any]]:
    """Every value that some stage ran with, by file and key."""
    found: dict[str, dict[str, Any]] = {}
    for stage in locked().values():
        for file, values in stage.get("params", {}).items():
            found.setdefault(file, {}).update(values)
    return found


def _value(values: Any, key: str) -> Any:
    """A value by its dotted name, as DVC writes it."""
    if isinstance(values, dict) and key in values:
        return values[key]
    for part in key.split("."):
        if not isinstance(values, dict) or part not in values:
            return _ABSENT
        values = values[part]
    return values
