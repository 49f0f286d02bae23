"""How the numbers of metrics/pairs.json arise."""

from typing import Any

from stages.recount.arithmetic import (
    beta_share,
    clopper_pearson,
    detectable,
    holm,
    least_wins,
    needed,
    sign_test,
    tango,
    wilson,
)
from stages.recount.rules import Counts, Every, File, Formula, Rule, estimate

COUNTED = ("wins_1", "wins_2", "ties", "both_inadequate", "unreadable", "missing")
ALPHA, POWER, SIXTY = 0.05, 0.8, 0.6


def rate_of(name: str) -> Any:
    """The share of n with Wilson's interval."""

    def rate(own: Counts, _: Every) -> Any:
        return estimate(own[name] / own["n"], own["n"], wilson(own[name], own["n"])) if own["n"] else None

    return rate


def net(own: Counts, _: Every) -> Any:
    won, lost, n = own["wins_1"], own["wins_2"], own["n"]
    return estimate((won - lost) / n, n, tango(won, lost, n)) if n else None


def decisive(own: Counts, _: Every) -> Any:
    won, d = own["wins_1"], own["wins_1"] + own["wins_2"]
    if not d:
        return None
    low, high = wilson(won, d)
    return {**(estimate(won / d, d, clopper_pearson(won, d)) or {}), "wilson": {"lo": low, "hi": high}}


def tested(own: Counts, every: Every) -> Any:
    if not own["n"]:
        return None
    chances = [sign_test(pair["wins_1"], pair["wins_2"])[0] for pair in every]
    p, p_mid = sign_test(own["wins_1"], own["wins_2"])
    n = own["wins_1"] + own["wins_2"]
    return {"p": p, "p_mid": p_mid, "p_holm": holm(chances)[chances.index(p)], "n": n, "pairs": len(every)}


def above_half(own: Counts, _: Every) -> Any:
    won, lost = own["wins_1"], own["wins_2"]
    return {"value": beta_share(0.5, lost + 0.5, won + 0.5), "n": won + lost} if won + lost else None


def halves(own: Counts, ties: int) -> Any:
    won, lost = own["wins_1"], own["wins_2"]
    n = won + lost + ties
    if not n:
        return None
    low, high = tango(won, lost, n)
    return estimate((won + ties / 2) / n, n, (0.5 + low / 2, 0.5 + high / 2))


def fragile(own: Counts, _: Every) -> Any:
    won, lost, n = own["wins_1"], own["wins_2"], own["n"]
    if not n:
        return None
    left = [
        (won - (k == 0), lost - (k == 1), n - won - lost - (k == 2))
        for k, there in enumerate((won, lost, n - won - lost))
        if there and n > 1
    ]
    lead = abs(won - lost)
    return {
        "n": n, "to_erase": lead, "to_reverse": lead + 1 if lead and min(won, lost) else None,
        "without_one": {
            "net_difference": _ends([(a - b) / (a + b + c) for a, b, c in left]),
            "decisive_share": _ends([a / (a + b) for a, b, _ in left if a + b]),
            "p": _ends([sign_test(a, b)[0] for a, b, _ in left]),
        },
    }  # fmt: skip


def _ends(values: list[float]) -> Any:
    return {"lo": min(values), "hi": max(values)} if values else None


def reach(d: int, alpha: float) -> Any:
    return {"alpha": alpha, "power": POWER, "detectable_share": detectable(d, alpha, POWER), "least_wins": least_wins(d, alpha)}


def shown_by(own: Counts, every: Every) -> Any:
    d, n = own["wins_1"] + own["wins_2"], own["n"]
    if not n:
        return None
    wanted = needed(SIXTY, POWER, ALPHA)
    matters = (wanted * n + d - 1) // d if d else None
    sixty = {"share": SIXTY, "power": POWER, "alpha": ALPHA, "decisive": wanted, "matters": matters}
    return {**reach(d, ALPHA), "n": d, "first_holm_step": reach(d, ALPHA / len(every)), "sixty_forty": sixty}


_DECISIVE = ("*.wins_1", "*.wins_2")
_OF_N = (*_DECISIVE, "*.n")

PAIRS = File(
    rules=(
        *(Rule(f"*.{name}", "pairings", f"outcome = '{name}'", ("pair",)) for name in COUNTED),
        Rule("*.n", "pairings", "outcome not in ('unreadable', 'missing')", ("pair",)),
        Rule("*.planned", "pairings", keys=("pair",)),
    ),
    formulas=(
        Formula("*.net_difference", _OF_N, net, "(wins_1 - wins_2) / n, Tango's score interval"),
        Formula("*.decisive_share", _DECISIVE, decisive, "wins_1 / (wins_1 + wins_2), Clopper and Pearson's interval, Wilson's beside it"),
        Formula("*.sign_test", _OF_N, tested, "the exact sign test on wins_1 and wins_2, corrected over all pairs after Holm"),
        Formula("*.share_above_half", _DECISIVE, above_half, "the chance that the first wins more than half, after Jeffreys"),
        Formula("*.ties_half", (*_OF_N, "*.ties"), lambda own, _: halves(own, own["ties"]), "a tie as half a win, Tango's score interval"),
        Formula(
            "*.ties_half_inadequate_as_ties", (*_OF_N, "*.ties", "*.both_inadequate"),
            lambda own, _: halves(own, own["ties"] + own["both_inadequate"]) if own["n"] else None, "the same, both inadequate as a tie",
        ),
        Formula("*.tie_rate", ("*.ties", "*.n"), rate_of("ties"), "ties / n, Wilson's interval"),
        Formula("*.both_inadequate_rate", ("*.both_inadequate", "*.n"), rate_of("both_inadequate"), "both_inadequate / n, Wilson's"),
        Formula("*.fragility", _OF_N, fragile, "what a matter less does to wins_1, wins_2 and n"),
        Formula("*.detectability", _OF_N, shown_by, "what the sign test could have found on wins_1 + wins_2 verdicts"),
    ),
)  # fmt: skip
