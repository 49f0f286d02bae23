"""record: joins answers, verdicts and the stored assignments into the published tables, and refuses what does not fit.

Writes data/tables/*.parquet. A row of verdicts, shortened:
    {"answer_a_was":"qwen-500m","answer_b_was":"qwen-1500m","contestant_1":"qwen-1500m","contestant_2":"qwen-500m","judge":"qwen-1500m",
     "matter_id":"Q01","pairing_id":"Q01:qwen-1500m~qwen-500m","verdict":"A","winner":"qwen-500m",…}
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from stages.runtime.compose import PARAMS, choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import (
    ANSWER_ORDERS,
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    ATTEMPTS,
    CONTROLS,
    MATTERS,
    ORDERS,
    PAIRINGS,
    QUALIFICATION_RECORDING,
    RERUN_ORDERS,
    VERDICT_ORDERS,
    VERDICTS,
    VERDICTS_RECORDING,
)
from stages.schema.calls import check_row
from stages.schema.canonical import canonical, text_digest
from stages.schema.controls import ControlVerdict
from stages.schema.jsonl import Row, read_made
from stages.schema.matter import Matter, matters_in
from stages.schema.names import answer_id, attempt_id, nearest, pairing_id, pairs, verdict_id
from stages.schema.orders import AnswerOrder, RerunOrder, VerdictOrder, check_folders, orders_in
from stages.schema.recorded import check_form
from stages.schema.rows import (
    Assignment,
    Attempt,
    Call,
    Pairing,
    RejectedPoint,
    Status,
    Stored,
    Verdict,
    chosen,
    in_force,
    rederivable,
    turned_in_force,
    turned_in_use,
)
from stages.schema.scenarios import ALWAYS, Scenario, all_scenarios, scenario_row
from stages.schema.settings import Choices, HostedJudge, HostedModel, LocalJudge, LocalModel, Study, settings
from stages.schema.tables import FOLDER, write_table

Answers = dict[tuple[str, str], Attempt]


@dataclass(frozen=True)
class InUse:
    """What the earlier stages left for this study, and every assignment that was ever stored."""

    matters: list[Matter]
    contestants: dict[str, LocalModel | HostedModel]
    attempts: list[Attempt]
    pairings: list[Pairing]
    assignments: list[Assignment]
    verdicts: list[Verdict]
    answer_orders: list[AnswerOrder] = field(default_factory=list)
    rerun_orders: list[RerunOrder] = field(default_factory=list)
    verdict_orders: list[VerdictOrder] = field(default_factory=list)
    judges: dict[str, LocalJudge | HostedJudge] = field(default_factory=dict)
    controls: list[ControlVerdict] = field(default_factory=list)
    scenarios: dict[str, Scenario] = field(default_factory=lambda: dict(ALWAYS))
    second_judges: dict[str, LocalJudge | HostedJudge] = field(default_factory=dict)


def winner(assignment: Assignment, verdict: str) -> str | None:
    """Who won, as the stored sides say: a contestant, ``tie``, ``both_inadequate``, or None for ``unreadable``.

    Raises ValueError for an unknown verdict word.
    """
    words = {
        "A": assignment.answer_a_was, "B": assignment.answer_b_was,
        "tie": "tie", "both_inadequate": "both_inadequate", "unreadable": None,
    }  # fmt: skip
    if verdict not in words:
        raise ValueError(f"{assignment.pairing_id}: {verdict!r} is no verdict; the words are {', '.join(words)}")
    return words[verdict]


def check_contestants(contestants: Iterable[str]) -> None:
    """Raise ValueError for a contestant whose name could not be told from a verdict in the column ``winner``."""
    if "tie" in contestants:
        raise ValueError("a contestant is called 'tie', which column winner says of a tie")


def check_attempts(attempts: Iterable[Attempt], matters: Iterable[str], contestants: Iterable[str]) -> None:
    """Raise ValueError for an attempt of an unknown matter or contestant, with an unknown status, or whose text is not its digest's."""
    known_matters, known_contestants = set(matters), set(contestants)
    for attempt in attempts:
        name = attempt_id(attempt.matter_id, attempt.contestant, attempt.attempt)
        if attempt.matter_id not in known_matters:
            raise ValueError(f"attempt {name} is of matter {attempt.matter_id!r}, which is not in the battery")
        if attempt.contestant not in known_contestants:
            raise ValueError(f"attempt {name} is of contestant {attempt.contestant!r}, which is not in the study")
        if attempt.status not in get_args(Status):
            raise ValueError(f"attempt {name} has status {attempt.status!r}; the statuses are {', '.join(get_args(Status))}")
        if attempt.text_sha256 != text_digest(attempt.text):
            raise ValueError(f"attempt {name}: text_sha256 does not match the text")


