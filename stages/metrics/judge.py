"""metrics/judge.json: how the judge spoke, who stood where before it, and whether its verdicts go together. Parts of it:

    "a_share": {"a": 20, "decisive": 20, "share": 1.0, "interval": {"lo": 0.831566, "hi": 1.0}, "p": 1.90735e-06, …}
    "triads": {"total": 8, "evaluable": 8, "consistent": 5, "circles": 1, "found_circles": {"Q04:a~b~c": "a beats b, …"}, …}

What hangs together with other verdicts and with the reasons given stands in consistency.py.
"""

from collections.abc import Iterable

import pandas as pd

from stages.metrics.consistency import adequacy_tree, burden_tree, reasons_tree, triads_tree
from stages.metrics.leaves import Frames, Tree, bounds, estimate, picked, present, rounded, significant
from stages.metrics.verdicts import verdicts
from stages.stats.clustered import Clustered, Refused
from stages.stats.counts import Verdicts, WordCount, side_counts, word_counts
from stages.stats.length import Adjusted, Lengths, longer_won, place_and_length
from stages.stats.position import balances, lean, won_by_side


def tree(frames: Frames) -> Tree:
    """How the judge spoke: verdict words, the share of A among decisive ones, who stood where, and what moved it or contradicts itself."""
    contestants, said = frames["contestants"]["contestant"], verdicts(frames)
    words = word_counts(said.verdict)
    return {
        "decisive": words.decisive,
        "a_share": a_share(words),
        "verdicts": word_tree(words),
        "balance": balance(frames, said),
        **length_trees(said, lengths(frames["answers"])),
        "triads": triads_tree(frames, said),
        "adequacy": adequacy_tree(said),
        "against_its_reasons": reasons_tree(frames),
        "names_itself": flagged("names_itself", frames["answers"], frames["verdicts"]),
        "addresses_the_judge": flagged("addresses_the_judge", frames["answers"], frames["verdicts"]),
        "rejected_points": rejected(frames["rejected_points"], contestants),
        "review_burden": burden_tree(frames),
    }


def word_tree(words: WordCount) -> Tree:
    """How often the judge said what, under the verdict's own words."""
    return {"A": words.a, "B": words.b, **picked(words, ("tie", "both_inadequate", "unreadable"))}


def a_share(words: WordCount) -> Tree:
    """The share of A among decisive verdicts with its exact interval and the exact test of one half. None of these where there is none."""
    found = lean(words)
    counts = {"a": words.a, "decisive": words.decisive}
    if found.share is None:
        return counts
    around = found.share.interval
    shown = {"share": rounded(found.share.value), "interval": bounds(around), "method": around.method, "level": around.level}
    return {**counts, **shown, "p": significant(found.test.p), "test": found.test.method}


def balance(frames: Frames, said: Verdicts) -> Tree:
    """times_a + times_b = n over the assignments in use, with the exact test of a fair coin; and decisive verdicts won in either place."""
    contestants, assignments = frames["contestants"]["contestant"], frames["assignments"]
    stood = balances(side_counts(contestants, assignments["answer_a_was"], assignments["answer_b_was"]))
    return {
        side.contestant: {
            **picked(side, ("times_a", "times_b", "n")),
            **({"p": significant(side.p), "p_holm": significant(side.p_holm)} if side.n else {}),
            **picked(won, ("decisive_as_a", "won_as_a", "decisive_as_b", "won_as_b")),
        }
        for side, won in zip(stood, won_by_side(said, contestants), strict=True)
    }


def lengths(answers: pd.DataFrame) -> Lengths:
    """Characters of each answer as delivered, by matter and contestant."""
    return {
        (matter, name): len(text) for matter, name, text in zip(answers["matter_id"], answers["contestant"], answers["text"], strict=True)
    }


def length_trees(said: Verdicts, long: Lengths) -> Tree:
    """longer + shorter + equal = decisive; and how far place and length move the judge, or why that cannot be said."""
    won = longer_won(said, long)
    counts = picked(won, ("longer", "shorter", "equal", "decisive"))
    return {"longer_won": present({**counts, "share": estimate(won.share)}), "place_and_length": adjusted(place_and_length(said, long))}


def adjusted(found: Adjusted | Refused) -> Tree:
    """Two log odds with their intervals, or the reason why there are none."""
    if isinstance(found, Refused):
        return {"method": found.method, "n": found.n, "refused": found.reason}
    shown = {"place": log_odds(found.place), "length": {**log_odds(found.length), "spread": rounded(found.spread)}}
    return {**shown, **picked(found, ("method", "level", "n", "matters", "parameters"))}


def log_odds(found: Clustered) -> Tree:
    return present({"log_odds": rounded(found.value), "se": rounded(found.se), "interval": bounds(found.interval)})


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
