"""Agreement: published worked examples, a second implementation of alpha, and both orders by hand."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.stats.agreement import ALPHA, Agreement, BothOrders, ac1, alpha, both_orders
from stages.stats.clustered import Refused
from tests.verdict_tables import LETTERS, full_rows, row_of, turned, verdicts

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden/published/agreement.json").read_text(encoding="utf-8"))
CATEGORIES = ["1", "2", "tie", "both_inadequate"]


def rows_of(known) -> list[list[str | None]]:
    """Ratings by rater, from rows of characters with a dot where there is none, or from a table of two raters."""
    if "ratings" in known:
        return [[None if word == "." else word for word in row.split()] for row in known["ratings"]]
    cells = [(one, two) for one, row in known["table"].items() for two, times in row.items() for _ in range(times)]
    return [[one for one, _ in cells], [two for _, two in cells]]


@pytest.mark.parametrize("known", PUBLISHED, ids=lambda known: known["source"])
def test_published_examples(known):
    for name, measure in (("ac1", ac1), ("alpha", alpha)):
        if name in known:
            found = measure(rows_of(known), known["categories"].split())
            digits = len(str(known[name]).split(".")[1])
            assert round(found.value, digits) == known[name]
            assert found.raters == len(rows_of(known))
            if "raw" in known:
                assert round(found.raw, 7) == known["raw"]
            assert found.units == known["units"]


def other_alpha(ratings) -> float:
    """From the coincidences of values within units (Krippendorff 2011, section C), each pair of ratings by hand."""
    observed = {}
    for unit in zip(*ratings, strict=True):
        there = [word for word in unit if word is not None]
        for one, two in permutations(there, 2):
            observed[one, two] = observed.get((one, two), 0) + 1 / (len(there) - 1)
    totals = {}
    for (one, _), times in observed.items():
        totals[one] = totals.get(one, 0) + times
    n = sum(totals.values())
    differing = sum(times for (one, two), times in observed.items() if one != two)
    expected = sum(totals[one] * totals[two] for one in totals for two in totals if one != two) / (n - 1)
    return 1 - differing / expected


ratings = st.integers(1, 12).flatmap(
    lambda units: st.lists(st.lists(st.sampled_from([*CATEGORIES, None]), min_size=units, max_size=units), min_size=2, max_size=4)
)


@settings(max_examples=60)
@given(ratings)
def test_alpha_is_the_one_from_the_coincidences(given_ratings):
    found = alpha(given_ratings, CATEGORIES)
    if isinstance(found, Agreement):
        assert found.value == pytest.approx(other_alpha(given_ratings), abs=1e-9)


@settings(max_examples=60)
@given(ratings, st.permutations(CATEGORIES))
def test_neither_raters_nor_units_nor_names_of_categories_have_an_order(given_ratings, others):
    new = {None: None, **dict(zip(CATEGORIES, others, strict=True))}
    moved = [[new[word] for word in row[::-1]] for row in given_ratings[::-1]]
    for measure in (ac1, alpha):
        before, after = measure(given_ratings, CATEGORIES), measure(moved, CATEGORIES)
        assert type(before) is type(after)
        if isinstance(before, Agreement):
            assert (after.value, after.raw) == pytest.approx((before.value, before.raw), abs=1e-9)
            assert before.value <= 1


def test_raters_that_always_agree():
    always = [["1", "tie", "2"], ["1", "tie", "2"]]
    assert (ac1(always, CATEGORIES).value, alpha(always, CATEGORIES).value) == pytest.approx((1.0, 1.0), abs=1e-12)
    same = [["tie"] * 5, ["tie"] * 5]
    assert ac1(same, CATEGORIES).value == 1.0
    assert alpha(same, CATEGORIES) == Refused(ALPHA, "every rating is the same, so nothing could have shown disagreement", 5)


def test_no_unit_with_two_ratings():
    for measure in (ac1, alpha):
        assert measure([["1", None], [None, "tie"]], CATEGORIES).reason == "no unit has two ratings"
        assert measure([], CATEGORIES).reason == "no unit has two ratings"


def test_categories_that_nobody_used_lower_the_agreement_of_chance():
    said = [["1", "1", "tie", "tie"], ["1", "tie", "tie", "tie"]]
    two, four = ac1(said, ["1", "tie"]), ac1(said, CATEGORIES)
    assert two.value == pytest.approx((0.75 - 0.46875) / (1 - 0.46875), abs=1e-12)
    assert four.value == pytest.approx((0.75 - 0.15625) / (1 - 0.15625), abs=1e-12)


def test_what_cannot_be_a_rating_is_refused():
    with pytest.raises(ValueError, match="'3' is none of the categories 1, 2"):
        ac1([["1"], ["3"]], ["1", "2"])
    with pytest.raises(ValueError, match="every rater needs one entry for every unit"):
        alpha([["1"], ["1", "2"]], ["1", "2"])
    with pytest.raises(ValueError, match="agreement needs two categories at least"):
        ac1([["1"], ["1"]], ["1"])


# --- both orders


def test_both_orders_by_hand():
    """A then B of the turned sides is the same winner; A twice is the first place twice."""
    words = [
        ("A", "B"), ("B", "A"), ("tie", "tie"), ("both_inadequate", "both_inadequate"), ("A", "A"), ("A", "A"), ("B", "B"),
        ("A", "tie"), ("tie", "B"), ("both_inadequate", "A"), ("tie", "both_inadequate"), ("unreadable", "A"), ("tie", "unreadable"),
    ]  # fmt: skip
    first = [row_of(f"M{at}", "a", "b", False, one) for at, (one, _) in enumerate(words)]
    second = [row_of(f"M{at}", "a", "b", True, two) for at, (_, two) in enumerate(words)]
    found = both_orders(verdicts([*first, row_of("X1", "a", "b", False, "A")]), verdicts([*second, row_of("X2", "a", "b", False, "A")]))
    assert (found.n, found.consistent, found.first_place, found.second_place) == (11, 4, 2, 1)
    assert (found.tie_and_winner, found.adequate_and_not, found.unreadable, found.only_once) == (2, 2, 2, 2)
    assert (found.consistency.value, found.consistency.n, found.test.p, found.test.n) == (4 / 11, 11, 1.0, 3)


def test_a_judge_that_always_takes_the_first_place():
    rows = [row_of(f"M{at}", "a", "b", at % 2 == 0, "A") for at in range(10)]
    other = [{**row, "answer_a_was": row["answer_b_was"], "answer_b_was": row["answer_a_was"]} for row in rows]
    found = both_orders(verdicts(rows), verdicts(other))
    assert (found.n, found.first_place, found.consistent) == (10, 10, 0)
    assert found.test.p == pytest.approx(2 * 0.5**10, rel=1e-12)


def test_the_same_order_twice_is_no_second_order():
    rows = [row_of("M1", "a", "b", False, "A")]
    with pytest.raises(ValueError, match="M1 shows a and b in the same order twice"):
        both_orders(verdicts(rows), verdicts(rows))


def test_nothing_judged_twice():
    found = both_orders(verdicts([]), verdicts([]))
    assert found == BothOrders(0, 0, 0, 0, 0, 0, 0, 0, None, found.test)


@settings(max_examples=30)
@given(full_rows(), full_rows())
def test_every_pairing_is_somewhere_and_neither_pass_is_the_first(one, other):
    words = [row["verdict"] for row in other]
    second = [{**row, "verdict": word} for row, word in zip(turned(one), words, strict=True)]
    found, backwards = both_orders(verdicts(one), verdicts(second)), both_orders(verdicts(second), verdicts(one))
    assert found == backwards
    assert found.consistent + found.first_place + found.second_place + found.tie_and_winner + found.adequate_and_not == found.n
    assert found.n + found.unreadable + found.only_once == len(one)


@settings(max_examples=30)
@given(full_rows())
def test_a_judge_that_looks_only_at_the_answers_is_always_consistent(rows):
    found = both_orders(verdicts(rows), verdicts(turned(rows)))
    assert (found.consistent, found.first_place + found.second_place) == (found.n, 0)
    letters = [{**row, "verdict": LETTERS.get(row["verdict"], row["verdict"])} for row in turned(rows)]
    assert both_orders(verdicts(rows), verdicts(letters)).consistent == sum(row["verdict"] in ("tie", "both_inadequate") for row in rows)
