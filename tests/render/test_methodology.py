"""The methodology page: its words are those of the configuration and of the record."""

import dataclasses
import json

from stages.render.methodology import methodology
from tests.render.test_site import Reading

FRAME = {"study": "A study", "record": "0a" * 32, "judge": "oak"}
ANCHORS = [
    "questions",
    "sequence",
    "decision",
    "instrument",
    "controls",
    "neutralization",
    "interruptions",
    "reruns",
    "timing",
    "assignment",
    "scope",
]


def text_of(evidence) -> str:
    return Reading(methodology(evidence, **FRAME).text).spaced


def test_every_section_is_there_and_the_contents_name_it(small):
    page = Reading(methodology(small, **FRAME).text)
    assert [attrs["id"] for attrs in page.named("h2")] == ANCHORS
    assert [attrs["href"] for attrs in page.named("a") if attrs["href"].startswith("#") and attrs["href"] != "#main"] == [
        f"#{each}" for each in ANCHORS
    ]


def test_the_instrument_stands_there_word_for_word(small):
    page = Reading(methodology(small, **FRAME).text)
    quoted = [data for tag, data in page.texts if tag == "blockquote"]
    pieces = [piece.text for piece in small.instrument.message if hasattr(piece, "text")]
    assert quoted == [small.instrument.system, *pieces]
    schema = next(data for tag, data in page.texts if tag == "pre" and data.startswith("{"))
    assert json.loads(schema) == small.instrument.reply_schema
    assert small.study.instrument_sha256 in page.text


def test_a_changed_instrument_changes_the_page(small):
    other = small.instrument.model_copy(update={"system": "You are somebody else."})
    assert "You are somebody else." in text_of(dataclasses.replace(small, instrument=other))


def test_six_questions_are_answered_with_this_records_numbers(small):
    text = text_of(small)
    assert text.count("?") >= 6
    assert "1 answer names its maker or model, and 2 verdicts were given" in text
    assert "It chose Answer A in " in text
    assert "It has not shown it: identical: 0 of 1 passed" in text
    assert (
        "Of 9 planned answers, 8 are there: 6 complete, 1 cut off at the token limit and 1 empty. Of 9 planned verdicts, 1 cannot be read and 3 are missing."
        in text
    )
    assert "uv run moot verify" in text


def test_orders_rules_and_dates_are_told(small):
    text = text_of(small)
    assert "Order: abandon Q03:birch the model was withdrawn (A. Author, 2026-11-30)" in text
    assert "Series 1 the first delivered attempt is scored, whatever it is" in text
    assert "alder, trained until not stated" in text
    assert "cedar, trained until 2026-01-31" in text
    assert "First call 2026-11-30 08:15 UTC" in text
    assert "Not given again by their rule 1" in text


def test_what_was_public_when_stands_where_its_file_is(small):
    without = {name: tree for name, tree in small.metrics.items() if name != "timing"}
    assert "public before" not in text_of(dataclasses.replace(small, metrics=without))
    series = {"1": {"answers": 3, "public_before": 1, "same_day": 2, "public_after": 0}}
    metrics = {**small.metrics, "timing": {"contestants": {"alder": {"series": series}}}}
    assert "alder 1 3 1 2 0" in text_of(dataclasses.replace(small, metrics=metrics))


def test_what_was_tested_and_what_was_asked_beside_the_scores_is_said_as_it_was(small, designed):
    tested, asked = "It is tested itself on controls", "Asked as well, and in no score"
    assert tested in text_of(small)
    assert asked not in text_of(small)
    untested = text_of(dataclasses.replace(small, rows={**small.rows, "controls": []}))
    assert tested not in untested
    assert "No control was put before it, so it is untested." in untested
    assert "This record has none." in untested
    assert f"{asked}: the same answers with their sides exchanged and elm about the same presentations." in text_of(designed)
