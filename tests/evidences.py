"""Evidence to render: constructed records of any size, counted as the stages count them. No model said anything in them."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import yaml

from stages import measure, record, report
from stages.instrument.asking import messages
from stages.record import InUse
from stages.render.evidence import Evidence
from stages.schema.names import pairs
from stages.schema.rows import draw
from stages.schema.settings import settings
from stages.schema.tables import write_table
from tests import small_record
from tests.small_record import REAL_INSTRUMENT, SEED, SPECIFICATIONS, attempt, conf_text, matter, pairing, small_controls, verdict

CONSTRUCTED = Path(__file__).parent / "golden/constructed"
STUDY = yaml.safe_load(small_record.STUDY)
FOUR = ["alder", "birch", "cedar", "dogwood"]
# What an answer may try: to run, to load, to style, to end its box, to turn the direction of writing, to look like the page itself.
HOSTILE = """\
<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><svg onload="window.hacked = 3"></svg>
</div></article></main><h1>The judge qualifies</h1><style>body { display: none !important }</style>
<a href="javascript:window.hacked = 4">run</a> <iframe src="https://example.org/"></iframe> <!-- a comment --> ]]> {{ 7 * 7 }} {% raw %}
\u202egnihtyna sesrever siht\u202c and \u2066isolates\u2069 and zero\u200bwidth

# The judge does not qualify

[a link](https://example.org/?leak) ![a picture](https://example.org/pixel.png) <https://example.org/auto> [js](javascript:alert(1))

| column | another |
|---|---|
| <b>cell</b> | `code` |

<style>@import url("https://example.org/x.css"); * { background: url(https://example.org/y) }</style>
"""


def evidence_of(rows: InUse, folder: Path, **changes) -> Evidence:
    """The evidence of these rows, through their tables in ``folder``."""
    tables = record.tables(rows)
    for name, found in tables.items():
        write_table(name, found, folder)
    instrument = settings("instrument", yaml.safe_load(REAL_INSTRUMENT.read_text("utf-8")))
    content = {
        "study": settings("study", STUDY),
        "instrument_name": "material_outcome",
        "instrument": instrument,
        "rows": tables,
        "metrics": measure.metrics(*measure.read_tables(folder)),
        "prompt": lambda brief, a, b: messages(instrument, brief, a, b),
        "specifications": report.read_specifications(SPECIFICATIONS),
    }
    return Evidence(**{**content, **changes})


def built(matters: list[str], names: list[str], said: Callable[[str, str, str], str], text: Callable[[str, str], str]) -> InUse:
    """A record in which every answer is there. said: who wins of (matter, one, two), or another outcome. text: the answer of a contestant."""
    attempts = [attempt(matter_id, name, text=text(matter_id, name)) for matter_id in matters for name in names]
    pairings = [pairing(matter_id, one, two) for matter_id in matters for one, two in pairs(names)]
    assignments = [draw(SEED, each, ordinal=0) for each in pairings]
    by_matter: dict[str, list] = {}
    for each in attempts:
        by_matter.setdefault(each.matter_id, []).append(each)
    verdicts = [
        verdict(each, said(each.matter_id, each.contestant_1, each.contestant_2), by_matter[each.matter_id]) for each in assignments
    ]
    return InUse(
        matters=[replace(matter(matter_id), area=f"area of {matter_id}") for matter_id in matters],
        contestants={name: settings("contestant", yaml.safe_load(conf_text(name))) for name in names},
        attempts=attempts,
        pairings=pairings,
        assignments=assignments,
        verdicts=verdicts,
        judges={"oak": settings("judge", yaml.safe_load(small_record.JUDGE))},
        controls=small_controls(),
    )


def in_brief(matter_id: str, name: str) -> str:
    return f"{name} on {matter_id}: appeal in time."


def of_length(matter_id: str, name: str) -> str:
    """An answer of about 2,000 characters, as long as a real one."""
    return f"{name} on {matter_id}. " + "The appeal must be with the registry in time, on paper, and must ask for suspension. " * 23


def four_by_eighty() -> InUse:
    """The constructed table of 480 verdicts, with answers to it."""
    with (CONSTRUCTED / "s1_four_by_eighty.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sides = {"A": "answer_a_was", "B": "answer_b_was"}
    won = {
        (r["matter_id"], r["contestant_1"], r["contestant_2"]): r[sides[r["verdict"]]] if r["verdict"] in sides else r["verdict"]
        for r in rows
    }
    return built(sorted({row["matter_id"] for row in rows}), FOUR, lambda *pairing: won[pairing], of_length)


def hostile() -> InUse:
    """Three contestants, one matter: two answers made of attacks, one a line of a million characters, and a reply that is none."""
    texts = {"alder": HOSTILE, "birch": HOSTILE + "\n" + HOSTILE.upper(), "cedar": "w" * 1_000_000}
    rows = built(["Q01"], small_record.NAMES, lambda *pairing: "alder" if "alder" in pairing else "unreadable", lambda _, name: texts[name])
    points = [{"answer": "A", "point": HOSTILE, "why": HOSTILE, "changes_course": True}]
    changed = [
        {**each.row(), "rationale": HOSTILE, "rejected_points": points}
        if each.verdict != "unreadable"
        else {**each.row(), "raw_text": HOSTILE, "unreadable_because": HOSTILE}
        for each in rows.verdicts
    ]
    matters = [
        type(each)(**{**{f: getattr(each, f) for f in each.__dataclass_fields__}, "title": HOSTILE, "area": HOSTILE})
        for each in rows.matters
    ]
    return type(rows)(**{**vars(rows), "verdicts": [type(rows.verdicts[0])(**each) for each in changed], "matters": matters})
