"""How the numbers of metrics/agreement.json arise: what each judge said in each order, and how far judges say the same."""

from typing import Any

from stages.recount.arithmetic import sign_test, wilson
from stages.recount.judge import WORDS, lean
from stages.recount.pairs import COUNTED
from stages.recount.rules import Counts, Every, File, Formula, Rule, estimate

KINDS = ("consistent", "first_place", "second_place", "tie_and_winner", "adequate_and_not", "unreadable", "missing")
LETTERS = ("a", "b", "tie", "both_inadequate")  # columns of view rated: how many judges said so
_OF, _ORDERS, _BETWEEN = "by_judge.*", "by_judge.*.orders", "between.*.*"
_WHO, _PAIR, _GROUP = ("who",), ("who", "pair"), ("panel", "pass")


def stood_by(own: Counts, _: Every) -> Any:
    """orders.consistency: Wilson's interval, as if pairings were independent."""
    same, n = own["orders.consistent"], own["orders.n"]
    return estimate(same / n, n, wilson(same, n)) if n else None


def reversed_by_place(own: Counts, _: Every) -> Any:
    first, second = own["orders.first_place"], own["orders.second_place"]
    return {"n": first + second, "p": sign_test(first, second)[0]}


def gwet(own: Counts, _: Every) -> Any:
    """(raw - e) / (1 - e), with e the mean of s (1 - s) over words, times q / (q - 1): s is the share of a word among a unit's ratings."""
    chance = sum(own[f"~share_{name}"] * (1 - own[f"~share_{name}"]) for name in LETTERS) / (len(LETTERS) - 1) if own["units"] else 0.0
    value = {"value": float((own["~raw"] - chance) / (1 - chance))} if own["units"] else {}
    return {"n": own["units"], **value}


def krippendorff(own: Counts, _: Every) -> Any:
    """1 - (n - 1) (n - agreeing) / (n^2 - sum of squares), on the n ratings of units that two judges rated; none where all are one word."""
    ratings = [own[f"~twice_{name}"] for name in LETTERS]
    n, differing = sum(ratings), sum(ratings) ** 2 - sum(count * count for count in ratings)
    value = {"value": float(1 - (n - 1) * (n - own["~agreeing"]) / differing)} if differing else {}
    return {"n": own["units"], **value}


_SHARES = tuple(f"{_BETWEEN}.~share_{name}" for name in LETTERS)
_TWICE = tuple(f"{_BETWEEN}.~twice_{name}" for name in LETTERS)

AGREEMENT = File(
    rules=(
        Rule("both_orders", "designs", value="bool_or(both_orders)"),
        Rule("judges", "bench"),
        Rule(f"{_OF}.qualifies", "panel_qualified", keys=_WHO, value="bool_and(met)"),
        *(Rule(f"{_OF}.verdicts.{word}", "panelled", f"verdict = '{word}'", _WHO, among="verdict is not null") for word in WORDS),
        Rule(f"{_OF}.a_share.a", "panelled", "verdict = 'A'", _WHO, among="verdict in ('A', 'B')"),
        Rule(f"{_OF}.a_share.decisive", "panelled", "verdict in ('A', 'B')", _WHO, among="verdict is not null"),
        *(Rule(f"{_OF}.pairs.*.{name}", "panelled", f"outcome = '{name}'", _PAIR) for name in COUNTED),
        Rule(f"{_OF}.pairs.*.n", "panelled", "outcome not in ('unreadable', 'missing')", _PAIR),
        Rule(f"{_OF}.pairs.*.planned", "panelled", keys=_PAIR),
        *(Rule(f"{_ORDERS}.{kind}", "in_both_orders", f"kind = '{kind}'", _WHO) for kind in KINDS),
        Rule(f"{_ORDERS}.n", "in_both_orders", "kind not in ('unreadable', 'missing')", _WHO),
        Rule(f"{_ORDERS}.planned", "in_both_orders", keys=_WHO),
        Rule(f"{_BETWEEN}.raters", "rated", keys=_GROUP, value="max(raters)"),
        Rule(f"{_BETWEEN}.units", "rated", "ratings >= 2", _GROUP),
        Rule(f"{_BETWEEN}.raw", "rated", "ratings >= 2", _GROUP, "avg(agreeing / ratings)", optional=True),
        Rule(f"{_BETWEEN}.~raw", "rated", "ratings >= 2", _GROUP, "avg(agreeing / ratings)"),
        Rule(f"{_BETWEEN}.~agreeing", "rated", "ratings >= 2", _GROUP, "sum(agreeing)"),
        *(Rule(f"{_BETWEEN}.~share_{name}", "rated", "ratings >= 1", _GROUP, f"avg({name} / ratings)") for name in LETTERS),
        *(Rule(f"{_BETWEEN}.~twice_{name}", "rated", "ratings >= 2", _GROUP, f"sum({name})") for name in LETTERS),
    ),
    formulas=(
        Formula(f"{_OF}.a_share", (f"{_OF}.a_share.a", f"{_OF}.a_share.decisive"), lean, "a / decisive, Clopper-Pearson, the exact test"),
        Formula(f"{_ORDERS}.consistency", (f"{_ORDERS}.consistent", f"{_ORDERS}.n"), stood_by, "consistent / n, Wilson's interval"),
        Formula(
            f"{_ORDERS}.reversals", (f"{_ORDERS}.first_place", f"{_ORDERS}.second_place"), reversed_by_place,
            "the exact sign test of first_place against second_place",
        ),
        Formula(f"{_BETWEEN}.ac1", (f"{_BETWEEN}.units", f"{_BETWEEN}.~raw", *_SHARES), gwet, "Gwet's AC1 on the units, four words"),
        Formula(
            f"{_BETWEEN}.alpha", (f"{_BETWEEN}.units", f"{_BETWEEN}.~agreeing", *_TWICE), krippendorff,
            "Krippendorff's alpha for nominal ratings, on the units",
        ),
    ),
)  # fmt: skip
