"""metrics/pairs.json: each pair of contestants against each other. An entry:

"qwen-1500m~qwen-500m": {"both_inadequate": 0, "missing": 0, "n": 8, "planned": 8, "ties": 5, "unreadable": 0, "wins_1": 2, "wins_2": 1}
"""

from collections.abc import Iterable

from stages.metrics.leaves import Frames, Tree, picked
from stages.schema.names import pair_name
from stages.stats.counts import PairCount, Verdicts, pair_counts

COUNTS = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")


def counted(frames: Frames) -> list[PairCount]:
    """Every pair of the study's contestants over every matter of its battery. Raises ValueError for a verdict that is not planned."""
    names = ("matter_id", "contestant_1", "contestant_2", "answer_a_was", "answer_b_was", "verdict")
    verdicts = Verdicts(*(frames["verdicts"][name].tolist() for name in names))
    return pair_counts(verdicts, frames["contestants"]["contestant"], frames["matters"]["matter_id"])


def tree(pairs: Iterable[PairCount]) -> Tree:
    """wins_1 + wins_2 + ties + both_inadequate = n, and n + unreadable + missing = planned, for each pair."""
    return {pair_name(pair.contestant_1, pair.contestant_2): picked(pair, COUNTS) for pair in pairs}
