"""Why counts moved: every pairing that came out differently has one cause, the first that applies, so that the parts sum exactly."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stages.desk.moved.state import OUTCOMES, Cell, State

CAUSES = {
    "contestants": "a contestant joined or left, and the pair with it",
    "new_matters": "a matter that was not asked before",
    "left_out_matters": "a matter that is asked no more",
    "edited_matters": "a matter with another text",
    "attempt_rules": "another of the same attempts at an answer is scored",
    "reruns": "a further attempt at an answer, or one less",
    "re_answered": "another answer, or one where there was none",
    "re_assigned": "other sides or another ordinal",
    "re_judged": "another reply of the judge, or one where there was none",
    "re_read": "another reading of the same reply",
    "rules": "other rules or code over the same readings",
}


@dataclass(frozen=True)
class Moved:
    """A pairing that came out differently. None: it was not planned."""

    pair: str
    matter_id: str
    before: str | None
    after: str | None
    cause: str


def cause_of(before: Cell | None, after: Cell | None, pair_in_both: bool) -> str:
    """The first cause, in the order in which one thing follows from another."""
    if not pair_in_both:
        return "contestants"
    if before is None or after is None:
        return "new_matters" if before is None else "left_out_matters"
    steps = (
        ("edited_matters", before.matter_sha256, after.matter_sha256),
        (_another_answer(before, after), before.answers, after.answers),
        ("re_assigned", before.sides, after.sides),
        ("re_judged", (before.request, before.reply), (after.request, after.reply)),
        ("re_read", before.reading, after.reading),
    )
    return next((name for name, old, new in steps if old != new), "rules")


def _another_answer(before: Cell, after: Cell) -> str:
    """Why another reply is scored: the weightiest of the reasons on either side. The attempts say it, whatever the rules are called."""
    ways = ["attempt_rules"]
    for side in (0, 1):
        (old, new), (had, has) = (before.answers[side], after.answers[side]), (before.attempts[side], after.attempts[side])
        if old == new or (old and new and had == has):
            continue
        ways.append("reruns" if old and new and (had < has or has < had) else "re_answered")
    return max(ways, key=list(CAUSES).index)


def moved(one: State, two: State) -> Iterator[Moved]:
    """Every pairing whose outcome differs, with its cause."""
    both = {pair for pair, _ in one.cells} & {pair for pair, _ in two.cells}
    for key in sorted(one.cells.keys() | two.cells.keys()):
        before, after = one.cells.get(key), two.cells.get(key)
        outcomes = (before.outcome if before else None, after.outcome if after else None)
        if outcomes[0] != outcomes[1]:
            yield Moved(*key, *outcomes, cause_of(before, after, key[0] in both))


def split(one: State, two: State) -> dict[str, dict[str, dict[str, int]]]:
    """For each pair and outcome: before, after, and what each cause contributed. before + all causes = after, always.

    Counts are the published ones where there are any. What they differ by from what the rows give goes to ``rules``.
    """
    found: dict[str, dict[str, dict[str, int]]] = {}
    parts: Counter[tuple[str, str, str]] = Counter()
    for each in moved(one, two):
        for outcome, by in ((each.before, -1), (each.after, 1)):
            if outcome is not None:
                parts[each.pair, outcome, each.cause] += by
    for pair in sorted({pair for state in (one, two) for pair in _pairs(state)}):
        for outcome in OUTCOMES:
            before, after = _count(one, pair, outcome), _count(two, pair, outcome)
            causes = {cause: parts[pair, outcome, cause] for cause in CAUSES}
            causes["rules"] += after - before - sum(causes.values())
            if before != after or any(causes.values()):
                found.setdefault(pair, {})[outcome] = {"before": before, "after": after, **{k: v for k, v in causes.items() if v}}
    return found


def _pairs(state: State) -> set[str]:
    return {pair for pair, _ in state.cells} | state.counted.keys()


def _count(state: State, pair: str, outcome: str) -> int:
    published = state.counted.get(pair, {}).get(outcome)
    return (
        published if isinstance(published, int) else sum(cell.outcome == outcome for (name, _), cell in state.cells.items() if name == pair)
    )
