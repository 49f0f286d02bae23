"""How the numbers of metrics/qualification.json arise: the controls, and the judge's thresholds."""

from collections.abc import Callable
from typing import Any

from stages.recount.arithmetic import wilson
from stages.recount.rules import Counts, Every, File, Formula, Rule, estimate

USES = ("settling", "testing")
_SAME = "sum(consistent::int)"
THRESHOLDS = ("passing_rate", "order_consistency", "matters")
_KIND = {"n": "count(*)", "verdicts": "sum(verdicts)", "right": 'sum("right")', "unreadable": "sum(unreadable)"}


def _half(use: str) -> tuple[Rule, ...]:
    own, keys = f"use = '{use}'", ("kind",)
    kinds = f"{use}.kinds.*"
    return (
        *(Rule(f"{kinds}.{name}", "tested", keys=keys, value=value, among=own, optional=True) for name, value in _KIND.items()),
        Rule(f"{kinds}.wrong", "tested", keys=keys, value='sum(verdicts - "right" - unreadable)', among=own, optional=True),
        Rule(f"{kinds}.passed", "tested", keys=keys, value="sum(passed::int)", among=own, optional=True),
        Rule(f"{kinds}.consistent", "tested", keys=keys, value="sum(consistent::int)", among=own, optional=True),
    )


def _of(use: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{use}.kinds.*.{name}" for name in names)


def passing(own: Counts, _: Every) -> Any:
    return estimate(own["passed"] / own["n"], own["n"], wilson(own["passed"], own["n"]))


def consistency(use: str) -> Callable[[Counts, Every], Any]:
    """The share of controls of one half whose verdict stayed the same in both orders, with Wilson's interval."""

    def consistent(own: Counts, _: Every) -> Any:
        n, same = own[f"{use}.order_consistency.~n"], own[f"{use}.order_consistency.~same"]
        return estimate(same / n, n, wilson(same, n)) if n else None

    return consistent


QUALIFICATION = File(
    rules=(
        *(Rule(f"thresholds.{name}", "judging", f"{name} is not null", value=f"max({name})", optional=True) for name in THRESHOLDS),
        *(rule for use in USES for rule in _half(use)),
        *(Rule(f"{use}.matters", "halves", value="min(n)", among=f"use = '{use}'") for use in USES),
        *(Rule(f"{use}.order_consistency.~n", "tested", among=f"use = '{use}'", optional=True) for use in USES),
        *(Rule(f"{use}.order_consistency.~same", "tested", value=_SAME, among=f"use = '{use}'", optional=True) for use in USES),
        Rule("qualifies", "qualified", value="bool_and(met)"),
    ),
    formulas=(
        *(Formula(f"{use}.kinds.*.passing_rate", _of(use, "n", "passed"), passing, "passed / n, Wilson's interval") for use in USES),
        *(
            Formula(
                f"{use}.order_consistency", (f"{use}.order_consistency.~n", f"{use}.order_consistency.~same"),
                consistency(use), "consistent / n over all kinds, Wilson's interval",
            )
            for use in USES
        ),
    ),
)  # fmt: skip
