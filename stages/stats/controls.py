"""Counting controls: pairs of answers with a known relation, each judged in both orders. A control passes when both verdicts are right.

For every kind: right + wrong + unreadable = verdicts = 2 n. An unreadable verdict is never right, and never consistent.
"""

from collections.abc import Iterable
from dataclasses import dataclass

ORDERS = (1, 2)


@dataclass(frozen=True)
class Judged:
    """One control in one order. order_number: 1 where the first text stands as A, 2 where it stands as B."""

    matter_id: str
    kind: str
    order_number: int
    expected: str
    verdict: str

    @property
    def outcome(self) -> str:
        """What the verdict says of the texts, whichever side they stood on: ``first``, ``second`` or the verdict's own word."""
        if self.verdict not in ("A", "B"):
            return self.verdict
        return "first" if (self.verdict == "A") == (self.order_number == 1) else "second"


@dataclass(frozen=True)
class KindCount:
    """One kind of control over its matters. right + wrong + unreadable = verdicts = 2 n; passed and consistent are out of n."""

    kind: str
    n: int
    passed: int
    consistent: int
    right: int
    unreadable: int

    @property
    def verdicts(self) -> int:
        return 2 * self.n

    @property
    def wrong(self) -> int:
        return self.verdicts - self.right - self.unreadable


def kind_counts(judged: Iterable[Judged]) -> list[KindCount]:
    """Every kind that occurs, in alphabetical order.

    Raises ValueError for a control that was not judged once in each order.
    """
    both: dict[tuple[str, str], list[Judged]] = {}
    for one in judged:
        both.setdefault((one.kind, one.matter_id), []).append(one)
    for (kind, matter), pair in both.items():
        if sorted(one.order_number for one in pair) != list(ORDERS):
            raise ValueError(f"the control {matter}:{kind} was not judged once in each order")
    return [_count(kind, [pair for (name, _), pair in both.items() if name == kind]) for kind in sorted({kind for kind, _ in both})]


def _count(kind: str, controls: list[list[Judged]]) -> KindCount:
    verdicts = [one for pair in controls for one in pair]
    return KindCount(
        kind, len(controls),
        passed=sum(all(one.verdict == one.expected for one in pair) for pair in controls),
        consistent=sum(pair[0].outcome == pair[1].outcome != "unreadable" for pair in controls),
        right=sum(one.verdict == one.expected for one in verdicts),
        unreadable=sum(one.verdict == "unreadable" for one in verdicts),
    )  # fmt: skip
