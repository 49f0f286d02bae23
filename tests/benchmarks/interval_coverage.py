"""Do the intervals of a pair hold their level? Draws records of known probabilities and counts how often each interval holds the truth.

    python -m tests.benchmarks.interval_coverage        prints the table of docs/measures.md (`make coverage`)

Counts are all that an interval looks at, so each distinct pair of counts is worked out once. For Tango's interval the coverage is also
summed over every possible outcome, without chance: where the two differ by more than the error of B draws, one of them is wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, lgamma, log, sqrt

import numpy as np

from stages.stats.paired import tango
from stages.stats.proportions import LEVEL, Interval, clopper_pearson, normal_quantile, wilson
from stages.stats.sign_test import sign_test

SEED = 20261130
DRAWS = 20_000  # the error of a coverage near 0.95 is then 0.0015
WORLDS = [(n, win, loss) for n in (8, 20, 80, 320) for win, loss in ((0.075, 0.05), (0.0625, 0.0), (0.05, 0.05), (0.4, 0.2), (0.45, 0.45))]
HEAD = (
    "| n | P(win) | P(loss) | Wald | Tango | Tango, summed | share: Clopper-Pearson | share: Wilson | ties: Wilson | sign test rejects |",
    "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
)


@dataclass(frozen=True)
class World:
    """n matters, each won with probability win, lost with probability loss, and otherwise tied."""

    n: int
    win: float
    loss: float

    @property
    def difference(self) -> float:
        return self.win - self.loss

    @property
    def share(self) -> float:
        return self.win / (self.win + self.loss)

    def chance(self, wins: int, losses: int) -> float:
        """The probability of exactly these counts."""
        cells = ((wins, self.win), (losses, self.loss), (self.n - wins - losses, 1 - self.win - self.loss))
        if any(count and not p for count, p in cells):
            return 0.0
        return exp(lgamma(self.n + 1) + sum(count * log(p) - lgamma(count + 1) for count, p in cells if count))


def wald(wins: int, losses: int, n: int) -> Interval:
    """What everybody computes first, here as the warning: the estimate plus and minus z standard errors."""
    estimate = (wins - losses) / n
    half = normal_quantile(LEVEL) * sqrt(max(0.0, wins + losses - (wins - losses) ** 2 / n)) / n
    return Interval(estimate - half, estimate + half, "wald", LEVEL)


def holds(interval: Interval, truth: float) -> bool:
    return interval.lo - 1e-12 <= truth <= interval.hi + 1e-12


def drawn(world: World, draws: int, seed: int) -> dict[tuple[int, int], float]:
    """The share of draws in which each (wins, losses) came up."""
    rng = np.random.default_rng([seed, world.n, round(1e4 * world.win), round(1e4 * world.loss)])
    counts = rng.multinomial(world.n, [world.win, world.loss, 1 - world.win - world.loss], size=draws)[:, :2]
    found, times = np.unique(counts, axis=0, return_counts=True)
    return {(int(wins), int(losses)): float(count) / draws for (wins, losses), count in zip(found, times, strict=True)}


def every(world: World) -> dict[tuple[int, int], float]:
    """The probability of each (wins, losses) that there is."""
    return {(wins, losses): world.chance(wins, losses) for wins in range(world.n + 1) for losses in range(world.n + 1 - wins)}


def rate(outcomes: dict[tuple[int, int], float], happens: Callable[[int, int], bool]) -> float:
    """How often something happens, over these outcomes with their weights."""
    return sum(weight for (wins, losses), weight in outcomes.items() if weight and happens(wins, losses)) / sum(outcomes.values())


def row(world: World, draws: int, seed: int) -> list[float]:
    """Coverage of each interval; those of the share over the draws with a decisive verdict. Last, how often p <= 0.05."""
    outcomes = drawn(world, draws, seed)
    decisive = {counts: weight for counts, weight in outcomes.items() if sum(counts)}
    tied = 1 - world.win - world.loss
    return [
        rate(outcomes, lambda won, lost: holds(wald(won, lost, world.n), world.difference)),
        rate(outcomes, lambda won, lost: holds(tango(won, lost, world.n), world.difference)),
        rate(every(world), lambda won, lost: holds(tango(won, lost, world.n), world.difference)),
        rate(decisive, lambda won, lost: holds(clopper_pearson(won, won + lost), world.share)),
        rate(decisive, lambda won, lost: holds(wilson(won, won + lost), world.share)),
        rate(outcomes, lambda won, lost: holds(wilson(world.n - won - lost, world.n), tied)),
        rate(outcomes, lambda won, lost: sign_test(won, lost).p <= 0.05),
    ]


def table(draws: int = DRAWS, seed: int = SEED, worlds: list[tuple[int, float, float]] = WORLDS) -> str:
    """The table in Markdown, with what it was made by."""
    lines = [f"seed {seed}, B = {draws:,}, numpy {np.__version__} (PCG64), level {LEVEL}", "", *HEAD]
    for n, win, loss in worlds:
        numbers = " | ".join(f"{value:.3f}" for value in row(World(n, win, loss), draws, seed))
        lines.append(f"| {n} | {win} | {loss} | {numbers} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
