"""What is neither a number nor something that was asked: the instrument, the judge, an order, a table, a settings file."""

from pathlib import Path

from stages.desk.in_use import InUse
from stages.desk.walk import evidence
from stages.desk.walk.places import committed
from stages.runtime.compose import CONF, PARAMS
from stages.runtime.errors import BadInput, BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import ANSWER_ORDERS, PROVENANCE, RERUN_ORDERS, TABLES, VERDICT_ORDERS
from stages.schema.calls import Row
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


def _by_file(study: InUse, path: Path) -> Row | None:
    """A file of settings, an order or a table. Raises BadRecord for an order that is none."""
    if path == CONF / "instrument" / f"{study.choices.instrument}.yaml":
        return instrument(study)
    if path.parent == CONF / "judge" and path.stem in study.judges:
        given = [name for name, request in study.all_requests.items() if request.asked == path.stem]
        return {"id": path.stem, "kind": "judge", **evidence.judge_of(study, path.stem), "verdicts": given}
    if path.parent == TABLES:
        return _table(path)
    with refusing(kind=BadRecord):
        if path.parent in _ORDERS and path.suffix == ".json":
            order = order_in(path, _ORDERS[path.parent])
            return {"id": path.as_posix(), "kind": "order", **committed(path.as_posix()), **order.row()}
    a_contestant = path.parent == CONF / "contestant" and path.stem in study.contestants  # who has a name
    if path == PARAMS or (CONF in path.parents and not a_contestant):
        in_use = path == PARAMS or path.stem in (study.choices.study, study.choices.runner)
        return {"id": path.as_posix(), "kind": "settings", **committed(path.as_posix()), "in_use": in_use}
    return None


def _table(path: Path) -> Row:
    """A published table. Raises BadInput for one that is none."""
    tree = handed(PROVENANCE, lambda file: load_json(read_text(file)))
    if path.stem not in tree["tables"]:
        raise BadInput(f"{path} is no published table")
    digest, rows = tree["tables"][path.stem], f"moot sql 'select * from {path.stem}'"
    return {"id": path.as_posix(), "kind": "table", "logical_digest": digest, "rows": rows}
