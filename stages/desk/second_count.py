"""A second count of verdicts in both orders, from recorded replies and stored sides alone: it shares no code with the metrics."""

from stages.desk.in_use import InUse
from stages.instrument.reader import read
from stages.providers.reading import recorded_reply
from stages.schema.calls import Request
from stages.schema.names import verdict_id
from stages.schema.rows import Assignment


def orders_of(study: InUse, judge: str) -> dict[str, int]:
    """How often this judge found for the same text in both orders, for the first place twice, for the second twice, and so on."""
    found = dict.fromkeys(("consistent", "first_place", "second_place", "unreadable", "n"), 0)
    for pairing, turned in study.turned_assignments.items():
        own = judge == study.choices.judge
        first = study.verdict_requests[pairing] if own else study.second_requests[verdict_id(pairing, judge)]
        words = [_word(study, request) for request in (first, study.second_requests[verdict_id(pairing, judge, True)])]
        if None in words:
            continue
        kind = _kind(words, [study.assignments[pairing], turned])
        found["n"] += kind != "unreadable"
        if kind in found:
            found[kind] += 1
    return found


def _word(study: InUse, request: Request) -> str | None:
    """What the reply to this request says; None where none is recorded."""
    rows = study.verdicts.get(request.sha256, [])
    return read(study.instrument, recorded_reply(rows[0]).text).verdict if rows else None


def _kind(words: list[str | None], sides: list[Assignment]) -> str:
    if "unreadable" in words:
        return "unreadable"
    who = [{"A": side.answer_a_was, "B": side.answer_b_was}.get(str(word), word) for word, side in zip(words, sides, strict=True)]
    if who[0] == who[1]:
        return "consistent"
    return {("A", "A"): "first_place", ("B", "B"): "second_place"}.get((str(words[0]), str(words[1])), "other")
