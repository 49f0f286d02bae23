"""A part of metrics/disclosures.json: answers that were cut off, kept back or refused, and answers that were asked for again.

Which layer stopped an output is said where the reply says it. A finish reason of ``content_filter`` names no layer; the maker's own word
beside it does.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from stages.metrics.leaves import Frames, Tree

Attempt = Mapping[Any, Any]
_PLURALS = {"reply": "replies"}


def interruptions(frames: Frames) -> Tree:
    """A sentence for each contestant and way of ending, with the matters."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for attempt in frames["attempts"].to_dict("records"):
        if attempt["scored"] and attempt["status"] != "complete":
            kinds.setdefault((attempt["contestant"], attempt["status"], ended(attempt)), []).append(attempt["matter_id"])
    found: Tree = {}
    for (contestant, status, how), matters in sorted(kinds.items()):
        place = sum(key.startswith(f"{contestant}:{status}") for key in found)
        told = how.replace("ANSWERS", f"{number(len(matters), 'answer')} of {contestant}", 1)
        found[f"{contestant}:{status}" + (f":{place + 1}" if place else "")] = f"{told}; scored as delivered: {listed(sorted(matters))}."
    return found


def ended(attempt: Attempt) -> str:
    """How an attempt that is not complete ended, with ``ANSWERS`` in its place, and which layer stopped it where the reply says so."""
    finish, code = word(attempt["finish_reason"]), word(attempt["provider_code"])
    said = f"finish reason {finish}" if finish else "no finish reason"
    coded = f"code {code}" if code else "without a code"
    nothing = " before any text" if not attempt["text"] else ""
    ways = {
        "truncated": f"The token limit cut off ANSWERS{nothing} ({said})",
        "filtered": f"A content filter stopped ANSWERS{nothing} ({said}; {_layer(code)})",
        "blocked": f"Moderation refused the request for ANSWERS, as the endpoint's error says ({coded})",
        "refused": f"A field of the reply marks ANSWERS as a refusal ({said})",
        "empty": f"No text stands in ANSWERS ({said}; which layer kept it back is unknown)",
    }
    return ways.get(attempt["status"], f"The status of ANSWERS is {word(attempt['status'])} ({said}; which layer stopped it is unknown)")


def _layer(code: str | None) -> str:
    """Which layer a filter's reply names: the maker of the model, where its own word is passed on."""
    return f"the model's own provider says {code}" if code else "which layer did is unknown"


def word(value: object) -> str | None:
    """A provider's word as a sentence may hold it: short and on one line; None where there is none."""
    return _line(value)[:60] or None if isinstance(value, str) else None


def reruns(frames: Frames) -> Tree:
    """Every further attempt with its order, the reason and what the rule made of it."""
    attempts = {(row["matter_id"], row["contestant"], row["attempt"]): row for row in frames["attempts"].to_dict("records")}
    orders = frames["orders"][frames["orders"]["order"] == "rerun"].to_dict("records")
    found = {}
    for order in sorted(orders, key=lambda row: (row["matter_id"], row["contestant"], int(row["attempt"]))):
        place = (order["matter_id"], order["contestant"], int(order["attempt"]))
        before = attempts.get((*place[:2], place[2] - 1), {})
        found[f"{place[0]}:{place[1]}:{place[2]}"] = _rerun(order, before, attempts.get(place))
    return found


def _rerun(order: Attempt, before: Attempt, attempt: Attempt | None) -> str:
    who = f"was ordered by {_line(order['ordered_by'])} on {order['ordered_at']:%Y-%m-%d}"
    after = f"after attempt {int(order['attempt']) - 1} was {before.get('status', 'of a kind that is not known')}"
    what = f"Attempt {int(order['attempt'])} of {order['contestant']} at {order['matter_id']}"
    words = f"{what} {who}, {after}. Reason: {_stopped(order['reason'])}"
    if attempt is None:
        return f"{words} It is not recorded."
    late = " Its call began before the day and time of the order." if attempt["started_at"] < order["ordered_at"] else ""
    counts = "and is the one that is scored" if attempt["scored"] else "and is not scored"
    return f"{words} It came {attempt['status']} {counts} (rule {attempt['attempt_rule']}).{late}"


def _line(text: str) -> str:
    """Words that somebody wrote, on one line and without what cannot be seen."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _stopped(text: str) -> str:
    """Words that a person wrote, as a sentence that ends."""
    words = _line(text)
    return words if words.endswith((".", "!", "?")) else f"{words}."


def number(count: int, noun: str) -> str:
    """``1 answer``, ``3 answers``."""
    return f"{count} {noun if count == 1 else _PLURALS.get(noun, noun + 's')}"


def listed(names: Iterable[str]) -> str:
    """Names with commas between and ``and`` before the last."""
    *front, last = names
    return f"{', '.join(front)} and {last}" if front else str(last)
