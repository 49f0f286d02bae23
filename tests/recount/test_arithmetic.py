"""The second arithmetic against worked values from elsewhere, against identities, and against the first over many counts."""

from math import comb, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.recount import arithmetic as second
from stages.stats import detectability, paired, proportions, sign_test

COUNTS = [
    (0, 0, 1),
    (0, 1, 1),
    (1, 0, 1),
    (2, 4, 8),
    (4, 4, 8),
    (6, 4, 80),
    (0, 0, 20),
    (20, 0, 20),
    (0, 20, 20),
    (5, 0, 80),
    (37, 12, 300),
]


def close(one, two, abs_tol=1e-9):
    return isclose(one, two, rel_tol=1e-9, abs_tol=abs_tol)


@pytest.mark.parametrize(("wins", "losses", "n"), COUNTS)
def test_tangos_interval_is_the_first_ones(wins, losses, n):
    first = paired.tango(wins, losses, n)
    assert second.tango(wins, losses, n) == (pytest.approx(first.lo, abs=1e-9), pytest.approx(first.hi, abs=1e-9))


def test_tangos_interval_on_the_worked_example():
    """6 against 4 of 80: the worked value of docs/measures.md."""
    lo, hi = second.tango(6, 4, 80)
    assert (round(lo, 3), round(hi, 3)) == (-0.060, 0.113)


@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (3, 8), (7, 24), (150, 320), (1, 5000)])
def test_intervals_of_a_share_are_the_first_ones(count, n):
    for method in ("clopper_pearson", "wilson"):
        first = getattr(proportions, method)(count, n)
        assert getattr(second, method)(count, n) == (pytest.approx(first.lo, abs=1e-9), pytest.approx(first.hi, abs=1e-9))


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test_is_the_first_one(wins, losses):
    first = sign_test.sign_test(wins, losses)
    p, p_mid = second.sign_test(wins, losses)
    assert close(p, first.p, 1e-300)
    assert close(p_mid, first.p_mid, 1e-300)


def test_beyond_whole_numbers_the_sign_test_goes_on():
    assert close(second.at_most(990, 2000, 0.5), sum(comb(2000, k) for k in range(991)) / 2**2000, 1e-12)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holms_correction_is_the_first_one(chances):
    assert second.holm(chances) == pytest.approx(sign_test.holm(chances))


@given(st.integers(0, 120), st.integers(0, 120))
def test_jeffreys_share_is_the_first_one(wins, losses):
    first = sign_test.share_above_half(wins, losses)
    if first is not None:
        assert close(second.beta_share(0.5, losses + 0.5, wins + 0.5), first, 1e-12)


@pytest.mark.parametrize("decisive", [0, 1, 5, 6, 8, 10, 33, 80, 210, 1500])
def test_what_could_be_found_is_the_first_ones(decisive):
    first = detectability.reach(decisive)
    assert second.least_wins(decisive, 0.05) == first.least_wins
    found = second.detectable(decisive, 0.05, 0.8)
    assert (found is None) == (first.detectable_share is None)
    assert found is None or close(found, first.detectable_share, 1e-9)


def test_what_it_takes_is_210_for_sixty_to_forty():
    assert second.needed(0.6, 0.8, 0.05) == 210


@pytest.mark.parametrize(("freedom", "known"), [(1, 12.706205), (2, 4.302653), (7, 2.364624), (30, 2.042272), (1000, 1.962339)])
def test_students_t_is_that_of_the_tables(freedom, known):
    assert second.t_quantile(freedom) == pytest.approx(known, abs=1e-6)


@given(st.floats(0.001, 0.999), st.floats(0.5, 200), st.floats(0.5, 200))
def test_the_two_tails_of_the_beta_distribution_are_one(x, a, b):
    assert second.beta_share(x, a, b) + second.beta_share(1 - x, b, a) == pytest.approx(1, abs=1e-9)
