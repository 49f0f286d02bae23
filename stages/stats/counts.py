"""Counting verdicts: who won, who lost, what was left unscored, and how the judge leaned between A and B.

The identities, for every pair:      wins_1 + wins_2 + ties + both_inadequate = n,  n + unreadable + missing = planned.
For every contestant:                wins + losses + ties + both_inadequate = n,    n + unreadable + missing = planned.
A winner is read from who stood behind the letter (``answer_a_was``, ``answer_b_was``), never from a rule that draws sides.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

WORDS = ("A", "B", "tie", "both_inadequate", "unreadable")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Verdicts:
    """Verdicts as parallel columns of equal length, one entry a verdict, as the published table holds them.

    Raises ValueError for columns of unequal length, an unknown verdict word, contestants that are not in alphabetical order, sides
    that are not the two contestants, and two verdicts on one pairing.
    """

    matter_id: Sequence[str]
    contestant_1: Sequence[str]
    contestant_2: Sequence[str]
    answer_a_was: Sequence[str]
    answer_b_was: Sequence[str]
    verdict: Sequence[str]

    def __post_init__(self) -> None:
        columns = (self.matter_id, self.contestant_1, self.contestant_2, self.answer_a_was, self.answer_b_was, self.verdict)
        lengths = {len(column) for column in columns}
        if len(lengths) != 1:
            raise ValueError(f"the columns have unequal lengths: {', '.join(map(str, sorted(lengths)))}")
        for one, two, a, b, word in self.tally():
            _check(one, two, a, b, word)
        pairings = Counter(zip(self.matter_id, self.contestant_1, self.contestant_2, strict=True))
        for (matter, one, two), times in pairings.most_common(1):
            if times > 1:
                raise ValueError(f"{matter} has {times} verdicts on {one} and {two}")

    def tally(self) -> Counter[tuple[str, str, str, str, str]]:
        """How often each (contestant_1, contestant_2, answer_a_was, answer_b_was, verdict) occurs."""
        return Counter(zip(self.contestant_1, self.contestant_2, self.answer_a_was, self.answer_b_was, self.verdict, strict=True))


def _check(one: str, two: str, a: str, b: str, word: str) -> None:
    if word not in WORDS:
        raise ValueError(f"{word!r} is no verdict; the words are {', '.join(WORDS)}")
    if one >= two:
        raise ValueError(f"contestant_1 {one!r} does not come before contestant_2 {two!r}")
    if {a, b} != {one, two}:
        raise ValueError(f"the sides {a!r} and {b!r} are not the contestants {one!r} and {two!r}")


@dataclass(frozen=True, kw_only=True)
class Totals(ABC):
    """What counts over a pair and over a contestant share. missing is the remainder, so both identities hold for whatever is counted."""

    ties: int
    both_inadequate: int
    unreadable: int
    planned: int

    @property
    @abstractmethod
    def decisive(self) -> int:
        """Verdicts that somebody won."""

    @property
    def n(self) -> int:
        """Scored verdicts: decisive + ties + both_inadequate."""
        return self.decisive + self.ties + self.both_inadequate

    @property
    def missing(self) -> int:
        """Planned pairings without a verdict: planned - n - unreadable."""
        return self.planned - self.n - self.unreadable


@dataclass(frozen=True)
class PairCount(Totals):
    """One pair over all planned matters."""

    contestant_1: str
    contestant_2: str
    wins_1: int
    wins_2: int

    @property
    def decisive(self) -> int:
        """wins_1 + wins_2."""
        return self.wins_1 + self.wins_2


@dataclass(frozen=True)
class ContestantCount(Totals):
    """One contestant over all its pairs. planned: its pairings, matters times opponents."""

    contestant: str
    wins: int
    losses: int

    @property
    def decisive(self) -> int:
        """wins + losses."""
        return self.wins + self.losses


@dataclass(frozen=True)
class WordCount:
    """How often the judge said what. a + b = decisive; the share of A is over decisive verdicts only."""

    a: int
    b: int
    tie: int
    both_inadequate: int
    unreadable: int

    @property
    def decisive(self) -> int:
        return self.a + self.b

    @property
    def a_share(self) -> float | None:
        """a / decisive, between 0 and 1; None where no verdict is decisive."""
        return self.a / self.decisive if self.decisive else None


@dataclass(frozen=True)
class SideCount:
    """How often a contestant's answer stood as A and as B. times_a + times_b = n."""

    contestant: str
    times_a: int
    times_b: int

    @property
    def n(self) -> int:
        return self.times_a + self.times_b


