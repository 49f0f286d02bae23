"""metrics/agreement.json: what a study asks beside its scores: each pairing in both orders, and several judges. Off, it is

    {"both_orders": false, "judges": 1}

and a part of it where both are on:
    {"by_judge": {"owl": {"orders": {"consistent": 4, "first_place": 2, "second_place": 0, "n": 6, …}, "pairs": {…}, "qualifies": false}},
     "between": {"elm~owl": {"first_order": {"units": 6, "raw": 0.5, "ac1": {…}, "alpha": {…}}}}, "both_orders": true, "judges": 2}

Each judge has a table of its own; none is ever added to another's, and no score rests on any of them but the first judge's first order,
which scores.json and pairs.json count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import combinations

import pandas as pd

from stages.metrics.judge import a_share, word_tree
from stages.metrics.leaves import Frames, Tree, estimate, picked, present, rounded, significant
from stages.metrics.qualification import one_judge
from stages.schema.names import pair_name
from stages.stats.agreement import Agreement, BothOrders, Ratings, ac1, alpha, both_orders
from stages.stats.clustered import Refused
from stages.stats.counts import WORDS, Verdicts, pair_counts, word_counts

CATEGORIES = tuple(word for word in WORDS if word != "unreadable")
COUNTS = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")
KINDS = ("n", "consistent", "first_place", "second_place", "tie_and_winner", "adequate_and_not", "unreadable")
ORDERS = {"first_order": False, "turned_order": True}
Said = Mapping[tuple[str, bool], pd.DataFrame]  # by judge and whether turned


def tree(frames: Frames, qualification: Tree) -> Tree:
    """What the second verdicts say. Raises ValueError for one that belongs to no judge and order of its own, or to no planned pairing."""
    first = str(one_judge(frames["judges"])["judge"])
    judges = [first, *sorted(frames["second_judges"]["judge"])]
    said = by_judge_and_order(frames, first)
    for name, _ in said:
        if name not in judges:
            raise ValueError(f"there are second verdicts of {name!r}, which is no judge of this study")
    turned = any(is_turned for _, is_turned in said)
    found: Tree = {"both_orders": turned, "judges": len(judges)}
    if not turned and len(judges) == 1:
        return found
    tested = {first: qualification, **qualification.get("second_judges", {})}
    shown = {name: {**judge_tree(name, said, frames, turned), **picked_from(tested[name])} for name in judges}
    return {**found, "by_judge": shown, **({"between": between(judges, said)} if len(judges) > 1 else {})}


def picked_from(qualification: Tree) -> Tree:
    """Whether this judge may be believed, beside every number of its."""
    return {key: qualification[key] for key in ("qualifies", "because")}


def by_judge_and_order(frames: Frames, first: str) -> Said:
    """The verdicts of each judge in each order. Raises ValueError for a second verdict of the first judge on the first order."""
    found = {(str(name), bool(turned)): rows for (name, turned), rows in frames["second_verdicts"].groupby(["judge", "turned"])}
    if (first, False) in found:
        raise ValueError(f"the table of second verdicts holds verdicts of {first} on the first order, which belong in verdicts")
    return {(first, False): frames["verdicts"], **found}


def columns(rows: pd.DataFrame | None) -> Verdicts:
    """One judge's verdicts in one order. Raises ValueError for two on one pairing, and for sides that are not the pair."""
    return Verdicts(*([] if rows is None else rows[field.name].tolist() for field in fields(Verdicts)))


def judge_tree(name: str, said: Said, frames: Frames, in_both: bool) -> Tree:
    """One judge alone: its words, its pairs on the first order, and, where both orders were judged, how often it stood by itself."""
    contestants, matters = frames["contestants"]["contestant"], frames["matters"]["matter_id"]
    first = columns(said.get((name, False)))
    counts, words = pair_counts(first, contestants, matters), word_counts(first.verdict)
    turned = columns(said.get((name, True)))
    pair_counts(turned, contestants, matters)  # refuses a verdict that nothing planned
    shown = {
        "pairs": {pair_name(pair.contestant_1, pair.contestant_2): picked(pair, COUNTS) for pair in counts},
        "a_share": a_share(words),
        "verdicts": word_tree(words),
    }
    return {**shown, **({"orders": orders(both_orders(first, turned), sum(pair.planned for pair in counts))} if in_both else {})}


def orders(found: BothOrders, planned: int) -> Tree:
    """consistent + first_place + second_place + tie_and_winner + adequate_and_not = n; n + unreadable + missing = planned."""
    reversals = {"n": found.test.n, "p": significant(found.test.p), "method": found.test.method}
    return present(
        {
            **picked(found, KINDS),
            "missing": planned - found.n - found.unreadable,
            "planned": planned,
            "consistency": estimate(found.consistency),
            "reversals": reversals,
        }
    )


def between(judges: Sequence[str], said: Said) -> Tree:
    """How far judges agree on the very same presentations: each two of them, and all where there are more than two; each order apart."""
    groups: dict[str, Sequence[str]] = {pair_name(*pair): pair for pair in combinations(sorted(judges), 2)}
    groups |= {"all": judges} if len(judges) > 2 else {}
    return {name: in_each_order(group, said) for name, group in groups.items()}


def in_each_order(judges: Sequence[str], said: Said) -> Tree:
    """The agreement on each order that two of these judges judged at least."""
    found = {}
    for name, turned in ORDERS.items():
        rows = {judge: said[judge, turned] for judge in judges if (judge, turned) in said and len(said[judge, turned])}
        if len(rows) > 1:
            found[name] = agreement(ratings(rows))
    return found


def ratings(rows: Mapping[str, pd.DataFrame]) -> Ratings:
    """One row a judge, one column a presentation that any of them judged: the letter or word, None where it is unreadable or missing."""
    words = {
        judge: {key: None if word == "unreadable" else word for key, word in zip(frame["presentation_id"], frame["verdict"], strict=True)}
        for judge, frame in rows.items()
    }
    units = sorted({unit for judge in words for unit in words[judge]})
    return [[words[judge].get(unit) for unit in units] for judge in sorted(words)]


def agreement(rated: Ratings) -> Tree:
    """units: presentations that two judges rated at least. raw: the share of their pairs of ratings that agree."""
    gwet, krippendorff = ac1(rated, CATEGORIES), alpha(rated, CATEGORIES)
    raw = rounded(gwet.raw) if isinstance(gwet, Agreement) else None
    units = gwet.units if isinstance(gwet, Agreement) else 0
    return present({"raters": len(rated), "units": units, "raw": raw, "ac1": corrected(gwet), "alpha": corrected(krippendorff)})


def corrected(found: Agreement | Refused) -> Tree:
    """A chance-corrected number with the units that it rests on, or the reason why there is none."""
    if isinstance(found, Refused):
        return {"method": found.method, "n": found.n, "refused": found.reason}
    return {"method": found.method, "n": found.units, "value": rounded(found.value)}
