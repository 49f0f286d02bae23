"""The evidence: what every page is made of: the rows of the published tables, the metrics, the study, and how they hang together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stages.schema.jsonl import Row
from stages.schema.names import pair_name, pairs, presentation_id
from stages.schema.settings import Instrument, Study

Tree = dict[str, Any]
Prompt = Callable[[str, str, str], list[dict[str, str]]]
TABLES = (
    "matters", "contestants", "attempts", "answers", "assignments", "verdicts", "rejected_points", "calls", "judges", "controls", "orders",
    "second_verdicts",
)  # fmt: skip


@dataclass(frozen=True)
class ShownPairing:
    """A pairing with both answers, as the judge saw it and as the record knows it. verdict is None where none is recorded.

    apart: the verdicts on it that no score counts, on the other order and of other judges: the judge's own first, the first order first.
    """

    assignment: Row
    matter: Row
    answer_a: Row
    answer_b: Row
    verdict: Row | None
    points: list[Row]
    presentation_id: str
    apart: list[Row]

    @property
    def name(self) -> str:
        """How the pages call it while it is blind: the matter, and the beginning of the presentation's digest."""
        return f"{self.matter['matter_id']}-{self.presentation_id[:10]}"

    @property
    def address(self) -> str:
        return f"pairings/{self.name}.html"

    @property
    def answers(self) -> dict[str, Row]:
        return {"A": self.answer_a, "B": self.answer_b}

    @property
    def unreadable(self) -> bool:
        return self.verdict is not None and self.verdict["verdict"] == "unreadable"


@dataclass(frozen=True)
class Evidence:
    """One record with its study.

    keys: the author's key of each matter, where the study shows keys. lines: the line of each recorded reply, by response and request
    digest. prompt: the judge's messages from brief, Answer A and Answer B. specifications: the Vega-Lite of each picture, by its name.
    """

    study: Study
    instrument_name: str
    instrument: Instrument
    rows: dict[str, list[Row]]
    metrics: dict[str, Tree]
    prompt: Prompt
    specifications: dict[str, Any]
    keys: dict[str, str] = field(default_factory=dict)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    views: dict[str, Tree] = field(default_factory=dict, compare=False)  # answers made ready once, filled by the pages that show them

    @cached_property
    def names(self) -> list[str]:
        return sorted(row["contestant"] for row in self.rows["contestants"])

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return pairs(self.names)

    @cached_property
    def matters(self) -> list[Row]:
        return sorted(self.rows["matters"], key=lambda row: str(row["matter_id"]))

    @cached_property
    def by_id(self) -> dict[str, Row]:
        return {row["matter_id"]: row for row in self.matters}

    @cached_property
    def answers(self) -> dict[tuple[str, str], Row]:
        return {(row["matter_id"], row["contestant"]): row for row in self.rows["answers"]}

    @cached_property
    def attempts(self) -> dict[tuple[str, str], Row]:
        """The scored attempt behind each answer."""
        return {(row["matter_id"], row["contestant"]): row for row in self.rows["attempts"] if row["scored"]}

    @cached_property
    def shown(self) -> list[ShownPairing]:
        """Every pairing that was or can be shown, by matter; within a matter by presentation, an order that tells nothing of names."""
        verdicts = {row["pairing_id"]: row for row in self.rows["verdicts"]}
        points = grouped(self.rows["rejected_points"], "verdict_id")
        apart = grouped(self.rows["second_verdicts"], "pairing_id")
        found = [self._shown(row, verdicts.get(row["pairing_id"]), points, apart) for row in self.rows["assignments"]]
        return sorted(found, key=lambda each: (str(each.matter["matter_id"]), each.presentation_id))

    def _shown(self, row: Row, verdict: Row | None, points: dict[str, list[Row]], apart: dict[str, list[Row]]) -> ShownPairing:
        matter = self.by_id[row["matter_id"]]
        a, b = (self.answers[row["matter_id"], row[side]] for side in ("answer_a_was", "answer_b_was"))
        seen = presentation_id(matter["matter_sha256"], a["text_sha256"], b["text_sha256"], row["ordinal"])
        own = points.get(verdict["verdict_id"], []) if verdict else []
        others = sorted(apart.get(row["pairing_id"], []), key=lambda each: (each["judge"] != self.judge, each["judge"], each["turned"]))
        return ShownPairing(row, matter, a, b, verdict, own, seen, others)

    @cached_property
    def by_matter(self) -> dict[str, list[ShownPairing]]:
        found: dict[str, list[ShownPairing]] = {row["matter_id"]: [] for row in self.matters}
        for each in self.shown:
            found[each.matter["matter_id"]].append(each)
        return found

    @cached_property
    def by_pairing(self) -> dict[str, ShownPairing]:
        return {each.assignment["pairing_id"]: each for each in self.shown}

    @property
    def against(self) -> dict[str, str]:
        """The pairings whose verdict goes against its own reasons, with the sentence that says how."""
        found: dict[str, str] = self.metrics["judge"].get("against_its_reasons", {}).get("found", {})
        return found

    @cached_property
    def not_together(self) -> dict[str, dict[str, Any]]:
        """The verdicts that do not go together, by matter: circles and adequacy contradictions by name, with what is odd."""
        judge = self.metrics["judge"]
        circles, adequacy = judge.get("triads", {}).get("found_circles", {}), judge.get("adequacy", {}).get("found", {})
        found: dict[str, dict[str, Any]] = {}
        for name, why in sorted({**circles, **adequacy}.items()):
            found.setdefault(name.split(":")[0], {})[name] = why
        return found

    @property
    def judge(self) -> str:
        return str(self.rows["judges"][0]["judge"]) if self.rows["judges"] else str(self.metrics["qualification"]["judge"])

    @property
    def latest_call(self) -> str | None:
        """When the youngest reply of the record came, in UTC; None for a record without calls."""
        return max((row["started_at"] for row in self.rows["calls"]), default=None)

    def pair(self, one: str, two: str) -> Tree:
        """What the metrics say of a pair, seen from its first."""
        tree: Tree = self.metrics["pairs"][pair_name(one, two)]
        return tree


def grouped(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    """The rows by the value of a column, each group in the order given."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(row[column], []).append(row)
    return found
