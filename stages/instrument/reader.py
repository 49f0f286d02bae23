"""The reader of a judge's reply: exactly one valid object, or ``unreadable`` with the reason.

Rule reader-1. Around the object may stand white space; before it one reasoning preamble, ``<think>`` to its first ``</think>``;
and the rest may be one Markdown code fence, empty or marked json. Nothing else: no prose, no second object, no repeated key, no
label off the menu. Whatever an answer planted cannot be read, because only the judge's own reply is.
"""

import re
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from stages.schema.canonical import canonical
from stages.schema.jsonl import load_json
from stages.schema.rows import VerdictWord
from stages.schema.settings import Instrument

READER = "reader-1"
_PREAMBLE = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCES = ("```", "```json")
_DEEPEST = 16  # the instrument asks for three
_JSON_SPACE = " \t\r\n"


@dataclass(frozen=True)
class Reading:
    """What a reply says. ``unreadable_because`` is None exactly when ``verdict`` is on the menu."""

    verdict: VerdictWord
    unreadable_because: str | None = None
    material_difference: bool | None = None
    rationale: str | None = None
    rejected_points: tuple[dict[str, Any], ...] = ()


def _unreadable(because: str) -> Reading:
    return Reading("unreadable", because)


def _object_text(text: str) -> str:
    """The reply without what rule reader-1 allows around the object."""
    text = _PREAMBLE.sub("", text, count=1) if _PREAMBLE.match(text) else text
    lines = text.strip(_JSON_SPACE).split("\n")
    fenced = len(lines) > 2 and lines[0].strip(_JSON_SPACE) in _FENCES and lines[-1].strip(_JSON_SPACE) == "```"
    return "\n".join(lines[1:-1] if fenced else lines)


def _deeper(value: Any, levels: int) -> bool:
    """Whether ``value`` nests deeper than ``levels``."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_deeper(one, levels - 1) for one in inner if isinstance(one, dict | list))


def _fault(instrument: Instrument, reply: Any) -> str | None:
    """The first way in which ``reply`` is not what the instrument asked for."""
    faults = Draft202012Validator(instrument.reply_schema).iter_errors(reply)
    first = min(faults, key=lambda fault: [str(step) for step in fault.absolute_path], default=None)
    if first is not None:
        place = ".".join(str(step) for step in first.absolute_path) or "the object"
        return f"{place} does not meet the schema ({first.validator})"
    return None if reply["verdict"] in instrument.menu else "verdict is not on the menu"


def read(instrument: Instrument, text: str) -> Reading:
    """Read one reply. Never raises: what cannot be read is its own value."""
    try:
        reply = load_json(_object_text(text))
        canonical(reply)  # an escaped lone surrogate is JSON, but no text
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not one JSON object: {error}"[:200])
    if _deeper(reply, _DEEPEST):  # a fixed limit: what can be read must not depend on how deep the caller stands
        return _unreadable(f"nested deeper than {_DEEPEST} levels")
    fault = _fault(instrument, reply)
    if fault:
        return _unreadable(fault)
    return Reading(
        reply["verdict"], None, reply["material_difference"], reply["rationale"], tuple(reply["rejected_points"])
    )  # fmt: skip
