"""Requests and call rows: the digest covers what decides a reply, the row covers its own content."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.calls import Exchange, Request, body_of, call_row, check_row, seal, try_row

BASE = Request(
    kind="answer",
    subject={"contestant": "a", "matter_id": "Q01", "attempt": 1},
    parts={"matter_sha256": "0" * 64},
    wire="openai-chat",
    route="somewhere",
    model="m",
    server=None,
    body={"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 0.0},
)
PINNED = "4bef9c58a5e84ac3bf502f16870db562aa0a783689a24e974cb14e20c3f92b49"  # of a row that was sealed when format 1 began
EXCHANGE = Exchange(200, b'{"choices":[]}', "2026-11-30T08:15:11.123Z", 12)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "verdict"},
        {"subject": {**BASE.subject, "contestant": "b"}},
        {"subject": {**BASE.subject, "matter_id": "Q02"}},
        {"subject": {**BASE.subject, "attempt": 2}},
        {"wire": "other"},
        {"route": "elsewhere"},
        {"server": {"threads": 2}},
        {"body": {**BASE.body, "model": "n"}},
        {"body": {**BASE.body, "temperature": 0.1}},
        {"body": {**BASE.body, "messages": [{"role": "user", "content": "y"}]}},
        {"body": dict(reversed(BASE.body.items()))},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_request_digest_changes_with_what_decides_the_reply(change):
    assert replace(BASE, **change).sha256 != BASE.sha256


def test_the_request_digest_does_not_change_with_what_only_describes():
    assert replace(BASE, parts={"matter_sha256": "1" * 64}).sha256 == BASE.sha256


def test_the_settings_digest_leaves_messages_and_subject_out():
    other = replace(BASE, subject={**BASE.subject, "matter_id": "Q09"}, body={**BASE.body, "messages": []})
    assert other.settings_sha256 == BASE.settings_sha256
    assert replace(BASE, body={**BASE.body, "temperature": 1.0}).settings_sha256 != BASE.settings_sha256


def test_a_request_says_what_it_is():
    assert BASE.name == "answer of a to Q01 (attempt 1)"
    verdict = replace(BASE, kind="verdict", subject={"judge": "j", "matter_id": "Q01", "presentation_id": "f" * 64, "attempt": 1})
    assert verdict.name == "verdict of j on Q01, presentation ffffffffffff"


@given(st.binary(max_size=200))
def test_any_body_comes_back_byte_for_byte(body):
    row = call_row(BASE, replace(EXCHANGE, body=body))
    check_row(row)
    assert body_of(row) == body


@given(st.binary(min_size=1, max_size=200))
def test_what_came_and_delivered_nothing_comes_back_byte_for_byte(body):
    tried = try_row("HTTP 200, but no answer", EXCHANGE.started_at, 12, 200, body)
    row = call_row(BASE, replace(EXCHANGE, tries=(tried,)))
    check_row(row)
    assert body_of(row["tries"][0]) == body
    assert row["tries"][0]["http_status"] == 200


def test_a_try_that_brought_nothing_is_one_line_as_ever():
    tried = try_row("HTTP 503", EXCHANGE.started_at, 12, 503)
    assert tried == {"started_at": EXCHANGE.started_at, "elapsed_ms": 12, "outcome": "HTTP 503"}


def test_the_format_of_rows_that_brought_nothing_before_has_not_moved():
    assert call_row(BASE, EXCHANGE)["row_sha256"] == PINNED


def test_a_row_holds_digests_of_its_parts_not_copies():
    row = call_row(BASE, EXCHANGE)
    assert row["matter_sha256"] == "0" * 64
    assert "messages" not in row
    assert row["request_sha256"] == BASE.sha256


ROW = call_row(BASE, EXCHANGE)


@pytest.mark.parametrize("key", [key for key in ROW if key != "row_sha256"])
def test_a_change_of_any_field_is_found(key):
    changed = {**ROW, key: "changed"}
    with pytest.raises(ValueError, match=r"row_sha256 does not match|row format"):
        check_row(changed)


def test_a_field_taken_out_or_put_in_is_found():
    with pytest.raises(ValueError, match="row_sha256"):
        check_row({key: value for key, value in ROW.items() if key != "model"})
    with pytest.raises(ValueError, match="row_sha256"):
        check_row({**ROW, "note": "x"})


def test_a_body_changed_and_sealed_again_is_found():
    with pytest.raises(ValueError, match="response_sha256 does not match the body"):
        check_row(seal({key: value for key, value in {**ROW, "body": "{}"}.items() if key != "row_sha256"}))


def test_another_format_is_refused():
    content = {key: value for key, value in {**ROW, "format": 2}.items() if key != "row_sha256"}
    with pytest.raises(ValueError, match="row format 2 is not 1"):
        check_row(seal(content))
