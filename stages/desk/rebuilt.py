"""Every published table, rebuilt from recordings, matters, settings and orders: a second time, without the stage that writes them.

What stands under data/work and data/tables is not looked at.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stages.desk.in_use import InUse, Judge
from stages.instrument.reader import READER, Reading
from stages.providers.attempts import Asked, by_answer
from stages.providers.reading import call_fields, recorded_reply
from stages.runtime.paths import (
    ANSWER_ORDERS,
    ANSWERS_RECORDING,
    QUALIFICATION_RECORDING,
    RERUN_ORDERS,
    VERDICT_ORDERS,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Row
from stages.schema.canonical import canonical, text_digest
from stages.schema.names import addresses_the_judge
from stages.schema.orders import AnswerOrder, RerunOrder, VerdictOrder, orders_in
from stages.schema.rows import Assignment, rederivable
from stages.schema.scenarios import ALWAYS

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
    second, second_calls = _second(study)
    tests, control_calls = _controls(study)
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
        "calls": [*_answer_calls(study), *calls, *second_calls, *control_calls],
        "judges": [_judge(study.choices.judge, study.judge)],
        "controls": [row for row in tests if row["judge"] not in study.second_judges],
        "orders": _orders(study),
        "scenarios": _scenarios(study),
        "second_judges": [_judge(name, judge) for name, judge in study.second_judges.items()],
        "second_verdicts": second,
        "second_controls": [row for row in tests if row["judge"] in study.second_judges],
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


def _judge(name: str, judge: Judge) -> Row:
    wanted = judge.qualifies
    names = ("passing_rate", "order_consistency", "matters")
    return {"judge": name, **_system(judge), **{key: getattr(wanted, key) if wanted else None for key in names}}


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
    """Every delivered attempt, the first ones and those that were ordered."""
    for (matter, _), own in by_answer(study.attempts).items():
        counts = _scored(study.rules[matter], own)
        yield from (_attempt(study, asked, asked is counts) for asked in own)


def _scored(rule: str, own: list[Asked]) -> Asked:
    """The attempt that a rule scores: the first one, unless the rule waits for a complete one and there is one."""
    complete = [asked for asked in own if recorded_reply(asked.rows[0]).status == "complete"]
    return complete[0] if rule == "completed_rerun" and complete else own[0]


def _attempt(study: InUse, asked: Asked, scored: bool) -> Row:
    (matter, contestant), order = asked.key, asked.order
    model, reply = study.contestants[contestant], recorded_reply(asked.rows[0])
    fields = call_fields(asked.rows, reply, model)
    return {
        "attempt_id": f"{matter}:{contestant}:{asked.number}", "matter_id": matter, "contestant": contestant, "attempt": asked.number,
        "scored": scored, "attempt_rule": study.rules[matter], "status": reply.status, "text": reply.text,
        "text_sha256": text_digest(reply.text), "names_itself": names_itself(reply.text, [model.family, *model.known_as, model.model]),
        "addresses_the_judge": addresses_the_judge(reply.text), "provider_code": reply.provider_code, "reasoning": reply.reasoning,
        **{key: fields[key] for key in _ATTEMPT}, "ordered_by": order.by if order else None, "reason": order.reason if order else None,
        "source_path": ANSWERS_RECORDING.as_posix(),
    }  # fmt: skip


def _answer(row: Row) -> Row:
    kept = (
        "matter_id", "contestant", "attempt", "attempt_rule", "status", "finish_reason", "text", "text_sha256", "names_itself",
        "addresses_the_judge",
    )  # fmt: skip
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
    for asked in study.attempts:
        if asked.rows:
            yield _call("answer", asked.rows, study.contestants[asked.key[1]])


def said_of(study: InUse, row: Row) -> tuple[str, Reading]:
    """The judge's text in a recorded row, and what it says."""
    text = recorded_reply(row).text
    return text, study.reading(text)


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
        who = {"A": sides.answer_a_was, "B": sides.answer_b_was, "unreadable": None}
        name = f"{pairing}@{row['judge']}"
        verdicts.append(_on_sides(study, name, row, sides))
        points += [
            {
                "verdict_id": name, "matter_id": sides.matter_id, "contestant": who[point["answer"]], "point_number": number,
                **{key: point[key] for key in ("point", "why", "changes_course")},
            }
            for number, point in enumerate(said_of(study, row)[1].rejected_points, start=1)
        ]  # fmt: skip
    return verdicts, points, calls


def _on_sides(study: InUse, name: str, row: Row, sides: Assignment) -> Row:
    """A row of verdicts, and but for its last column of second verdicts: who A and B were, and who won."""
    own = _verdict(study, row, VERDICTS_RECORDING.as_posix())
    who = {"A": sides.answer_a_was, "B": sides.answer_b_was, "unreadable": None}
    named = {key: getattr(sides, key) for key in ("contestant_1", "contestant_2", "answer_a_was", "answer_b_was")}
    return {**own, **named, "verdict_id": name, "pairing_id": name.partition("@")[0], "winner": who.get(own["verdict"], own["verdict"])}


def _second(study: InUse) -> tuple[list[Row], list[Row]]:
    """second_verdicts, and the calls for them."""
    rows, calls = [], []
    for name, rounds in study.second_rounds.items():
        each = study.second[name]
        calls += [_call("verdict", study.verdicts[request.sha256], study.judges[each.judge]) for request in rounds]
        if rounds:
            rows.append({**_on_sides(study, name, study.verdicts[rounds[-1].sha256][0], each.sides), "turned": each.turned})
    return rows, calls


def _controls(study: InUse) -> tuple[list[Row], list[Row]]:
    rows, calls = [], []
    for judge, control, rounds in study.control_rounds:
        calls += [_call("control", study.qualification[request.sha256], study.judges[judge]) for request in rounds]
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
            found.append(_order(order, ANSWER_ORDERS, order.matter_id, contestant=order.contestant))
    delivered = {asked.request.sha256 for asked in study.attempts if asked.rows}
    for rerun in study.reruns:
        if rerun.after_sha256 in delivered:
            found.append(_order(rerun, RERUN_ORDERS, rerun.matter_id, contestant=rerun.contestant, attempt=rerun.attempt))
    shown = {presentation.presentation_id: pairing for pairing, presentation in study.presentations.items()}
    shown |= {study.shown(row).presentation_id: f"{pairing}@turned" for pairing, row in study.turned_assignments.items()}
    for verdict in orders_in(VERDICT_ORDERS, VerdictOrder):
        if pairing := shown.get(verdict.presentation_id):
            found.append(_order(verdict, VERDICT_ORDERS, pairing.split(":")[0], pairing_id=pairing))
    return found


def _order(order: AnswerOrder | RerunOrder | VerdictOrder, folder: Path, matter: str, **about: str | int) -> Row:
    return {
        "order_sha256": order.row()["row_sha256"], "order": order.kind, "matter_id": matter, "contestant": None, "attempt": None,
        "pairing_id": None, **about, "reason": order.reason, "ordered_by": order.by, "ordered_at": order.ordered_at,
        "source_path": (folder / order.file_name).as_posix(),
    }  # fmt: skip


def _scenarios(study: InUse) -> list[Row]:
    """The scenarios that always stand, and the study's own."""
    listed = {**ALWAYS, **study.study.scenarios}
    return [
        {
            "scenario": name, "rule": one.rule, "matters": canonical(sorted(one.matters)) if one.matters else None, "reason": one.reason,
        }
        for name, one in listed.items()
    ]  # fmt: skip
