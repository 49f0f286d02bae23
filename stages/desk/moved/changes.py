"""What changed between two states, in words that name it: matters, settings, sides, answers, verdicts, rules, code, packages, history."""

from collections.abc import Iterable, Mapping
from typing import Any

from stages.desk.moved.state import State
from stages.schema.recorded import row_name

_PARTS = ("facts", "law", "assignment", "title", "area", "series", "published")
_NOT_THERE = "nothing"
_LONGEST = 80  # characters of a value in a sentence


def changes(one: State, two: State) -> dict[str, list[str]]:
    """Sentences by what they are about; only what changed."""
    found = {
        "matters": matters(one, two),
        "contestants": grouped("contestant", one.study.contestants, two.study.contestants),
        "instrument": named(one.study.choices.instrument, one.study.instrument, two.study.choices.instrument, two.study.instrument),
        "judge": named(one.study.choices.judge, one.study.judge, two.study.choices.judge, two.study.judge),
        "second judges": grouped("second judge", one.study.second_judges, two.study.second_judges),
        "assignments": assignments(one, two),
        "answers": replied(answers_of(one), answers_of(two)),
        "verdicts": replied(verdicts_of(one), verdicts_of(two)),
        "second verdicts": replied(second_of(one), second_of(two)),
        "exclusion rules": rules(one, two),
        "reader": [f"{one.reader} became {two.reader}"] if one.reader != two.reader else [],
        "packages": listed(one.packages, two.packages),
        "recordings": history(one, two),
    }
    return {about: sentences for about, sentences in found.items() if sentences}


def matters(one: State, two: State) -> list[str]:
    """Matters that the study asks about no more or newly, and those with another text."""
    before, after = one.study.battery, two.study.battery
    found = [f"{name} is asked now" for name in sorted(after.keys() - before.keys())]
    found += [f"{name} is asked no more" for name in sorted(before.keys() - after.keys())]
    for name in sorted(before.keys() & after.keys()):
        differs = [part for part in _PARTS if getattr(before[name], part) != getattr(after[name], part)]
        if differs:
            found.append(f"{name}: another {', '.join(differs)}")
    return found


def grouped(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Settings by name: who joined, who left, whose values differ."""
    found = [f"{what} {name} joined" for name in sorted(after.keys() - before.keys())]
    found += [f"{what} {name} left" for name in sorted(before.keys() - after.keys())]
    for name in sorted(before.keys() & after.keys()):
        found += [f"{name}: {sentence}" for sentence in values(before[name], after[name])]
    return found


def named(name_before: str, before: Any, name_after: str, after: Any) -> list[str]:
    """One setting that may have another name now, or other values."""
    renamed = [f"{name_before} became {name_after}"] if name_before != name_after else []
    return renamed + [f"{name_after}: {sentence}" for sentence in values(before, after)]


def values(before: Any, after: Any) -> list[str]:
    return listed(flat(before.model_dump(mode="json")), flat(after.model_dump(mode="json")))


def flat(tree: Any, path: str = "") -> dict[str, Any]:
    """The values of a tree by dotted path."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if inner is None:
        return {path: tree}
    found: dict[str, Any] = {}
    for key, value in inner:
        found |= flat(value, f"{path}.{key}".strip("."))
    return found


def listed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """``key was a, is b`` for every key that differs."""
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return [f"{key} {_told(before.get(key, _NOT_THERE), after.get(key, _NOT_THERE))}" for key in keys]


def _told(before: Any, after: Any) -> str:
    """Both values, the long ones from a little before the place where they part."""
    one, two = (" ".join(str(value).split()) for value in (before, after))
    parted = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    start = max(0, parted - 20) if max(len(one), len(two)) > _LONGEST else 0
    return f"was {_cut(one, start)}, is {_cut(two, start)}"


def _cut(text: str, start: int) -> str:
    end = start + _LONGEST
    return f"{'...' if start else ''}{text[start:end]}{'...' if len(text) > end else ''}"


def assignments(one: State, two: State) -> list[str]:
    """Pairings of both whose sides differ: these are stored for ever, so none should."""
    both = one.study.assignments.keys() & two.study.assignments.keys()
    turned = [name for name in sorted(both) if one.study.assignments[name].answer_a_was != two.study.assignments[name].answer_a_was]
    return [f"{name}: the stored sides were exchanged" for name in turned]


def answers_of(state: State) -> dict[str, str]:
    """The reply behind every answer, by id."""
    return {":".join(key): asked.rows[0]["response_sha256"] for key, asked in state.study.scored.items()}


def verdicts_of(state: State) -> dict[str, str]:
    """The reply behind every verdict, by pairing."""
    return {f"{matter}:{pair}": cell.reply for (pair, matter), cell in state.cells.items() if cell.reply is not None}


def second_of(state: State) -> dict[str, str]:
    """The reply behind every second verdict, by verdict id."""
    study = state.study
    return {name: study.verdicts[rounds[-1].sha256][0]["response_sha256"] for name, rounds in study.second_rounds.items() if rounds}


def replied(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Which replies are new, gone or other ones."""
    ways = {
        "new": sorted(after.keys() - before.keys()),
        "gone": sorted(before.keys() - after.keys()),
        "another reply": sorted(name for name in before.keys() & after.keys() if before[name] != after[name]),
    }
    return [f"{len(names)} {way}: {_some(names)}" for way, names in ways.items() if names]


def _some(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def rules(one: State, two: State) -> list[str]:
    """The study's rules, which matters are asked, and what was abandoned."""
    found = listed(flat(one.study.study.model_dump(mode="json")), flat(two.study.study.model_dump(mode="json")))
    found += listed({"matters": one.study.choices.matters}, {"matters": two.study.choices.matters})
    found += [f"{path} is obeyed now" for path in sorted(two.orders - one.orders)]
    return found + [f"{path} is obeyed no more" for path in sorted(one.orders - two.orders)]


def history(one: State, two: State) -> list[str]:
    """Rows that the first state has and the second has not: recordings are append-only, so each of them was changed or taken away."""
    found = []
    for file, before in one.rows.items():
        after = two.rows.get(file, {})
        added = len(after.keys() - before.keys())
        if added:
            found.append(f"{file}: {added} rows more")
        for digest in sorted(before.keys() - after.keys()):
            found.append(
                f"{file}: HISTORY REWRITTEN: {row_name(before[digest])} is not what it was: {_became(before[digest], after.values())}"
            )
    return found


def _became(row: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> str:
    """What a row that is gone differs in from the row that stands in its place."""
    place = [key for key in ("request_sha256", "matter_id", "contestant_1", "contestant_2", "reader", "ordinal") if key in row]
    twin = next((other for other in others if all(other.get(key) == row[key] for key in place)), None)
    if twin is None:
        return "no row stands in its place"
    return f"another {', '.join(sorted(key for key in row if row[key] != twin.get(key) and key != 'row_sha256'))}"
