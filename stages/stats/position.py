"""Whether the judge leans to a place: the share of A among decisive verdicts, and whether each contestant stood as A half the time.

Who stands as A is a fair coin for each pairing, drawn without regard to the answers. So if the place does not matter, the letter of a
decisive verdict is a fair coin too, each apart from all others, and the binomial test is exact however the verdicts on one matter hang
together.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stages.stats.counts import SideCount, Verdicts, WordCount
from stages.stats.proportions import LEVEL, Estimate, clopper_pearson
from stages.stats.sign_test import SignTest, holm, sign_test


@dataclass(frozen=True)
class Lean:
    """The share of A among decisive verdicts with its exact interval (None where nothing is decisive), and the test of one half."""

    share: Estimate | None
    test: SignTest


@dataclass(frozen=True)
class Balance:
    """How often a contestant stood as A and as B. times_a + times_b = n. p: of a fair coin; p_holm: corrected for all contestants."""

    contestant: str
    times_a: int
    times_b: int
    p: float
    p_holm: float

    @property
    def n(self) -> int:
        return self.times_a + self.times_b


@dataclass(frozen=True)
class WonBySide:
    """A contestant's decisive verdicts by the place it stood in. won_as_a <= decisive_as_a, won_as_b <= decisive_as_b."""

    contestant: str
    decisive_as_a: int
    won_as_a: int
    decisive_as_b: int
    won_as_b: int


def lean(words: WordCount, level: float = LEVEL) -> Lean:
    """How the judge leans, from how often it said what."""
    a, decisive = words.a, words.decisive
    share = Estimate(a / decisive, decisive, clopper_pearson(a, decisive, level)) if decisive else None
    return Lean(share, sign_test(a, words.b))


def balances(sides: Sequence[SideCount]) -> list[Balance]:
    """The test of a fair coin for each contestant, in the order given."""
    tests = [sign_test(side.times_a, side.times_b).p for side in sides]
    return [Balance(side.contestant, side.times_a, side.times_b, p, q) for side, p, q in zip(sides, tests, holm(tests), strict=True)]


def won_by_side(verdicts: Verdicts, contestants: Iterable[str]) -> list[WonBySide]:
    """In alphabetical order. Summed over all, won_as_a is how often the judge said A."""
    letters = zip(verdicts.answer_a_was, verdicts.answer_b_was, verdicts.verdict, strict=True)
    found = Counter((a, b, word) for a, b, word in letters if word in ("A", "B"))
    as_a: Counter[tuple[str, str]] = Counter()
    as_b: Counter[tuple[str, str]] = Counter()
    for (a, b, word), times in found.items():
        as_a[a, word] += times
        as_b[b, word] += times
    return [
        WonBySide(name, as_a[name, "A"] + as_a[name, "B"], as_a[name, "A"], as_b[name, "A"] + as_b[name, "B"], as_b[name, "B"])
        for name in sorted(set(contestants))
    ]
