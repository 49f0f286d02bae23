"""What a word on the command line names: an id or the beginning of one, a digest, a file."""

import re
from collections.abc import Callable
from pathlib import Path

from stages.desk.in_use import InUse
from stages.desk.walk import evidence
from stages.desk.walk.places import RECORDINGS, line_of
from stages.providers.requests import Model
from stages.runtime.compose import CONF
from stages.runtime.errors import BadInput
from stages.runtime.paths import MATTERS_FOLDER
from stages.schema.calls import Request, Row
from stages.schema.canonical import canonical, text_digest
from stages.schema.controls import Control
from stages.schema.jsonl import load_json
from stages.schema.names import nearest, verdict_id
from stages.schema.rows import TURNED

_SHORTEST = 4  # digits of a digest: fewer name too much


def requests(study: InUse) -> dict[str, Request]:
    """Everything that was or can be asked, by id: answers, the attempts that are not scored, pairings, second verdicts, controls."""
    others = {name: asked.request for name, asked in study.other_attempts.items()}
    tests = {name: (rounds or [first])[-1] for name, (_, _, rounds, first) in _tests(study).items()}
    return {**study.answer_requests, **others, **study.all_requests, **tests}


def _tests(study: InUse) -> dict[str, tuple[str, Control, list[Request], Request]]:
    """Judge, control, recorded requests in turn and the first request, by id; a second judge's with its name at the end."""
    found = {}
    for (judge, control, rounds), first in zip(study.control_rounds, study.control_requests.values(), strict=True):
        by = f"@{judge}" if judge in study.second_judges else ""
        found[f"{control.control_id}:{control.order_number}{by}"] = (judge, control, rounds, first)
    return found


def known(study: InUse) -> dict[str, str]:
    """Every id, and the one id under which it is looked up."""
    found = {name: name for name in requests(study)}
    found |= {f"{name}@{study.choices.judge}": name for name in study.verdict_requests}
    found |= {
        f"{r.subject['matter_id']}:{r.subject['contestant']}:{r.subject['attempt']}": key
        for key, r in requests(study).items()
        if r.kind == "answer"
    }
    planned = {name: name for name in study.all_matters}
    return {**found, **planned, **{name: name for name in study.contestants}}


def resolved(study: InUse, wanted: str) -> str:
    """The id that ``wanted`` names, by itself, by a unique beginning, by a digest or as a file.

    Raises BadInput with the nearest right one for what names nothing, or more than one thing.
    """
    ids = known(study)
    for found in (ids.get(wanted), _by_digest(study, wanted), _by_file(study, wanted)):
        if found is not None:
            return found
    check_order(wanted, lambda right: right in ids)
    begins = sorted({target for name, target in ids.items() if name.startswith(wanted)})
    if len(begins) == 1:
        return begins[0]
    what = (
        f"the beginning of {len(begins)} ids, such as {begins[0]} and {begins[1]}"
        if begins
        else "no id, digest, number or file of this record"
    )
    raise BadInput(f"{wanted!r} is {what}; {nearest(wanted, ids)}")


def check_order(wanted: str, there: Callable[[str], object]) -> None:
    """Raise BadInput, with the right name, for a pair whose names are exchanged. there: whether a word names something."""
    right = re.sub(r"([\w-]+)~([\w-]+)", r"\2~\1", wanted)
    if right != wanted and there(right):
        raise BadInput(f"{wanted!r} names no pair: a pair's contestants stand in the order of the alphabet; the right name is {right!r}")


def _by_digest(study: InUse, wanted: str) -> str | None:
    digits = wanted.removeprefix("sha256:")
    if len(digits) < _SHORTEST or not re.fullmatch("[0-9a-f]+", digits):
        return None
    found = sorted({name for digest, name in digests(study) if digest.startswith(digits)})
    if len(found) > 1:
        raise BadInput(f"{wanted!r} belongs to {len(found)} ids: {', '.join(found[:4])}; name one of these")
    return found[0] if found else None


def settings_digests(model: Model) -> list[str]:
    """The digests by which a model's settings, and weights on this machine, are published."""
    weights = [model.weights.sha256] if model.provider == "local" else []
    return [text_digest(canonical(model.model_dump(mode="json"))), *weights]


