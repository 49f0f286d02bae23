"""Review burden: known counts, by hand, and the paired difference as scipy computes it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from stages.stats.burden import Burden, Difference, burdens, differences
from stages.stats.clustered import SAME
from tests.verdict_tables import CONSTRUCTED, MATTERS, csv_rows


def test_the_constructed_answers():
    rows = csv_rows(CONSTRUCTED / "s1_answers.csv")
    known = json.loads((CONSTRUCTED / "s1_answers.expected.json").read_text(encoding="utf-8"))
    points = {(row["matter_id"], row["contestant"]): int(row["rejected_points"]) for row in rows}
    once = dict.fromkeys(points, 1)
    for found in burdens(once, points, known["rejected_points_total"]):
        assert (found.answers, found.verdicts) == (80, 80)
        assert found.points == known["rejected_points_total"][found.contestant]
        assert found.mean == pytest.approx(known["rejected_points_mean"][found.contestant], abs=1e-12)
        assert found.with_any.value == known["answers_with_any_rejected_point"][found.contestant] / 80
    for found in differences(once, points, known["rejected_points_total"]):
        one, two = (
            [points[matter, name] for matter in sorted({row["matter_id"] for row in rows})]
            for name in (found.contestant_1, found.contestant_2)
        )
        paired = ttest_rel(one, two)
        around = paired.confidence_interval(0.95)
        assert (found.difference, found.matters) == (pytest.approx(np.mean(one) - np.mean(two), abs=1e-12), 80)
        assert found.difference / found.found.se == pytest.approx(paired.statistic, abs=1e-9)
        assert (found.found.interval.lo, found.found.interval.hi) == pytest.approx((around.low, around.high), abs=1e-9)


def test_an_answer_weighs_the_same_however_many_verdicts_are_on_it():
    verdicts = {("M1", "a"): 3, ("M2", "a"): 1, ("M1", "b"): 3, ("M2", "b"): 0}
    points = {("M1", "a"): 3, ("M2", "a"): 2}
    a, b = burdens(verdicts, points, "ab")
    assert (a.answers, a.verdicts, a.points, a.mean, a.with_any.value) == (2, 4, 5, 1.5, 1.0)
    assert (b.answers, b.verdicts, b.points, b.mean, b.with_any.value) == (1, 3, 0, 0.0, 0.0)
    assert differences(verdicts, points, "ab") == [Difference("a", "b", 1, 1.0, None, "one matter shows no spread")]


def test_what_is_not_there():
    assert burdens({}, {}, ["a"]) == [Burden("a", 0, 0, 0, None, None)]
    assert differences({("M1", "a"): 1, ("M2", "b"): 1}, {}, "ab") == [
        Difference("a", "b", 0, None, None, "no matter has a readable verdict on both")
    ]
    with pytest.raises(ValueError, match="a point was rejected in a's answer to M1, which has no readable verdict"):
        burdens({("M1", "a"): 0}, {("M1", "a"): 1}, "a")


def test_matters_without_a_point_show_no_spread():
    (found,) = differences(dict.fromkeys([(m, c) for m in MATTERS for c in "ab"], 2), {}, "ab")
    assert (found.difference, found.no_interval, found.found.interval) == (0.0, SAME, None)


counts = st.dictionaries(st.tuples(st.sampled_from(MATTERS), st.sampled_from("ab")), st.tuples(st.integers(1, 3), st.integers(0, 9)))


@given(counts)
def test_the_other_way_round_is_the_negative(found):
    verdicts, points = ({key: value[at] for key, value in found.items()} for at in (0, 1))
    new = {"a": "b", "b": "a"}
    turned = [{(matter, new[name]): value for (matter, name), value in each.items()} for each in (verdicts, points)]
    (before,), (after,) = differences(verdicts, points, "ab"), differences(*turned, "ab")
    assert after.matters == before.matters
    if before.difference is not None:
        assert after.difference == pytest.approx(-before.difference, abs=1e-12)
    if before.found and before.found.interval:
        assert after.found.interval.lo == pytest.approx(-before.found.interval.hi, abs=1e-9)
    for burden in burdens(verdicts, points, "ab"):
        assert burden.points == sum(value[1] for key, value in found.items() if key[1] == burden.contestant)
        assert burden.answers <= burden.verdicts
