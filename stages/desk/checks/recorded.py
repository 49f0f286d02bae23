"""Recordings and orders by themselves: digests, spelling, kind, order; and every request rebuilt and found among them."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

from stages.desk.checks.check import Check
from stages.desk.in_use import InUse
from stages.desk.rebuilt import said_of
from stages.instrument.reader import READER
from stages.providers.openai import read_reply
from stages.runtime.errors import words_of
from stages.runtime.paths import (
    ANSWER_ORDERS,
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    ORDERS,
    QUALIFICATION_RECORDING,
    READINGS_RECORDING,
    RERUN_ORDERS,
    VERDICT_ORDERS,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Request, Row
from stages.schema.jsonl import read_rows
from stages.schema.orders import AnswerOrder, RerunOrder, VerdictOrder, check_folders, orders_in
from stages.schema.recorded import kind_in, row_name
from stages.schema.rows import rederivable
from stages.store.recordings import Recording, check_line
from stages.store.sealed import place

RECORDINGS = (ANSWERS_RECORDING, ASSIGNMENTS_RECORDING, VERDICTS_RECORDING, READINGS_RECORDING, QUALIFICATION_RECORDING)


def rows_stand(path: Path) -> Check:
    """Every row's digests, spelling, kind, keys and types; that a reply is in it where one belongs; and that it stands in its place."""
    check = Check(f"rows of {path.name} stand up to their digests, their form and their order")
    try:
        rows = read_rows(path) if path.exists() or path.is_symlink() else []
        lines = path.read_bytes().split(b"\n") if rows else []
    except (ValueError, OSError) as error:
        check.failures.append(f"{path}: {words_of(error) if isinstance(error, OSError) else error}")
        return check
    for number, (row, line) in enumerate(zip(rows, lines, strict=False), start=1):
        check.looked_at += 1
        try:
            check_line(line, row, kind_in(path.name))
            if "body" in row:
                read_reply(row)
        except ValueError as error:
            check.failures.append(f"{path}: line {number} ({row_name(row)}): {error}")
    if not check.failures:
        check.failures += _out_of_order(path, rows)
    return check


def _out_of_order(path: Path, rows: list[Row]) -> list[str]:
    """Order says nothing and changes no number. But a file has one order, and whoever has another one was at it (a merge may be)."""
    found = [number for number, (one, two) in enumerate(pairwise(map(place, rows)), start=2) if one >= two]
    return [f"{path}: line {n} ({row_name(rows[n - 1])}) is not in its place; `uv run dvc repro` puts a merge in order" for n in found[:1]]


def orders_stand() -> Check:
    """Every order's digest, form and name."""
    check_folders(ORDERS, [ANSWER_ORDERS, RERUN_ORDERS, VERDICT_ORDERS])
    answers, reruns = orders_in(ANSWER_ORDERS, AnswerOrder), orders_in(RERUN_ORDERS, RerunOrder)
    verdicts = orders_in(VERDICT_ORDERS, VerdictOrder)
    return Check("orders stand up to their digests and their form", len(answers) + len(reruns) + len(verdicts))


def _matched(name: str, requests: dict[str, Request], recorded: dict[str, list[Row]]) -> Check:
    """Every planned request rebuilt and found; and no recorded row that claims to be one of them and is not."""
    check = Check(name)
    for label, request in requests.items():
        rows = recorded.get(request.sha256, [])
        check.looked_at += 1
        if not rows:
            check.failures.append(f"{label}: no recorded reply to its request {request.sha256[:12]} (moot explain-miss {label} says why)")
        for wrong in filter(None, map(request.differences, rows)):
            check.failures.append(f"{label}: its recorded row states another {', '.join(wrong)} than its request")
    used = {request.sha256 for request in requests.values()}
    check.remark = f"{sum(len(rows) for sha256, rows in recorded.items() if sha256 not in used)} rows not in use today{_twice(recorded)}"
    return check


