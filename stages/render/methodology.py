"""The methodology: generated from the configuration and the instrument that ran and from the record's own numbers, so it cannot drift.

The sentences stand in templates/methodology.html.j2; here are the numbers and the settings that they speak of.
"""

import json

from stages.render.evidence import Evidence, Tree
from stages.render.frame import Page, page
from stages.render.judging import wanted
from stages.render.matter import status_words
from stages.render.overview import clearest
from stages.render.scenarios import timed
from stages.render.wording import in_words, listed, minute
from stages.schema.jsonl import Row
from stages.schema.settings import BlockPart, TextPart

BLOCKS = {"matter": "the matter: facts, law, assignment", "answer_a": "Answer A, whole", "answer_b": "Answer B, whole"}
RULES = {
    "recorded_attempt": "the first delivered attempt is scored, whatever it is",
    "completed_rerun": "an attempt that was cut off or kept back gives way to a later complete one that was ordered",
}
Facts = list[tuple[str, str]]


def methodology(evidence: Evidence, **frame: str) -> Page:
    """data/site/methodology.html."""
    metrics, instrument = evidence.metrics, evidence.instrument
    return page(
        "methodology.html",
        "methodology.html.j2",
        **frame,
        metrics=metrics,
        names=evidence.names,
        tested=bool(evidence.rows["controls"]),
        beside=beside(evidence),
        missing=metrics["coverage"]["verdicts"]["planned"] - metrics["coverage"]["verdicts"]["recorded"],
        ended=status_words(statuses(metrics["coverage"])),
        clearest=clearest(evidence),
        areas=len({row["area"] for row in evidence.matters}),
        instrument=instrument,
        instrument_name=evidence.instrument_name,
        study_pin=evidence.study.instrument_sha256,
        message=[block(piece) for piece in instrument.message],
        timed=timed(metrics.get("timing")),
        schema=json.dumps(instrument.reply_schema, ensure_ascii=False, indent=2),
        facts={
            "controls": controls(metrics["qualification"]),
            "neutralization": neutral(metrics["judge"]),
            "interruptions": [(name, status_words(own["status"])) for name, own in sorted(metrics["coverage"]["contestants"].items())],
            "reruns": reruns(evidence),
            "timing": timing(evidence),
            "assignment": assignment(evidence),
            "scope": [(row["contestant"], settings_in_short(row)) for row in evidence.rows["contestants"]],
        },
    )


def block(piece: TextPart | BlockPart) -> tuple[str, str]:
    """A piece of the judge's message: its text, or what is put in its place."""
    return ("text", piece.text) if isinstance(piece, TextPart) else ("block", BLOCKS[piece.block])


def beside(evidence: Evidence) -> str:
    """What was asked beside the scores, in a sentence; nothing where the study asks for no more than it scores."""
    by_judge: Tree = evidence.metrics["agreement"].get("by_judge", {})
    others = sorted(set(by_judge) - {evidence.judge})
    exchanged = any(own.get("orders") for own in by_judge.values())
    asked = ["the same answers with their sides exchanged"] * exchanged + [f"{listed(others)} about the same presentations"] * bool(others)
    return f"Asked as well, and in no score: {listed(asked)}." if asked else ""


def statuses(coverage: Tree) -> dict[str, int]:
    """How many of all answers ended in each way."""
    total: dict[str, int] = {}
    for own in coverage["contestants"].values():
        for status, count in own["status"].items():
            total[status] = total.get(status, 0) + count
    return total


def controls(qualification: Tree) -> Facts:
    counts = [(f"Matters for {use}", str(qualification.get(use, {}).get("matters", 0))) for use in ("testing", "settling")]
    return [("Wanted", wanted(qualification.get("thresholds", {}))), *counts, ("Outcome", qualification["because"])]


def neutral(judge: Tree) -> Facts:
    words = {"names_itself": "Answers that name their maker or model", "addresses_the_judge": "Answers that speak to the judge"}
    return [(words[flag], f"{judge[flag]['answers']}, shown in {judge[flag]['verdicts']} of the verdicts") for flag in words]


def reruns(evidence: Evidence) -> Facts:
    """The rule of each series, the attempts that it passes over, and every order with its reason and its name."""
    rules = [(f"Series {series}", RULES.get(rule, rule)) for series, rule in sorted(evidence.study.attempt_rules.items())]
    unscored = sum(not row["scored"] for row in evidence.rows["attempts"])
    return [*rules, ("Attempts that are not scored", str(unscored)), *(order(row) for row in evidence.rows["orders"])]


def order(row: Row) -> tuple[str, str]:
    what = row["pairing_id"] or f"{row['matter_id']}:{row['contestant']}"
    return f"Order: {in_words(row['order'])} {what}", f"{row['reason']} ({row['ordered_by']}, {row['ordered_at'][:10]})"


def timing(evidence: Evidence) -> Facts:
    days = sorted({row["published"] for row in evidence.matters})
    published = " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "no matter"
    trained = [(f"{row['contestant']}, trained until", row["trained_until"] or "not stated") for row in evidence.rows["contestants"]]
    calls = [row["started_at"] for row in evidence.rows["calls"]]
    asked = [("First call", minute(min(calls))), ("Latest call", minute(max(calls)))] if calls else []
    return [("Matters published", published), *trained, *asked]


def assignment(evidence: Evidence) -> Facts:
    used = evidence.metrics["coverage"]["assignments"]
    rules = ", ".join(sorted({str(row["drawn_by"]) for row in evidence.rows["assignments"]}))
    return [("In use", str(used["in_use"])), ("Not given again by their rule", str(used["not_rederivable"])), ("Rule", rules or "none")]


def settings_in_short(row: Row) -> str:
    """What was compared of a contestant: its model and its decoding, as far as it is set."""
    decoding: Tree = json.loads(row["settings"]).get("decoding", {})
    said = (f"{in_words(key)} {value}" for key, value in decoding.items() if value is not None and key != "limit_key")
    return f"{row['model']}; {', '.join(said)}"
