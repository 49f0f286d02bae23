"""What stands apart from the scores: each pairing on both orders, and further judges, as the page of the judge shows their agreement."""

from typing import Any

from stages.render.evidence import Evidence, Tree
from stages.render.wording import decimals, in_words, percent, share_bounds
from stages.schema.names import pair_name

ORDERS = ("first_order", "turned_order")
KINDS = ("first_place", "second_place", "tie_and_winner", "adequate_and_not", "unreadable", "missing")


def apart(evidence: Evidence) -> Tree | None:
    """The tables of metrics/agreement.json; None where the study asks for neither both orders nor further judges."""
    by_judge: Tree = evidence.metrics["agreement"].get("by_judge", {})
    if not by_judge:
        return None
    names = sorted(by_judge, key=lambda name: (name != evidence.judge, name))
    return {
        "judges": [judge_line(name, by_judge[name], evidence.judge) for name in names],
        "orders": [orders_line(name, by_judge[name]["orders"]) for name in names if by_judge[name].get("orders")],
        "kinds": [in_words(kind) for kind in KINDS],
        "pairs": [
            {"one": one, "two": two, "cells": [by_judge[name]["pairs"][pair_name(one, two)] for name in names]}
            for one, two in evidence.pairs
        ],
        "between": between(evidence.metrics["agreement"].get("between", {})),
    }


def judge_line(name: str, alone: Tree, first: str) -> Tree:
    """One judge: whether it may be believed, and how often it said A."""
    lean = alone["a_share"]
    return {
        "name": name,
        "scored": name == first,
        "qualifies": alone["qualifies"],
        "because": alone["because"],
        "a": lean["a"],
        "decisive": lean["decisive"],
        "share": percent(lean["share"]) if lean.get("share") is not None else "none",
        "interval": share_bounds(lean["interval"]) if lean.get("interval") else "none",
    }


def orders_line(name: str, orders: Tree) -> Tree:
    """One judge on both orders: in how many pairings it stood by its verdict, and what the others were."""
    share = orders.get("consistency")
    return {
        "name": name,
        "consistent": orders["consistent"],
        "n": orders["n"],
        "share": percent(share["value"]) if share else "none",
        "interval": share_bounds(share["interval"]) if share else "none",
        "kinds": [orders[kind] for kind in KINDS],
    }


def between(groups: Tree) -> list[dict[str, Any]]:
    """How far judges agree on the very same presentations: a line for each group of judges and order."""
    return [
        {
            "judges": group.replace("~", " and "),
            "order": in_words(order),
            "units": found["units"],
            "raw": percent(found["raw"]) if found.get("raw") is not None else "none",
            "ac1": corrected(found["ac1"]),
            "alpha": corrected(found["alpha"]),
        }
        for group, by_order in sorted(groups.items())
        for order in ORDERS
        if (found := by_order.get(order))
    ]


def corrected(found: Tree) -> str:
    """A chance-corrected number with two decimals, or why there is none."""
    return decimals(found["value"]) if found.get("value") is not None else f"none: {found.get('refused') or 'no reason is given'}"
