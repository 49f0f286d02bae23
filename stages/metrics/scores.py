"""metrics/scores.json: each contestant over all its pairs. An entry:

"qwen-500m": {"both_inadequate": 0, "losses": 5, "missing": 0, "n": 16, "planned": 16, "ties": 4, "unreadable": 0, "wins": 7}
"""

from collections.abc import Iterable

from stages.metrics.leaves import Tree, picked
from stages.stats.counts import PairCount, contestant_counts

COUNTS = ("wins", "losses", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")


def tree(pairs: Iterable[PairCount]) -> Tree:
    """wins + losses + ties + both_inadequate = n, and n + unreadable + missing = planned, for each contestant."""
    return {count.contestant: picked(count, COUNTS) for count in contestant_counts(pairs)}