def scored_answers(attempts: Iterable[Attempt]) -> Answers:
    """The scored attempt of each answered matter. Raises ValueError where there are two, or where attempts stand and none is scored."""
    found: Answers = {}
    asked: set[tuple[str, str]] = set()
    for attempt in attempts:
        key = (attempt.matter_id, attempt.contestant)
        asked.add(key)
        if attempt.scored and key in found:
            raise ValueError(f"answer {answer_id(*key)} has two scored attempts: {found[key].attempt} and {attempt.attempt}")
        if attempt.scored:
            found[key] = attempt
    for key in sorted(asked - found.keys()):
        raise ValueError(f"answer {answer_id(*key)} has attempts and none of them is scored")
    return found


def check_pairings(pairings: Iterable[Pairing], matters: Iterable[str], contestants: Iterable[str]) -> None:
    """Raise ValueError unless the pairings are all C(N,2) pairs of every matter, each once, under their own ids."""
    planned = {pairing_id(matter, one, two) for matter in matters for one, two in pairs(contestants)}
    found: set[str] = set()
    for pairing in pairings:
        if pairing.pairing_id != pairing_id(pairing.matter_id, pairing.contestant_1, pairing.contestant_2):
            raise ValueError(f"pairing {pairing.pairing_id} does not name its own matter and contestants")
        if pairing.pairing_id in found:
            raise ValueError(f"pairing {pairing.pairing_id} stands twice")
        found.add(pairing.pairing_id)
    for stray in sorted(found - planned):
        raise ValueError(f"pairing {stray} is not of this study's matters and contestants")
    for absent in sorted(planned - found):
        raise ValueError(f"pairing {absent} is planned and has no row")


def assignments_in_use(pairings: Iterable[Pairing], answers: Answers, stored: Stored, matter_sha256: dict[str, str]) -> list[Assignment]:
    """The stored assignment of every pairing that has both answers. Raises ValueError where none is stored: nothing is drawn here."""
    answered: Stored = {}
    for pairing in pairings:
        both = {(pairing.matter_id, pairing.contestant_1), (pairing.matter_id, pairing.contestant_2)}
        if not both <= answers.keys():
            continue
        if pairing.pairing_id not in stored:
            raise ValueError(f"pairing {pairing.pairing_id} has both answers and no stored assignment")
        answered[pairing.pairing_id] = stored[pairing.pairing_id]
    used = chosen(answered, lambda row: _shown(row, matter_sha256, answers))
    for pairing_name in sorted(answered.keys() - used.keys()):
        raise ValueError(f"pairing {pairing_name} shares its presentation with another pairing, and no stored ordinal tells them apart")
    return list(used.values())


def _shown(assignment: Assignment, matter_sha256: dict[str, str], answers: Answers) -> str:
    matter, sides = assignment.matter_id, (assignment.contestant_1, assignment.contestant_2)
    return assignment.shown_as(matter_sha256[matter], {side: answers[matter, side].text_sha256 for side in sides})


def presentations(assignments: Iterable[Assignment], matter_sha256: dict[str, str], answers: Answers) -> dict[str, Assignment]:
    """Presentation id to the assignment behind it. Raises ValueError where two pairings would share one presentation."""
    found: dict[str, Assignment] = {}
    for assignment in assignments:
        shown = _shown(assignment, matter_sha256, answers)
        if shown in found:
            raise ValueError(f"pairings {found[shown].pairing_id} and {assignment.pairing_id} share the presentation {shown}")
        found[shown] = assignment
    return found


