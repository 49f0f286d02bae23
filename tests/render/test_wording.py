"""Numbers and names as they read on a page."""

import json

import pytest

from stages.render import wording


@pytest.mark.parametrize(("share", "said"), [(0.0, "0.0 %"), (0.782609, "78.3 %"), (1.0, "100.0 %"), (0.5, "50.0 %")])
def test_shares_in_per_cent_do_not_part_from_their_sign(share, said):
    assert wording.percent(share) == said.replace(" ", "\u00a0")


@pytest.mark.parametrize(
    ("value", "said"), [(0.025, "+0.025"), (-0.0604, "\u22120.060"), (0.0, "0.000"), (-0.0004, "0.000"), (-1.0, "\u22121.000")]
)
def test_differences_have_a_sign_as_wide_as_plus_and_zero_has_none(value, said):
    assert wording.signed(value) == said


def test_intervals_levels_and_p_values():
    assert wording.bounds({"lo": -0.0599, "hi": 0.11344}) == "\u22120.060 to +0.113"
    assert wording.share_bounds({"lo": 0.5, "hi": 1.0}) == "50.0\u00a0% to 100.0\u00a0%"
    assert [wording.p_value(p) for p in (1.0, 0.753906, 0.001, 0.00099, 1e-17)] == ["1.000", "0.754", "0.001", "< 0.001", "< 0.001"]
    assert wording.level(0.95) == "95\u00a0%"
    assert wording.decimals(-0.3125) == "\u22120.31"


@pytest.mark.parametrize(("count", "said"), [(0, "0"), (999, "999"), (50030, "50\u202f030"), (1234567, "1\u202f234\u202f567")])
def test_thousands_stand_apart_in_every_locale(count, said):
    assert wording.grouped(count) == said


@pytest.mark.parametrize(("amount", "said"), [(None, "unknown"), (0.0, "$0.00"), (1.239, "$1.24"), (0.001, "$0.0010")])
def test_money_that_nobody_knows_is_not_nothing_and_a_little_is_not_rounded_away(amount, said):
    assert wording.dollars(amount) == said


def test_counts_with_their_nouns():
    assert [wording.plural(n, "matter") for n in (0, 1, 2)] == ["0 matters", "1 matter", "2 matters"]
    assert wording.plural(2, "reply", "replies") == "2 replies"


def test_names_in_a_sentence():
    assert [wording.listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert wording.in_words("both_inadequate") == "both inadequate"


def test_times_are_cut_and_never_reckoned():
    assert wording.day("2026-11-30T08:15:11.123Z") == "2026-11-30"
    assert wording.minute("2026-11-30T23:59:59.999Z") == "2026-11-30 23:59 UTC"


def test_a_configuration_as_lines():
    settings = {"decoding": {"seed": 1, "top_p": None}, "known_as": ["A", "B"], "model": "m", "only": [], "flag": True, "empty": {}}
    assert wording.flat(json.dumps(settings)) == [
        ("decoding.seed", "1"), ("decoding.top_p", None), ("known_as", "A, B"), ("model", "m"), ("only", None), ("flag", "true"), ("empty", "{}"),
    ]  # fmt: skip


def test_a_digest_is_known_by_its_form():
    assert wording.is_digest("0a" * 32)
    assert not any(wording.is_digest(text) for text in ("0A" * 32, "0a" * 31, "0a" * 32 + "\n", ""))
