"""A whole record built by hand: three contestants, three matters, every kind of verdict. No model said anything in it.

What is in it, and what comes out:
    answers     8 of 9: birch left Q03 unanswered, so its two pairings there are missing
    Q01         alder beats birch, alder ties cedar, birch and cedar both inadequate
    Q02         cedar beats alder, alder's verdict against birch is missing, birch against cedar is unreadable
    Q03         alder beats cedar
    controls    two of Q01 for testing, both orders: alike_length passes, identical is A both times
    designed    the same with elm as a second judge, and both judges on both orders: SECOND says what they found
    oddities    the stored sides of Q01:alder~cedar are not those of the coin; cedar names itself in Q02; one request has two replies
"""

import shutil
from dataclasses import replace
from pathlib import Path

import yaml

from stages.record import InUse
from stages.schema.calls import FORMAT, seal
from stages.schema.canonical import text_digest
from stages.schema.controls import ControlVerdict
from stages.schema.jsonl import write_rows
from stages.schema.matter import Matter
from stages.schema.names import pairing_id, pairs
from stages.schema.orders import AnswerOrder
from stages.schema.rows import Assignment, Attempt, Pairing, Verdict, draw
from stages.schema.rows import turned as other_order
from stages.schema.settings import settings

NAMES = ["alder", "birch", "cedar"]
MATTERS = ["Q01", "Q02", "Q03"]
SEED = 5
INSTRUMENT = "f" * 64
ODD = "Q01:alder~cedar"
REAL_INSTRUMENT = Path(__file__).parents[1] / "conf/instrument/material_outcome.yaml"
SPECIFICATIONS = Path(__file__).parents[1] / ".dvc/plots"
WINNERS = {
    "Q01:alder~birch": "alder",
    "Q01:alder~cedar": "tie",
    "Q01:birch~cedar": "both_inadequate",
    "Q02:alder~cedar": "cedar",
    "Q02:birch~cedar": "unreadable",
    "Q03:alder~cedar": "alder",
}

SECOND = {  # by judge and whether turned
    ("oak", True): {
        "Q01:alder~birch": "alder", "Q01:alder~cedar": "tie", "Q01:birch~cedar": "birch", "Q02:alder~birch": "alder",
        "Q02:alder~cedar": "alder", "Q02:birch~cedar": "cedar", "Q03:alder~cedar": "tie",
    },
    ("elm", False): {
        "Q01:alder~birch": "alder", "Q01:alder~cedar": "cedar", "Q01:birch~cedar": "both_inadequate", "Q02:alder~birch": "birch",
        "Q02:alder~cedar": "cedar", "Q02:birch~cedar": "tie", "Q03:alder~cedar": "unreadable",
    },
    ("elm", True): {"Q01:alder~birch": "alder", "Q01:alder~cedar": "cedar", "Q02:alder~cedar": "cedar"},
}  # fmt: skip

PARAMS = """\
seed: 5
study: first
matters: all
contestants: [alder, birch, cedar]
instrument: material_outcome
judge: oak
runner: default
"""
STUDY = f"""\
title: Three <invented> trees & a judge
instrument_sha256: {INSTRUMENT}
attempt_rules: {{"1": recorded_attempt}}
"""
LOCAL = """\
provider: local
family: {name}
weights: {{file: {name}.gguf, sha256: {digest}}}
server: {{runtime: xllamacpp==1.0, context: 4096, threads: 2}}
decoding: {{max_tokens: 256, temperature: 0.0, seed: 1}}
"""
JUDGE = LOCAL.format(name="oak", digest=text_digest("oak")) + "qualifies: {passing_rate: 0.75, order_consistency: 0.75, matters: 1}\n"
HOSTED = """\
provider: openai
family: cedar
trained_until: "2026-01-31"
model: cedar-large
route: example/cedar-large
base_url: https://api.example/v1
decoding: {max_tokens: 256, temperature: 0.7}
"""


def conf_text(name: str) -> str:
    """The settings file of a contestant."""
    return HOSTED if name == "cedar" else LOCAL.format(name=name, digest=text_digest(name))


def matter(matter_id: str) -> Matter:
    return Matter(
        matter_id=matter_id, series="1", title=f"Title of {matter_id}", area="procedure", published="2026-11-30",
        facts=f"Facts of {matter_id}.", law="The law.", assignment="Advise.", source_path=f"data/matters/{matter_id}.md",
    )  # fmt: skip


