"""Canonical JSON: one spelling a value, and nothing that JSON or UTF-8 cannot hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.canonical import bytes_digest, canonical, compact, digest, digest_of_all, text_digest

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_text_reads_back_as_the_value(value):
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(TEXT, VALUES, max_size=6))
def test_the_order_of_keys_does_not_change_a_digest(value):
    turned = dict(reversed(value.items()))
    assert digest(turned) == digest(value)


@given(VALUES, VALUES)
def test_different_texts_have_different_digests(one, two):
    assert (canonical(one) == canonical(two)) == (digest(one) == digest(two))


@given(st.dictionaries(TEXT, VALUES, min_size=2, max_size=6))
def test_compact_keeps_the_order_it_was_given(value):
    assert list(json.loads(compact(value))) == list(value)


def test_real_characters_stand_in_the_text_and_no_spaces():
    assert canonical({"b": "é\u2028😀", "a": [1, 2.0, None]}) == '{"a":[1,2.0,null],"b":"é\u2028😀"}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [float("-inf")]}, "\ud800", {"\udfff": 1}])
@pytest.mark.parametrize("write", [canonical, compact])
def test_what_cannot_be_written_is_refused(write, value):
    with pytest.raises(ValueError):
        write(value)


def test_digests_are_sha256_in_lower_case_hex():
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # FIPS 180-4: the digest of nothing
    assert bytes_digest(b"") == text_digest("") == empty
    assert digest("") == bytes_digest(b'""')


@given(st.lists(st.text("0123456789abcdef", min_size=64, max_size=64)))
def test_a_digest_of_many_does_not_depend_on_their_order(digests):
    assert digest_of_all(digests) == digest_of_all(reversed(digests))
