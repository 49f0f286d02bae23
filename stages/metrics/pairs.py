"""metrics/pairs.json: each pair of contestants against each other, seen from the first of them. A part of an entry:

    "qwen-1500m~qwen-500m": {
        "wins_1": 2, "wins_2": 4, "ties": 2, "both_inadequate": 0, "n": 8, "unreadable": 0, "missing": 0, "planned": 8,
        "net_difference": {"value": -0.25, "n": 8, "interval": {"lo": -0.7, "hi": 0.3}, "method": "tango_score", "level": 0.95}, …}

docs/measures.md says of every number what it is, when to read it and when not. What does not exist, such as a share of no decisive
verdicts, is left out.
"""

from collections.abc import Sequence

from stages.metrics.leaves import Frames, Tree, bounds, estimate, picked, present, rounded, significant
from stages.metrics.verdicts import verdicts
from stages.schema.names import pair_name
from stages.stats.counts import PairCount, pair_counts
from stages.stats.detectability import ALPHA, Reach, needed, reach
from stages.stats.fragility import fragility, without_one
from stages.stats.paired import net_difference, ties_half
from stages.stats.proportions import Estimate, clopper_pearson, rate, wilson
from stages.stats.sign_test import SignTest, holm, share_above_half, sign_test

COUNTS = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")


def counted(frames: Frames) -> list[PairCount]:
    """Every pair of the study's contestants over every matter of its battery. Raises ValueError for a verdict that is not planned."""
    return pair_counts(verdicts(frames), frames["contestants"]["contestant"], frames["matters"]["matter_id"])


def tree(pairs: Sequence[PairCount]) -> Tree:
    """wins_1 + wins_2 + ties + both_inadequate = n, and n + unreadable + missing = planned, for each pair; then what follows from them.

    Holm's correction is over all pairs, those without a decisive verdict among them, so no result decides how many there are.
    """
    tests = [sign_test(pair.wins_1, pair.wins_2) for pair in pairs]
    corrected = holm([test.p for test in tests])
    return {
        pair_name(pair.contestant_1, pair.contestant_2): {**picked(pair, COUNTS), **shown(pair, test, p_holm, len(pairs))}
        for pair, test, p_holm in zip(pairs, tests, corrected, strict=True)
    }


def shown(pair: PairCount, test: SignTest, p_holm: float, family: int) -> Tree:
    """Everything that follows from the counts of one pair of a ``family`` of pairs. Nothing where nothing is scored."""
    if not pair.n:
        return {}
    wins, losses, ties = pair.wins_1, pair.wins_2, pair.ties
    return present(
        {
            "net_difference": estimate(net_difference(wins, losses, pair.n)),
            "decisive_share": decisive_share(wins, losses),
            "sign_test": {
                "p": significant(test.p), "p_holm": significant(p_holm), "p_mid": significant(test.p_mid),
                "n": test.n, "pairs": family, "method": test.method,
            },
            "share_above_half": above_half(wins, losses),
            "ties_half": estimate(ties_half(wins, losses, ties)),
            "ties_half_inadequate_as_ties": estimate(ties_half(wins, losses, ties + pair.both_inadequate)),
            "tie_rate": estimate(rate(ties, pair.n)),
            "both_inadequate_rate": estimate(rate(pair.both_inadequate, pair.n)),
            "fragility": fragile(wins, losses, pair.n),
            "detectability": detectable(pair.decisive, pair.n, family),
        }
    )  # fmt: skip


def decisive_share(wins: int, losses: int) -> Tree | None:
    """wins / (wins + losses) with the exact interval, and Wilson's beside it; None where nothing is decisive."""
    n = wins + losses
    return estimate(Estimate(wins / n, n, clopper_pearson(wins, n)), wilson(wins, n)) if n else None


def above_half(wins: int, losses: int) -> Tree | None:
    """The probability that the first wins more than half of decisive verdicts; None where nothing is decisive."""
    found = share_above_half(wins, losses)
    return None if found is None else {"value": rounded(found), "n": wins + losses, "method": "jeffreys"}


def fragile(wins: int, losses: int, n: int) -> Tree:
    """Matters that erase or reverse the lead, and the extremes of the numbers with any one matter left out."""
    found, left = fragility(wins, losses, n), without_one(wins, losses, n - wins - losses)
    p = left.p and {"lo": significant(left.p.lo), "hi": significant(left.p.hi)}
    moved = present({"net_difference": bounds(left.net_difference), "decisive_share": bounds(left.decisive_share), "p": p})
    return present({"n": n, "to_erase": found.to_erase, "to_reverse": found.to_reverse, "without_one": moved or None})


def detectable(decisive: int, n: int, family: int) -> Tree:
    """What this many decisive verdicts could have shown, alone and at Holm's first step, and what finding 60 to 40 would take."""
    wanted = needed(decisive, n)
    sixty = {"share": wanted.share, "power": wanted.power, "alpha": wanted.alpha, "decisive": wanted.decisive, "matters": wanted.matters}
    return {
        **reached(reach(decisive, ALPHA)),
        "n": decisive,
        "first_holm_step": reached(reach(decisive, ALPHA / family)),
        "sixty_forty": present(sixty),
    }


def reached(found: Reach) -> Tree:
    """The least wins that reach alpha and the share that is found with this power; neither where nothing reaches alpha."""
    share = {"detectable_share": rounded(found.detectable_share), "least_wins": found.least_wins}
    return present({"alpha": rounded(found.alpha), "power": found.power, **share})
