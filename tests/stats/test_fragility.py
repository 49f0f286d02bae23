"""Fragility by removing matters one by one from a list, as a reader would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.stats.fragility import Fragility, Range, fragility, without_one
from stages.stats.sign_test import sign_test

counts = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))


@pytest.mark.parametrize(
    ("wins", "losses", "n", "to_erase", "to_reverse"),
    [(6, 4, 80, 2, 3), (4, 6, 80, 2, 3), (4, 4, 77, 0, None), (5, 0, 9, 5, None), (0, 0, 10, 0, None), (2, 1, 3, 1, 2)],
)
def test_fragility_by_hand(wins, losses, n, to_erase, to_reverse):
    assert fragility(wins, losses, n) == Fragility(to_erase, to_reverse, n)


@given(counts)
def test_so_many_matters_and_no_fewer(given_counts):
    """Taking the leader's wins away one at a time: when does the lead end, and when does the other lead?"""
    wins, losses, _ = given_counts
    ahead, behind = max(wins, losses), min(wins, losses)
    gone = {sign: next((k for k in range(ahead + 1) if ahead - k - behind == -sign), None) for sign in (0, 1)}
    found = fragility(wins, losses, sum(given_counts))
    assert found.to_erase == gone[0]
    assert found.to_reverse == (gone[1] if ahead > behind else None)


@given(counts)
def test_the_extremes_are_those_of_every_matter_left_out_in_turn(given_counts):
    wins, losses, undecided = given_counts
    matters = [1] * wins + [-1] * losses + [0] * undecided
    left = [matters[:k] + matters[k + 1 :] for k in range(len(matters))] if len(matters) > 1 else []
    net = [sum(rest) / len(rest) for rest in left]
    share = [rest.count(1) / (rest.count(1) + rest.count(-1)) for rest in left if any(rest)]
    p = [sign_test(rest.count(1), rest.count(-1)).p for rest in left]
    found = without_one(wins, losses, undecided)
    for values, extremes in ((net, found.net_difference), (share, found.decisive_share), (p, found.p)):
        assert extremes == (Range(min(values), max(values)) if values else None)


def test_six_four_seventy_without_one():
    found = without_one(6, 4, 70)
    assert found.net_difference == Range(1 / 79, 3 / 79)
    assert found.decisive_share == Range(5 / 9, 6 / 9)
    assert (round(found.p.lo, 6), found.p.hi) == (0.507812, 1.0)


@given(counts)
def test_a_lead_that_one_matter_erases_is_gone_in_the_extremes(given_counts):
    wins, losses, undecided = given_counts
    found = without_one(wins, losses, undecided).net_difference
    if found is not None and wins > losses:
        assert (found.lo <= 0) == (fragility(wins, losses, sum(given_counts)).to_erase == 1)
