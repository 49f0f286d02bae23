"""What stands beside the counts on the index, where a study has it: scenarios side by side, disclosures, and what was public when."""

from typing import Any

from stages.render.wording import Tree, in_words
from stages.schema.names import pair_name

HEADLINE = "as_delivered"
TOLD_OF_A_KIND = 50  # sentences of one kind on the index: about 10 kB
TIMED = ("answers", "public_before", "same_day", "public_after")


def scenarios(tree: Tree | None, pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """A line for each scenario: what it leaves out and why, and each pair's counts without that."""
    return [
        {
            "name": in_words(name),
            "reason": scenario["reason"],
            "without": without(scenario),
            "left_out": scenario["left_out"],
            "cells": [cell(scenario, pair_name(*pair)) for pair in pairs],
        }
        for name, scenario in sorted((tree or {}).items())
    ]


def without(scenario: Tree) -> str:
    """What a scenario leaves out, by its rule or by name; nothing for the one that leaves nothing out."""
    rule = scenario.get("rule")
    return "" if rule == HEADLINE else in_words(rule or scenario.get("matters") or "")


def cell(scenario: Tree, pair: str) -> dict[str, Any]:
    """One pair under one scenario: its counts, and the sentence on a lead that changed hands."""
    counts = scenario["pairs"][pair]
    return {**{key: counts[key] for key in ("wins_1", "wins_2", "ties", "n")}, "flips": scenario.get("flips", {}).get(pair)}


def disclosures(tree: Tree | None) -> list[tuple[str, list[str], int]]:
    """What to disclose: each kind with its sentences, by what they are about, the first of them where there are many, and their number."""
    found = []
    for kind, sentences in sorted((tree or {}).items()):
        told = [str(sentence) for _, sentence in sorted(sentences.items())]
        found.append((in_words(kind), told[:TOLD_OF_A_KIND], len(told)))
    return found


def timed(tree: Tree | None) -> list[dict[str, Any]]:
    """For each contestant and series, how many answers were given before and after the matter was public, as far as anybody says."""
    return [
        {"name": name, "series": series, "trained_until": own.get("trained_until"), **{key: counts[key] for key in TIMED}}
        for name, own in sorted((tree or {}).get("contestants", {}).items())
        for series, counts in sorted(own["series"].items())
    ]