def judged(verdicts: Iterable[Verdict], shown: dict[str, Assignment]) -> list[tuple[Assignment, Verdict]]:
    """Each verdict with the assignment of its pairing; a pairing without a verdict has none here.

    Raises ValueError for a verdict that belongs to no pairing or to another matter's, two verdicts on one pairing, and verdicts of
    two judges or under two instruments.
    """
    found: dict[str, tuple[Assignment, Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda verdict: not verdict.scored):
        name = f"the verdict on presentation {verdict.presentation_id}"
        assignment = shown.get(verdict.presentation_id)
        if assignment is None or assignment.matter_id != verdict.matter_id:
            raise ValueError(f"{name} of {verdict.matter_id} belongs to no pairing of this study")
        if not verdict.scored:
            continue
        if assignment.pairing_id in found:
            raise ValueError(f"{name}: pairing {assignment.pairing_id} has two verdicts")
        found[assignment.pairing_id] = (assignment, verdict)
    for what in ("judge", "instrument", "instrument_sha256"):
        used = sorted({getattr(verdict, what) for _, verdict in found.values()})
        if len(used) > 1:
            raise ValueError(f"the verdicts have more than one {what}: {', '.join(used)}")
    return list(found.values())


def apart(rows: InUse, turned: dict[str, Assignment]) -> tuple[list[Verdict], list[Verdict]]:
    """The verdicts of the study's judge on the first order, on which the scores rest; and all others, which never mix with them."""
    first: list[Verdict] = []
    second: list[Verdict] = []
    for verdict in rows.verdicts:
        beside = verdict.judge in rows.second_judges or verdict.presentation_id in turned
        (second if beside else first).append(verdict)
    return first, second


def second_rows(
    verdicts: Iterable[Verdict], shown: dict[str, Assignment], turned: dict[str, Assignment], judges: Collection[str]
) -> list[Row]:
    """The rows of second_verdicts. Raises ValueError for another judge than ``judges``; and as ``judged``, by judge and order."""
    said: dict[tuple[str, bool], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.judge not in judges:
            raise ValueError(f"a verdict is of judge {verdict.judge!r}, which is no judge of this study; {nearest(verdict.judge, judges)}")
        said.setdefault((verdict.judge, verdict.presentation_id in turned), []).append(verdict)
    return [
        {**verdict_row(assignment, verdict, is_turned), "turned": is_turned}
        for (_, is_turned), found in said.items()
        for assignment, verdict in judged(found, turned if is_turned else shown)
    ]


def contestant_row(name: str, config: LocalModel | HostedModel) -> Row:
    """A row of contestants."""
    return {"contestant": name, **_system(config), "trained_until": config.trained_until}


def judge_row(name: str, config: LocalJudge | HostedJudge) -> Row:
    """A row of judges, with the thresholds by which it qualifies."""
    names = ("passing_rate", "order_consistency", "matters")
    return {"judge": name, **_system(config), **{key: getattr(config.qualifies, key, None) for key in names}}


def _system(config: LocalModel | HostedModel) -> Row:
    """What the tables say of any model. settings is the whole configuration, so its sha256 is config_sha256."""
    text = canonical(config.model_dump(mode="json"))
    return {
        "provider": config.provider,
        "model": config.model,
        "family": config.family,
        "route": config.route,
        "weights_sha256": config.weights.sha256 if isinstance(config, LocalModel) else None,
        "settings": text,
        "config_sha256": text_digest(text),
    }


def attempt_row(attempt: Attempt) -> Row:
    """A row of attempts."""
    row = {key: value for key, value in attempt.row().items() if key not in ("model", "replies")}  # calls has these
    name = attempt_id(attempt.matter_id, attempt.contestant, attempt.attempt)
    return {"attempt_id": name, **row, "source_path": ANSWERS_RECORDING.as_posix()}


def answer_row(attempt: Attempt) -> Row:
    """A row of answers, from the attempt that is scored."""
    kept = (
        "matter_id", "contestant", "attempt", "attempt_rule", "status", "finish_reason", "text", "text_sha256", "names_itself",
        "addresses_the_judge",
    )  # fmt: skip
    name = answer_id(attempt.matter_id, attempt.contestant)
    return {"answer_id": name, **_picked(attempt.row(), kept), "source_path": ANSWERS_RECORDING.as_posix()}


def assignment_row(assignment: Assignment) -> Row:
    """A row of assignments: the stored sides, and whether the rule that drew them gives them again."""
    kept = ("matter_id", "contestant_1", "contestant_2", "answer_a_was", "answer_b_was", "ordinal", "seed")
    own = {"pairing_id": assignment.pairing_id, "drawn_by": assignment.rule, "rederivable": rederivable(assignment)}
    return {**_picked(assignment.row(), kept), **own}


def verdict_row(assignment: Assignment, verdict: Verdict, is_turned: bool = False) -> Row:
    """A row of verdicts: what the judge said of A and B, and who that was."""
    kept = (
        "matter_id", "verdict", "material_difference", "rationale", "unreadable_because", "raw_text", "presentation_id", "judge",
        "attempt", "instrument", "instrument_sha256", "reader", "request_sha256", "response_sha256", "started_at",
    )  # fmt: skip
    return {
        **_picked(verdict.row(), kept),
        **_picked(assignment.row(), ("contestant_1", "contestant_2", "answer_a_was", "answer_b_was")),
        "verdict_id": verdict_id(assignment.pairing_id, verdict.judge, is_turned),
        "pairing_id": assignment.pairing_id,
        "winner": winner(assignment, verdict.verdict),
        "source_path": VERDICTS_RECORDING.as_posix(),
    }


def control_row(control: ControlVerdict) -> Row:
    """A row of controls: what was right, what the judge said, and whether the two agree."""
    kept = (
        "control_id", "matter_id", "kind", "use", "order_number", "expected", "verdict", "material_difference", "rationale",
        "unreadable_because", "raw_text", "presentation_id", "judge", "attempt", "instrument", "instrument_sha256", "reader",
        "request_sha256", "response_sha256", "started_at",
    )  # fmt: skip
    passed = control.verdict == control.expected
    return {**_picked(control.row(), kept), "passed": passed, "source_path": QUALIFICATION_RECORDING.as_posix()}


def rejected_rows(assignment: Assignment, verdict: Verdict) -> list[Row]:
    """The rows of rejected_points that one verdict gives, with the contestant's name for A or B. point_number is the place in the reply.

    Raises ValueError for a point that stands in neither answer.
    """
    sides = {"A": assignment.answer_a_was, "B": assignment.answer_b_was}
    rows = []
    for number, listed in enumerate(verdict.rejected_points, start=1):
        try:
            point = RejectedPoint.from_row(listed)
        except ValueError as error:
            raise ValueError(f"{assignment.pairing_id}: rejected point {number}: {error}") from None
        rows.append(
            {
                "verdict_id": verdict_id(assignment.pairing_id, verdict.judge),
                "matter_id": assignment.matter_id,
                "contestant": sides[point.answer],
                "point_number": number,
                **_picked(point.row(), ("point", "why", "changes_course")),
            }
        )
    return rows


def call_row(kind: str, call: Call) -> Row:
    """A row of calls. The endpoint is the declared route: no port, no host of the run."""
    kept = (
        "request_sha256", "response_sha256", "settings_sha256", "model", "served_model", "served_by", "finish_reason",
        "started_at", "elapsed_ms", "tries", "replies", "prompt_tokens", "completion_tokens", "cost_usd",
    )  # fmt: skip
    return {"kind": kind, "endpoint": call.route, **_picked(call.row(), kept)}


def order_rows(rows: InUse, shown: dict[str, Assignment], turned: dict[str, Assignment]) -> list[Row]:
    """The orders that concern this study: what was abandoned or asked for again, by whom and why. A verdict's order gets its pairing's
    name here; an order after an attempt at another text of the matter, or under other settings, is not of this study."""
    named = {presentation: (row.matter_id, f"{row.pairing_id}@turned") for presentation, row in turned.items()}
    named |= {presentation: (row.matter_id, row.pairing_id) for presentation, row in shown.items()}
    used = {attempt.request_sha256 for attempt in rows.attempts}
    matters = {matter.matter_id for matter in rows.matters}
    found: list[Row] = []
    for answer in rows.answer_orders:
        if answer.contestant in rows.contestants and answer.matter_id in matters:
            found.append(_order_row(answer, ANSWER_ORDERS, answer.matter_id, contestant=answer.contestant))
    for rerun in rows.rerun_orders:
        if rerun.after_sha256 in used:
            found.append(_order_row(rerun, RERUN_ORDERS, rerun.matter_id, contestant=rerun.contestant, attempt=rerun.attempt))
    for verdict in rows.verdict_orders:
        if verdict.presentation_id in named:
            matter, pairing = named[verdict.presentation_id]
            found.append(_order_row(verdict, VERDICT_ORDERS, matter, pairing_id=pairing))
    return found


def _order_row(order: AnswerOrder | RerunOrder | VerdictOrder, folder: Path, matter_id: str, **what: str | int) -> Row:
    """A row of orders. what: the answer, its further attempt, or the pairing that it is about."""
    about = {"matter_id": matter_id, "contestant": None, "attempt": None, "pairing_id": None, **what}
    own = {"order_sha256": order.row()["row_sha256"], "order": order.kind, "ordered_by": order.by}
    source = (folder / order.file_name).as_posix()
    return {**own, **about, "reason": order.reason, "ordered_at": order.ordered_at, "source_path": source}


def tables(rows: InUse) -> dict[str, list[Row]]:
    """The tables by name. Raises ValueError with one sentence about the first thing that does not fit."""
    matter_sha256 = {matter.matter_id: matter.matter_sha256 for matter in rows.matters}
    check_attempts(rows.attempts, matter_sha256, rows.contestants)
    check_pairings(rows.pairings, matter_sha256, rows.contestants)
    answers = scored_answers(rows.attempts)
    used = assignments_in_use(rows.pairings, answers, in_force(rows.assignments), matter_sha256)
    shown = presentations(used, matter_sha256, answers)
    others = turned_in_use(used, turned_in_force(rows.assignments), lambda row: _shown(row, matter_sha256, answers))
    turned = presentations(others.values(), matter_sha256, answers)
    first, second = apart(rows, turned)
    verdicts = judged(first, shown)
    return {
        "matters": [matter.row() for matter in rows.matters],
        "contestants": [contestant_row(name, config) for name, config in rows.contestants.items()],
        "attempts": [attempt_row(attempt) for attempt in rows.attempts],
        "answers": [answer_row(attempt) for attempt in answers.values()],
        "assignments": [assignment_row(assignment) for assignment in used],
        "verdicts": [verdict_row(assignment, verdict) for assignment, verdict in verdicts],
        "rejected_points": [row for assignment, verdict in verdicts for row in rejected_rows(assignment, verdict)],
        "calls": [
            *(call_row("answer", attempt) for attempt in rows.attempts),
            *(call_row("verdict", verdict) for verdict in rows.verdicts),
            *(call_row("control", control) for control in rows.controls),
        ],
        "judges": [judge_row(name, config) for name, config in rows.judges.items()],
        "controls": [control_row(control) for control in rows.controls if control.scored and control.judge not in rows.second_judges],
        "orders": order_rows(rows, shown, turned),
        "scenarios": [scenario_row(name, scenario) for name, scenario in rows.scenarios.items()],
        "second_judges": [judge_row(name, config) for name, config in rows.second_judges.items()],
        "second_verdicts": second_rows(second, shown, turned, {*rows.judges, *rows.second_judges}),
        "second_controls": [control_row(control) for control in rows.controls if control.scored and control.judge in rows.second_judges],
    }


def stored_assignment(row: Row) -> Assignment:
    """An assignment from its sealed row. Raises ValueError when the row was changed or is no assignment."""
    check_row(row)
    check_form(row, "assignment")
    return Assignment.from_row(row)


def _picked(row: Row, kept: Iterable[str]) -> Row:
    return {key: row[key] for key in kept}


def record() -> None:
    settled: Choices = choices(settings)
    study: Study = setting("study", settled.study, settings)
    with refusing(str(PARAMS)):
        check_contestants(settled.contestants)
    with refusing(kind=BadRecord):
        check_folders(ORDERS, [ANSWER_ORDERS, RERUN_ORDERS, VERDICT_ORDERS])
        rerun_orders = orders_in(RERUN_ORDERS, RerunOrder)
        answer_orders, verdict_orders = orders_in(ANSWER_ORDERS, AnswerOrder), orders_in(VERDICT_ORDERS, VerdictOrder)
    with refusing(str(ASSIGNMENTS_RECORDING), BadRecord):
        assignments = read_made(ASSIGNMENTS_RECORDING, stored_assignment)
    rows = InUse(
        matters=handed(MATTERS, matters_in),
        contestants={name: setting("contestant", name, settings) for name in settled.contestants},
        attempts=handed(ATTEMPTS, Attempt.read),
        pairings=handed(PAIRINGS, Pairing.read),
        assignments=assignments,
        verdicts=handed(VERDICTS, Verdict.read),
        answer_orders=answer_orders,
        rerun_orders=rerun_orders,
        verdict_orders=verdict_orders,
        judges={settled.judge: setting("judge", settled.judge, settings)},
        controls=handed(CONTROLS, ControlVerdict.read),
        scenarios=all_scenarios(study.scenarios),
        second_judges={name: setting("judge", name, settings) for name in settled.panel.second_judges},
    )
    with refusing("the rows in use", BadRecord):
        for name, found in tables(rows).items():
            write_table(name, found, FOLDER)


def main() -> None:
    run_stage("record", record, __doc__)


if __name__ == "__main__":
    main()
