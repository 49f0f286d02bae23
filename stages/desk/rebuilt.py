"""Every published table, rebuilt from recordings, matters, settings and orders: a second time, without the stage that writes them.

What stands under data/work and data/tables is not looked at.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from stages.desk.in_use import InUse
from stages.instrument.reader import READER, Reading, read
from stages.providers.reading import call_fields, recorded_reply
from stages.runtime.paths import (
    ANSWER_ORDERS,
    ANSWERS_RECORDING,
    QUALIFICATION_RECORDING,
    VERDICT_ORDERS,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Row
from stages.schema.canonical import canonical, text_digest
from stages.schema.names import addresses_the_judge
from stages.schema.orders import AnswerOrder, VerdictOrder, orders_in
from stages.schema.rows import rederivable

Tables = dict[str, list[Row]]
_SYSTEM = ("provider", "model", "family", "route")
_CALL = (
    "request_sha256", "response_sha256", "settings_sha256", "model", "served_model", "served_by", "finish_reason", "started_at",
    "elapsed_ms", "tries", "replies", "prompt_tokens", "completion_tokens", "cost_usd",
)  # fmt: skip
_ATTEMPT = (
    "finish_reason", "route", "settings_sha256", "served_model", "served_by", "prompt_tokens", "completion_tokens", "cost_usd",
    "started_at", "elapsed_ms", "tries", "request_sha256", "response_sha256",
)  # fmt: skip


def rebuilt(study: InUse) -> Tables:
    """The rows of every table by its name, in no order."""
    attempts = list(_attempts(study))
    verdicts, points, calls = _judged(study)
    controls, control_calls = _controls(study)
    return {
        "matters": [matter.row() for matter in study.battery.values()],
        "contestants": [
            {"contestant": name, **_system(model), "trained_until": model.trained_until} for name, model in study.contestants.items()
        ],
        "attempts": attempts,
        "answers": [_answer(row) for row in attempts if row["scored"]],
        "assignments": _assignments(study),
        "verdicts": verdicts,
        "rejected_points": points,
        "calls": [*_answer_calls(study), *calls, *control_calls],
        "judges": [_judge(study)],
        "controls": controls,
        "orders": _orders(study),
    }


def _system(model: Any) -> Row:
    text = canonical(model.model_dump(mode="json"))
    weights = model.weights.sha256 if model.provider == "local" else None
    return {
        **{key: getattr(model, key) for key in _SYSTEM},
        "weights_sha256": weights,
        "settings": text,
        "config_sha256": text_digest(text),
    }


def _judge(study: InUse) -> Row:
    wanted = study.judge.qualifies
    names = ("passing_rate", "order_consistency", "matters")
    return {"judge": study.choices.judge, **_system(study.judge), **{name: getattr(wanted, name) if wanted else None for name in names}}


def names_itself(text: str, words: Iterable[str]) -> bool:
    """Whether one of ``words`` stands in ``text`` on its own: no letter, digit or underscore touches it. Case does not matter."""
    lower = text.lower()
    return any(_stands_alone(lower, word.lower()) for word in words if word)


def _stands_alone(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(word) : at + len(word) + 1]
        if not any(near.isalnum() or near == "_" for near in (before, after) if near):
            return True
        at = text.find(word, at + 1)
    return False


def _attempts(study: InUse) -> Iterator[Row]:
    for request in study.answer_requests:
        rows = study.answers.get(request.sha256, [])
        if not rows:
            continue
        matter, contestant, attempt = (request.subject[key] for key in ("matter_id", "contestant", "attempt"))
        model, reply = study.contestants[str(contestant)], recorded_reply(rows[0])
        fields = call_fields(rows, reply, model)
        own = study.battery[str(matter)]
        yield {
            "attempt_id": f"{matter}:{contestant}:{attempt}", "matter_id": matter, "contestant": contestant, "attempt": attempt,
            "scored": True, "attempt_rule": study.study.rule_of(own.series, own.source_path), "status": reply.status, "text": reply.text,
            "text_sha256": text_digest(reply.text), "names_itself": names_itself(reply.text, [model.family, *model.known_as, model.model]),
            "addresses_the_judge": addresses_the_judge(reply.text), **{key: fields[key] for key in _ATTEMPT},
            "ordered_by": None, "reason": None, "source_path": ANSWERS_RECORDING.as_posix(),
        }  # fmt: skip


def _answer(row: Row) -> Row:
    kept = ("matter_id", "contestant", "attempt", "status", "finish_reason", "text", "text_sha256", "names_itself", "addresses_the_judge")
    return {"answer_id": f"{row['matter_id']}:{row['contestant']}", **{key: row[key] for key in kept}, "source_path": row["source_path"]}


def _assignments(study: InUse) -> list[Row]:
    kept = ("matter_id", "contestant_1", "contestant_2", "answer_a_was", "answer_b_was", "ordinal", "seed")
    return [
        {"pairing_id": name, **{key: getattr(row, key) for key in kept}, "drawn_by": row.rule, "rederivable": rederivable(row)}
        for name, row in study.assignments.items()
    ]


def _call(kind: str, rows: list[Row], model: Any) -> Row:
    fields = call_fields(rows, recorded_reply(rows[0]), model)
    return {"kind": kind, "endpoint": fields["route"], **{key: fields[key] for key in _CALL}}


def _answer_calls(study: InUse) -> Iterator[Row]:
    for request in study.answer_requests:
        if rows := study.answers.get(request.sha256):
            yield _call("answer", rows, study.contestants[str(request.subject["contestant"])])


def said_of(study: InUse, row: Row) -> tuple[str, Reading]:
    """The judge's text in a recorded row, and what it says."""
    text = recorded_reply(row).text
    return text, read(study.instrument, text)


