"""The pictures: where the marks stand, what is said instead of them, and that they fetch and run nothing."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.render.forest import WIDTH, at, forest, reach_of
from stages.render.outcomes import bar, unscored, words

ESTIMATE = {"value": -0.25, "interval": {"lo": -0.683, "hi": 0.328}}
PAIR = {"wins_1": 2, "ties": 3, "both_inadequate": 1, "wins_2": 4, "unreadable": 1, "missing": 1}


@pytest.mark.parametrize(
    ("ends", "reach"), [((-0.05, 0.08), 0.1), ((-0.12, 0.19), 0.2), ((-0.2, 0.2), 0.2), ((-0.683, 0.3), 1.0), ((-1.0, 1.0), 1.0)]
)
def test_the_lines_of_a_table_reach_as_far_as_the_longest_interval(ends, reach):
    near = {"value": 0.0, "interval": {"lo": -0.01, "hi": 0.01}}
    assert reach_of([near, None, {"value": 0.0, "interval": dict(zip(("lo", "hi"), ends, strict=True))}]) == reach
    assert reach_of([None]) == 1.0


def test_the_line_reaches_from_minus_reach_to_reach():
    assert [at(value, 1.0) for value in (-1.0, 0.0, 1.0)] == ["0.0", f"{WIDTH / 2:.1f}", f"{WIDTH:.1f}"]
    assert [at(value, 0.2) for value in (-0.2, 0.0, 0.1)] == ["0.0", f"{WIDTH / 2:.1f}", f"{WIDTH * 0.75:.1f}"]


def test_a_difference_is_a_point_on_its_interval():
    drawn = ElementTree.fromstring(forest(ESTIMATE, 1.0))
    whole = next(each for each in drawn if each.get("class") == "whole")
    assert (whole.get("x1"), whole.get("x2")) == (at(-0.683, 1.0), at(0.328, 1.0))
    assert next(each for each in drawn if each.get("class") == "point").get("d").startswith(f"M{at(-0.25, 1.0)} ")


def test_a_picture_says_in_words_what_it_shows():
    assert 'role="img" aria-label="Net difference \u22120.250, interval \u22120.683 to +0.328"' in forest(ESTIMATE, 1.0)
    assert 'aria-label="Net difference no verdict is scored"' in forest(None, 1.0)
    assert words(PAIR, "alder", "birch") == "alder won 2, 3 ties, 1 both inadequate, birch won 4, 2 unscored"
    assert 'aria-label="alder and birch: alder won 2, 3 ties' in bar(PAIR, "alder", "birch")


def test_what_is_not_scored_draws_no_point():
    assert [each.get("class") for each in ElementTree.fromstring(forest(None, 1.0))] == ["base", "zero"]


@given(st.lists(st.integers(0, 50), min_size=6, max_size=6))
def test_the_parts_of_a_bar_are_as_long_as_their_counts_and_fill_it(counts):
    pair = dict(zip(PAIR, counts, strict=True))
    parts = [(each.get("class"), float(each.get("x")), float(each.get("width"))) for each in ElementTree.fromstring(bar(pair, "a", "b"))]
    whole = sum(counts)
    expected = {"won": counts[0], "tie": counts[1], "inadequate": counts[2], "lost": counts[3], "unscored": unscored(pair)}
    assert {name for name, _, _ in parts} == {name for name, count in expected.items() if count}
    assert all(abs(width - WIDTH * expected[name] / whole) < 0.02 for name, _, width in parts)
    assert abs(sum(width for *_, width in parts) - (WIDTH if whole else 0)) < 0.05
    assert [x for _, x, _ in parts] == sorted(x for _, x, _ in parts)


@pytest.mark.parametrize("picture", [forest(ESTIMATE, 1.0), bar(PAIR, "<b>", '"')])
def test_a_picture_fetches_and_runs_nothing_and_brings_no_colour(picture):
    assert not re.search(r"href|<style|<script|url\(|\son\w+=|style=|fill=|stroke=", picture)
    assert "<b>" not in picture
