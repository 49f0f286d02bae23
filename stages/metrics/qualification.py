"""metrics/qualification.json: whether the judge may be believed, by controls whose right verdict is known. Shortened:

    {"qualifies": false, "because": "identical: 0 of 4 passed, and 0.75 is wanted", "testing": {"matters": 4, "kinds": {"identical": {
        "passed": 0, "n": 4, "passing_rate": {"value": 0.0, "interval": {"lo": 0.0, "hi": 0.602}, …}, …}}}, "settling": {…}}

Only the controls in use for ``testing`` decide; on those for ``settling`` the instrument was tried.
Second judges are tested on the same controls and stand under ``second_judges``; whether scores are withheld, the first alone decides.
"""

from collections.abc import Sequence

import pandas as pd

from stages.metrics.leaves import Frames, Tree, estimate, picked
from stages.stats.controls import Judged, KindCount, kind_counts
from stages.stats.proportions import rate

THRESHOLDS = ("passing_rate", "order_consistency", "matters")
COUNTS = ("n", "passed", "consistent", "verdicts", "right", "wrong", "unreadable")


def tree(frames: Frames) -> Tree:
    """The judge's thresholds, its results on both halves of the controls, and one boolean with its reason.

    Raises ValueError for a control that was not judged in both orders, and for a table of judges that holds more or less than one.
    """
    beside = second(frames["second_judges"], frames["second_controls"])
    return {**tested(one_judge(frames["judges"]), frames["controls"]), **({"second_judges": beside} if beside else {})}


def second(judges: pd.DataFrame, controls: pd.DataFrame) -> Tree:
    """Each second judge by its own thresholds and on its own controls. Raises ValueError for controls that none of them was given."""
    found = {str(name): tested(one_judge(rows), controls[controls["judge"] == name]) for name, rows in judges.groupby("judge")}
    for stray in sorted(set(controls["judge"]) - found.keys()):
        raise ValueError(f"there are controls of {stray!r}, which is no second judge")
    return found


def tested(judge: Tree, controls: pd.DataFrame) -> Tree:
    """One judge's results on its controls. Raises ValueError for a control that was not judged in both orders."""
    halves = {use: kind_counts(_judged(controls, use)) for use in ("settling", "testing")}
    faults = shortfalls(halves["testing"], judge)
    wanted = {name: judge[name] for name in THRESHOLDS if not pd.isna(judge[name])}
    return {
        "judge": judge["judge"],
        "qualifies": not faults,
        "because": "; ".join(faults) or "every threshold is met",
        "thresholds": wanted,
        **{use: half(counts) for use, counts in halves.items()},
    }


def one_judge(judges: pd.DataFrame) -> Tree:
    """The row of the study's judge. Raises ValueError where there is not exactly one, or where it has some thresholds and not others."""
    if len(judges) != 1:
        raise ValueError(f"the table of judges has {len(judges)} rows, and a study has one judge")
    judge = {str(name): value for name, value in judges.to_dict("records")[0].items()}
    if len({bool(pd.isna(judge[name])) for name in THRESHOLDS}) > 1:
        raise ValueError(f"the judge {judge['judge']} has some of the thresholds {', '.join(THRESHOLDS)} and not the others")
    return judge


def _judged(controls: pd.DataFrame, use: str) -> list[Judged]:
    names = ("matter_id", "kind", "order_number", "expected", "verdict")
    rows = controls[controls["use"] == use]
    return [Judged(*row) for row in zip(*(rows[name].tolist() for name in names), strict=True)]


def half(counts: Sequence[KindCount]) -> Tree:
    """One half of the controls: each kind, and how often the verdict stayed the same when the sides were exchanged."""
    kinds = {count.kind: {**picked(count, COUNTS), **_rate(count)} for count in counts}
    consistency = estimate(rate(sum(count.consistent for count in counts), sum(count.n for count in counts)))
    return {"matters": matters(counts), "kinds": kinds, **({"order_consistency": consistency} if consistency else {})}


def _rate(count: KindCount) -> Tree:
    return {"passing_rate": estimate(rate(count.passed, count.n))}


def matters(counts: Sequence[KindCount]) -> int:
    """How many matters every kind was tried on; 0 without controls."""
    return min((count.n for count in counts), default=0)


def shortfalls(counts: Sequence[KindCount], judge: Tree) -> list[str]:
    """A phrase for each threshold that the judge does not meet; empty when it qualifies."""
    if pd.isna(judge["passing_rate"]):
        return [f"conf/judge/{judge['judge']}.yaml sets no thresholds (key qualifies), so the judge is untested"]
    if not counts:
        return ["there are no controls for testing, so the judge is untested"]
    found = []
    if matters(counts) < judge["matters"]:
        found.append(f"controls of {matters(counts)} matters, and {judge['matters']} are wanted")
    found += [
        f"{count.kind}: {count.passed} of {count.n} passed, and {judge['passing_rate']:g} is wanted"
        for count in counts
        if count.passed < judge["passing_rate"] * count.n
    ]
    consistent, n = sum(count.consistent for count in counts), sum(count.n for count in counts)
    if consistent < judge["order_consistency"] * n:
        found.append(f"the verdict stayed the same in {consistent} of {n} exchanges of sides, and {judge['order_consistency']:g} is wanted")
    return found


def withheld(qualification: Tree) -> str | None:
    """Why no ranking is published; None when the judge qualifies."""
    return None if qualification["qualifies"] else f"the judge does not qualify: {qualification['because']}"
