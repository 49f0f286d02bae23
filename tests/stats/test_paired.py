"""The net difference and Tango's interval: published examples, the score test that defines it, and what turning a pair round does."""

import json
from math import log, sqrt
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from stages.stats.paired import net_difference, tango, ties_half
from stages.stats.proportions import normal_quantile

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden/published/pairs.json").read_text(encoding="utf-8"))["tango"]
Z = normal_quantile(0.95)


@st.composite
def counts(draw, most=200):
    """Wins, losses and n >= 1, with every corner likely: nothing decisive, everything won, everything lost."""
    n = draw(st.integers(1, most))
    wins = draw(st.one_of(st.sampled_from([0, n]), st.integers(0, n)))
    return wins, draw(st.one_of(st.sampled_from([0, n - wins]), st.integers(0, n - wins))), n


@pytest.mark.parametrize("known", PUBLISHED, ids=lambda known: known["source"])
def test_published_intervals(known):
    found = tango(known["wins"], known["losses"], known["n"], known["level"])
    assert (round(found.lo, known["digits"]), round(found.hi, known["digits"])) == (known["lo"], known["hi"])
    assert (found.method, found.level) == ("tango_score", known["level"])


def test_six_four_seventy():
    found = net_difference(6, 4, 80)
    assert (found.value, found.n) == (0.025, 80)
    assert (round(found.interval.lo, 3), round(found.interval.hi, 3)) == (-0.060, 0.113)


def test_four_four_sixty_nine():
    found = net_difference(4, 4, 77)
    assert found.value == 0.0
    assert -found.interval.lo == found.interval.hi == pytest.approx(0.0834289069, abs=1e-10)


def score(wins, losses, n, difference) -> float:
    """Tango's statistic the long way: the probability of a loss that a numerical search finds most likely under this difference."""

    def unlikely(q):
        cells = ((wins, q + difference), (losses, q), (n - wins - losses, 1 - 2 * q - difference))
        return -sum(count * log(max(p, 1e-300)) for count, p in cells if count)

    room = (max(0.0, -difference), (1 - difference) / 2)
    q = minimize_scalar(unlikely, bounds=room, method="bounded", options={"xatol": 1e-13}).x
    return (wins - losses - n * difference) / sqrt(n * (2 * q + difference * (1 - difference)))


@given(counts(most=60))
def test_at_its_limits_the_score_test_just_rejects(given_counts):
    wins, losses, n = given_counts
    found = tango(wins, losses, n)
    for limit, sign in ((found.lo, 1), (found.hi, -1)):
        if abs(limit) < 1:
            assert score(wins, losses, n, limit) == pytest.approx(sign * Z, abs=2e-3)


@given(counts())
def test_zero_is_outside_exactly_when_mcnemars_score_test_rejects(given_counts):
    """At difference 0 the statistic is (wins - losses) / sqrt(wins + losses), McNemar's without a correction."""
    wins, losses, n = given_counts
    assume(wins + losses)
    found = tango(wins, losses, n)
    z = (wins - losses) / sqrt(wins + losses)
    assume(abs(abs(z) - Z) > 1e-9)
    assert (found.lo > 0 or found.hi < 0) == (abs(z) > Z)


@given(counts())
def test_turning_a_pair_round_changes_signs_and_nothing_else(given_counts):
    wins, losses, n = given_counts
    found, turned = net_difference(wins, losses, n), net_difference(losses, wins, n)
    assert (turned.value, turned.interval.lo, turned.interval.hi) == (-found.value, -found.interval.hi, -found.interval.lo)


@given(counts())
def test_an_interval_holds_its_value_and_stays_within_one(given_counts):
    found = net_difference(*given_counts)
    assert -1 <= found.interval.lo <= found.value <= found.interval.hi <= 1
    assert found.interval.lo < found.interval.hi, "never a point, as Wald's would be where nothing is decisive"


@given(counts(most=100), st.integers(1, 50))
def test_more_undecided_matters_pull_it_to_zero_and_never_over_it(given_counts, more):
    wins, losses, n = given_counts
    found, diluted = net_difference(wins, losses, n), net_difference(wins, losses, n + more)
    assert abs(diluted.value) <= abs(found.value)
    assert (diluted.interval.lo > 0, diluted.interval.hi < 0) == (found.interval.lo > 0, found.interval.hi < 0)


@pytest.mark.parametrize(
    ("wins", "losses", "n", "lo", "hi"),
    [
        (0, 0, 10, -(Z**2) / (10 + Z**2), Z**2 / (10 + Z**2)),
        (10, 0, 10, 1 - 2 * Z**2 / (10 + Z**2), 1.0),
        (0, 10, 10, -1.0, 2 * Z**2 / (10 + Z**2) - 1),
        (1, 0, 1, 1 - 2 * Z**2 / (1 + Z**2), 1.0),
    ],
)
def test_the_corners_in_closed_form(wins, losses, n, lo, hi):
    found = tango(wins, losses, n)
    assert (found.lo, found.hi) == pytest.approx((lo, hi), abs=1e-12)


@given(st.integers(2, 100), st.sampled_from(["wins", "losses", "ties"]))
def test_one_matter_off_a_corner_is_near_it(n, other):
    """The closed forms of the corners and the root search beside them are one function: no jump as n grows."""
    corner = {"wins": (n, 0), "losses": (0, n), "ties": (0, 0)}[other]
    near = {"wins": (n - 1, 0), "losses": (0, n - 1), "ties": (1, 0)}[other]
    there, beside = tango(*corner, n), tango(*near, n)
    assert abs(there.lo - beside.lo) <= 3 / n + 1e-9
    assert abs(there.hi - beside.hi) <= 3 / n + 1e-9


@given(counts(), st.integers(0, 100))
def test_the_ties_half_score_is_the_net_difference_in_another_unit(given_counts, ties):
    wins, losses, _ = given_counts
    found, net = ties_half(wins, losses, ties), net_difference(wins, losses, wins + losses + ties)
    if net is None:
        assert found is None
        return
    assert found.value == pytest.approx((wins + ties / 2) / (wins + losses + ties), abs=1e-12)
    assert (2 * found.interval.lo - 1, 2 * found.interval.hi - 1) == pytest.approx((net.interval.lo, net.interval.hi), abs=1e-12)
    assert 0 <= found.interval.lo <= found.value <= found.interval.hi <= 1


def test_nothing_scored_is_no_number():
    assert net_difference(0, 0, 0) is None
    assert ties_half(0, 0, 0) is None


@pytest.mark.parametrize(("wins", "losses", "n"), [(2, 2, 3), (-1, 0, 3), (0, -1, 3), (1, 0, 0)])
def test_counts_that_cannot_be_are_refused(wins, losses, n):
    with pytest.raises(ValueError, match=f"there are no {wins} wins and {losses} losses among {n} verdicts"):
        net_difference(wins, losses, n)