def outcome(contestant_1: str, answer_a_was: str, answer_b_was: str, verdict: str) -> str:
    """What a verdict counts as: ``wins_1``, ``wins_2``, ``ties``, ``both_inadequate`` or ``unreadable``.

    Raises ValueError for an unknown verdict word.
    """
    if verdict in ("A", "B"):
        winner = answer_a_was if verdict == "A" else answer_b_was
        return "wins_1" if winner == contestant_1 else "wins_2"
    names = {"tie": "ties", "both_inadequate": "both_inadequate", "unreadable": "unreadable"}
    if verdict not in names:
        raise ValueError(f"{verdict!r} is no verdict; the words are {', '.join(WORDS)}")
    return names[verdict]


def pair_counts(verdicts: Verdicts, contestants: Iterable[str], matters: Iterable[str]) -> list[PairCount]:
    """Every pair of ``contestants``, C(N,2) of them in alphabetical order, also those without a verdict.

    ``matters`` are the planned ones. Raises ValueError for a verdict on a matter or a contestant that is not planned.
    """
    planned, names = set(matters), sorted(set(contestants))
    _only_planned("matter", verdicts.matter_id, planned)
    _only_planned("contestant", [*verdicts.contestant_1, *verdicts.contestant_2], set(names))
    found: dict[Pair, Counter[str]] = {pair: Counter() for pair in combinations(names, 2)}
    for (one, two, a, b, word), times in verdicts.tally().items():
        found[one, two][outcome(one, a, b, word)] += times
    return [
        PairCount(
            one, two, wins_1=count["wins_1"], wins_2=count["wins_2"], ties=count["ties"],
            both_inadequate=count["both_inadequate"], unreadable=count["unreadable"], planned=len(planned),
        )
        for (one, two), count in found.items()
    ]  # fmt: skip


def _only_planned(what: str, found: Iterable[str], planned: set[str]) -> None:
    for name in sorted(set(found) - planned):
        raise ValueError(f"there is a verdict on {what} {name!r}, which is not planned")


def contestant_counts(pairs: Iterable[PairCount]) -> list[ContestantCount]:
    """Each contestant's sums over its pairs, in alphabetical order. Summed over all, wins equal losses."""
    sums: dict[str, Counter[str]] = {}
    for pair in pairs:
        for name, wins, losses in ((pair.contestant_1, pair.wins_1, pair.wins_2), (pair.contestant_2, pair.wins_2, pair.wins_1)):
            sums.setdefault(name, Counter()).update(
                wins=wins, losses=losses, ties=pair.ties, both_inadequate=pair.both_inadequate,
                unreadable=pair.unreadable, planned=pair.planned,
            )  # fmt: skip
    return [ContestantCount(name, **count) for name, count in sorted(sums.items())]


def word_counts(verdict: Iterable[str]) -> WordCount:
    """How often each verdict word stands in the column ``verdict``. Raises ValueError for an unknown one."""
    found = Counter(verdict)
    for word in sorted(found.keys() - set(WORDS)):
        raise ValueError(f"{word!r} is no verdict; the words are {', '.join(WORDS)}")
    return WordCount(found["A"], found["B"], found["tie"], found["both_inadequate"], found["unreadable"])


def side_counts(contestants: Iterable[str], answer_a_was: Iterable[str], answer_b_was: Iterable[str]) -> list[SideCount]:
    """How often each contestant stood as A and as B, in alphabetical order.

    Raises ValueError for a side that is none of ``contestants``.
    """
    names, as_a, as_b = sorted(set(contestants)), Counter(answer_a_was), Counter(answer_b_was)
    for name in sorted((as_a.keys() | as_b.keys()) - set(names)):
        raise ValueError(f"a side was {name!r}, which is no contestant")
    return [SideCount(name, as_a[name], as_b[name]) for name in names]
