"""moot explain-miss: for every reply that is missing, says which part of its key differs from the nearest recorded call."""

import argparse
from collections.abc import Iterable

from stages.desk.in_use import load
from stages.runtime.errors import BadInput
from stages.schema.calls import Request, Row
from stages.schema.names import nearest

EXAMPLE = """example:
  moot explain-miss
  moot explain-miss Q01:alder

A part is named as it is in the recording's rows: matter_sha256, settings_sha256, route, attempt and so on."""

_PARTS = (
    "contestant", "judge", "matter_id", "attempt", "presentation_id", "instrument_sha256", "wire", "route", "model",
    "settings_sha256", "matter_sha256", "answer_a_sha256", "answer_b_sha256",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="only this answer (Q01:alder) or pairing (Q01:alder~birch)")


def differences(request: Request, row: Row) -> list[str]:
    """The parts in which a recorded call differs from the request."""
    wanted = request.stated
    return [part for part in _PARTS if part in wanted and row.get(part) != wanted[part]]


def nearest_call(request: Request, rows: Iterable[Row]) -> tuple[Row | None, list[str]]:
    """The recorded call that differs in the fewest parts, and these; of equals, the one whose first differences weigh least."""
    same_kind = [row for row in rows if row["kind"] == request.kind]
    if not same_kind:
        return None, []
    found = min(same_kind, key=lambda row: (len(differences(request, row)), differences(request, row), row["row_sha256"]))
    return found, differences(request, found)


def explained(label: str, request: Request, rows: list[Row]) -> Row:
    """One missing reply with what its key differs in."""
    row, differs = nearest_call(request, rows)
    wanted = request.stated
    return {
        "missing": label,
        "request_sha256": request.sha256,
        "nearest": row["request_sha256"] if row else None,
        "differs": {part: {"recorded": (row or {}).get(part), "wanted": wanted[part]} for part in differs}
        or ({"words": {"recorded": "another system prompt or layout", "wanted": "the one that the settings give now"}} if row else {}),
    }


def run(given: argparse.Namespace) -> list[Row]:
    """Every missing reply, explained. Raises BadInput or BadRecord as ``load`` does."""
    study = load()
    answers = {asked.label: asked.request for asked in study.attempts}
    recorded = [row for rows in (*study.answers.values(), *study.verdicts.values()) for row in rows]
    missing = {label: r for label, r in answers.items() if r.sha256 not in study.answers}
    missing |= {label: r for label, r in study.all_requests.items() if r.sha256 not in study.verdicts}
    known = {**answers, **study.all_requests}
    if given.id is not None and given.id not in known:
        raise BadInput(f"{given.id!r} is no answer or pairing that this study can ask for now; {nearest(given.id, known)}")
    return [explained(label, r, recorded) for label, r in sorted(missing.items()) if given.id in (None, label)]


def told(found: list[Row]) -> str:
    """What the command prints."""
    if not found:
        return "Nothing is missing: every reply that can be asked for now is recorded.\n"
    return "".join(_sentence(row) for row in found)


def _sentence(row: Row) -> str:
    if row["nearest"] is None:
        return f"{row['missing']}: no call of this kind is recorded\n"
    told = [f"{part}: recorded {_short(two['recorded'])}, wanted {_short(two['wanted'])}" for part, two in row["differs"].items()]
    return f"{row['missing']}: nearest recorded call {row['nearest'][:12]} differs in {'; '.join(told)}\n"


def _short(value: object) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 else text
