"""Names and ids: plain words, pairs in alphabetical order, and an id that says nothing about names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema import names


@pytest.mark.parametrize("name", ["a", "qwen-500m", "gpt4", "a-b-c", "x9"])
def test_plain_words_pass(name):
    assert names.plain_word(name) == name


@pytest.mark.parametrize(
    "name", ["", "Two words", "a b", "a.b", "a~b", "a:b", "a@b", "-a", "a-", "a--b", "9a", "é", "a\n", "../a", "a,b", "A"]
)
def test_anything_else_is_no_plain_word(name):
    with pytest.raises(ValueError, match="is not one plain word"):
        names.plain_word(name)


@pytest.mark.parametrize("bad", ["Q1", "q01", "Q01a", "", "Q01\n", "Q00001", "Q 01"])
def test_matter_ids_have_one_form(bad):
    assert names.matter_id("Q01") == "Q01"
    with pytest.raises(ValueError, match="is not a matter id"):
        names.matter_id(bad)


@given(st.sets(st.text("abcdef", min_size=1), max_size=8))
def test_pairs_are_all_pairs_and_alphabetical(contestants):
    found = names.pairs(contestants)
    assert len(found) == len(contestants) * (len(contestants) - 1) // 2 == len(set(found))
    assert all(one < two for one, two in found)
    assert found == sorted(found)


def test_ids_read_from_left_to_right():
    assert names.answer_id("Q01", "a") == "Q01:a"
    assert names.attempt_id("Q01", "a", 2) == "Q01:a:2"
    assert names.pairing_id("Q01", "a", "b") == "Q01:a~b"
    assert names.verdict_id("Q01:a~b", "j") == "Q01:a~b@j"


HEX = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(HEX, HEX, HEX, st.integers(0, 9))
def test_a_presentation_id_depends_on_matter_sides_and_ordinal_only(matter, a, b, ordinal):
    shown = names.presentation_id(matter, a, b, ordinal)
    assert shown == names.presentation_id(matter, a, b, ordinal)
    assert shown != names.presentation_id(matter, a, b, ordinal + 1)
    assert (shown == names.presentation_id(matter, b, a, ordinal)) == (a == b)


def test_the_nearest_name_is_named_or_all_are():
    assert names.nearest("temprature", ["temperature", "top_p"]) == "the nearest is 'temperature'"
    assert names.nearest("zzz", ["b", "a"]) == "known: a, b"
    assert names.nearest("zzz", []) == "known: none"


@pytest.mark.parametrize(
    ("text", "found"), [("I am Qwen.", True), ("QWEN", True), ("qwendolyn", False), ("(qwen)", True), ("", False), ("Alibaba Cloud", True)]
)
def test_a_name_counts_as_a_word_of_its_own(text, found):
    assert names.mentions(text, ["Qwen", "Alibaba Cloud", ""]) is found
