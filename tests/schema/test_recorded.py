"""Recorded rows: a row that is properly sealed and is not what stands in its recording is refused with the key, whatever is wrong."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.calls import seal
from stages.schema.jsonl import read_rows
from stages.schema.recorded import KINDS, check_form, file_of, kind_in, row_name
from tests.store.shopkeeper import row

ROOT = Path(__file__).parents[2]
SHA = "0123456789abcdef" * 4
CALL = {
    "format": 1, "matter_id": "Q01", "attempt": 1, "matter_sha256": SHA, "settings_sha256": SHA, "request_sha256": SHA,
    "response_sha256": SHA, "wire": "openai-chat", "route": "r", "model": "m", "http_status": 200, "body": "{}", "body_encoding": "utf-8",
    "started_at": "2026-11-30T08:15:11.123Z", "elapsed_ms": 12, "tries": [], "row_sha256": SHA,
}  # fmt: skip
JUDGED = {"judge": "owl", "presentation_id": SHA, "instrument_sha256": SHA}
SOUND = {
    "answer": {**CALL, "kind": "answer", "contestant": "alder"},
    "verdict": {**CALL, **JUDGED, "kind": "verdict", "answer_a_sha256": SHA, "answer_b_sha256": SHA},
    "control": {**CALL, **JUDGED, "kind": "control", "answer_a_sha256": SHA, "answer_b_sha256": SHA},
    "assignment": {
        "format": 1, "kind": "assignment", "matter_id": "Q01", "contestant_1": "alder", "contestant_2": "birch", "answer_a_was": "alder",
        "answer_b_was": "birch", "ordinal": 0, "rule": "coin-1", "seed": -7, "row_sha256": SHA,
    },
    "reading": {
        **JUDGED, "format": 1, "kind": "reading", "matter_id": "Q01", "attempt": 1, "reader": "reader-1", "request_sha256": SHA,
        "response_sha256": SHA, "verdict": "tie", "row_sha256": SHA,
    },
}  # fmt: skip
IMPOSSIBLE = {
    "format": [2, "1", None, 1.0, True],
    "matter_id": ["", "one", 1, None, "Q1", "../Q01"],
    "attempt": [0, -1, "1", 1.0, True, None, 2**63],
    "http_status": ["200", 99, 600, 200.0, None],
    "body": [None, ["x"], 3, {}],
    "body_encoding": ["latin-1", None, 3],
    "started_at": ["noon", "", 0, None, "2026-11-30", "2026-11-30T08:15:11Z", "2026-02-30T08:15:11.123Z"],
    "elapsed_ms": [-1, "12", 1.5, None],
    "tries": ["none", [1], {}, None],
    "contestant": ["Alder", "a b", "", None, "../alder", "a.b"],
    "contestant_1": ["Alder", 1],
    "answer_a_was": [None, ""],
    "judge": ["", 1, None],
    "presentation_id": ["abc", "", None, SHA.upper(), SHA + "0"],
    "request_sha256": ["abc", None, 1, [SHA]],
    "response_sha256": ["abc", None],
    "row_sha256": ["abc", None],
    "ordinal": [-1, "0", None, True],
    "seed": ["7", 2**63, 0.5, None],
    "rule": ["", None],
    "reader": ["", None],
    "verdict": ["C", "a", "", None],
    "wire": ["", None],
    "model": ["", 7],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_row_of_each_kind_is_taken_where_it_belongs_and_nowhere_else(kind):
    check_form(SOUND[kind])
    check_form(SOUND[kind], kind)
    for other in KINDS.keys() - {kind}:
        with pytest.raises(
            ValueError, match=f"the row is of kind '{kind}', and belongs in {file_of(kind)}; here stand rows of kind '{other}'"
        ):
            check_form(SOUND[kind], other)


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, sound in SOUND.items() for key in sound if key != "kind"])
def test_a_missing_key_is_named(kind, key):
    with pytest.raises(ValueError, match=f"^key '{key}' is missing$"):
        check_form({k: v for k, v in SOUND[kind].items() if k != key}, kind)


@pytest.mark.parametrize(
    ("kind", "key", "value"), [(kind, key, value) for kind, sound in SOUND.items() for key in sound for value in IMPOSSIBLE.get(key, [])]
)
def test_an_impossible_value_is_named_with_its_key(kind, key, value):
    with pytest.raises(ValueError, match=f"^key '{key}") as refused:
        check_form({**SOUND[kind], key: value}, kind)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_too_many_is_named_with_the_nearest_right_one(kind):
    with pytest.raises(ValueError, match=r"^unknown key 'matterid'; the nearest is 'matter_id'$"):
        check_form({**SOUND[kind], "matterid": "Q01"}, kind)


@pytest.mark.parametrize("kind", ["ansver", "", None, 3, ["answer"], {}])
def test_a_kind_that_there_is_not_is_refused(kind):
    for wanted in (None, "answer"):
        with pytest.raises(ValueError, match="kind"):
            check_form({**SOUND["answer"], "kind": kind}, wanted)
    with pytest.raises(ValueError, match="no row is of kind None"):
        check_form({})


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_any_value_at_any_key_is_taken_or_refused_in_one_sentence(kind, data):
    value = data.draw(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers()) | st.just({"a": 1}))
    changed = {**SOUND[kind], data.draw(st.sampled_from(sorted(SOUND[kind]))): value}
    try:
        check_form(changed, kind)
    except ValueError as refused:
        assert "\n" not in str(refused)
    else:
        assert changed.keys() == SOUND[kind].keys()


def test_what_the_buyer_seals_has_the_form_of_its_kind():
    check_form(row(1), "answer")


@pytest.mark.parametrize("path", sorted((ROOT / "data/recordings").glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_shipped_row_has_the_form_of_its_recording(path):
    rows = read_rows(path)
    assert rows or path.stem == "qualification", "controls may wait for their replies; the rest was recorded"
    assert file_of(kind_in(path.name)) == path.name
    for found in rows:
        check_form(found, kind_in(path.name))


def test_every_kind_has_a_recording_of_its_own_and_no_other_file_has_a_kind():
    assert [kind_in(file_of(kind)) for kind in KINDS] == list(KINDS)
    assert [kind_in(name) for name in ("rows.jsonl", "answers", "answer.jsonl", "verdict.jsonl")] == [None] * 4


def test_messages_call_a_row_by_what_it_is_for():
    assert row_name(row(7)) == "answer Q007 alder 1"
    assert row_name({}) == "a row without a kind"
    assert row_name(seal({"format": 1, "kind": "verdict", "judge": "owl"})) == "verdict owl"
