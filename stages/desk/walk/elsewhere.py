"""What is neither a number nor something that was asked: the instrument, the judge, an order, a table, a settings file."""

from pathlib import Path

from stages.desk.in_use import InUse
from stages.desk.stale import stages_of
from stages.desk.walk import evidence
from stages.desk.walk.named import settings_digests
from stages.desk.walk.places import NEWLINE, RECORDINGS, committed
from stages.runtime.compose import CONF, PARAMS, choices_file
from stages.runtime.errors import BadInput, BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import ANSWER_ORDERS, MATTERS_FOLDER, PROVENANCE, RERUN_ORDERS, TABLES, VERDICT_ORDERS
from stages.schema.calls import Row
from stages.schema.canonical import bytes_digest
from stages.schema.jsonl import load_json
from stages.schema.orders import AnswerOrder, RerunOrder, VerdictOrder, order_in
from stages.schema.plain_files import read_text

_SHORTEST = 4  # digits of a digest: fewer name too much
_ORDERS: dict[Path, type[AnswerOrder | RerunOrder | VerdictOrder]] = {
    ANSWER_ORDERS: AnswerOrder,
    RERUN_ORDERS: RerunOrder,
    VERDICT_ORDERS: VerdictOrder,
}


def elsewhere(study: InUse, wanted: str) -> Row | None:
    """What a digest or a file of this kind belongs to; None for what is of another kind, or is not there."""
    return _by_digest(study, wanted.removeprefix("sha256:")) or (_by_file(study, Path(wanted)) if Path(wanted).is_file() else None)


def _by_digest(study: InUse, digits: str) -> Row | None:
    if len(digits) < _SHORTEST:
        return None
    if study.instrument_sha256.startswith(digits):
        return instrument(study)
    for name in study.judges:
        if any(value.startswith(digits) for value in _of_judge(study, name)):
            return judge(study, name)
    if not PROVENANCE.exists():
        return None
    tree = handed(PROVENANCE, lambda path: load_json(read_text(path)))
    named = {**{f"tables.{name}": value for name, value in tree["tables"].items()}, **{k: v for k, v in tree.items() if k != "tables"}}
    found = sorted(name for name, value in named.items() if str(value).startswith(digits))
    if len(found) == 1:
        how = "a digest over rows; `moot verify` makes it again from the recordings and settings"
        return {"id": named[found[0]], "kind": "digest", "published_as": f"{PROVENANCE}:{found[0]}", "how": how}
    return None


def instrument(study: InUse) -> Row:
    """The instrument in use, who pins it, and its wording."""
    pinned = {"study": study.choices.study, **committed((CONF / "study" / f"{study.choices.study}.yaml").as_posix())}
    own = evidence.instrument_of(study)
    return {
        "id": own["instrument"], "kind": "instrument", **own, "pinned_by": pinned,
        "pin_holds": study.study.instrument_sha256 == own["instrument_sha256"],
        "wording": study.instrument.model_dump(mode="json"),
    }  # fmt: skip


def _of_judge(study: InUse, name: str) -> set[str]:
    """The digests of a judge's settings and weights, but for those that a contestant has too: these name the contestant."""
    found = {request.settings_sha256 for request in study.all_requests.values() if request.asked == name}
    found |= set(settings_digests(study.judges[name]))
    return found - {digest for model in study.contestants.values() for digest in settings_digests(model)}


def judge(study: InUse, name: str) -> Row:
    """A judge: its settings, and what it was asked about."""
    given = [key for key, request in study.all_requests.items() if request.asked == name]
    return {"id": name, "kind": "judge", **evidence.judge_of(study, name), "verdicts": given}


def _by_file(study: InUse, path: Path) -> Row | None:
    """A file of settings, an order or a table. Raises BadRecord for an order that is none."""
    if path == CONF / "instrument" / f"{study.choices.instrument}.yaml":
        return instrument(study)
    if path.parent == CONF / "judge" and path.stem in study.judges:
        return judge(study, path.stem)
    if path.parent == TABLES:
        return _table(path)
    with refusing(kind=BadRecord):
        if path.parent in _ORDERS and path.suffix == ".json":
            order = order_in(path, _ORDERS[path.parent])
            return {"id": path.as_posix(), "kind": "order", **committed(path.as_posix()), **order.row()}
    has_a_name = (path.parent == CONF / "contestant" and path.stem in study.contestants) or path.parent == MATTERS_FOLDER
    if path == PARAMS or (CONF in path.parents and not has_a_name):
        in_use = path == PARAMS or path.stem in (study.choices.study, study.choices.runner)
        return {"id": path.as_posix(), "kind": "settings", **committed(path.as_posix()), "in_use": in_use}
    return None if has_a_name else _any_file(path)


def _any_file(path: Path) -> Row | None:
    """Any other file of this folder: its digest, its rows where it is a recording, and which stages read or make it."""
    if path.is_absolute() or ".." in path.parts:
        return None
    with refusing(path.as_posix()):
        data, stages = path.read_bytes(), stages_of(choices_file())
    rows = {"rows": data.count(NEWLINE), "shown_by": f"moot audit {path.as_posix()}:LINE"} if path in RECORDINGS else {}
    where = {word: [name for name, stage in stages.items() if _touches(path, stage[word])] for word in ("reads", "makes")}
    return {
        "id": path.as_posix(), "kind": "recording" if rows else "file", **committed(path.as_posix()), "sha256": bytes_digest(data), **rows,
        "made_by": where["makes"], "read_by": where["reads"],
    }  # fmt: skip


def _touches(path: Path, named: list[str]) -> bool:
    """Whether a stage names this file, or a folder that holds it."""
    return any(Path(name) in (path, *path.parents) for name in named)


def _table(path: Path) -> Row:
    """A published table. Raises BadInput for one that is none."""
    tree = handed(PROVENANCE, lambda file: load_json(read_text(file)))
    if path.stem not in tree["tables"]:
        raise BadInput(f"{path} is no published table")
    digest, rows = tree["tables"][path.stem], f"moot sql 'select * from {path.stem}'"
    return {"id": path.as_posix(), "kind": "table", "logical_digest": digest, "rows": rows}
