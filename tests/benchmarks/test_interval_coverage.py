"""The simulation runs, agrees with the sum over all outcomes, and its table stands in docs/measures.md as it is printed."""

from math import sqrt
from pathlib import Path

import pytest

from tests.benchmarks.interval_coverage import DRAWS, HEAD, SEED, WORLDS, World, drawn, every, row, table


def test_every_outcome_has_its_probability():
    world = World(12, 0.4, 0.2)
    chances = every(world)
    assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
    assert sum(wins * chance for (wins, _), chance in chances.items()) == pytest.approx(12 * 0.4)
    assert sum(losses * chance for (_, losses), chance in chances.items()) == pytest.approx(12 * 0.2)


def test_the_draws_are_the_same_every_time():
    assert drawn(World(8, 0.4, 0.2), 50, 1) == drawn(World(8, 0.4, 0.2), 50, 1)


def test_drawn_and_summed_agree_within_the_error_of_the_draws():
    _, simulated, summed, *_ = row(World(20, 0.4, 0.2), 2000, SEED)
    assert abs(simulated - summed) < 4 * sqrt(summed * (1 - summed) / 2000)


def test_the_table_of_the_page_has_every_world_and_says_what_it_was_made_by():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    assert f"seed {SEED}, B = {DRAWS:,}, numpy 2." in page
    assert "\n".join(HEAD) in page
    assert [f"| {n} | {win} | {loss} |" in page for n, win, loss in WORLDS] == [True] * len(WORLDS)
    assert table(20, SEED, WORLDS[:1]).splitlines()[2:4] == list(HEAD)
