"""The index: what was compared and what came out, with what stands against believing it where it cannot be missed."""

from typing import Any

from stages.render.evidence import Evidence, Tree
from stages.render.frame import Page, page
from stages.render.pictures import differences, outcomes, unscored
from stages.render.scenarios import disclosures, scenarios
from stages.render.wording import level, listed, p_value, plural, signed
from stages.schema.names import pair_name

PROVENANCE = ("battery", "contestants", "answers", "assignments", "instrument", "verdicts")
QUALIFIES = "The judge met every threshold on controls with a known verdict."
DOES_NOT = "The judge has not shown that it can tell a right answer from a wrong one, so these are counts of what it said and no more."
TOLD = 0.05  # of p after Holm's correction
RANKINGS = ("davidson_ranking", "bradley_terry_ranking")


def overview(evidence: Evidence, **frame: str) -> Page:
    """data/site/index.html."""
    metrics = evidence.metrics
    return page(
        "index.html",
        "index.html.j2",
        **frame,
        metrics=metrics,
        names=evidence.names,
        pairs=evidence.pairs,
        sentences=sentences(evidence),
        matrix=[{"name": name, "cells": [cell(evidence, name, other) for other in evidence.names]} for name in evidence.names],
        telling=any(told(evidence.pair(*pair)) for pair in evidence.pairs),
        differences=differences(evidence),
        outcomes=outcomes(evidence),
        lines=[{"one": one, "two": two, **follows(evidence.pair(one, two))} for one, two in evidence.pairs],
        level_word=" and ".join(levels(evidence)),
        totals=[total(metrics, name) for name in evidence.names],
        rankings=rankings(metrics["scores"]),
        scenarios=scenarios(metrics.get("scenarios"), evidence.pairs),
        disclosures=disclosures(metrics.get("disclosures")),
        coverage={"cost_usd": None, **metrics["coverage"]},
        latest=evidence.latest_call,
        parts=[(part, metrics["provenance"][part]) for part in PROVENANCE if part in metrics["provenance"]],
    )


def sentences(evidence: Evidence) -> list[str]:
    """What was compared, in five sentences."""
    judge, coverage = evidence.metrics["judge"], evidence.metrics["coverage"]
    said = judge["verdicts"]
    missing = coverage["verdicts"]["planned"] - coverage["verdicts"]["recorded"]
    unsaid = [f"{said.get('unreadable', 0)} could not be read"] + ([f"{missing} are missing"] if missing else [])
    qualifies = evidence.metrics["qualification"]["qualifies"]
    asked = plural(coverage["matters"], "closed-record legal matter")
    return [
        f"{plural(len(evidence.names), 'contestant')} ({listed(evidence.names)}) answered {asked}.",
        f"Every two answers to one matter, {plural(coverage['verdicts']['planned'], 'pairing')} in all, went before the judge"
        f" {evidence.judge} as Answer A and Answer B, without names, in an order drawn by a fair coin and stored.",
        f"It preferred one answer {plural(judge['decisive'], 'time')}, found {plural(said.get('tie', 0), 'tie')} and"
        f" {plural(said.get('both_inadequate', 0), 'pair')} both inadequate; {listed(unsaid)}.",
        clearest(evidence),
        QUALIFIES if qualifies else DOES_NOT,
    ]


def clearest(evidence: Evidence) -> str:
    """The sentence on the pair that chance explains least."""
    scored = [(pair, evidence.pair(*pair)) for pair in evidence.pairs if "sign_test" in evidence.pair(*pair)]
    if not scored:
        return "No verdict is scored, so nobody leads."
    (one, two), tree = min(scored, key=lambda each: (each[1]["sign_test"]["p_holm"], each[0]))
    if not told(tree):
        return f"No pair differs by more than chance allows, with all {len(evidence.pairs)} pairs allowed for."
    first, second = (one, two) if tree["net_difference"]["value"] > 0 else (two, one)
    lead, p = signed(abs(tree["net_difference"]["value"])), p_value(tree["sign_test"]["p_holm"])
    p = p if p.startswith("<") else f"= {p}"
    return f"The clearest difference is that of {first} over {second}: {lead} of all matters, p {p}, corrected for all pairs."


def told(pair: Tree) -> bool:
    """Whether the pair's difference can be told from chance, all pairs allowed for."""
    return bool("sign_test" in pair and pair["sign_test"]["p_holm"] <= TOLD)


def cell(evidence: Evidence, name: str, other: str) -> Tree | None:
    """One cell of the matrix, seen from the row; None on the diagonal."""
    if name == other:
        return None
    pair = seen_from(evidence, name, other)
    return {**pair, "told": told(evidence.pair(*sorted((name, other))))}


def seen_from(evidence: Evidence, name: str, other: str) -> Tree:
    """The counts of a pair as the one called ``name`` sees it: won, lost, and what they share."""
    one, two = sorted((name, other))
    pair = evidence.pair(one, two)
    mine, theirs = ("wins_1", "wins_2") if name == one else ("wins_2", "wins_1")
    shared = {key: pair[key] for key in ("ties", "both_inadequate", "n")}
    return {"won": pair[mine], "lost": pair[theirs], **shared, "unscored": unscored(pair)}


def follows(pair: Tree) -> Tree:
    """The counts of a pair, its net difference and the p-value of its sign test; these two are None where nothing is scored."""
    return {"pair": pair, "estimate": pair.get("net_difference"), "p": pair.get("sign_test", {}).get("p_holm")}


def levels(evidence: Evidence) -> list[str]:
    """The confidence levels that the net differences state: 95 %."""
    trees = [evidence.metrics["pairs"][pair_name(*pair)] for pair in evidence.pairs]
    return [level(share) for share in sorted({tree["net_difference"]["level"] for tree in trees if "net_difference" in tree})]


def total(metrics: dict[str, Tree], name: str) -> Tree:
    """One contestant over all its pairs."""
    own = metrics["coverage"]["contestants"][name]
    burden = metrics["judge"].get("review_burden", {}).get("contestants", {}).get(name)
    return {
        "name": name,
        "score": metrics["scores"][name],
        "answers": own["answers"],
        "not_complete": own["answers"] - own["status"]["complete"],
        "burden": burden.get("mean") if burden else None,
    }


def rankings(scores: Tree) -> list[dict[str, Any]]:
    """The rankings; where none exists, and for one and the same reason, that reason once."""
    found = [ranking(scores[name]) for name in RANKINGS if name in scores]
    reasons = {each["why_not"] for each in found}
    if len(found) > 1 and len(reasons) == 1 and None not in reasons:
        return [{**found[0], "method": " and ".join(each["method"].split(",")[0] for each in found)}]
    return found


def ranking(tree: Tree) -> dict[str, Any]:
    """A ranking with its strengths, or why there is none."""
    for verb in ("withheld", "refused"):
        if verb in tree:
            return {"method": tree["method"], "verb": verb.capitalize(), "why_not": tree[verb]}
    strengths = [
        {"name": name, "rank": each["rank"], "log_strength": each["log_strength"], "interval": each.get("interval")}
        for name, each in tree.get("strengths", {}).items()
    ]
    lines = sorted(strengths, key=lambda each: (each["rank"], each["name"]))
    return {"method": tree["method"], "why_not": None, "strengths": lines, "no_interval": tree.get("no_interval")}