def call(name: str) -> dict:
    """What a recorded call says of itself. The digests are of the name, so they differ from call to call."""
    return {
        "request_sha256": text_digest(f"request {name}"), "response_sha256": text_digest(f"response {name}"),
        "settings_sha256": text_digest("settings"), "route": "example/route", "model": "example-model",
        "started_at": "2026-11-30T08:15:11.123Z", "elapsed_ms": 1200, "tries": 1, "replies": 1, "finish_reason": "stop",
        "served_model": None, "served_by": None, "prompt_tokens": 100, "completion_tokens": 20, "cost_usd": None,
    }  # fmt: skip


def attempt(matter_id: str, contestant: str, **changes) -> Attempt:
    text = changes.pop("text", f"{contestant} on {matter_id}: appeal in time.")
    number = changes.get("attempt", 1)
    row = {
        **call(f"{matter_id} {contestant} {number}"), "matter_id": matter_id, "contestant": contestant, "attempt": number,
        "status": "complete", "provider_code": None, "text": text, "text_sha256": text_digest(text), "reasoning": None, "names_itself": False, "addresses_the_judge": False,
        "scored": True,
        "attempt_rule": "recorded_attempt", "ordered_by": None, "reason": None,
    }  # fmt: skip
    return Attempt(**{**row, **changes})


def pairing(matter_id: str, one: str, two: str) -> Pairing:
    return Pairing(pairing_id(matter_id, one, two), matter_id, one, two)


def turned(assignment: Assignment) -> Assignment:
    """The same pairing with its sides the other way round."""
    return Assignment(**{**assignment.row(), "answer_a_was": assignment.answer_b_was, "answer_b_was": assignment.answer_a_was})


def letter(assignment: Assignment, winner: str) -> str:
    """What the judge must have said for this to come out."""
    return {assignment.answer_a_was: "A", assignment.answer_b_was: "B"}.get(winner, winner)


def verdict(assignment: Assignment, winner: str, attempts: list[Attempt], **changes) -> Verdict:
    """The judge's verdict on what this assignment shows of these attempts."""
    texts = {a.contestant: a.text_sha256 for a in attempts if a.matter_id == assignment.matter_id and a.scored}
    unreadable = winner == "unreadable"
    row = {
        **call(f"verdict {assignment.pairing_id}"), "matter_id": assignment.matter_id, "judge": "oak", "attempt": 1, "scored": True,
        "presentation_id": assignment.shown_as(matter(assignment.matter_id).matter_sha256, texts),
        "instrument": "material_outcome", "instrument_sha256": INSTRUMENT, "reader": "reader-1",
        "verdict": letter(assignment, winner), "unreadable_because": "no JSON object" if unreadable else None,
        "material_difference": None if unreadable else winner in NAMES, "rationale": None if unreadable else f"Because of {winner}.",
        "rejected_points": [], "raw_text": "I would rather not." if unreadable else "{…}",
    }  # fmt: skip
    return Verdict(**{**row, **changes})


def rejected(answer: str, point: str, changes_course: bool = False) -> dict:
    return {"answer": answer, "point": point, "why": "the facts say nothing of it", "changes_course": changes_course}


def control(kind: str, order_number: int, expected: str, said: str, **changes) -> ControlVerdict:
    """One control of Q01 as the stage qualify leaves it."""
    drawn = draw(SEED, pairing("Q01", "alder", "birch"), ordinal=0)
    reply = verdict(drawn, said, small_attempts(), **call(f"control {kind} {order_number}"), verdict=said)
    own = {"control_id": f"Q01:{kind}", "kind": kind, "use": "testing", "order_number": order_number, "expected": expected}
    shown = {"presentation_id": text_digest(f"{kind} {order_number}"), "source_path": "data/controls/Q01.md"}
    return ControlVerdict(**{**reply.row(), **shown, **own, **changes})


def small_controls() -> list[ControlVerdict]:
    return [
        control("alike_length", 1, "A", "A"),
        control("alike_length", 2, "B", "B"),
        control("identical", 1, "tie", "A"),
        control("identical", 2, "tie", "A"),
    ]


def small_attempts() -> list[Attempt]:
    found = [attempt(matter_id, name) for matter_id in MATTERS for name in NAMES if (matter_id, name) != ("Q03", "birch")]
    special = {
        ("Q02", "cedar"): attempt("Q02", "cedar", text="As Cedar, I advise to wait.", names_itself=True, cost_usd=0.001, replies=2),
        ("Q03", "alder"): attempt("Q03", "alder", text="", status="empty", completion_tokens=None),
        ("Q01", "birch"): attempt("Q01", "birch", text="<script>alert(1)</script> & more", status="truncated", finish_reason="length"),
    }
    return [special.get((a.matter_id, a.contestant), a) for a in found]


