"""How the numbers of metrics/scenarios.json arise. A scenario's condition stands in views.sql, once more and in SQL."""

from typing import Any

from stages.recount.arithmetic import Chance, holm, sign_test
from stages.recount.pairs import COUNTED, net
from stages.recount.rules import Counts, Every, File, Formula, Rule

_KEYS = ("scenario", "pair")
_OF = ("*.pairs.*.wins_1", "*.pairs.*.wins_2", "*.pairs.*.n")


def corrected(own: Counts, every: Every) -> Chance | None:
    """The exact p of the sign test, corrected over the pairs of this scenario; None where nothing is scored."""
    chances = [sign_test(pair["wins_1"], pair["wins_2"])[0] for pair in every]
    return holm(chances)[chances.index(sign_test(own["wins_1"], own["wins_2"])[0])] if own["n"] else None


def ahead(own: Counts, every: Every) -> Any:
    return net(own, every)


SCENARIOS = File(
    rules=(
        *(Rule(f"*.pairs.*.{name}", "scenes", f"outcome = '{name}' and not gone", _KEYS) for name in COUNTED),
        Rule("*.pairs.*.n", "scenes", "outcome not in ('unreadable', 'missing') and not gone", _KEYS),
        Rule("*.pairs.*.left_out", "scenes", "gone", _KEYS),
        Rule("*.pairs.*.planned", "scenes", keys=_KEYS),
        Rule("*.left_out", "scenes", "gone", ("scenario",)),
        Rule("*.flipped", "turns", "lead_moved or interval_moved", ("scenario",)),
    ),
    formulas=(
        Formula("*.pairs.*.net_difference", _OF, ahead, "(wins_1 - wins_2) / n, Tango's score interval"),
        Formula("*.pairs.*.p_holm", _OF, corrected, "the exact sign test, corrected over the pairs of the scenario after Holm", family=1),
    ),
)