def _verdict(study: InUse, row: Row, source: str) -> Row:
    """What a table says of one reply of the judge, still in terms of A and B."""
    text, reading = said_of(study, row)
    copied = ("matter_id", "presentation_id", "judge", "attempt", "instrument_sha256", "request_sha256", "response_sha256", "started_at")
    return {
        **{key: row[key] for key in copied}, "verdict": reading.verdict, "material_difference": reading.material_difference,
        "rationale": reading.rationale, "unreadable_because": reading.unreadable_because, "raw_text": text,
        "instrument": study.choices.instrument, "reader": READER, "source_path": source,
    }  # fmt: skip


def _judged(study: InUse) -> tuple[list[Row], list[Row], list[Row]]:
    """verdicts, rejected_points, and the calls for all verdicts, those that were asked for again among them."""
    verdicts, points, calls = [], [], []
    for pairing, rounds in study.verdict_rounds.items():
        calls += [_call("verdict", study.verdicts[request.sha256], study.judge) for request in rounds]
        if not rounds:
            continue
        sides, row = study.assignments[pairing], study.verdicts[rounds[-1].sha256][0]
        own = _verdict(study, row, VERDICTS_RECORDING.as_posix())
        who = {"A": sides.answer_a_was, "B": sides.answer_b_was, "unreadable": None}
        name = f"{pairing}@{row['judge']}"
        named = {key: getattr(sides, key) for key in ("contestant_1", "contestant_2", "answer_a_was", "answer_b_was")}
        verdicts.append({**own, **named, "verdict_id": name, "pairing_id": pairing, "winner": who.get(own["verdict"], own["verdict"])})
        points += [
            {
                "verdict_id": name, "matter_id": sides.matter_id, "contestant": who[point["answer"]], "point_number": number,
                **{key: point[key] for key in ("point", "why", "changes_course")},
            }
            for number, point in enumerate(said_of(study, row)[1].rejected_points, start=1)
        ]  # fmt: skip
    return verdicts, points, calls


def _controls(study: InUse) -> tuple[list[Row], list[Row]]:
    rows, calls = [], []
    for control, rounds in study.control_rounds:
        calls += [_call("control", study.qualification[request.sha256], study.judge) for request in rounds]
        if not rounds:
            continue
        own = _verdict(study, study.qualification[rounds[-1].sha256][0], QUALIFICATION_RECORDING.as_posix())
        named = {key: getattr(control, key) for key in ("control_id", "kind", "use", "order_number", "expected")}
        rows.append({**own, **named, "passed": own["verdict"] == control.expected})
    return rows, calls


def _orders(study: InUse) -> list[Row]:
    found: list[Row] = []
    for order in orders_in(ANSWER_ORDERS, AnswerOrder):
        if order.contestant in study.contestants and order.matter_id in study.battery:
            found.append(_order(order, (ANSWER_ORDERS / order.file_name).as_posix(), order.matter_id, order.contestant, None))
    shown = {presentation.presentation_id: pairing for pairing, presentation in study.presentations.items()}
    for verdict in orders_in(VERDICT_ORDERS, VerdictOrder):
        if pairing := shown.get(verdict.presentation_id):
            source = (VERDICT_ORDERS / verdict.file_name).as_posix()
            found.append(_order(verdict, source, study.assignments[pairing].matter_id, None, pairing))
    return found


def _order(order: AnswerOrder | VerdictOrder, source: str, matter: str, contestant: str | None, pairing: str | None) -> Row:
    return {
        "order_sha256": order.row()["row_sha256"], "order": order.kind, "matter_id": matter, "contestant": contestant,
        "pairing_id": pairing, "reason": order.reason, "ordered_by": order.by, "ordered_at": order.ordered_at, "source_path": source,
    }  # fmt: skip
