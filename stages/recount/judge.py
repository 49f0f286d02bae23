"""How the numbers of metrics/judge.json arise. The logit of place and length is fitted, not counted, and is not made again here."""

from math import sqrt
from typing import Any

from stages.recount.arithmetic import clopper_pearson, holm, sign_test, t_quantile, wilson
from stages.recount.rules import Counts, Every, File, Formula, Rule, estimate

WORDS = ("A", "B", "tie", "both_inadequate", "unreadable")
TRIADS = ("consistent", "circles", "chains_with_end_tie", "two_ties_and_a_win")
SKIPPED = ("both_inadequate", "unreadable", "missing")
KINDS = (
    "winner_without_material_difference", "tie_with_material_difference", "tie_despite_a_point_that_changes_the_course",
    "winner_on_a_point_that_changes_nothing", "winner_whose_course_rests_on_a_rejected_point",
)  # fmt: skip
_JUDGED = "verdict is not null"
_WON = "came_to in ('wins', 'losses')"
_ZERO = 1e-9  # what rounding leaves of a standard error of 0


def lean(own: Counts, _: Every) -> Any:
    a, decisive = own["a_share.a"], own["a_share.decisive"]
    if not decisive:
        return None
    low, high = clopper_pearson(a, decisive)
    return {"share": float(a / decisive), "interval": {"lo": low, "hi": high}, "level": 0.95, "p": sign_test(a, decisive - a)[0]}


def fair(own: Counts, every: Every) -> Any:
    if not own["n"]:
        return None
    chances = [sign_test(side["times_a"], side["times_b"])[0] for side in every]
    p = sign_test(own["times_a"], own["times_b"])[0]
    return {"p": p, "p_holm": holm(chances)[chances.index(p)]}


def longer(own: Counts, _: Every) -> Any:
    count, n = own["longer_won.longer"], own["longer_won.longer"] + own["longer_won.shorter"]
    return estimate(count / n, n, clopper_pearson(count, n)) if n else None


def contradicting(own: Counts, _: Every) -> Any:
    n = own["against_its_reasons.n"]
    return float(own["against_its_reasons.verdicts"] / n) if n else None


def with_any(own: Counts, _: Every) -> Any:
    n, heavy = own["answers"], own["~heavy"]
    return estimate(heavy / n, n, wilson(heavy, n)) if n else None


def differing(own: Counts, _: Every) -> Any:
    n = own["n"]
    if n < 2:
        return None
    se = sqrt(own["~variance"] / n)
    if se <= _ZERO:
        return {"se": 0.0}
    reach = t_quantile(n - 1) * se
    return {"se": se, "interval": {"lo": own["value"] - reach, "hi": own["value"] + reach}, "level": 0.95}


def _balance(name: str, enters: str) -> Rule:
    return Rule(f"balance.*.{name}", "seats", enters, ("who",), among=_WON)


_DECISIVE = ("decisive", "a_share.decisive", "place_and_length.n")
_AS_A = "answer_a_was = who"
_FITTED = "it is fitted to all decisive verdicts at once; stage measure makes it, and dvc.lock holds its bytes"
_BURDEN, _DIFFERENCE = "review_burden.contestants.*", "review_burden.differences.*"

