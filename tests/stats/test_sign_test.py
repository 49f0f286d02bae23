"""The sign test, Holm's correction and Jeffreys' probability: published examples, exact fractions, and second definitions."""

import json
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binomtest

from stages.stats.sign_test import SignTest, at_most, holm, share_above_half, sign_test
from tests.verdict_tables import vicuna

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden/published/pairs.json").read_text(encoding="utf-8"))["sign_test"]
counts = st.tuples(st.integers(0, 150), st.integers(0, 150))
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=6)


@pytest.mark.parametrize("known", PUBLISHED, ids=lambda known: known["source"])
def test_published_p_values(known):
    found = sign_test(known["wins"], known["losses"])
    assert (found.p, found.p_mid) == pytest.approx((known["p"], known["p_mid"]), abs=6e-7)


def test_the_p_values_of_the_real_record():
    for known in vicuna()[1]["pairs"].values():
        assert sign_test(known["wins_1"], known["wins_2"]).p == pytest.approx(known["sign_p"], abs=1e-9)


def test_six_against_four():
    found = sign_test(6, 4)
    assert (found.p, found.p_mid, found.n, found.method) == (
        pytest.approx(772 / 1024), pytest.approx(562 / 1024), 10, "exact_binomial",
    )  # fmt: skip


@given(counts)
def test_the_p_value_in_exact_fractions(given_counts):
    wins, losses = given_counts
    n, fewer = sum(given_counts), min(given_counts)
    at, below = comb(n, fewer), sum(comb(n, k) for k in range(fewer))
    found = sign_test(wins, losses)
    assert found.p == pytest.approx(float(min(1, Fraction(2 * (below + at), 2**n))), rel=1e-12)
    assert found.p_mid == pytest.approx(float(min(1, Fraction(2 * below + at, 2**n))) if wins != losses else 1.0, rel=1e-12)


@given(counts)
def test_the_p_value_is_scipys(given_counts):
    wins, losses = given_counts
    known = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses).p == pytest.approx(known, rel=1e-9)


@given(counts)
def test_it_does_not_matter_who_comes_first_and_mid_p_is_the_bolder_one(given_counts):
    wins, losses = given_counts
    found = sign_test(wins, losses)
    assert sign_test(losses, wins) == found
    assert 0 < found.p_mid <= found.p <= 1


@given(st.integers(0, 100))
def test_even_counts_are_no_evidence(wins):
    assert sign_test(wins, wins) == SignTest(1.0, 1.0, 2 * wins)


def test_a_very_small_p_is_not_zero():
    assert sign_test(900, 100).p == pytest.approx(float(Fraction(2 * sum(comb(1000, k) for k in range(101)), 2**1000)), rel=1e-9)


def test_at_most_nothing_is_impossible_below_zero():
    assert [at_most(count, 2) for count in (-1, 0, 1, 2)] == [0.0, 0.25, 0.75, 1.0]


@pytest.mark.parametrize(("wins", "losses"), [(-1, 3), (3, -1)])
def test_counts_that_cannot_be_are_refused(wins, losses):
    with pytest.raises(ValueError, match=f"there are no {wins} wins and {losses} losses"):
        sign_test(wins, losses)


# --- Holm


def test_holm_by_hand():
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(p_values)
def test_holm_is_the_closure_of_bonferroni(given_values):
    """Marcus, Peritz and Gabriel 1976: a hypothesis falls when every set that holds it falls, each tested by Bonferroni."""
    places = range(len(given_values))
    sets = [chosen for size in range(1, len(given_values) + 1) for chosen in combinations(places, size)]
    known = [max(min(1.0, len(chosen) * min(given_values[k] for k in chosen)) for chosen in sets if place in chosen) for place in places]
    assert holm(given_values) == pytest.approx(known, abs=1e-12)


@given(p_values, st.randoms())
def test_holm_does_not_look_at_the_order(given_values, chance):
    order = list(range(len(given_values)))
    chance.shuffle(order)
    corrected = holm(given_values)
    assert holm([given_values[k] for k in order]) == [corrected[k] for k in order]


@given(p_values)
def test_one_more_hypothesis_never_makes_a_p_smaller(given_values):
    corrected = holm([*given_values, 1.0])[:-1]
    assert all(more >= fewer >= p for more, fewer, p in zip(corrected, holm(given_values), given_values, strict=True))


# --- Jeffreys


def test_the_probability_of_more_than_half():
    assert [round(share_above_half(*counts), 3) for counts in ((6, 4), (4, 4), (4, 6))] == [0.735, 0.5, 0.265]
    assert share_above_half(0, 0) is None


@given(st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(any))
def test_it_is_the_area_above_a_half_under_the_posterior(given_counts):
    wins, losses = given_counts
    area, _ = quad(beta(wins + 0.5, losses + 0.5).pdf, 0.5, 1.0)
    assert share_above_half(wins, losses) == pytest.approx(area, abs=1e-6)
    assert share_above_half(wins, losses) + share_above_half(losses, wins) == pytest.approx(1)
