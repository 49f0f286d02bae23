"""metrics/scores.json: each contestant over all its pairs, and two rankings of them all. Parts of it:

    "qwen-500m": {"both_inadequate": 0, "losses": 5, "missing": 0, "n": 16, "planned": 16, "ties": 4, "unreadable": 0, "wins": 7}
    "davidson_ranking": {"n": 24, "matters": 8, "strengths": {"qwen-500m": {"rank": 1, "log_strength": 0.12, "se": 0.2, …}}, …}

A ranking that does not exist says why under ``refused``; one that is held back says why under ``withheld``. Counts always stand. No
contestant can be called as a ranking is: their names have no underscore.
"""

from collections.abc import Iterable

from stages.metrics.leaves import Frames, Tree, bounds, picked, present, rounded
from stages.metrics.verdicts import verdicts
from stages.stats.clustered import Refused
from stages.stats.contests import Contests, contests
from stages.stats.counts import PairCount, contestant_counts
from stages.stats.ranking import BRADLEY_TERRY, DAVIDSON, Ranking, Strength, bradley_terry, davidson

COUNTS = ("wins", "losses", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")
RANKINGS = {"davidson_ranking": (DAVIDSON, davidson), "bradley_terry_ranking": (BRADLEY_TERRY, bradley_terry)}


def tree(frames: Frames, pairs: Iterable[PairCount], withheld: str | None = None) -> Tree:
    """The counts of each contestant, and the rankings. withheld: why no ranking may be published, where that is so.

    For each contestant wins + losses + ties + both_inadequate = n, and n + unreadable + missing = planned.
    """
    counts = {count.contestant: picked(count, COUNTS) for count in contestant_counts(pairs)}
    found = contests(verdicts(frames), frames["contestants"]["contestant"])
    return {**counts, **{name: ranking(name, found, withheld) for name in RANKINGS}}


def ranking(name: str, found: Contests, withheld: str | None) -> Tree:
    """One ranking: n = decisive + ties, and n + both_inadequate + unreadable = the recorded verdicts."""
    method, fit = RANKINGS[name]
    used = picked(found, ("n", "decisive", "ties", "both_inadequate", "unreadable", "matters"))
    if withheld:
        return {**used, "method": method, "withheld": withheld}
    fitted = fit(found)
    return {**used, "method": method, **({"refused": fitted.reason} if isinstance(fitted, Refused) else fitted_tree(fitted))}


def fitted_tree(fitted: Ranking) -> Tree:
    """The strengths by contestant, the tie parameter where there is one, and how the intervals were made, or why there are none."""
    intervals = {strength.interval.method for strength in fitted.strengths if strength.interval}
    return present(
        {
            "strengths": {strength.contestant: placed(strength) for strength in fitted.strengths},
            "tie_parameter": rounded(fitted.tie_parameter),
            "interval_method": " and ".join(sorted(intervals)) or None,
            "level": fitted.level if intervals else None,
            "no_interval": fitted.no_interval,
        }
    )


def placed(strength: Strength) -> Tree:
    """A contestant's rank, log strength, standard error and interval."""
    numbers = {"log_strength": rounded(strength.log_strength), "se": rounded(strength.se), "interval": bounds(strength.interval)}
    return present({"rank": strength.rank, **numbers})
