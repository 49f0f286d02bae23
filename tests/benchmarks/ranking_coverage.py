"""Do the intervals of a ranking hold their level? Draws records whose verdicts on one matter hang together, and counts.

    python -m tests.benchmarks.ranking_coverage        prints the table of docs/measures.md (`make coverage`)

On each matter every answer is a little better or worse than its contestant (normal, standard deviation ``spread``), and all its verdicts
share that. What a ranking estimates then are the strengths that fit the whole population of matters best; they are taken from one very
large record.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from stages.stats.contests import Contests
from stages.stats.proportions import LEVEL, normal_quantile
from stages.stats.ranking import Ranking, davidson

SEED = 20261130
DRAWS = 1_000  # four strengths each: the error of a coverage near 0.95 is about 0.004
POPULATION = 40_000
STRENGTHS = (0.6, 0.2, -0.2, -0.6)
WORLDS = [(matters, nu, spread) for nu, spread in ((1.0, 0.0), (1.0, 1.5), (12.0, 1.5)) for matters in (8, 20, 80)]
HEAD = (
    "| matters | nu | spread | by matter, t | by matter, normal | by verdict, normal | refused |",
    "|--:|--:|--:|--:|--:|--:|--:|",
)


@dataclass(frozen=True)
class World:
    """A battery: contestants of ``STRENGTHS`` with Davidson's nu, and how far their answers vary from matter to matter."""

    matters: int
    nu: float
    spread: float

    def record(self, rng: np.random.Generator) -> Contests:
        """Every pair once on every matter."""
        pairs = np.array(list(combinations(range(len(STRENGTHS)), 2)), dtype=np.intp)
        quality = np.array(STRENGTHS) + self.spread * rng.normal(size=(self.matters, len(STRENGTHS)))
        matter = np.repeat(np.arange(self.matters, dtype=np.intp), len(pairs))
        one, two = np.tile(pairs.T, self.matters)
        half = (quality[matter, one] - quality[matter, two]) / 2
        every = np.exp(half) + np.exp(-half) + self.nu
        chance = rng.random(len(matter))
        share = np.select([chance < np.exp(half) / every, chance < (np.exp(half) + np.exp(-half)) / every], [1.0, 0.0], default=0.5)
        return Contests(tuple("abcd"), matter, one, two, share, both_inadequate=0, unreadable=0)


def row(world: World, draws: int, seed: int, population: int = POPULATION) -> list[float]:
    """How often the interval holds the truth, over all four strengths: by matter with t and with the normal quantile, by verdict; refused."""
    rng = np.random.default_rng([seed, world.matters, round(10 * world.nu), round(10 * world.spread)])
    truth = davidson(replace(world, matters=population).record(rng))
    assert isinstance(truth, Ranking)
    held = np.zeros(3)
    fitted = 0
    for _ in range(draws):
        record = world.record(rng)
        by_matter, by_verdict = davidson(record), davidson(replace(record, matter=np.arange(record.n, dtype=np.intp)))
        if not isinstance(by_matter, Ranking) or not isinstance(by_verdict, Ranking) or by_matter.no_interval:
            continue
        fitted += 1
        for known, clustered, apart in zip(truth.strengths, by_matter.strengths, by_verdict.strengths, strict=True):
            off = abs(clustered.log_strength - known.log_strength)
            held += [
                clustered.interval.hi - clustered.log_strength >= off,
                normal_quantile(LEVEL) * clustered.se >= off,
                normal_quantile(LEVEL) * apart.se >= off,
            ]
    return [*(held / (fitted * len(STRENGTHS))), draws - fitted]


def table(draws: int = DRAWS, seed: int = SEED, worlds: list[tuple[int, float, float]] = WORLDS, population: int = POPULATION) -> str:
    """The table in Markdown, with what it was made by."""
    lines = [f"seed {seed}, B = {draws:,}, numpy {np.__version__} (PCG64), level {LEVEL}, strengths {STRENGTHS}", "", *HEAD]
    for matters, nu, spread in worlds:
        *shares, refused = row(World(matters, nu, spread), draws, seed, population)
        lines.append(f"| {matters} | {nu:g} | {spread:g} | {' | '.join(f'{share:.3f}' for share in shares)} | {refused:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
