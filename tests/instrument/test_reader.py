"""The reader: exactly one valid object, or unreadable; a verdict is never guessed."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stages.instrument.reader import read
from stages.schema.settings import settings

CONF = Path(__file__).parents[2] / "conf/instrument/material_outcome.yaml"
INSTRUMENT = settings("instrument", yaml.safe_load(CONF.read_text("utf-8")))
POINT = {"answer": "A", "point": "p", "why": "w", "changes_course": False}
REPLY = {"material_difference": True, "rationale": "Because.", "rejected_points": [POINT], "verdict": "B"}
GOOD = json.dumps(REPLY)


def reply(**change):
    return json.dumps({**REPLY, **change})


@pytest.mark.parametrize("word", ["A", "B", "tie", "both_inadequate"])
def test_each_word_of_the_menu_is_read(word):
    reading = read(INSTRUMENT, reply(verdict=word))
    assert (reading.verdict, reading.unreadable_because) == (word, None)
    assert (reading.material_difference, reading.rationale, reading.rejected_points) == (True, "Because.", (POINT,))


@pytest.mark.parametrize(
    "text",
    [
        f"  \n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"<think>First B, then {{A}} ...</think>{GOOD}",
        f"<think>\nx\n</think>\n\n```json\n{json.dumps(REPLY, indent=1)}\n```",
    ],
)
def test_the_rule_allows_white_space_a_preamble_and_a_fence(text):
    assert read(INSTRUMENT, text).verdict == "B"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "A or B",
        "null",
        "[]",
        "true",
        f"{GOOD}{GOOD}",
        f"{GOOD}\n{reply(verdict='A')}",
        f"{GOOD} A",
        f"The verdict: {GOOD}",
        f"{GOOD}\nBut on reflection A.",
        f"```json\n{GOOD}\n```\nA",
        f"```python\n{GOOD}\n```",
        f"<think>never ends {GOOD}",
        f"<think>a</think><think>b</think>{GOOD}",
        GOOD[:-1],
        GOOD[:-5],
        GOOD.replace('"verdict"', '"verdict": "A", "verdict"'),
        GOOD.replace('"verdict"', '"\\u0076erdict": "A", "verdict"'),
        GOOD.replace('"verdict"', '"Verdict": "A", "verdict"'),
        GOOD.replace('"verdict"', '"verdict\u200b": "A", "verdict"'),
        f"[{GOOD}]",
        f"{GOOD}\n{GOOD}",
        f"{GOOD},",
        json.dumps(GOOD),
        GOOD.replace('"', "'"),
        GOOD.replace("}]", "},]"),
        GOOD.replace("{", "{ // mine\n", 1),
        GOOD.replace("{", "{ /* mine */", 1),
        f"````\n```json\n{GOOD}\n```\n````",
        f"```json\n```json\n{GOOD}\n```\n```",
        f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",
        f"~~~\n{GOOD}\n~~~",
        f"```json {GOOD} ```",
        f"<think>{GOOD}</think>",
        f"<THINK>B</THINK>{GOOD}",
        f"<!-- {GOOD} -->",
        f"{GOOD}\x00",
        f"\u200b{GOOD}",
        reply(verdict="\uff22"),
        reply(verdict="B\x00"),
        reply(verdict={"verdict": "B"}),
        reply(verdict="C"),
        reply(verdict="a"),
        reply(verdict=" B"),
        reply(verdict="B\u200b"),
        reply(verdict="\u0412"),
        reply(verdict="A or B"),
        reply(verdict=None),
        reply(verdict=["B"]),
        reply(verdict="unreadable"),
        reply(extra=1),
        reply(material_difference="true"),
        reply(material_difference=1),
        reply(rationale=""),
        reply(rationale="x" * 401),
        reply(rejected_points=[POINT] * 4),
        reply(rejected_points=[{**POINT, "answer": "C"}]),
        reply(rejected_points=None),
        json.dumps({k: v for k, v in REPLY.items() if k != "rationale"}),
        GOOD.replace("true", "NaN"),
        GOOD.replace('"Because."', '"\\ud800"'),
        "\ufeff" + GOOD,
        "\u00a0" + GOOD,
        "[" * 100_000,
        "{" * 50,
        "9" * 5_000,
        reply(rejected_points=[POINT])[:-2] + "[" * 985 + "]" * 985 + "}",
        GOOD.replace('"rejected_points": [', '"rejected_points": [' + "[" * 985 + "]" * 985 + ", "),
    ],
    ids=range(69),
)
def test_everything_else_is_unreadable_with_its_reason(text):
    reading = read(INSTRUMENT, text)
    assert reading.verdict == "unreadable"
    assert reading.unreadable_because
    assert len(reading.unreadable_because) <= 200
    assert (reading.material_difference, reading.rationale, reading.rejected_points) == (None, None, ())


@given(st.text())
def test_any_text_is_read_or_unreadable(text):
    assert read(INSTRUMENT, text).verdict == "unreadable"


@given(st.text(max_size=20), st.text(max_size=20))
def test_words_around_the_object_never_pass(before, after):
    inside = (before + after).strip(" \t\r\n")
    expected = "unreadable" if inside else "B"
    assert read(INSTRUMENT, before + GOOD + after).verdict == expected


def test_a_menu_without_a_word_refuses_that_word():
    shorter = INSTRUMENT.model_copy(update={"menu": ["A", "B", "tie"]})
    assert read(shorter, reply(verdict="both_inadequate")).unreadable_because == "verdict is not on the menu"
