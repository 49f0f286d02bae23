"""How the numbers of metrics/scores.json arise. The strengths of a ranking are fitted, not counted, and are not made again here."""

from stages.recount.rules import File, Rule

COUNTED = ("wins", "losses", "ties", "both_inadequate", "unreadable", "missing")
RANKINGS = ("davidson_ranking", "bradley_terry_ranking")
_ORDERED = "outcome in ('wins_1', 'wins_2', 'ties')"
_FITTED = "it is fitted to all verdicts at once; stage measure makes it, and dvc.lock holds its bytes"


def _ranking(name: str) -> tuple[Rule, ...]:
    """What stands beside the strengths: which verdicts they rest on, and which they do not."""
    there = "outcome <> 'missing'"
    return (
        Rule(f"{name}.n", "pairings", _ORDERED, among=there),
        Rule(f"{name}.decisive", "pairings", "outcome in ('wins_1', 'wins_2')", among=there),
        Rule(f"{name}.ties", "pairings", "outcome = 'ties'", among=there),
        Rule(f"{name}.both_inadequate", "pairings", "outcome = 'both_inadequate'", among=there),
        Rule(f"{name}.unreadable", "pairings", "outcome = 'unreadable'", among=there),
        Rule(f"{name}.matters", "pairings", _ORDERED, value="count(distinct matter_id)", among=there),
    )


SCORES = File(
    rules=(
        *(Rule(f"*.{name}", "seats", f"came_to = '{name}'", ("who",)) for name in COUNTED),
        Rule("*.n", "seats", "came_to not in ('unreadable', 'missing')", ("who",)),
        Rule("*.planned", "seats", keys=("who",)),
        *(rule for name in RANKINGS for rule in _ranking(name)),
    ),
    held=tuple(
        (f"{name}.{path}", _FITTED)
        for name in RANKINGS
        for path in (
            "tie_parameter", "level", "strengths.*.log_strength", "strengths.*.rank", "strengths.*.se", "strengths.*.interval.lo",
            "strengths.*.interval.hi",
        )
    ),
)  # fmt: skip