def _twice(recorded: dict[str, list[Row]]) -> str:
    """What to say where one reply, byte for byte, stands under two requests. Equal words may be said twice, so it is no failure."""
    times = Counter({row["response_sha256"]: 0 for rows in recorded.values() for row in rows})
    for rows in recorded.values():
        times.update({row["response_sha256"] for row in rows})
    again = sum(count > 1 for count in times.values())
    return f"; {again} replies stand under two requests, byte for byte" if again else ""


def answers_match(study: InUse) -> Check:
    """Every attempt's request, rebuilt from matter and settings. A first one that an order ended need not be there."""
    ended = {(order.matter_id, order.contestant) for order in orders_in(ANSWER_ORDERS, AnswerOrder)}
    wanted = {asked.label: asked.request for asked in study.attempts if asked.rows or asked.order or asked.key not in ended}
    return _matched("requests of answers rebuilt from matters and settings", wanted, study.answers)


def verdicts_match(study: InUse) -> Check:
    """Every verdict's request, rebuilt from the two answers, the stored sides and the instrument."""
    ended = {order.presentation_id for order in orders_in(VERDICT_ORDERS, VerdictOrder)}
    shown = study.all_presentations
    wanted = {
        name: request
        for name, request in study.all_requests.items()
        if request.sha256 in study.verdicts or shown[name].presentation_id not in ended
    }
    check = _matched("requests of verdicts rebuilt from answers, sides and instrument", wanted, study.verdicts)
    absent = study.planned_pairings - len(wanted.keys() - study.second.keys())
    if absent:
        check.remark += f"; {absent} planned pairings are missing"
    return check


def controls_match(study: InUse) -> Check:
    """Every control's request, rebuilt from its texts, its matter and the instrument."""
    return _matched("requests of controls rebuilt from their texts and the instrument", study.control_requests, study.qualification)


def sides_stand(study: InUse) -> Check:
    """Every stored assignment in use, and how many the drawing rule does not give again (used all the same)."""
    odd = [pairing for pairing, assignment in study.assignments.items() if not rederivable(assignment)]
    check = Check("stored assignments name their two contestants", len(study.assignments), [], f"{len(odd)} not rederivable")
    if study.study.both_orders:
        check.looked_at += len(study.turned_assignments)
        absent = sorted(study.assignments.keys() - study.turned_assignments.keys())
        check.failures += [f"{ASSIGNMENTS_RECORDING}: {pairing} has no stored assignment of its other order" for pairing in absent]
    return check


def pin_holds(study: InUse) -> Check:
    """The study's instrument digest is that of the instrument in conf/, and of every verdict in use."""
    pinned, used = study.study.instrument_sha256, study.instrument_sha256
    check = Check("the study pins the instrument in use", 1, [] if pinned == used else [f"pinned {pinned}, in use {used}"])
    for pairing, rounds in study.all_rounds.items():
        for row in (study.verdicts[request.sha256][0] for request in rounds):
            check.looked_at += 1
            if row["instrument_sha256"] != pinned:
                check.failures.append(f"{pairing}: its verdict was given under instrument {row['instrument_sha256']}")
    return check


def readings_stand(study: InUse) -> Check:
    """Every verdict in use read again from the received body; the recorded reading of this version of the reader says the same."""
    check = Check("verdicts read again from their received bodies")
    known = {(row["request_sha256"], row["response_sha256"], row["reader"]): row for row in Recording(READINGS_RECORDING).load()}
    for pairing, rounds in study.all_rounds.items():
        for row in (study.verdicts[request.sha256][0] for request in rounds):
            check.looked_at += 1
            before = known.get((row["request_sha256"], row["response_sha256"], READER))
            said = said_of(study, row)[1].verdict
            if before is None:
                check.failures.append(f"{READINGS_RECORDING}: {pairing}: no row says what {READER} reads in its reply")
            elif before["verdict"] != said:
                check.failures.append(f"{READINGS_RECORDING}: {pairing}: {before['verdict']} stands there, and the body says {said}")
    return check