def small_record() -> InUse:
    """The rows in use, as the earlier stages would leave them."""
    attempts = small_attempts()
    pairings = [pairing(matter_id, one, two) for matter_id in MATTERS for one, two in pairs(NAMES)]
    drawn = [draw(SEED, p, ordinal=0) for p in pairings if (p.matter_id, "birch") not in [("Q03", p.contestant_1), ("Q03", p.contestant_2)]]
    assignments = [turned(a) if a.pairing_id == ODD else a for a in drawn]
    points = {
        "Q01:alder~birch": [rejected("A", "<b>ten days</b>", True), rejected("B", "a holiday"), rejected("B", "a holiday")],
    }
    verdicts = [
        verdict(a, WINNERS[a.pairing_id], attempts, rejected_points=points.get(a.pairing_id, []))
        for a in assignments
        if a.pairing_id in WINNERS
    ]
    return InUse(
        matters=[matter(matter_id) for matter_id in MATTERS],
        contestants={name: settings("contestant", yaml.safe_load(conf_text(name))) for name in NAMES},
        attempts=attempts,
        pairings=pairings,
        assignments=assignments,
        verdicts=verdicts,
        judges={"oak": settings("judge", yaml.safe_load(JUDGE))},
        controls=small_controls(),
        answer_orders=[AnswerOrder("abandon", "the model was withdrawn", "A. Author", "2026-11-30T09:00:00.000Z", "birch", "Q03")],
    )


def second_judge() -> dict:
    """Elm, with thresholds of its own."""
    return {"elm": settings("judge", yaml.safe_load(JUDGE.replace("oak", "elm").replace(text_digest("oak"), text_digest("elm"))))}


def designed_record() -> InUse:
    """The small record of a study that asks for both orders and for a second judge, which passes both of its controls."""
    rows = small_record()
    first = {a.pairing_id: a for a in rows.assignments}
    turned = {name: other_order(a) for name, a in first.items()}
    second = [
        verdict(sides[name], winner, rows.attempts, judge=judge, **call(f"verdict {name} {judge} {is_turned}"))
        for (judge, is_turned), winners in SECOND.items()
        for name, winner in winners.items()
        for sides in [turned if is_turned else first]
    ]
    tested = [
        control(kind, order, expected, expected, judge="elm", **call(f"control {kind} {order} elm"))
        for kind, order, expected in [("alike_length", 1, "A"), ("alike_length", 2, "B"), ("identical", 1, "tie"), ("identical", 2, "tie")]
    ]
    return replace(
        rows, assignments=[*rows.assignments, *turned.values()], verdicts=[*rows.verdicts, *second],
        controls=[*rows.controls, *tested], second_judges=second_judge(),
    )  # fmt: skip


def sealed(assignment: Assignment) -> dict:
    return seal({"format": FORMAT, "kind": "assignment", **assignment.row()})


def write_project(root: Path, rows: InUse) -> None:
    """The files from which the stages record, measure and report read these rows."""
    files = {
        "params.yaml": PARAMS,
        "conf/study/first.yaml": STUDY,
        "conf/judge/oak.yaml": JUDGE,
        **{f"conf/contestant/{name}.yaml": conf_text(name) for name in NAMES},
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "conf/instrument").mkdir(parents=True, exist_ok=True)
    shutil.copy(REAL_INSTRUMENT, root / "conf/instrument")
    shutil.copytree(SPECIFICATIONS, root / ".dvc/plots", dirs_exist_ok=True)
    write_rows(root / "data/recordings/assignments.jsonl", map(sealed, rows.assignments))
    for name, calls in (("answers", rows.attempts), ("verdicts", rows.verdicts)):  # of a recorded reply, the pages read the digests alone
        digests = [{"request_sha256": each.request_sha256, "response_sha256": each.response_sha256} for each in calls]
        write_rows(root / f"data/recordings/{name}.jsonl", digests)
    for name in ("matters", "attempts", "pairings", "verdicts", "controls"):
        write_rows(root / f"data/work/{name}.jsonl", (row.row() for row in getattr(rows, name)))
    for name in ("answer", "verdict"):
        for order in getattr(rows, f"{name}_orders"):
            write_rows(root / f"data/orders/{name}s" / order.file_name, [order.row()])
