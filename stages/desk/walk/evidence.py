"""What stands behind an answer, a pairing or a control: the stored sides, the words, the exact request, the recorded reply."""

from typing import Any

from stages.desk.in_use import InUse
from stages.desk.rebuilt import names_itself, said_of
from stages.desk.walk.places import committed, row_at
from stages.instrument.reader import READER
from stages.providers.reading import recorded_reply
from stages.runtime.compose import CONF
from stages.runtime.paths import ANSWERS_RECORDING, ASSIGNMENTS_RECORDING, QUALIFICATION_RECORDING, RERUN_ORDERS, VERDICTS_RECORDING
from stages.schema.calls import Request, Row
from stages.schema.canonical import text_digest
from stages.schema.controls import Control
from stages.schema.rows import Assignment, rederivable
from stages.store.recordings import Recording

_REPLY = ("request_sha256", "response_sha256", "row_sha256", "started_at", "elapsed_ms", "http_status")
_FILES = {"answer": ANSWERS_RECORDING, "verdict": VERDICTS_RECORDING, "control": QUALIFICATION_RECORDING}


def answer(study: InUse, name: str) -> Row:
    """One answer (matter:contestant: the attempt that is scored) or another attempt at it (with its number), from its text to its bytes."""
    beside = study.other_attempts.get(name)
    request = beside.request if beside else study.answer_requests[name]
    recorded, (matter, contestant) = study.answers.get(request.sha256, []), name.split(":")[:2]
    return {
        "id": name, "kind": "attempt" if beside else "answer",
        **(_answered(study, contestant, recorded[0]) if recorded else {"status": "unanswered"}), **_among(study, name, request),
        **asked(request), "contestant": contestant_of(study, contestant), "matter": matter_of(study, matter), "replies": replies(recorded),
    }  # fmt: skip


def _among(study: InUse, name: str, request: Request) -> Row:
    """Where several attempts at an answer were made or ordered: whether this one is scored, by which rule, its order, and the others."""
    own = [each for each in study.attempts if each.name.startswith(f"{':'.join(name.split(':')[:2])}:")]
    if len(own) == 1:
        return {}
    this = next(each for each in own if each.request.sha256 == request.sha256)
    order = {"file": (RERUN_ORDERS / this.order.file_name).as_posix(), **this.order.row()} if this.order else None
    scored = study.scored.get(this.key)
    return {
        "scored": scored is not None and scored.name == this.name, "attempt_rule": study.rules[this.key[0]], "ordered": order,
        "other_attempts": [each.name for each in own if each is not this],
    }  # fmt: skip


def _answered(study: InUse, contestant: str, row: Row) -> Row:
    reply, model = recorded_reply(row), study.contestants[contestant]
    words = [model.family, *model.known_as, model.model]
    own = {"status": reply.status, "finish_reason": reply.finish_reason, "text": reply.text, "text_sha256": text_digest(reply.text)}
    return {**own, "names_itself": names_itself(reply.text, words), "served_model": reply.served_model, "served_by": reply.served_by}


def pairing(study: InUse, name: str) -> Row:
    """One pairing, or a second verdict on one: who was A, what the judge said, both answers, and what the judge was sent."""
    beside = study.second.get(name)
    judge, sides = (beside.judge, beside.sides) if beside else (study.choices.judge, study.assignments[name])
    request, rounds = study.all_requests[name], study.all_rounds[name]
    recorded, both = study.verdicts.get(request.sha256, []), (sides.answer_a_was, sides.answer_b_was)
    stored = {key: getattr(sides, key) for key in ("answer_a_was", "answer_b_was", "rule", "seed", "ordinal")}
    return {
        "id": name, "kind": "verdict", "verdict_id": name if beside else f"{name}@{judge}",
        "assignment": {**stored, "rederivable": rederivable(sides), "recorded_at": _assignment_at(sides)},
        **(_judged(study, recorded[0], *both) if recorded else {"verdict": "missing"}),
        **asked(request), "judge": judge_of(study, judge), "instrument": instrument_of(study), "matter": matter_of(study, sides.matter_id),
        "replies": replies(recorded), "asked_before": [replies(study.verdicts[earlier.sha256]) for earlier in rounds[:-1]],
        "answers": {letter: answer(study, f"{sides.matter_id}:{who}") for letter, who in zip("AB", both, strict=True)},
    }  # fmt: skip


def _assignment_at(used: Assignment) -> str | None:
    for row in Recording(ASSIGNMENTS_RECORDING).load():
        if all(row[key] == getattr(used, key) for key in ("matter_id", "contestant_1", "contestant_2", "answer_a_was", "ordinal")):
            return row_at(ASSIGNMENTS_RECORDING, row)
    return None


def _judged(study: InUse, row: Row, a_was: str, b_was: str) -> Row:
    text, reading = said_of(study, row)
    who = {"A": a_was, "B": b_was, "unreadable": None}
    return {
        "verdict": reading.verdict, "winner": who.get(reading.verdict, reading.verdict), "unreadable_because": reading.unreadable_because,
        "material_difference": reading.material_difference, "rationale": reading.rationale,
        "rejected_points": list(reading.rejected_points), "reader": READER, "raw_text": text,
    }  # fmt: skip


def control(study: InUse, judge: str, one: Control, rounds: list[Request]) -> Row:
    """One control in one order: what was right, and what this judge said to the last of its requests."""
    request = rounds[-1]
    recorded = study.qualification.get(request.sha256, [])
    said = said_of(study, recorded[0])[1].verdict if recorded else "missing"
    return {
        "kind": "control", "use": one.use, "expected": one.expected, "verdict": said,
        "passed": said == one.expected, **asked(request), "judge": judge_of(study, judge), "instrument": instrument_of(study),
        "matter": matter_of(study, one.matter_id), "texts": committed(one.source_path), "replies": replies(recorded),
        "asked_before": len(rounds[:-1]),
    }  # fmt: skip


def asked(request: Request) -> Row:
    """What went out: digest, route, messages."""
    return {
        "request_sha256": request.sha256, "route": request.route, "model": request.model, "settings_sha256": request.settings_sha256,
        **request.subject, **request.parts, "messages": request.body["messages"],
    }  # fmt: skip


def replies(recorded: list[Row]) -> list[Row]:
    """What came back, the one that counts first: digests, position, body."""
    return [
        {**{key: row[key] for key in _REPLY}, "recorded_at": row_at(_FILES[row["kind"]], row), "tries": row["tries"], "body": row["body"]}
        for row in recorded
    ]


def matter_of(study: InUse, name: str) -> Row:
    """A matter's file, at the commit that made it what it is."""
    matter = study.all_matters[name]
    return {"matter_id": name, **committed(matter.source_path), "matter_sha256": matter.matter_sha256, "published": matter.published}


def contestant_of(study: InUse, name: str) -> Row:
    return {"contestant": name, **_configured("contestant", name), "settings": study.contestants[name].model_dump(mode="json")}


def judge_of(study: InUse, name: str) -> Row:
    return {"judge": name, **_configured("judge", name), "settings": study.judges[name].model_dump(mode="json")}


def instrument_of(study: InUse) -> Row:
    name = study.choices.instrument
    return {"instrument": name, **_configured("instrument", name), "instrument_sha256": study.instrument_sha256}


def _configured(group: str, name: str) -> dict[str, Any]:
    return committed((CONF / group / f"{name}.yaml").as_posix())
