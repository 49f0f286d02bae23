"""metrics/coverage.json: what was planned, what is there, and what it took. A part of it:

"verdicts": {"planned": 24, "recorded": 24, "unreadable": 0}
"""

from math import fsum
from typing import get_args

import pandas as pd

from stages.metrics.leaves import Frames, Tree, present, rounded
from stages.schema.rows import Status
from stages.stats.counts import PairCount


def tree(frames: Frames, pairs: list[PairCount]) -> Tree:
    """What was planned and what is there. recorded verdicts = scored + unreadable."""
    calls, assignments = frames["calls"], frames["assignments"]
    matters, contestants = len(frames["matters"]), frames["contestants"]["contestant"].tolist()
    return present(
        {
            "matters": matters,
            "answers": {"planned": matters * len(contestants), "recorded": len(frames["answers"])},
            "verdicts": {
                "planned": sum(pair.planned for pair in pairs),
                "recorded": len(frames["verdicts"]),
                "unreadable": sum(pair.unreadable for pair in pairs),
            },
            "contestants": {name: answered(name, frames) for name in contestants},
            "assignments": {"in_use": len(assignments), "not_rederivable": int((~assignments["rederivable"]).sum())},
            "abandoned": abandoned(frames["orders"]),
            "calls": len(calls),
            "requests_with_two_replies": int((calls["replies"] > 1).sum()),
            "tokens": tokens(calls),
            "cost_usd": known_cost(calls),
            "cost_unknown_calls": int(calls["cost_usd"].isna().sum()),
        }
    )


def abandoned(orders: pd.DataFrame) -> Tree | None:
    """What was given up, each with its published reason; None where nothing was."""
    found = {}
    for order in orders[orders["order"] == "abandon"].to_dict("records"):
        what = order["pairing_id"] if isinstance(order["pairing_id"], str) else f"{order['matter_id']}:{order['contestant']}"
        found[what] = f"{order['reason']} ({order['ordered_by']}, {order['ordered_at']:%Y-%m-%d})"
    return found or None


def answered(contestant: str, frames: Frames) -> Tree:
    """One contestant's answers by status, with its attempts and the matters that stayed unanswered. answers + unanswered = matters."""
    answers = frames["answers"][frames["answers"]["contestant"] == contestant]
    return {
        "attempts": int((frames["attempts"]["contestant"] == contestant).sum()),
        "answers": len(answers),
        "unanswered": len(frames["matters"]) - len(answers),
        "status": {status: int((answers["status"] == status).sum()) for status in get_args(Status)},
        "names_itself": int(answers["names_itself"].sum()),
        "addresses_the_judge": int(answers["addresses_the_judge"].sum()),
    }


def tokens(calls: pd.DataFrame) -> Tree:
    """Tokens of the calls that say how many, and the number of calls that do not."""
    uncounted = calls["prompt_tokens"].isna() | calls["completion_tokens"].isna()
    return {
        "prompt": int(calls["prompt_tokens"].sum()),
        "completion": int(calls["completion_tokens"].sum()),
        "unknown_calls": int(uncounted.sum()),
    }


def known_cost(calls: pd.DataFrame) -> float | None:
    """US dollars of the calls whose cost is known; None where it is known of none."""
    known = calls["cost_usd"].dropna()
    return rounded(fsum(known)) if len(known) else None
