"""metrics/judge.json: how the judge spoke, who stood where before it, and what it could see or rejected. A part of it:

"a_share": {"a": 20, "decisive": 20, "share": 1.0}
"""

from collections.abc import Iterable

import pandas as pd

from stages.metrics.leaves import Frames, Tree, present, rounded
from stages.stats.counts import SideCount, WordCount, side_counts, word_counts


def tree(frames: Frames) -> Tree:
    """How the judge spoke: verdict words, the share of A among decisive ones, who stood where, and what it could see or rejected."""
    assignments, contestants = frames["assignments"], frames["contestants"]["contestant"]
    words = word_counts(frames["verdicts"]["verdict"])
    sides = side_counts(contestants, assignments["answer_a_was"], assignments["answer_b_was"])
    return {
        "decisive": words.decisive,
        "a_share": a_share(words),
        "verdicts": {
            "A": words.a, "B": words.b, "tie": words.tie,
            "both_inadequate": words.both_inadequate, "unreadable": words.unreadable,
        },
        "balance": {side.contestant: balance(side) for side in sides},
        "names_itself": flagged("names_itself", frames["answers"], frames["verdicts"]),
        "addresses_the_judge": flagged("addresses_the_judge", frames["answers"], frames["verdicts"]),
        "rejected_points": rejected(frames["rejected_points"], contestants),
    }  # fmt: skip


def a_share(words: WordCount) -> Tree:
    """The share of A among decisive verdicts, with its count and its n. No share where nothing is decisive."""
    return present({"a": words.a, "decisive": words.decisive, "share": rounded(words.a_share)})


def balance(side: SideCount) -> Tree:
    """times_a + times_b = n, over the assignments in use."""
    return {"times_a": side.times_a, "times_b": side.times_b, "n": side.n}


def flagged(flag: str, answers: pd.DataFrame, verdicts: pd.DataFrame) -> Tree:
    """Answers that bear a flag (they name their own maker, or speak to the judge), and verdicts given on at least one of them."""
    telling = answers[answers[flag]]
    keys = set(zip(telling["matter_id"], telling["contestant"], strict=True))
    sides = zip(verdicts["matter_id"], verdicts["contestant_1"], verdicts["contestant_2"], strict=True)
    return {"answers": len(keys), "verdicts": sum((matter, one) in keys or (matter, two) in keys for matter, one, two in sides)}


def rejected(points: pd.DataFrame, contestants: Iterable[str]) -> Tree:
    """Rejected points in each contestant's answers, and how many of them change the course."""
    found = {name: points[points["contestant"] == name] for name in contestants}
    return {name: {"points": len(rows), "changes_course": int(rows["changes_course"].sum())} for name, rows in found.items()}
