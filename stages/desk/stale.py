"""Which stages `dvc repro` would run: dvc.yaml and the files as they are, held against dvc.lock by DVC's own digests."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import yaml

from stages.schema.jsonl import Row
from stages.schema.plain_files import read_text

DVC_YAML, DVC_LOCK, PARAMS = Path("dvc.yaml"), Path("dvc.lock"), "params.yaml"


def stale(choices: Mapping[str, Any], edited: Collection[str] = ()) -> list[Row]:
    """What will become of every stage, in the order of dvc.yaml: runs is ``yes``, ``perhaps`` (it runs if what runs before it changes
    its input) or ``no``. choices: the values of params.yaml; edited: paths to take as changed. Raises ValueError, OSError."""
    locked = _loaded(DVC_LOCK).get("stages", {}) if DVC_LOCK.exists() else {}
    found: list[Row] = []
    may_change: dict[str, str] = {}
    for name, stage in _loaded(DVC_YAML)["stages"].items():
        because = _reason(stage, locked.get(name), choices, edited, may_change)
        runs = "yes" if because else "no"
        if not because:
            changed = next((dep for dep in stage["deps"] if any(_within(out, dep) for out in may_change)), None)
            runs, because = ("perhaps", f"if {changed} changes") if changed else ("no", "nothing changed")
        if runs != "no":
            may_change |= dict.fromkeys(_outs(stage), name)
        found.append({"stage": name, "runs": runs, "because": because})
    return found


def stages_of(choices: Mapping[str, Any]) -> dict[str, Row]:
    """Every stage of dvc.yaml: its command, and the paths that it reads, settings among them, and makes. Raises ValueError, OSError."""
    found = {}
    for name, stage in _loaded(DVC_YAML)["stages"].items():
        params = stage.get("params", [])
        files = [_chosen(path, choices) for param in params if isinstance(param, dict) for path in param]
        picks = [PARAMS] if any(isinstance(param, str) for param in params) else []
        found[name] = {"cmd": _chosen(stage["cmd"], choices), "reads": [*stage["deps"], *picks, *files], "makes": _outs(stage)}
    return found


def _loaded(path: Path) -> Any:
    try:
        return yaml.load(read_text(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}  # noqa: S506  a safe loader, in C
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: it is no YAML ({str(error).splitlines()[0]})") from None


def _reason(stage: Row, locked: Row | None, choices: Mapping[str, Any], edited: Collection[str], made_anew: Collection[str]) -> str | None:
    """Why a stage runs for its own sake; None when nothing of its own changed. made_anew: outs of stages before it that will run."""
    if locked is None:
        return "it never ran"
    if _chosen(stage["cmd"], choices) != locked.get("cmd"):
        return "its command changed"
    return _changed_input(stage, locked, edited, made_anew) or _changed_param(stage, locked, choices) or _changed_out(stage, locked)


def _changed_input(stage: Row, locked: Row, edited: Collection[str], made_anew: Collection[str]) -> str | None:
    digests = {each["path"]: each.get("md5") for each in locked.get("deps", [])}
    for dep in stage["deps"]:
        if any(_within(out, dep) for out in made_anew):
            continue  # it may come out as it was
        if any(_within(path, dep) for path in edited) or md5(Path(dep)) != digests.get(dep):
            return f"{dep} changed"
    return None


def _changed_param(stage: Row, locked: Row, choices: Mapping[str, Any]) -> str | None:
    known = locked.get("params", {})
    for param in stage.get("params", []):
        if isinstance(param, str):
            if known.get(PARAMS, {}).get(param) != choices[param]:
                return f"{param} changed in {PARAMS}"
            continue
        for path in (_chosen(each, choices) for each in param):
            if path not in known or _loaded(Path(path)) != known[path]:
                return f"{path} changed"
    return None


def _changed_out(stage: Row, locked: Row) -> str | None:
    digests = {each["path"]: each.get("md5") for each in locked.get("outs", [])}
    for out in _outs(stage):
        found = md5(Path(out))
        if found != digests.get(out):
            return f"{out} is not {'what dvc.lock names' if found else 'there'}"
    return None


def _outs(stage: Row) -> list[str]:
    return [next(iter(out)) if isinstance(out, dict) else out for kind in ("outs", "metrics", "plots") for out in stage.get(kind, [])]


def _within(path: str, folder: str) -> bool:
    """Whether one of two paths is the other, or in it."""
    return path == folder or path.startswith(f"{folder}/") or folder.startswith(f"{path}/")


def _chosen(text: str, choices: Mapping[str, Any]) -> str:
    """A text of dvc.yaml with the choices put in."""
    return re.sub(r"\$\{(\w+)\}", lambda match: _put(choices.get(match[1], match[0])), text)


def _put(choice: object) -> str:
    """A choice in a command, as DVC writes it: a mapping of lists as ``--key one two``, and nothing of an empty list."""
    if not isinstance(choice, Mapping):
        return str(choice)
    return " ".join(" ".join([f"--{key}", *map(str, names)]) for key, names in choice.items() if names)


def md5(path: Path) -> str | None:
    """DVC's digest of a file or of a folder, None where nothing stands. Python's compiled files are left out, as .dvcignore says."""
    if path.is_file():
        return _file_md5(path)
    if not path.is_dir():
        return None
    files = sorted(each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    rows = [{"md5": _file_md5(each), "relpath": each.relative_to(path).as_posix()} for each in files]
    listed = json.dumps(sorted(rows, key=lambda row: row["relpath"]), sort_keys=True)
    return hashlib.md5(listed.encode("utf-8"), usedforsecurity=False).hexdigest() + ".dir"


def _file_md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
