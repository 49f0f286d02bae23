"""Counting with pairings left out: the identity, by property; what turns round, by hand."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.stats.counts import PairCount, pair_counts
from stages.stats.scenarios import leader, leaving_out, turned
from tests.verdict_tables import MATTERS, NAMES, random_rows, row_of, verdicts

PAIRINGS = [(matter, *pair) for matter in MATTERS for pair in combinations(NAMES, 2)]


@given(random_rows(), st.sets(st.sampled_from(PAIRINGS)))
def test_every_planned_pairing_is_scored_unreadable_missing_or_left_out(rows, out):
    whole = pair_counts(verdicts(rows), NAMES, MATTERS)
    found = leaving_out(verdicts(rows), NAMES, MATTERS, out)
    assert [(left.count.contestant_1, left.count.contestant_2) for left in found] == list(combinations(NAMES, 2))
    for left, headline in zip(found, whole, strict=True):
        count = left.count
        assert count.wins_1 + count.wins_2 + count.ties + count.both_inadequate == count.n
        assert count.n + count.unreadable + count.missing + left.left_out == left.planned == headline.planned == len(MATTERS)
        assert left.left_out == sum(pairing[1:] == (count.contestant_1, count.contestant_2) for pairing in out)
        assert 0 <= count.missing <= headline.missing


@given(random_rows(), st.sets(st.sampled_from(PAIRINGS)))
def test_what_stays_and_what_is_left_out_add_up(rows, out):
    stays, goes = leaving_out(verdicts(rows), NAMES, MATTERS, out), leaving_out(verdicts(rows), NAMES, MATTERS, set(PAIRINGS) - out)
    for one, two, whole in zip(stays, goes, pair_counts(verdicts(rows), NAMES, MATTERS), strict=True):
        for name in ("wins_1", "wins_2", "ties", "both_inadequate", "unreadable", "missing", "planned"):
            assert getattr(one.count, name) + getattr(two.count, name) == getattr(whole, name)


@given(random_rows())
def test_leaving_out_nothing_changes_nothing(rows):
    assert [left.count for left in leaving_out(verdicts(rows), NAMES, MATTERS, ())] == pair_counts(verdicts(rows), NAMES, MATTERS)


def test_a_missing_pairing_that_is_left_out_is_missing_no_more():
    rows = [row_of("M01", "alder", "birch", False, "A")]
    (left,) = leaving_out(verdicts(rows), ["alder", "birch"], ["M01", "M02"], {("M02", "alder", "birch")})
    assert (left.count.n, left.count.missing, left.left_out, left.planned) == (1, 0, 1, 2)


@pytest.mark.parametrize("stray", [("M09", "alder", "birch"), ("M01", "alder", "elm"), ("M01", "birch", "alder")])
def test_what_was_never_planned_cannot_be_left_out(stray):
    with pytest.raises(ValueError, match="is left out, and was never planned"):
        leaving_out(verdicts([]), NAMES, MATTERS, {stray})


COUNT = PairCount("alder", "birch", wins_1=0, wins_2=0, ties=3, both_inadequate=0, unreadable=0, planned=9)


@pytest.mark.parametrize(
    ("before", "after", "turn"),
    [((2, 1), (3, 1), None), ((2, 1), (1, 1), "erased"), ((2, 1), (1, 2), "reversed"), ((1, 1), (0, 1), "gained"), ((0, 0), (2, 2), None)],
)
def test_what_becomes_of_a_lead(before, after, turn):
    one, two = (replace(COUNT, wins_1=wins, wins_2=losses) for wins, losses in (before, after))
    assert turned(one, two) == turn
    assert turned(two, one) == {"erased": "gained", "gained": "erased"}.get(turn, turn)


def test_who_leads():
    assert leader(COUNT) is None
    assert leader(replace(COUNT, wins_1=1)) == "alder"
    assert leader(replace(COUNT, wins_2=1)) == "birch"
