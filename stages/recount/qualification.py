"""How the numbers of metrics/qualification.json arise: the controls, and the judge's thresholds."""

from typing import Any

from stages.recount.arithmetic import wilson
from stages.recount.rules import Counts, Every, File, Formula, Rule, estimate

USES = ("settling", "testing")
_SAME = "sum(consistent::int)"
THRESHOLDS = ("passing_rate", "order_consistency", "matters")
_KIND = {"n": "count(*)", "verdicts": "sum(verdicts)", "right": 'sum("right")', "unreadable": "sum(unreadable)"}


def _half(use: str, under: str = "", beside: str = "") -> tuple[Rule, ...]:
    """The counts of one half. under, beside: what stands before these paths and views for second judges."""
    own, who = f"use = '{use}'", ("judge",) if beside else ()
    kinds, tested = f"{under}{use}.kinds.*", f"{beside}tested"
    values = {
        **_KIND, "wrong": 'sum(verdicts - "right" - unreadable)', "passed": "sum(passed::int)", "consistent": _SAME,
    }  # fmt: skip
    return (
        *(Rule(f"{kinds}.{name}", tested, keys=(*who, "kind"), value=value, among=own, optional=True) for name, value in values.items()),
        Rule(f"{under}{use}.matters", f"{beside}halves", keys=who, value="min(n)", among=own),
        Rule(f"{under}{use}.order_consistency.~n", tested, keys=who, among=own, optional=True),
        Rule(f"{under}{use}.order_consistency.~same", tested, keys=who, value=_SAME, among=own, optional=True),
    )


def passing(own: Counts, _: Every) -> Any:
    return estimate(own["passed"] / own["n"], own["n"], wilson(own["passed"], own["n"]))


def consistent(own: Counts, _: Every) -> Any:
    """The share of controls of one half whose verdict stayed the same in both orders, with Wilson's interval."""
    n, same = (next(value for name, value in own.items() if name.endswith(end)) for end in ("~n", "~same"))
    return estimate(same / n, n, wilson(same, n)) if n else None


def _judge(under: str = "", beside: str = "") -> tuple[Rule, ...]:
    """The thresholds, both halves and the outcome of the first judge, or of every second one."""
    who = ("judge",) if beside else ()
    return (
        *(
            Rule(f"{under}thresholds.{name}", f"{beside}judging", f"{name} is not null", who, f"max({name})", optional=True)
            for name in THRESHOLDS
        ),
        *(rule for use in USES for rule in _half(use, under, beside)),
        Rule(f"{under}qualifies", f"{beside}qualified", keys=who, value="bool_and(met)"),
    )


def _shares(under: str = "") -> tuple[Formula, ...]:
    found = []
    for use in (f"{under}{use}" for use in USES):
        counts = (f"{use}.kinds.*.n", f"{use}.kinds.*.passed")
        both = (f"{use}.order_consistency.~n", f"{use}.order_consistency.~same")
        found.append(Formula(f"{use}.kinds.*.passing_rate", counts, passing, "passed / n, Wilson's interval"))
        found.append(Formula(f"{use}.order_consistency", both, consistent, "consistent / n over all kinds, Wilson's interval"))
    return tuple(found)


_SECOND = "second_judges.*."

QUALIFICATION = File(
    rules=(*_judge(), *_judge(_SECOND, "second_")),
    formulas=(*_shares(), *_shares(_SECOND)),
)
