"""Shares and their intervals: published examples, the definitions themselves, and scipy's own implementation."""

import json
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from stages.stats.proportions import clopper_pearson, normal_quantile, rate, wilson

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden/published/pairs.json").read_text(encoding="utf-8"))
METHODS = {"wilson": wilson, "clopper_pearson": clopper_pearson}

shares = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("method", "known"), [(method, known) for method in METHODS for known in PUBLISHED[method]])
def test_published_intervals(method, known):
    found = METHODS[method](known["count"], known["n"])
    assert (round(found.lo, 4), round(found.hi, 4)) == (known["lo"], known["hi"])
    assert (found.method, found.level) == (method, 0.95)


@given(shares, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_both_are_scipys(share, level):
    count, n = share
    known = binomtest(count, n)
    for method, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs, ours = known.proportion_ci(level, name), method(count, n, level)
        assert (ours.lo, ours.hi) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(shares)
def test_an_interval_holds_its_share_and_turns_round_with_it(share):
    count, n = share
    for method in METHODS.values():
        found, turned = method(count, n), method(n - count, n)
        assert 0 <= found.lo <= count / n + 1e-12
        assert count / n - 1e-12 <= found.hi <= 1
        assert (1 - turned.hi, 1 - turned.lo) == pytest.approx((found.lo, found.hi), abs=1e-12)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_the_exact_one_is_where_the_tails_have_their_share(share):
    """At the lower limit this count or more has probability 2.5 %, summed in exact fractions."""
    count, n = share
    p = Fraction(clopper_pearson(count, n).lo)
    tail = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count, n + 1))
    assert float(tail) == pytest.approx(0.025, abs=1e-9)


@given(shares)
def test_wilsons_limits_lie_z_standard_errors_away_by_their_own_variance(share):
    count, n = share
    found, z = wilson(count, n), normal_quantile(0.95)
    for limit in {found.lo, found.hi} - {0.0, 1.0}:
        assert abs(count / n - limit) == pytest.approx(z * sqrt(limit * (1 - limit) / n), abs=1e-9)


@given(shares)
def test_more_certainty_is_wider(share):
    for method in METHODS.values():
        narrow, wide = method(*share, 0.9), method(*share, 0.99)
        assert wide.lo <= narrow.lo <= narrow.hi <= wide.hi


def test_a_rate_is_a_share_with_wilsons_interval():
    found = rate(70, 80)
    assert (found.value, found.n, found.interval) == (0.875, 80, wilson(70, 80))
    assert rate(0, 0) is None


@pytest.mark.parametrize(("count", "n"), [(0, 0), (3, 2), (-1, 2)])
@pytest.mark.parametrize("method", METHODS.values())
def test_a_share_of_nothing_or_more_than_all_is_refused(method, count, n):
    with pytest.raises(ValueError, match=f"there is no share of {count} in {n}"):
        method(count, n)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_a_level_is_between_nothing_and_certainty(level):
    with pytest.raises(ValueError, match=f"a confidence level lies between 0 and 1, and {level} does not"):
        normal_quantile(level)
