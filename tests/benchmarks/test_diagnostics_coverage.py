"""The simulation of the further intervals runs, draws what it says, and its table stands in docs/measures.md as it is printed."""

from pathlib import Path

import numpy as np
import pytest

from stages.stats.counts import word_counts
from tests.benchmarks.diagnostics_coverage import DRAWS, HEAD, POINTS, POPULATION, SEED, WORLDS, World, table


def test_the_draws_have_what_the_world_says():
    verdicts, lengths = World(300, 0.0).record(np.random.default_rng(1))
    words = word_counts(verdicts.verdict)
    assert (words.decisive, len(lengths)) == (1800, 1200)
    assert 0.55 < words.a_share < 0.68, "log odds 0.5 for A, flattened by strengths and lengths"
    assert np.log(list(lengths.values())).std() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_points_are_as_many_as_stated_whatever_the_spread(spread):
    judged, points = World(3000, spread).points(np.random.default_rng(1))
    assert set(judged.values()) == {3}
    means = [np.mean([count / 3 for (_, own), count in points.items() if own == name]) for name in "abcd"]
    assert means == pytest.approx(list(POINTS), rel=0.1)


def test_the_table_of_the_page_has_every_world_and_says_what_it_was_made_by():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    section = page.split("## Do the judge's intervals hold their level?")[1].split("\n## ")[0]
    assert f"seed {SEED}, B = {DRAWS:,}, numpy 2." in section
    assert f"population {POPULATION:,}" in section
    assert "\n".join(HEAD) in section
    assert [f"| {matters} | {spread:g} | 0." in section for matters, spread in WORLDS] == [True] * len(WORLDS)
    assert table(2, SEED, WORLDS[:1], population=60).splitlines()[2:4] == list(HEAD)
