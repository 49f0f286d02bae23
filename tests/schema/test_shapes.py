"""Shapes: whatever is put in, the sentence names the key and speaks in our own words."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from stages.schema.settings import GROUPS, settings
from stages.schema.shapes import (
    Count,
    Day,
    MatterId,
    Moment,
    Number,
    PlainWord,
    Sha256,
    Shape,
    Text,
    Whole,
    Words,
    checked,
    shape_of,
    shown,
)
from tests.schema.test_settings import CHOICES, HOSTED, LOCAL


class Part(Shape):
    word: PlainWord


class Thing(Shape):
    text: Annotated[str, Field(min_length=1, description="the name of a thing")]
    number: Count = 0
    day: Day = "2026-11-30"
    moment: Moment = "2026-11-30T08:15:11.123Z"
    digest: Sha256 = "0" * 64
    matter: MatterId = "Q01"
    words: Words = "w"
    part: Part = Part(word="a")
    parts: list[Part] = Field(default_factory=list)
    named: dict[str, Number] = Field(default_factory=dict)
    side: Literal["first", "second"] = "first"
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    flag: bool = True


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"text": None}, "key 'text' must be text, the name of a thing (it is null)"),
        ({"text": True}, "key 'text' must be text, the name of a thing (it is true)"),
        ({"text": 3}, "key 'text' must be text, the name of a thing (it is 3)"),
        ({"text": ["a"]}, "key 'text' must be text, the name of a thing (it is ['a'])"),
        ({"text": ""}, "key 'text' must not be empty (it is '')"),
        ({"txet": "t"}, "unknown key 'txet'; the nearest is 'text'"),
        ({"number": "1"}, "key 'number' must be a whole number (it is '1')"),
        ({"number": 1.0}, "key 'number' must be a whole number (it is 1.0)"),
        ({"number": True}, "key 'number' must be a whole number (it is true)"),
        ({"number": -1}, "key 'number' must be 0 or more (it is -1)"),
        ({"number": 2**63}, "key 'number' must be less than 9223372036854775808"),
        ({"day": "2026-02-30"}, "key 'day' must be a day such as \"2026-11-30\" (it is '2026-02-30')"),
        ({"day": "20261130"}, "key 'day' must be a day"),
        ({"moment": "noon"}, "key 'moment' must be a time such as 2026-11-30T08:15:11.123Z (it is 'noon')"),
        ({"moment": "2026-11-30T08:15:11Z"}, "key 'moment' must be a time"),
        ({"moment": "2026-13-30T08:15:11.123Z"}, "key 'moment' must be a time"),
        ({"digest": "abc"}, "key 'digest' must be a sha256, 64 digits of 0-9 and a-f (it is 'abc')"),
        ({"digest": "A" * 64}, "key 'digest' must be a sha256"),
        ({"digest": "0" * 64 + "\n"}, "key 'digest' must be a sha256"),
        ({"matter": "one"}, "key 'matter' must be the id of a matter, such as Q01 (it is 'one')"),
        ({"words": " \n"}, "key 'words' must be words, and none stand there"),
        ({"words": "\u200b\u2060\x1b"}, "key 'words' must be words, and none stand there"),
        ({"part": "a"}, "key 'part' must hold keys of its own (it is 'a')"),
        ({"part": {}}, "key 'part.word' is missing"),
        (
            {"part": {"word": "Two words"}},
            "key 'part.word' must be one plain word of lower-case letters, digits and hyphens (it is 'Two words')",
        ),
        ({"parts": {"word": "a"}}, "key 'parts' must be a list, such as [a, b] (it is {'word': 'a'})"),
        ({"parts": [{"word": "a"}, {"wrod": "a"}]}, "unknown key 'parts.1.wrod'; the nearest is 'word'"),
        ({"named": {"x": 0}}, "key 'named.x' must be 1 or more (it is 0)"),
        ({"named": {1: 1}}, "key 'named.1' must be quoted, because a key is text"),
        ({1: 1}, "key '1' must be quoted, because a key is text"),
        ({"side": "frist"}, "key 'side' must be 'first' or 'second'; the nearest is 'first' (it is 'frist')"),
        ({"side": None}, "key 'side' must be 'first' or 'second' (it is null)"),
        ({"share": 1}, "key 'share' must be less than 1.0 (it is 1)"),
        ({"share": 0}, "key 'share' must be more than 0.0 (it is 0)"),
        ({"share": float("nan")}, "key 'share' must be "),
        ({"share": float("inf")}, "key 'share' must be a finite number (it is inf)"),
        ({"flag": "yes"}, "key 'flag' must be true or false (it is 'yes')"),
    ],
)
def test_the_sentence_names_key_kind_and_value(change, sentence):
    with pytest.raises(ValueError) as refused:
        checked(Thing, {"text": "t", **change})
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("value", [None, [], "text", 3, [{}]])
def test_what_holds_no_keys_is_said_to_hold_none(value):
    with pytest.raises(ValueError, match=r"^must hold keys of its own$"):
        checked(Thing, value)


def test_a_misspelt_key_is_named_rather_than_the_missing_one():
    with pytest.raises(ValueError, match="unknown key 'wrod'; the nearest is 'word'"):
        checked(Part, {"wrod": "a"})


@dataclass(frozen=True)
class Row:
    name: Text
    size: Whole


def test_the_shape_of_a_dataclass_wants_all_its_fields_and_no_other():
    assert checked(shape_of(Row), {"name": "n", "size": -(2**63)}).size == -(2**63)
    assert checked(shape_of(Row, more=bool), {"name": "n", "size": 1, "more": True}).more is True
    assert shape_of(Row) is shape_of(Row)
    for wrong, sentence in [({"name": "n"}, "key 'size' is missing"), ({"name": "n", "size": 1, "more": True}, "unknown key 'more'")]:
        with pytest.raises(ValueError, match=sentence):
            checked(shape_of(Row), wrong)


def test_a_key_that_somebody_wrote_into_the_wrong_place_is_not_repeated():
    for wrong in ({"key_env": "sk-or-v1-planted"}, {"base_url": "ftp://user:sk-or-v1-planted@host"}, {"api_key": "sk-or-v1-planted"}):
        with pytest.raises(ValueError) as refused:
            settings("contestant", {**HOSTED, **wrong})
        assert next(iter(wrong)) in str(refused.value)
        assert "planted" not in str(refused.value)


def test_a_long_or_deep_value_is_shown_short():
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    for value in ("x" * 10_000, list(range(10_000)), deep, {"k": "v" * 10_000}):
        assert len(shown(value)) < 200


FOREIGN = (
    "input should",
    "value error",
    "valid ",
    "pydantic",
    "omegaconf",
    "hydra",
    "validation",
    "dictionary",
    "instance of",
    "discriminator",
    "traceback",
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["local", "openai", "all", "tie", "A"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=6,
)
WHOLE = {"choices": [CHOICES], "contestant": [LOCAL, HOSTED], "judge": [LOCAL, HOSTED]}


@pytest.mark.parametrize("group", GROUPS)
@given(data=st.data())
def test_no_word_of_a_library_reaches_the_user(group, data):
    """Any values at all, and sound ones of which one is replaced."""
    values = data.draw(VALUES)
    if group in WHOLE and data.draw(st.booleans()):
        sound = data.draw(st.sampled_from(WHOLE[group]))
        values = {**sound, data.draw(st.sampled_from(sorted(sound))): values}
    try:
        assert settings(group, values) is not None
    except ValueError as refused:
        said = str(refused)
        assert said
        assert "\n" not in said
        words = said.split("(it is ", maxsplit=1)[0].lower()
        assert [word for word in FOREIGN if word in words] == []
