"""What a design could have shown: known numbers, and the power counted over every outcome in exact fractions."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.stats.detectability import decisive_needed, least_wins, needed, power_of, reach
from stages.stats.sign_test import sign_test

SIX_PAIRS = 0.05 / 6


@pytest.mark.parametrize(
    ("decisive", "alpha", "wins", "share"),
    [
        (10, 0.05, 9, 0.917), (10, SIX_PAIRS, 10, 0.978), (20, 0.05, 15, 0.799), (20, SIX_PAIRS, 17, 0.883),
        (80, 0.05, 50, 0.663), (80, SIX_PAIRS, 53, 0.699), (6, 0.05, 6, 0.963), (8, SIX_PAIRS, 8, 0.972),
        (5, 0.05, None, None), (7, SIX_PAIRS, None, None), (0, 0.05, None, None),
    ],
)  # fmt: skip
def test_known_reaches(decisive, alpha, wins, share):
    found = reach(decisive, alpha)
    assert (found.n, found.alpha, found.power, found.least_wins) == (decisive, alpha, 0.8, wins)
    assert found.detectable_share == (None if share is None else pytest.approx(share, abs=6e-4))


@given(st.integers(0, 200), st.sampled_from([0.05, 0.01, SIX_PAIRS]))
def test_the_least_wins_reach_alpha_and_one_fewer_does_not(decisive, alpha):
    wins = least_wins(decisive, alpha)
    if wins is None:
        assert sign_test(decisive, 0).p > alpha
        return
    assert sign_test(wins, decisive - wins).p <= alpha
    assert sign_test(wins - 1, decisive - wins + 1).p > alpha


@given(st.integers(0, 40), st.sampled_from([0.5, 0.6, 0.75, 0.9, 1.0]), st.sampled_from([0.05, 0.01]))
def test_the_power_over_every_outcome(decisive, share, alpha):
    p = Fraction(share)
    outcomes = {wins: comb(decisive, wins) * p**wins * (1 - p) ** (decisive - wins) for wins in range(decisive + 1)}
    known = sum(chance for wins, chance in outcomes.items() if sign_test(wins, decisive - wins).p <= alpha)
    assert power_of(decisive, share, alpha) == pytest.approx(float(known), abs=1e-12)


@given(st.integers(6, 120))
def test_a_detectable_share_is_found_with_the_stated_power(decisive):
    assert power_of(decisive, reach(decisive).detectable_share, 0.05) == pytest.approx(0.8, abs=1e-9)


def test_sixty_to_forty_takes_two_hundred_and_ten():
    assert (decisive_needed(0.6, 0.8, 0.05), decisive_needed(0.7, 0.8, 0.05)) == (210, 54)
    found = needed(10, 80)
    assert (found.share, found.power, found.alpha, found.decisive, found.matters) == (0.6, 0.8, 0.05, 210, 1680)
    assert needed(10, 80, share=0.7).matters == 432
    assert needed(3, 80).matters == 5600
    assert needed(0, 10).matters is None


@pytest.mark.parametrize("share", [0.58, 0.6, 0.65, 0.7, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("alpha", [0.05, SIX_PAIRS])
def test_from_there_on_the_power_never_falls_short_again(share, alpha):
    wanted = decisive_needed(share, 0.8, alpha)
    assert power_of(wanted - 1, share, alpha) < 0.8
    assert all(power_of(decisive, share, alpha) >= 0.8 for decisive in range(wanted, 4 * wanted))


@pytest.mark.parametrize("share", [0.5, 0.4, 1.1])
def test_a_share_that_nobody_can_find_is_refused(share):
    with pytest.raises(ValueError, match=f"a share to be found lies above 0.5 and is at most 1, and {share} is not"):
        decisive_needed(share, 0.8, 0.05)
