"""Where an answer stood: the lean to A, the balance of sides, wins by side."""

import dataclasses

import pytest
from hypothesis import given
from scipy.stats import binomtest

from stages.stats.counts import SideCount, WordCount, side_counts, word_counts
from stages.stats.position import Lean, WonBySide, balances, lean, won_by_side
from tests.verdict_tables import NAMES, TABLES, constructed, contestants_of, random_rows, relettered, row_of, turned, verdicts, vicuna


def words(rows) -> WordCount:
    return word_counts(row["verdict"] for row in rows)


def sides(rows, names) -> list[SideCount]:
    return side_counts(names, [row["answer_a_was"] for row in rows], [row["answer_b_was"] for row in rows])


@pytest.mark.parametrize("name", TABLES)
def test_the_lean_of_a_constructed_table(name):
    rows, expected = constructed(name)
    found, known = lean(words(rows)), expected["position"]
    assert found.test.p == pytest.approx(known["p_exact_two_sided"], abs=1e-9)
    assert found.test.n == known["decisive"]
    assert (found.share and found.share.value) == (known["A_share"] and pytest.approx(known["A_share"], abs=1e-9))


def test_a_judge_that_said_a_twenty_times_of_twenty():
    found = lean(WordCount(a=20, b=0, tie=4, both_inadequate=0, unreadable=0))
    assert (found.share.value, found.share.n, found.test.n) == (1.0, 20, 20)
    assert found.test.p == pytest.approx(2 * 0.5**20, rel=1e-12)
    assert (found.share.interval.lo, found.share.interval.hi) == pytest.approx((0.025 ** (1 / 20), 1.0), abs=1e-12)


def test_the_real_judge_leans_to_a():
    found = lean(words(vicuna()[0]))
    assert (found.share.value, found.share.n) == (267 / 406, 406)
    assert found.test.p == pytest.approx(binomtest(267, 406).pvalue, rel=1e-9)
    exact = binomtest(267, 406).proportion_ci(method="exact")
    assert (found.share.interval.lo, found.share.interval.hi) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_nothing_decisive_is_no_lean():
    found = lean(WordCount(0, 0, 60, 0, 0))
    assert (found.share, found.test.p, found.test.n) == (None, 1.0, 0)


def test_balances_by_hand():
    """8 of 8 as A: 2/256. 5 of 8: 2 (1 + 8 + 28 + 56) / 256, over 2/3 of it 1. Holm: times 3, then the rest."""
    found = balances([SideCount("a", 8, 0), SideCount("b", 5, 3), SideCount("c", 4, 4)])
    assert [(side.contestant, side.times_a, side.times_b, side.n) for side in found] == [("a", 8, 0, 8), ("b", 5, 3, 8), ("c", 4, 4, 8)]
    assert [side.p for side in found] == pytest.approx([2 / 256, 186 / 256, 1.0], abs=1e-12)
    assert [side.p_holm for side in found] == pytest.approx([6 / 256, 1.0, 1.0], abs=1e-12)
    assert balances([]) == []


def test_wins_by_side_by_hand():
    rows = [
        row_of("M1", "a", "b", False, "A"), row_of("M2", "a", "b", True, "A"), row_of("M3", "a", "b", False, "B"),
        row_of("M4", "a", "b", False, "tie"), row_of("M1", "a", "c", True, "B"),
    ]  # fmt: skip
    assert won_by_side(verdicts(rows), "abc") == [WonBySide("a", 2, 1, 2, 1), WonBySide("b", 1, 1, 2, 1), WonBySide("c", 1, 0, 0, 0)]


@given(random_rows())
def test_wins_by_side_add_up_to_the_words(rows):
    found, counted = won_by_side(verdicts(rows), NAMES), words(rows)
    assert sum(each.won_as_a for each in found) == counted.a
    assert sum(each.won_as_b for each in found) == counted.b
    assert sum(each.decisive_as_a for each in found) == sum(each.decisive_as_b for each in found) == counted.decisive
    assert all(0 <= each.won_as_a <= each.decisive_as_a and 0 <= each.won_as_b <= each.decisive_as_b for each in found)


@given(random_rows())
def test_turning_the_table_turns_the_lean_and_keeps_its_p(rows):
    before, after = lean(words(rows)), lean(words(turned(rows)))
    assert after.test == before.test
    if before.share:
        assert after.share.value == pytest.approx(1 - before.share.value, abs=1e-12)
        assert after.share.interval.lo == pytest.approx(1 - before.share.interval.hi, abs=1e-9)
    swapped = [
        WonBySide(each.contestant, each.decisive_as_b, each.won_as_b, each.decisive_as_a, each.won_as_a)
        for each in won_by_side(verdicts(rows), NAMES)
    ]
    assert won_by_side(verdicts(turned(rows)), NAMES) == swapped


@given(random_rows())
def test_the_balance_of_sides_does_not_know_the_verdicts(rows):
    assert balances(sides(rows, NAMES)) == balances(sides(relettered(rows), NAMES))


def test_the_balance_of_the_constructed_table():
    rows, expected = constructed("s1_four_by_eighty")
    for side in balances(sides(rows, contestants_of(rows))):
        known = expected["per_contestant"][side.contestant]
        assert (side.times_a, side.times_b) == (known["times_as_A"], known["times_as_B"])
        assert side.p == pytest.approx(binomtest(side.times_a, side.n).pvalue, abs=1e-12)


def test_results_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        lean(WordCount(1, 1, 1, 1, 1)).share = None
    assert isinstance(lean(WordCount(1, 1, 1, 1, 1)), Lean)
