"""metrics/coverage.json, on the small record built by hand."""

import dataclasses
from pathlib import Path

from tests.published import counted
from tests.small_record import small_record


def test_coverage_by_hand():
    coverage = counted(small_record())["coverage"]
    contestants = coverage.pop("contestants")
    assert coverage == {
        "matters": 3,
        "answers": {"planned": 9, "recorded": 8},
        "verdicts": {"planned": 9, "recorded": 6, "unreadable": 1},
        "assignments": {"in_use": 7, "not_rederivable": 1},
        "abandoned": {"Q03:birch": "the model was withdrawn (A. Author, 2026-11-30)"},
        "calls": 14 + 4,  # four controls
        "requests_with_two_replies": 1,
        "tokens": {"prompt": 1800, "completion": 340, "unknown_calls": 1},
        "cost_usd": 0.001,
        "cost_unknown_calls": 17,
    }
    assert contestants["birch"] == {
        "attempts": 2, "answers": 2, "unanswered": 1, "names_itself": 0, "addresses_the_judge": 0,
        "status": {"complete": 1, "truncated": 1, "filtered": 0, "blocked": 0, "refused": 0, "empty": 0},
    }  # fmt: skip
    assert contestants["alder"]["status"]["empty"] == 1
    assert contestants["cedar"]["names_itself"] == 1


def test_a_cost_that_nobody_knows_is_left_out():
    rows = small_record()
    attempts = [dataclasses.replace(attempt, cost_usd=None) for attempt in rows.attempts]
    coverage = counted(dataclasses.replace(rows, attempts=attempts))["coverage"]
    assert "cost_usd" not in coverage
    assert coverage["cost_unknown_calls"] == coverage["calls"]


def test_costs_are_summed_exactly_and_rounded_once():
    rows = small_record()
    attempts = [dataclasses.replace(attempt, cost_usd=0.1) for attempt in rows.attempts]
    assert counted(dataclasses.replace(rows, attempts=attempts))["coverage"]["cost_usd"] == 0.8


def test_the_page_of_measures_explains_every_count():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    section = page.split("## What is there\n")[1].split("\n## ", maxsplit=1)[0]
    coverage = counted(small_record())["coverage"]
    inner = {name for tree in (coverage[part] for part in ("answers", "verdicts", "assignments", "tokens")) for name in tree}
    named = {*coverage, *inner, *coverage["contestants"]["alder"]}
    assert [name for name in sorted(named) if f"`{name}`" not in section] == []