JUDGE = File(
    rules=(
        *(Rule(f"verdicts.{word}", "pairings", f"verdict = '{word}'", among=_JUDGED) for word in WORDS),
        *(Rule(path, "pairings", "verdict in ('A', 'B')", among=_JUDGED) for path in _DECISIVE),
        Rule("a_share.a", "pairings", "verdict = 'A'", among="verdict in ('A', 'B')"),
        Rule("balance.*.times_a", "stood", "place = 'A'", ("who",)),
        Rule("balance.*.times_b", "stood", "place = 'B'", ("who",)),
        Rule("balance.*.n", "stood", keys=("who",)),
        _balance("decisive_as_a", _AS_A),
        _balance("decisive_as_b", f"not ({_AS_A})"),
        _balance("won_as_a", f"{_AS_A} and won_by = who"),
        _balance("won_as_b", f"not ({_AS_A}) and won_by = who"),
        Rule("longer_won.longer", "decided", "longer_by > 0"),
        Rule("longer_won.shorter", "decided", "longer_by < 0"),
        Rule("longer_won.equal", "decided", "longer_by = 0"),
        Rule("longer_won.decisive", "decided"),
        Rule("triads.total", "triples"),
        Rule("triads.evaluable", "triples", f"kind in {TRIADS}"),
        *(Rule(f"triads.{kind}", "triples", f"kind = '{kind}'") for kind in TRIADS),
        *(Rule(f"triads.skipped.{kind}", "triples", f"kind = '{kind}'") for kind in SKIPPED),
        Rule("adequacy.at_risk", "adequate", "at_risk", among="outcome not in ('missing', 'unreadable')"),
        Rule("adequacy.contradictions", "adequate", "contradicts", among="at_risk"),
        Rule("against_its_reasons.n", "reasoned"),
        Rule("against_its_reasons.verdicts", "reasoned", " or ".join(KINDS)),
        *(Rule(f"against_its_reasons.kinds.{kind}", "reasoned", kind) for kind in KINDS),
        *(Rule(f"{flag}.answers", "answered", flag, among="there") for flag in ("names_itself", "addresses_the_judge")),
        *(Rule(f"{flag}.verdicts", "flags", flag) for flag in ("names_itself", "addresses_the_judge")),
        Rule("rejected_points.*.points", "points", keys=("who",)),
        Rule("rejected_points.*.changes_course", "points", "changes_course", ("who",)),
        Rule(f"{_BURDEN}.answers", "burdens", keys=("who",)),
        Rule(f"{_BURDEN}.verdicts", "burdens", keys=("who",), value="sum(verdicts)"),
        Rule(f"{_BURDEN}.points", "burdens", keys=("who",), value="sum(points)"),
        Rule(f"{_BURDEN}.mean", "burdens", keys=("who",), value="avg(burden)", optional=True),
        Rule(f"{_BURDEN}.~heavy", "burdens", "points > 0", ("who",)),
        Rule(f"{_DIFFERENCE}.n", "both_burdened", "more is not null", ("pair",)),
        Rule(f"{_DIFFERENCE}.value", "both_burdened", "more is not null", ("pair",), "avg(more)", optional=True),
        Rule(f"{_DIFFERENCE}.~variance", "both_burdened", "more is not null", ("pair",), "var_samp(more)", optional=True),
    ),
    formulas=(
        Formula("a_share", ("a_share.a", "a_share.decisive"), lean, "a / decisive, Clopper-Pearson, the exact test of one half"),
        Formula("balance.*", ("balance.*.times_a", "balance.*.times_b", "balance.*.n"), fair, "the exact test of a fair coin, after Holm"),
        Formula("longer_won.share", ("longer_won.longer", "longer_won.shorter"), longer, "longer / (longer + shorter), Clopper-Pearson"),
        Formula("against_its_reasons.share", ("against_its_reasons.verdicts", "against_its_reasons.n"), contradicting, "verdicts / n"),
        Formula(f"{_BURDEN}.with_any", (f"{_BURDEN}.~heavy", f"{_BURDEN}.answers"), with_any, "answers with a point, Wilson's interval"),
        Formula(
            _DIFFERENCE, (f"{_DIFFERENCE}.value", f"{_DIFFERENCE}.~variance", f"{_DIFFERENCE}.n"), differing,
            "the mean over matters of the first's burden less the second's, Student's t",
        ),
    ),
    held=tuple(
        (f"place_and_length.{path}", _FITTED)
        for path in (
            *(f"{side}.{name}" for side in ("place", "length") for name in ("log_odds", "se", "interval.lo", "interval.hi")),
            "length.spread", "level", "matters", "parameters",
        )
    ),
)  # fmt: skip
