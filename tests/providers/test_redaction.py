"""The key in what came: taken out whole, in any spelling, and as far as it came where the reply broke off in it."""

import base64
import re
import urllib.parse

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stages.providers.arriving import Raw
from stages.providers.redaction import clean, without

KEY = "sk-planted/key+4f1d=AbC"
TOLD = "sk-p"  # what may stay of a key that breaks off: its first four characters
SPELLED = {
    "as itself": list(KEY),
    "with slashes escaped": [char.replace("/", "\\/") for char in KEY],
    "as JSON escapes it": [f"\\u{ord(char):04x}" for char in KEY],
    "as JSON escapes it, in capitals": [f"\\u{ord(char):04X}" for char in KEY],
    "as a URL does": [char if char.isalnum() else f"%{ord(char):02x}" for char in KEY],
}
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40)


def cleaned(body: bytes, cut: bool = True, key: str | None = KEY) -> bytes:
    return clean(key, Raw(200, {}, body), cut).body


@pytest.mark.parametrize("written", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("spelling", SPELLED)
def test_wherever_it_breaks_off_no_more_than_four_characters_stay(spelling, written):
    spelled = SPELLED[spelling]
    whole = f"<html>é {''.join(spelled)}".encode(written)
    told = "".join(spelled[: len(TOLD) + 1])
    for end in range(len("<html>é ".encode(written)), len(whole)):
        kept = cleaned(whole[:end])
        assert told.encode() not in kept.replace(b"\0", b"")
        assert kept.replace(b"\0", b"").startswith(b"<html>")


@pytest.mark.parametrize("spelling", SPELLED)
def test_whole_it_goes_whether_or_not_something_broke_off(spelling):
    spelled = "".join(SPELLED[spelling]).encode()
    assert cleaned(b"<%s> <%s" % (spelled, spelled), cut=False) == cleaned(b"<%s> <%s" % (spelled, spelled)) == b"<[key]> <[key]"


def test_what_ends_like_a_key_is_left_alone_where_nothing_broke_off():
    assert cleaned(b"it begins with sk-planted", cut=False) == b"it begins with sk-planted"
    assert cleaned(b"it begins with sk-planted") == b"it begins with [key]"
    assert cleaned(b"it begins with sk-p") == b"it begins with sk-p"


@pytest.mark.parametrize("key", [None, "", "EMPTY"])
def test_a_placeholder_is_no_secret(key):
    assert cleaned(b"The drawer was EMPTY.", key=key) == b"The drawer was EMPTY."
    assert without(key, "The drawer was full.") == "The drawer was full."


def test_bytes_without_a_key_stay_as_they_are_with_their_zeros():
    assert cleaned("no key here".encode("utf-16")) == "no key here".encode("utf-16")


@given(KEYS, st.binary(max_size=60), st.binary(max_size=60), st.integers(0, 40))
def test_any_key_in_any_bytes(key, before, after, end):
    assert key.encode() not in cleaned(before + key.encode() + after, key=key)
    kept = cleaned(before + key.encode()[:end], key=key)
    assert end < 5 or not kept.endswith(key.encode()[:5])


RECODED = {
    "hex": lambda data: data.hex(),
    "hex in capitals": lambda data: data.hex().upper(),
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64 of addresses": lambda data: base64.urlsafe_b64encode(data).decode(),
    "base64 with slashes escaped": lambda data: base64.b64encode(data).decode().replace("/", "\\/"),
    "base64 in a query": lambda data: urllib.parse.quote(base64.b64encode(data).decode(), safe=""),
}


def traces(key: str, text: str) -> bool:
    """Whether six characters in a row of the key can be read in ``text``, as it stands, from hex, or from base64."""
    plain = urllib.parse.unquote(text).replace("\\/", "/").replace("-", "+").replace("_", "/")
    found = [text.encode(), plain.encode()]
    for run in re.findall(r"[A-Za-z0-9+/]{8,}", plain):
        found += [base64.b64decode(run[start:][: len(run[start:]) // 4 * 4]) for start in range(4)]
    for run in re.findall(r"[0-9A-Fa-f]{8,}", text):
        found += [bytes.fromhex(run[start:][: len(run[start:]) // 2 * 2]) for start in range(2)]
    return any(key[at : at + 6].encode() in data for at in range(len(key) - 5) for data in found)


@pytest.mark.parametrize("coded", RECODED.values(), ids=RECODED)
@given(key=KEYS, before=st.binary(max_size=5), after=st.binary(max_size=5))
@example(key=KEY, before=b"Bearer ", after=b"")
@example(key="??>>~~~~", before=b"", after=b"")  # all of it plus and slash signs
def test_a_key_that_was_coded_with_what_stands_around_it_goes(coded, key, before, after):
    said = f"<{coded(before + key.encode() + after)}>"
    kept = cleaned(said.encode(), cut=False, key=key).decode()
    assert not traces(key, kept), (said, kept)
    assert "[key]" in kept
    assert kept[0] + kept[-1] == "<>"


def test_headers_too():
    assert clean(KEY, Raw(302, {"location": f"https://elsewhere.example/?key={KEY}"}, b"")).headers["location"].endswith("?key=[key]")
    assert without(KEY, f"no such key: {KEY}\n") == "no such key: [key]"
