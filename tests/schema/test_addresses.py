"""Addresses: what cannot be asked is refused with the nearest that can, and no refusal repeats what may be a secret."""

import ast

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.addresses import address


@pytest.mark.parametrize(
    "text",
    ["https://api.example.org/v1", "http://127.0.0.1:8000/v1", "https://example.org", "http://[::1]:8/v1", "https://example.org/@me/v1"],
)
def test_what_can_be_asked_stays_as_it_is(text):
    assert address(text) == text
    assert httpx.URL(f"{text}/chat/completions").path.endswith("/chat/completions")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("api.example.org/v1", "it begins with neither http:// nor https://; the nearest is 'https://api.example.org/v1'"),
        ("localhost:8000/v1", "it begins with neither http:// nor https://; the nearest is 'http://localhost:8000/v1'"),
        ("http:/127.0.0.1/v1", "it begins with neither http:// nor https://; the nearest is 'http://127.0.0.1/v1'"),
        ("//example.org/v1", "it begins with neither http:// nor https://; the nearest is 'https://example.org/v1'"),
        ("ftp://example.org/v1", "it begins with neither http:// nor https://; the nearest is 'https://example.org/v1'"),
        ("https://example.org /v1", "a blank stands in it; the nearest is 'https://example.org/v1'"),
        ("https://example.org/v1\n", "a blank stands in it; the nearest is 'https://example.org/v1'"),
        ("https://example.org/v1/", "a slash stands at its end, and the path of a call is put behind it; the nearest is 'https://example.org/v1'"),
        ("http:///v1", "its host or its port is none"),
        ("https://", "its host or its port is none"),
        ("https://https://example.org/v1", "its host or its port is none"),
        ("http://[::1/v1", "its host or its port is none"),
        ("http://example.org:99999/v1", "its host or its port is none"),
        ("http://example.org:port/v1", "its host or its port is none"),
        ("", "it begins with neither http:// nor https://"),
    ],
)  # fmt: skip
def test_what_cannot_is_refused_with_the_nearest_that_can(text, sentence):
    with pytest.raises(ValueError) as refused:
        address(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("https://me:hidden@example.org/v1", "a key belongs in the environment, under the name that key_env gives"),
        ("me:hidden@example.org/v1", "a key belongs in the environment"),
        ("https://hidden you:x@example.org/v1", "a key belongs in the environment"),
        ("https://me:hid/hidden@example.org/v1", "its host or its port is none"),
        ("https://example.org/v1?key=hidden", "a query or a fragment stands in it"),
        ("https://example.org/v1#hidden", "a query or a fragment stands in it"),
        ("example.org/v1?key=hidden", "it begins with neither http:// nor https://; the nearest is 'https://example.org/v1'"),
    ],
)
def test_a_secret_in_it_is_not_repeated(text, words):
    with pytest.raises(ValueError, match=words) as refused:
        address(text)
    assert "hidden" not in str(refused.value)


@given(st.text(st.sampled_from("htps:/@?#[]. \n1v%é"), max_size=24) | st.text(max_size=12))
def test_any_text_is_taken_whole_or_refused_and_the_nearest_is_taken(text):
    try:
        assert address(text) == text
    except ValueError as refusal:
        _, given_too, nearest = str(refusal).partition("; the nearest is ")
        assert not given_too or address(ast.literal_eval(nearest))
