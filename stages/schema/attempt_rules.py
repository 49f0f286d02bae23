"""The rules that pick, of several attempts at one answer, the one that is scored; and when an attempt may be ordered again.

A study names a rule for each series in ``attempt_rules``. The rule decides what counts and never what is kept: every attempt stays.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from stages.schema.rows import Status

AttemptRule = Literal["recorded_attempt", "completed_rerun"]

# What was cut off or kept back. A refusal is the contestant's own answer, and a complete one is whole: neither is asked for again.
ORDERED_AGAIN: tuple[Status, ...] = ("blocked", "empty", "filtered", "truncated")


def recorded_attempt(statuses: Sequence[Status]) -> int:
    """The first delivered attempt, whatever it is."""
    return 0


def completed_rerun(statuses: Sequence[Status]) -> int:
    """The first complete attempt; where there is none, the first delivered one."""
    return statuses.index("complete") if "complete" in statuses else 0


RULES: dict[AttemptRule, Callable[[Sequence[Status]], int]] = {
    "recorded_attempt": recorded_attempt,
    "completed_rerun": completed_rerun,
}


def scored_attempt(rule: AttemptRule, statuses: Sequence[Status]) -> int:
    """The place, from 0, of the attempt that ``rule`` scores among ``statuses`` in the order of attempts. Raises ValueError for none."""
    if not statuses:
        raise ValueError("there is no attempt to score")
    return RULES[rule](statuses)


def check_ordered_again(name: str, status: Status) -> None:
    """Raise ValueError unless an attempt with this status may be ordered again. ``name`` is its id."""
    if status not in ORDERED_AGAIN:
        may = f"{', '.join(ORDERED_AGAIN[:-1])} or {ORDERED_AGAIN[-1]}"
        raise ValueError(f"attempt {name} is {status}; only one that is {may} can be ordered again")
