"""Foreign bytes: Hypothesis tries what people and machines get wrong; ``make fuzz`` lets a coverage-guided fuzzer look for more."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stages.runtime.compose import composed
from tests.fuzz.targets import SEEDS, TARGETS, survive


def broken(seed, number, chance):
    """``seed`` with a few bytes cut out, doubled, or replaced."""
    data = bytearray(seed)
    for _ in range(number):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randrange(4)] = chance.choice(
            [b"", b"\x00", b"\xff", b"{", b"}", b'"', b"\n", b"---\n", b"&a *a", b"9" * 400, b"\xed\xa0\x80"]
        )
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_a_sound_input_that_is_broken_is_refused_in_one_sentence(name):
    chance = random.Random(f"moot {name}")
    for seed in SEEDS[name]:
        for number in range(1, 40):
            data = broken(seed, number, chance)
            survive(name, data)
            assert data is not None


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60)
@given(data=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(data=b"")
@example(data=b"?")
@example(data=b"[" * 20_000)
@example(data=b"{" * 20_000)
@example(data=b"9" * 10_000)
def test_any_bytes_are_read_or_refused(name, data):
    survive(name, data)
    assert name in TARGETS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("temperature: 1e-5", "line 8: 1e-5 is text to one reader and a number to another: write it with a point, such as 1.0e-5"),
        ("temperature: on", "line 8: on is text to one reader and a truth value to another"),
        ("max_tokens: 0o17", "line 7: 0o17 is octal to one reader"),
        ("max_tokens: 017", "line 7: 017 is octal to one reader"),
        ("max_tokens: 10\n  max_tokens: 11", "line 8: duplicate key 'max_tokens'"),
        ("seed: 2026-11-30", "line 8: 2026-11-30 is a date to one reader"),
        ("seed: 12:30", "line 8: 12:30 is base sixty"),
        ("temperature: 1:30.5", "line 8: 1:30.5 is base sixty"),
        ("temperature: +.5", "line 8: +.5 is a number to one reader and text to another: write a nought before the point"),
        ("seed: 08", "line 8: 08 is octal to one reader and something else to another"),
        ("seed: -1_", "line 8: -1_ is a number to one reader and text to another: write it without underscores"),
        ("seed: !!python/object:os.system x", "a tag"),
        ("a: &a [x,x]\n  b: &b [*a,*a]\n  c: [*b,*b]", "an anchor or alias"),
        ("temperature: ${oc.env:HOME}", "temperature"),
        ("temperature: .nan", "temperature"),
        ("temperature: .inf", "temperature"),
        ("max_tokens: 1_0", "line 7: 1_0 is a number to one reader"),
    ],
)
def test_traps_of_yaml_are_refused_with_the_reason(tmp_path, text, reason):
    from stages.schema.settings import settings as typed

    path = tmp_path / "contestant/trap.yaml"
    path.parent.mkdir()
    base = "provider: openai\nfamily: f\nmodel: m\nroute: r\nbase_url: https://example.org/v1\ndecoding:\n"
    limit = "" if "max_tokens" in text else "  max_tokens: 10\n"
    path.write_text(f"{base}{limit}  {text}\n")
    with pytest.raises(ValueError) as refused:
        typed("contestant", composed("contestant", "trap", tmp_path))
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 600


def test_a_small_number_is_a_number_to_everybody(tmp_path):
    path = tmp_path / "contestant/small.yaml"
    path.parent.mkdir()
    path.write_text("a: 1.0e-5\nb: '1e-5'\nc: 'on'\nd: \"2026-11-30\"\n")
    assert composed("contestant", "small", tmp_path) == {"a": 1e-05, "b": "1e-5", "c": "on", "d": "2026-11-30"}
