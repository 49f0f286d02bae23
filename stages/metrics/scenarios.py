"""metrics/scenarios.json: each pair's counts with a named, reasoned set of pairings left out, and what that flips. A part of it:

    "without_blocked": {"rule": "blocked", "reason": "Moderation or …", "left_out": 9, "flipped": 1,
        "flips": {"alder~dogwood": "lead erased: as delivered dogwood leads by 2, here nobody leads"},
        "pairs": {"alder~dogwood": {"wins_1": 4, "wins_2": 4, "ties": 69, "n": 77, "left_out": 3, "planned": 80, …}, …}}

A rule is about the answers as they are scored, and leaves out a pairing where it holds for either of the two.
"""

import json
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from stages.metrics.leaves import Frames, Tree, estimate, picked, present, significant
from stages.metrics.verdicts import verdicts
from stages.schema.names import pair_name, pairs
from stages.schema.scenarios import ScenarioRule
from stages.stats.counts import PairCount
from stages.stats.paired import net_difference
from stages.stats.scenarios import Left, Pairing, leader, leaving_out, turned
from stages.stats.sign_test import holm, sign_test

HEADLINE = "as_delivered"
COUNTS = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing")
Answer = Mapping[Hashable, Any]

RULES: dict[ScenarioRule, Callable[[Answer], bool]] = {
    "as_delivered": lambda answer: False,
    "blocked": lambda answer: answer["status"] in ("blocked", "filtered"),
    "truncated": lambda answer: answer["status"] == "truncated",
    "rerun": lambda answer: answer["attempt"] > 1,
    "names_itself": lambda answer: bool(answer["names_itself"]),
}


def tree(frames: Frames) -> Tree:
    """Every scenario of the study. For each pair n + unreadable + missing + left_out = planned.

    Raises ValueError for a table of scenarios without the headline, and for a rule that is none of these.
    """
    found = {row["scenario"]: row for row in frames["scenarios"].to_dict("records")}
    if HEADLINE not in found:
        raise ValueError(f"the table of scenarios has no {HEADLINE}, and the others are compared with it")
    counted = {name: counts(frames, left_out(row, frames)) for name, row in found.items()}
    return {name: scenario(row, counted[name], counted[HEADLINE]) for name, row in found.items()}


def left_out(row: Answer, frames: Frames) -> set[Pairing]:
    """The pairings that one row of the table of scenarios leaves out, whether or not they were judged."""
    planned = pairs(frames["contestants"]["contestant"])
    if isinstance(row["rule"], str):
        if row["rule"] not in RULES:
            raise ValueError(f"the scenario {row['scenario']} has the rule {row['rule']!r}; the rules are {', '.join(RULES)}")
        struck = struck_answers(RULES[row["rule"]], frames["answers"])
        return {(matter, one, two) for matter, name in struck for one, two in planned if name in (one, two)}
    listed = set(_listed(row)) & set(frames["matters"]["matter_id"])
    return {(matter, one, two) for matter in listed for one, two in planned}


def _listed(row: Answer) -> list[str]:
    try:
        listed = json.loads(row["matters"])
    except (TypeError, ValueError):
        listed = None
    if not isinstance(listed, list) or not all(isinstance(matter, str) for matter in listed):
        raise ValueError(f"the scenario {row['scenario']} has neither a rule nor a list of matters")
    return listed


def struck_answers(rule: Callable[[Answer], bool], answers: pd.DataFrame) -> set[tuple[str, str]]:
    """Matter and contestant of each answer that the rule holds for."""
    return {(answer["matter_id"], answer["contestant"]) for answer in answers.to_dict("records") if rule(answer)}


def counts(frames: Frames, out: set[Pairing]) -> list[Left]:
    """Every pair without these pairings."""
    return leaving_out(verdicts(frames), frames["contestants"]["contestant"], frames["matters"]["matter_id"], out)


def scenario(row: Answer, here: list[Left], headline: list[Left]) -> Tree:
    """One scenario: what it leaves out and why, each pair's counts, and what is another than in the headline."""
    corrected = holm([sign_test(left.count.wins_1, left.count.wins_2).p for left in here])
    flips = {_name(left.count): words for left, whole in zip(here, headline, strict=True) if (words := flip(whole.count, left.count))}
    return {
        **({"rule": row["rule"]} if isinstance(row["rule"], str) else {"matters": ", ".join(_listed(row))}),
        "reason": row["reason"],
        "left_out": sum(left.left_out for left in here),
        "flipped": len(flips),
        "flips": flips,
        "pairs": {_name(left.count): pair(left, p_holm) for left, p_holm in zip(here, corrected, strict=True)},
    }


def pair(left: Left, p_holm: float) -> Tree:
    """The counts of one pair, its net difference and its corrected p; neither of these where nothing is scored."""
    difference = net_difference(left.count.wins_1, left.count.wins_2, left.count.n)
    return present(
        {
            **picked(left.count, COUNTS),
            "left_out": left.left_out,
            "planned": left.planned,
            "net_difference": estimate(difference),
            "p_holm": significant(p_holm) if difference else None,
        }
    )


def flip(headline: PairCount, here: PairCount) -> str | None:
    """In words, what became of the lead, and whether the interval holds zero now; None where both are as they were."""
    turn, said = turned(headline, here), []
    if turn:
        said.append(f"lead {turn}: as delivered {_lead(headline)}, here {_lead(here)}")
    before, after = tells_apart(headline), tells_apart(here)
    if before != after:
        gone = "holds zero here and did not" if before else "leaves zero out here and did not"
        said.append(f"the interval {gone} as delivered")
    return "; ".join(said) or None


def tells_apart(count: PairCount) -> bool:
    """Whether the interval of the net difference leaves zero out."""
    difference = net_difference(count.wins_1, count.wins_2, count.n)
    return difference is not None and not difference.interval.lo <= 0 <= difference.interval.hi


def _lead(count: PairCount) -> str:
    who = leader(count)
    return f"{who} leads by {abs(count.wins_1 - count.wins_2)}" if who else "nobody leads"


def _name(count: PairCount) -> str:
    return pair_name(count.contestant_1, count.contestant_2)
