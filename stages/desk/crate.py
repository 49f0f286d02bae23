"""The record as an RO-Crate: its files with their digests, its contestants and judge, and an action for each stage that made a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.file import File
from rocrate.rocrate import ROCrate

from stages.desk.sql_tables import opened, selected
from stages.desk.stale import stages_of
from stages.runtime.compose import values_in
from stages.runtime.errors import BadInput, BadRecord, refusing
from stages.runtime.paths import CONTROLS_FOLDER, METRICS, ORDERS, PROVENANCE, RECORDINGS, TABLES
from stages.schema.canonical import bytes_digest
from stages.schema.jsonl import Row, load_json
from stages.schema.plain_files import plain_file, read_text
from stages.schema.settings import Study, settings

Files = dict[str, File]

_WHOLE = ("params.yaml", "dvc.yaml", "dvc.lock", "uv.lock", "README.md", "GLOSSARY.md", "LICENSE", "data/LICENSE")
_FOLDERS = (RECORDINGS, ORDERS, CONTROLS_FOLDER, TABLES, METRICS, Path("data/work"), Path("data/site"))
_FORMATS = {
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".lock": "text/plain",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
}
_KIND = {"generate": "answer", "judge": "verdict", "qualify": "control"}  # what a stage that asks models asks for


def write_crate(folder: Path, choices: Mapping[str, Any]) -> Row:
    """Write the crate of this checkout's record into ``folder``; says how many files it holds and the record digest.

    Raises BadInput where the record is not there whole, BadRecord for a metric or a table that is not what it should be.
    """
    with refusing(str(PROVENANCE), BadRecord):
        record = load_json(read_text(PROVENANCE))["record"]
    database = opened()
    calls = {row["kind"]: row for row in selected(database, _CALLS).records}
    crate = ROCrate()
    files = {path: _add_file(crate, Path(path)) for path in _paths(choices)}
    _describe(crate, choices, record, files, max((row["last"] for row in calls.values()), default=None))
    models = selected(database, "SELECT * FROM contestants ORDER BY contestant").records
    judges = selected(database, "FROM judges UNION ALL BY NAME FROM second_judges").records
    asked = {
        "generate": [_model(crate, "contestant", row) for row in models],
        "judge": [_model(crate, "judge", row) for row in judges],
    }
    for name, stage in stages_of(choices).items():
        _add_action(crate, name, stage, files, asked.get("judge" if name == "qualify" else name, []), calls.get(_KIND.get(name, ""), {}))
    crate.write(folder)
    return {"files": len(files), "record": record}


_CALLS = 'SELECT kind, min(started_at) AS "first", max(started_at) AS "last" FROM calls GROUP BY kind'


def _paths(choices: Mapping[str, Any]) -> list[str]:
    """The files of the record: what decides it, what was recorded, and what the stages made of that. Raises BadInput where one that no
    record is without is not there."""
    single = [(group, choices[group]) for group in ("study", "instrument", "judge", "runner")]
    beside = (choices.get("panel") or {}).get("second_judges", [])
    chosen = [*single, *(("contestant", name) for name in choices["contestants"]), *(("judge", name) for name in beside)]
    found = {f"conf/{group}/{name}.yaml" for group, name in chosen}
    found |= {row["source_path"] for row in selected(opened(), "SELECT source_path FROM matters").records}
    for path in found:
        if not Path(path).is_file():
            raise BadInput(f"{path}: no such file, and the record rests on it; `uv run dvc repro` makes the record anew")
    found |= {name for name in _WHOLE if Path(name).is_file()}
    for folder in _FOLDERS:
        found |= {path.as_posix() for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")}
    return sorted(found)


def _add_file(crate: ROCrate, path: Path) -> File:
    data = plain_file(path).read_bytes()
    known = {"name": path.as_posix(), "sha256": bytes_digest(data), "contentSize": str(len(data))}
    if path.suffix in _FORMATS:
        known["encodingFormat"] = _FORMATS[path.suffix]
    return crate.add_file(path, path.as_posix(), properties=known)


def _describe(crate: ROCrate, choices: Mapping[str, Any], record: str, files: Files, last: str | None) -> None:
    """Say of the whole what it is. Its date is that of the last call, so that the same record is the same crate on every day."""
    path = Path(f"conf/study/{choices['study']}.yaml")
    with refusing(str(path)):
        study: Study = settings("study", values_in(read_text(path)))  # what Hydra composes of it, in a tenth of the time
    crate.name = study.title
    crate.description = (
        "A blind pairwise comparison of language models on closed-record legal matters: matters, settings, every recorded reply, the stored"
        " sides, the published tables and the metrics, with the stage that made each from which."
    )
    crate.datePublished = (last or "1970-01-01")[:10]
    crate.license = files.get("data/LICENSE") or files.get("LICENSE") or "not stated"
    crate.keywords = "language models, pairwise comparison, legal matters, reproducibility"
    named = {"@type": "PropertyValue", "name": "record digest", "propertyID": "sha256", "value": record}
    crate.root_dataset["identifier"] = crate.add(ContextEntity(crate, "#record-digest", properties=named))


def _model(crate: ROCrate, role: str, row: Row) -> ContextEntity:
    """A contestant or the judge, as its row in the published tables says."""
    digest = {"@type": "PropertyValue", "name": "digest of its settings", "propertyID": "sha256", "value": row["config_sha256"]}
    about = f"{role} {row[role]}: {row['model']} over {row['route'] or row['provider']}"
    known = {
        "@type": "SoftwareApplication",
        "name": row["model"],
        "description": about,
        "applicationCategory": role,
        "identifier": crate.add(ContextEntity(crate, f"#{role}-{row[role]}-settings", properties=digest)),
    }
    return crate.add(ContextEntity(crate, f"#{role}-{row[role]}", properties={**known, "identifier": {"@id": known["identifier"].id}}))


def _add_action(crate: ROCrate, name: str, stage: Row, files: Files, asked: list[ContextEntity], calls: Row) -> None:
    """One stage: what it read, what it made, with which command, and which models it asked when."""
    program = {"@type": "SoftwareApplication", "name": f"stage {name}", "description": stage["cmd"], "softwareRequirements": "uv.lock"}
    instrument = crate.add(ContextEntity(crate, f"#stage-{name}", properties=program))
    read = [file for path, file in files.items() if any(path == dep or path.startswith(f"{dep}/") for dep in stage["reads"])]
    made = [file for path, file in files.items() if any(path == out or path.startswith(f"{out}/") for out in stage["makes"])]
    times = {"startTime": calls["first"], "endTime": calls["last"]} if calls else {}
    status = {"actionStatus": "http://schema.org/CompletedActionStatus"}
    properties = {"@type": "CreateAction", "name": f"{name} ran", **status, **times}
    action = crate.add_action([instrument, *asked], f"#run-{name}", object=read, result=made, properties=properties)
    crate.root_dataset.append_to("mentions", action)