def digests(study: InUse) -> list[tuple[str, str]]:
    """Every digest in use with the id that it belongs to."""
    found = [(matter.matter_sha256, name) for name, matter in study.battery.items()]
    found += [(digest, name) for name, model in study.contestants.items() for digest in settings_digests(model)]
    found += [(request.settings_sha256, str(request.subject["contestant"])) for request in study.answer_requests.values()]
    found += [(text_digest(text), f"{matter}:{who}") for (matter, who), text in study.texts.items()]
    found += [(shown.presentation_id, pairing) for pairing, shown in study.presentations.items()]
    turned = [(name, each) for name, each in study.second.items() if each.turned and each.judge == study.choices.judge]
    found += [(each.shown.presentation_id, name) for name, each in turned]
    for name, request in requests(study).items():
        recorded = {"answer": study.answers, "verdict": study.verdicts, "control": study.qualification}[request.kind]
        found.append((request.sha256, name))
        found += [(row[key], name) for row in recorded.get(request.sha256, []) for key in ("response_sha256", "row_sha256")]
    return found


def _by_file(study: InUse, wanted: str) -> str | None:
    """A matter, a contestant's settings, or a line of a recording, by its file."""
    path = Path(wanted)
    if path.parent == MATTERS_FOLDER and path.stem in study.all_matters:
        return path.stem
    if path.parent == CONF / "contestant" and path.stem in study.contestants:
        return path.stem
    file, _, line = wanted.rpartition(":")
    if Path(file) in RECORDINGS and line.isdigit():
        return _of_row(study, Path(file), int(line))
    return None


def _of_row(study: InUse, recording: Path, line: int) -> str:
    lines = recording.read_text("utf-8").split("\n") if recording.exists() else []
    if not 1 <= line < len(lines):
        raise BadInput(f"{recording} has {max(len(lines) - 1, 0)} rows, and no row {line}")
    row = load_json(lines[line - 1])
    if row.get("kind") == "assignment":
        return _of_sides(study, row)
    name = next((name for name, request in requests(study).items() if request.sha256 == row.get("request_sha256")), None)
    if name is None:
        raise BadInput(f"{recording}:{line} is not in use today: no matter, contestant or judge of this study asks for it")
    return name


def _of_sides(study: InUse, row: Row) -> str:
    pairing = f"{row['matter_id']}:{row['contestant_1']}~{row['contestant_2']}"
    return verdict_id(pairing, study.choices.judge, turned=True) if row["rule"] == TURNED else pairing


def shown(study: InUse, name: str) -> Row:
    """What stands behind an id."""
    request = requests(study).get(name)
    kinds: dict[str, Callable[[], Row]] = {
        "answer": lambda: evidence.answer(study, name),
        "verdict": lambda: evidence.pairing(study, name),
        "control": lambda: _control(study, name),
    }
    if request is not None:
        return kinds[request.kind]()
    return _matter(study, name) if name in study.all_matters else _contestant(study, name)


def _control(study: InUse, name: str) -> Row:
    judge, control, rounds, first = _tests(study)[name]
    return {"id": name, **evidence.control(study, judge, control, rounds or [first])}


def _matter(study: InUse, name: str) -> Row:
    """A matter: its file, whether the study asks about it, and what was said on it."""
    matter = study.all_matters[name]
    own = [key for key, request in requests(study).items() if request.subject["matter_id"] == name]
    return {
        "id": name, "kind": "matter", "in_the_study": name in study.battery, **evidence.matter_of(study, name), "title": matter.title,
        "area": matter.area, "series": matter.series, "brief": matter.brief, "asked": own,
    }  # fmt: skip


def _contestant(study: InUse, name: str) -> Row:
    """A contestant: its settings, its answers, and where they stand."""
    answers = {}
    for key, request in requests(study).items():
        if request.kind == "answer" and request.subject["contestant"] == name:
            answers[key] = line_of(RECORDINGS[0], request.sha256) or "unanswered"
    config = text_digest(canonical(study.contestants[name].model_dump(mode="json")))
    return {"id": name, "kind": "contestant", **evidence.contestant_of(study, name), "config_sha256": config, "answers": answers}
