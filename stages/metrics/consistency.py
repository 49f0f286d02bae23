"""A part of metrics/judge.json: whether the judge's verdicts go together with each other and with the reasons they came with.

Every verdict that does not is named, so that it can be looked up; none is changed or left out for it. Lists stand under names, because
DVC drops a list.
"""

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from stages.metrics.leaves import Frames, Tree, bounds, estimate, picked, present, rounded
from stages.schema.names import pair_name, pairing_id
from stages.stats.adequacy import Contradiction, adequacy
from stages.stats.burden import Burden, Difference, burdens, differences
from stages.stats.counts import Verdicts
from stages.stats.reasons import KINDS, Point, Reasoned, against_their_reasons
from stages.stats.triads import Circle, triads


def triads_tree(frames: Frames, said: Verdicts) -> Tree:
    """consistent + circles + chains_with_end_tie + two_ties_and_a_win = evaluable; evaluable + skipped = total."""
    found = triads(said, frames["contestants"]["contestant"], frames["matters"]["matter_id"])
    kinds = ("total", "evaluable", "consistent", "circles", "chains_with_end_tie", "two_ties_and_a_win")
    return {
        **picked(found, kinds),
        "skipped": picked(found, ("both_inadequate", "unreadable", "missing")),
        "found_circles": dict(map(circle, found.found_circles)),
    }


def circle(found: Circle) -> tuple[str, str]:
    """Its name, and who won against whom."""
    names = (found.first, found.second, found.third)
    wins = (f"{one} against {two}" for one, two in zip(names, (*names[1:], names[0]), strict=True))
    return f"{found.matter_id}:{'~'.join(sorted(names))}", f"wins of {', '.join(wins)}"


def adequacy_tree(said: Verdicts) -> Tree:
    """contradictions <= at_risk: wins and ties with an answer that was called inadequate beside another opponent."""
    found = adequacy(said)
    told = {pairing_id(each.matter_id, each.contestant_1, each.contestant_2): contradiction(each) for each in found.found}
    return {"at_risk": found.at_risk, "contradictions": len(told), "found": told}


def contradiction(found: Contradiction) -> str:
    what = "a tie" if found.winner == "tie" else f"won by {found.winner}"
    return f"{what}, though {' and '.join(found.inadequate)} is called inadequate beside another answer"


def reasons_tree(frames: Frames) -> Tree:
    """Verdicts that contradict their own reasons, out of the ``n`` that gave any: how many, of which kinds, and which."""
    given = list(reasoned(frames))
    flagged = against_their_reasons(given)
    times = Counter(kind for each in flagged for kind in each.kinds)
    told = {each.pairing_id: "; ".join(KINDS[kind] for kind in each.kinds) for each in flagged}
    return present(
        {
            "n": len(given),
            "verdicts": len(told),
            "share": rounded(len(told) / len(given)) if given else None,
            "kinds": {kind: times[kind] for kind in KINDS},
            "found": told,
        }
    )


def reasoned(frames: Frames) -> Iterable[Reasoned]:
    """The readable verdicts that say whether the action differs, with their rejected points."""
    points: dict[str, list[Point]] = {}
    for row in frames["rejected_points"].to_dict("records"):
        points.setdefault(row["verdict_id"], []).append(Point(row["contestant"], row["point"], bool(row["changes_course"])))
    stated = frames["verdicts"][frames["verdicts"]["material_difference"].notna()]
    for row in stated.to_dict("records"):
        rationale = row["rationale"] if isinstance(row["rationale"], str) else ""
        own = tuple(points.get(row["verdict_id"], ()))
        yield Reasoned(row["pairing_id"], row["winner"], bool(row["material_difference"]), rationale, own)


def burden_tree(frames: Frames) -> Tree:
    """Rejected points for each readable verdict on an answer, by contestant, and the paired difference by matter."""
    contestants = frames["contestants"]["contestant"].tolist()
    readable = frames["verdicts"][frames["verdicts"]["verdict"] != "unreadable"]
    judged = Counter(_keys(readable, "contestant_1")) + Counter(_keys(readable, "contestant_2"))
    points = frames["rejected_points"]
    rejected = Counter(_keys(points[points["verdict_id"].isin(readable["verdict_id"])], "contestant"))
    between = differences(judged, rejected, contestants)
    return {
        "contestants": {found.contestant: burden(found) for found in burdens(judged, rejected, contestants)},
        "differences": {pair_name(found.contestant_1, found.contestant_2): difference(found) for found in between},
    }


def _keys(frame: pd.DataFrame, side: str) -> Iterable[tuple[str, str]]:
    """Matter and contestant of each row."""
    return zip(frame["matter_id"], frame[side], strict=True)


def burden(found: Burden) -> Tree:
    counts = picked(found, ("answers", "verdicts", "points"))
    return present({**counts, "mean": rounded(found.mean), "with_any": estimate(found.with_any)})


def difference(found: Difference) -> Tree:
    """n: matters. The mean of contestant_1's burden less contestant_2's, with an interval or the reason why there is none."""
    around = found.found.interval if found.found else None
    return present(
        {
            "n": found.matters,
            "value": rounded(found.difference),
            "se": rounded(found.found.se) if found.found else None,
            "interval": bounds(around),
            "method": around.method if around else None,
            "level": around.level if around else None,
            "no_interval": found.no_interval,
        }
    )
