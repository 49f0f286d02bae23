"""Rows as the store sees them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.calls import seal
from stages.schema.recorded import row_name
from stages.store.sealed import check, place
from tests.store.shopkeeper import row


def test_a_sealed_row_stands():
    check(row(1))


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "other"},
        {"body": "x"},
        {"row_sha256": "0" * 64},
        {"format": 2},
        {"body": None},
        {"body_encoding": 3},
        {"body_encoding": "base64"},
    ],
)  # fmt: skip
def test_a_changed_row_does_not(changed):
    with pytest.raises(ValueError, match=r"."):
        check({**row(1), **changed})


@pytest.mark.parametrize("changed", [{"body": None}, {"body": ["x"]}, {"body_encoding": None}, {"body_encoding": "base64", "body": "*"}])
def test_a_row_that_was_sealed_with_nonsense_inside_does_not(changed):
    crafted = {key: value for key, value in {**row(1), **changed}.items() if key != "row_sha256"}
    with pytest.raises(ValueError, match=r"."):
        check(seal(crafted))


def test_a_row_whose_body_has_no_encoding_does_not():
    crafted = {key: value for key, value in row(1).items() if key not in ("row_sha256", "body_encoding")}
    with pytest.raises(ValueError, match="body_encoding is not text"):
        check(seal(crafted))


def test_a_row_that_only_names_a_reply_needs_no_body():
    """A reading says which reply it read; the reply itself stands in another recording."""
    named = {key: value for key, value in row(1).items() if key not in ("row_sha256", "body", "body_encoding")}
    check(seal(named))
    assert "body" not in named


def test_a_row_nested_too_deeply_is_refused_like_any_other():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        check({"format": 1, "deep": deep, "row_sha256": ""})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["format", "kind", "body", "body_encoding", "response_sha256", "row_sha256", "attempt", "judge"])


@given(st.dictionaries(KEYS, JSON))
def test_any_object_is_either_whole_or_refused_and_has_a_name_and_a_place(found):
    for each in (found, {**found, "format": 1}):
        with suppress(ValueError):
            check(each)
        assert row_name(each)
        assert sorted([each, each], key=place)


def test_numbers_sort_as_numbers():
    rows = [{"kind": "answer", "attempt": attempt} for attempt in (10, 9, 2)]
    assert [each["attempt"] for each in sorted(rows, key=place)] == [2, 9, 10]


def test_kind_comes_before_matter_and_matter_before_contestant():
    a = {"kind": "answer", "matter_id": "Q02", "contestant": "alder"}
    b = {"kind": "answer", "matter_id": "Q01", "contestant": "birch"}
    c = {"kind": "verdict", "matter_id": "Q01", "judge": "owl"}
    d = {"kind": "answer", "matter_id": "Q01", "contestant": "alder"}
    assert sorted([a, b, c, d], key=place) == [d, b, a, c]
