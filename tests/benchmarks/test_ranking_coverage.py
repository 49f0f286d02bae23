"""The simulation of rankings runs, draws what it says, and its table stands in docs/measures.md as it is printed."""

from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.ranking_coverage import DRAWS, HEAD, SEED, WORLDS, World, table


def test_the_draws_have_the_chances_of_the_model():
    """Without spread, a against d: exp(0.6), exp(-0.6) and nu, over their sum."""
    found = World(20_000, 1.0, 0.0).record(np.random.default_rng(1))
    shares = found.share[(found.one == 0) & (found.two == 3)]
    every = np.exp(0.6) + np.exp(-0.6) + 1
    assert [(shares == value).mean() for value in (1, 0, 0.5)] == pytest.approx(
        [np.exp(0.6) / every, np.exp(-0.6) / every, 1 / every], abs=0.015
    )
    assert (found.n, found.matters) == (120_000, 20_000)


def test_the_table_of_the_page_has_every_world_and_says_what_it_was_made_by():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    assert f"seed {SEED}, B = {DRAWS:,}, numpy 2." in page
    assert "\n".join(HEAD) in page
    assert [f"| {matters} | {nu:g} | {spread:g} |" in page for matters, nu, spread in WORLDS] == [True] * len(WORLDS)
    assert table(3, SEED, WORLDS[:1], population=200).splitlines()[2:4] == list(HEAD)
