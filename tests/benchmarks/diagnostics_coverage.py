"""Do the further intervals hold their level: Bradley-Terry's, those of place and length, of shares of verdicts, of the review burden?

    python -m tests.benchmarks.diagnostics_coverage        prints the table of docs/measures.md (`make coverage`)

On each matter every answer is a little better or worse than its contestant (normal, standard deviation ``spread``), has a length of its own
and, with a spread, more or fewer rejected points in all its verdicts: so they hang together. What an interval should hold is taken from a
very large record where it is not known: the burden's truth is, and without a spread those of place and length are.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stages.stats.burden import differences
from stages.stats.counts import Verdicts, word_counts
from stages.stats.length import Adjusted, longer_won, place_and_length
from stages.stats.position import lean
from stages.stats.proportions import LEVEL, Interval
from stages.stats.ranking import Ranking, bradley_terry
from tests.benchmarks import ranking_coverage
from tests.benchmarks.ranking_coverage import STRENGTHS

SEED = 20261130
DRAWS = 400  # the error of a coverage near 0.95 is then 0.011
POPULATION = 4_000
PLACE, LENGTH = 0.5, 1.0  # log odds of A between equals, and for each unit of the log ratio of lengths
LONG = 0.5  # standard deviation of the logarithm of a length; of a log ratio it is the root of 2 times as large
POINTS = (1.2, 0.9, 0.9, 0.6)  # rejected points a verdict, of each contestant
NAMES = tuple("abcd")
PAIRS = tuple(combinations(range(len(NAMES)), 2))
WORLDS = [(matters, spread) for spread in (0.0, 1.5) for matters in (20, 80)]
HEAD = (
    "| matters | spread | Bradley-Terry | place | length | longer won | share of A | burden, difference |",
    "|--:|--:|--:|--:|--:|--:|--:|--:|",
)
Lengths = dict[tuple[str, str], int]


@dataclass(frozen=True)
class World:
    """A battery, and how far answers vary from matter to matter. Every pair is judged once on every matter, and no verdict is a tie."""

    matters: int
    spread: float

    def record(self, rng: np.random.Generator) -> tuple[Verdicts, Lengths]:
        """Verdicts that lean to A and to the longer answer, and the lengths."""
        quality = np.array(STRENGTHS) + self.spread * rng.normal(size=(self.matters, len(NAMES)))
        chars = np.round(np.exp(rng.normal(7, LONG, size=quality.shape))).astype(int)
        columns: list[list[str]] = [[] for _ in range(6)]
        for matter in range(self.matters):
            for one, two in PAIRS:
                a, b = (one, two) if rng.random() < 0.5 else (two, one)
                odds = PLACE + quality[matter, a] - quality[matter, b] + LENGTH * np.log(chars[matter, a] / chars[matter, b])
                word = "A" if rng.random() < 1 / (1 + np.exp(-odds)) else "B"
                row = (f"M{matter}", NAMES[one], NAMES[two], NAMES[a], NAMES[b], word)
                for column, value in zip(columns, row, strict=True):
                    column.append(value)
        lengths = {(f"M{matter}", name): int(chars[matter, at]) for matter in range(self.matters) for at, name in enumerate(NAMES)}
        return Verdicts(*columns), lengths

    def points(self, rng: np.random.Generator) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]:
        """Readable verdicts and rejected points of each answer. With a spread some answers have more of them, in every verdict."""
        shape = (self.matters, len(NAMES))
        often = np.array(POINTS) * (rng.gamma(1 / self.spread**2, self.spread**2, size=shape) if self.spread else 1.0)
        found = rng.poisson(often * (len(NAMES) - 1), size=shape)
        keys = [(f"M{matter}", name) for matter in range(self.matters) for name in NAMES]
        return dict.fromkeys(keys, len(NAMES) - 1), dict(zip(keys, found.ravel().tolist(), strict=True))


def told(verdicts: Verdicts, lengths: Lengths) -> list[tuple[float, Interval | None]]:
    """Value and interval of place, length, the longer one's share, and A's share. Raises AssertionError where one does not exist."""
    adjusted, longer, share = (
        place_and_length(verdicts, lengths),
        longer_won(verdicts, lengths).share,
        lean(word_counts(verdicts.verdict)).share,
    )
    assert isinstance(adjusted, Adjusted)
    assert longer
    assert share
    return [(each.value, each.interval) for each in (adjusted.place, adjusted.length, longer, share)]


def holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.lo <= truth <= interval.hi


def row(world: World, draws: int, seed: int, population: int = POPULATION) -> list[float]:
    """How often each interval holds the truth, in the order of the table."""
    rng = np.random.default_rng([seed, world.matters, round(10 * world.spread)])
    truths = [value for value, _ in told(*World(population, world.spread).record(rng))]
    if not world.spread:
        truths[:2] = [PLACE, LENGTH * LONG * np.sqrt(2)]
    held = np.zeros(len(truths))
    burden = []
    for _ in range(draws):
        held += [holds(interval, truth) for (_, interval), truth in zip(told(*world.record(rng)), truths, strict=True)]
        burden += [
            holds(each.found and each.found.interval, POINTS[NAMES.index(each.contestant_1)] - POINTS[NAMES.index(each.contestant_2)])
            for each in differences(*world.points(rng), NAMES)
        ]
    return [strengths(world, draws, rng, 10 * population), *(held / draws), float(np.mean(burden))]


def strengths(world: World, draws: int, rng: np.random.Generator, population: int) -> float:
    """How often Bradley-Terry's interval holds, over all four strengths, where one verdict in three or so is a tie."""
    truth = bradley_terry(ranking_coverage.World(population, 1.0, world.spread).record(rng))
    assert isinstance(truth, Ranking)
    held = []
    for _ in range(draws):
        found = bradley_terry(ranking_coverage.World(world.matters, 1.0, world.spread).record(rng))
        assert isinstance(found, Ranking)
        held += [holds(each.interval, known.log_strength) for each, known in zip(found.strengths, truth.strengths, strict=True)]
    return float(np.mean(held))


def table(draws: int = DRAWS, seed: int = SEED, worlds: list[tuple[int, float]] = WORLDS, population: int = POPULATION) -> str:
    """The table in Markdown, with what it was made by."""
    lines = [f"seed {seed}, B = {draws:,}, numpy {np.__version__} (PCG64), level {LEVEL}, population {population:,}", "", *HEAD]
    for matters, spread in worlds:
        shares = " | ".join(f"{share:.3f}" for share in row(World(matters, spread), draws, seed, population))
        lines.append(f"| {matters} | {spread:g} | {shares} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
