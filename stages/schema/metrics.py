"""The metrics files as their readers want them: which keys must be there. More keys are welcome, because each study may count more."""

from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from stages.schema.names import pair_name, pairs
from stages.schema.shapes import Count, Day, Dollars, Sha256, Shape, Text, checked, shown


class _Tree(Shape):
    model_config = ConfigDict(extra="allow")


class _Shared(_Tree):
    """What a pair's and a contestant's counts have in common."""

    ties: Count
    both_inadequate: Count
    n: Count
    unreadable: Count
    missing: Count
    planned: Count


class Range(_Tree):
    lo: float
    hi: float


class Estimated(_Tree):
    """A number with its n and its interval."""

    value: float
    n: Count
    interval: Range
    level: float


class Tested(_Tree):
    p_holm: float
    n: Count


class Detectability(_Tree):
    first_holm_step: dict[str, float]


class PairMetrics(_Shared):
    """One pair. What follows from its counts is there where something is scored."""

    wins_1: Count
    wins_2: Count
    net_difference: Estimated | None = None
    sign_test: Tested | None = None
    detectability: Detectability | None = None

    @model_validator(mode="after")
    def _has_what_follows(self) -> Self:
        for name in ("net_difference", "sign_test", "detectability"):
            if self.n and getattr(self, name) is None:
                raise ValueError(f"lacks {name}, though n is {self.n}")
        return self


class ContestantCounts(_Shared):
    wins: Count
    losses: Count


class Strength(_Tree):
    rank: Count
    log_strength: float
    interval: Range | None = None


class RankingMetrics(_Tree):
    """A ranking, or the reason why there is none."""

    method: Text
    withheld: Text | None = None
    refused: Text | None = None
    strengths: dict[Text, Strength] = Field(default_factory=dict)
    no_interval: Text | None = None


class Flagged(_Tree):
    answers: Count
    verdicts: Count


class Lean(_Tree):
    """How often A was chosen. share is there where something is decisive."""

    a: Count
    decisive: Count
    share: float | None = None
    p: float | None = None
    interval: Range | None = None
    level: float | None = None

    @model_validator(mode="after")
    def _has_its_share(self) -> Self:
        if self.decisive and self.share is None:
            raise ValueError("lacks a_share.share, though verdicts are decisive")
        if self.interval is not None and self.level is None:
            raise ValueError("lacks a_share.level, though there is an interval")
        return self


class Side(_Tree):
    times_a: Count
    times_b: Count
    n: Count
    won_as_a: Count | None = None
    won_as_b: Count | None = None


class Points(_Tree):
    points: Count
    changes_course: Count


class Longer(_Tree):
    """How often the longer of two answers won. share is there where something is decisive."""

    decisive: Count
    longer: Count
    share: Estimated | None = None


class Triads(_Tree):
    circles: Count
    evaluable: Count
    found_circles: dict[str, Any] = Field(default_factory=dict)


class Adequacy(_Tree):
    contradictions: Count
    at_risk: Count
    found: dict[str, Any] = Field(default_factory=dict)


class AgainstReasons(_Tree):
    verdicts: Count
    n: Count
    share: float | None = None
    found: dict[str, Text] = Field(default_factory=dict)


class Burden(_Tree):
    mean: float | None = None
    with_any: Estimated | None = None


class Burdens(_Tree):
    contestants: dict[str, Burden] = Field(default_factory=dict)


class JudgeMetrics(_Tree):
    decisive: Count
    a_share: Lean
    verdicts: dict[str, Count]
    balance: dict[str, Side]
    names_itself: Flagged
    addresses_the_judge: Flagged
    rejected_points: dict[str, Points]
    longer_won: Longer | None = None
    triads: Triads | None = None
    adequacy: Adequacy | None = None
    against_its_reasons: AgainstReasons | None = None
    review_burden: Burdens | None = None


class Recorded(_Tree):
    planned: Count
    recorded: Count


class RecordedVerdicts(Recorded):
    unreadable: Count


class InUse(_Tree):
    in_use: Count
    not_rederivable: Count


class Tokens(_Tree):
    prompt: Count
    completion: Count
    unknown_calls: Count


class Statuses(_Tree):
    complete: Count
    truncated: Count
    filtered: Count
    blocked: Count
    refused: Count
    empty: Count


class Answered(_Tree):
    answers: Count
    unanswered: Count
    status: Statuses


class CoverageMetrics(_Tree):
    """What was planned and what is there. cost_usd is absent where it is known of no call."""

    matters: Count
    answers: Recorded
    verdicts: RecordedVerdicts
    contestants: dict[str, Answered]
    assignments: InUse
    calls: Count
    requests_with_two_replies: Count
    tokens: Tokens
    cost_usd: Dollars | None = None
    cost_unknown_calls: Count


class Provenance(_Tree):
    """Digests of what the numbers stand on. Without verdicts there is no instrument."""

    record: Sha256
    tables: dict[str, Sha256]
    battery: Sha256
    contestants: Sha256
    judge: Sha256
    answers: Sha256
    assignments: Sha256
    instrument: Sha256 | None = None
    verdicts: Sha256
    controls: Sha256
    orders: Sha256


class KindOfControl(_Tree):
    passed: Count
    n: Count
    consistent: Count
    right: Count
    wrong: Count
    unreadable: Count
    passing_rate: Estimated | None = None


class HalfOfControls(_Tree):
    matters: Count
    kinds: dict[str, KindOfControl] = Field(default_factory=dict)


class QualifyingThresholds(_Tree):
    """All three, or none for a judge that has none."""

    passing_rate: float | None = None
    order_consistency: float | None = None
    matters: Count | None = None

    @model_validator(mode="after")
    def _all_or_none(self) -> Self:
        there = {name for name in ("passing_rate", "order_consistency", "matters") if getattr(self, name) is not None}
        if there and len(there) < 3:
            raise ValueError(f"holds {', '.join(sorted(there))} of the three thresholds, and not the others")
        return self


class Qualification(_Tree):
    """Whether the judge may be believed, and why not."""

    qualifies: bool
    because: Text
    thresholds: QualifyingThresholds | None = None
    testing: HalfOfControls | None = None
    settling: HalfOfControls | None = None


class LeftPair(_Shared):
    """One pair with some of its pairings left out."""

    wins_1: Count
    wins_2: Count
    left_out: Count


class ScenarioMetrics(_Tree):
    """One scenario. rule or matters says what is left out."""

    reason: Text
    rule: Text | None = None
    matters: Text | None = None
    left_out: Count
    flipped: Count
    flips: dict[str, Text]
    pairs: dict[str, LeftPair]


class TimedSeries(_Tree):
    answers: Count
    public_before: Count
    same_day: Count
    public_after: Count


class TimedContestant(_Tree):
    series: dict[str, TimedSeries]
    trained_until: Day | None = None


class TimingMetrics(_Tree):
    contestants: dict[str, TimedContestant]


class Disclosures(_Tree):
    """Kinds of disclosures, in each a sentence by id. Only ``scope`` is always there."""

    __pydantic_extra__: dict[str, dict[str, Text]]

    scope: dict[str, Text]


class BothOrders(_Tree):
    """How often one judge stood by its verdict when the sides were exchanged."""

    n: Count
    consistent: Count
    first_place: Count
    second_place: Count
    tie_and_winner: Count
    adequate_and_not: Count
    unreadable: Count
    missing: Count
    consistency: Estimated | None = None


class JudgedPair(_Shared):
    wins_1: Count
    wins_2: Count


class JudgeAlone(_Tree):
    """One judge beside the others. orders is there where the study asks for both."""

    qualifies: bool
    because: Text
    a_share: Lean
    pairs: dict[str, JudgedPair]
    orders: BothOrders | None = None


class Corrected(_Tree):
    """A chance-corrected number, or the reason why there is none."""

    value: float | None = None
    refused: Text | None = None


class AgreementOf(_Tree):
    """How far some judges agree on one order."""

    units: Count
    raw: float | None = None
    ac1: Corrected
    alpha: Corrected


class AgreementMetrics(_Tree):
    """Which optional designs the study asks for. by_judge is there where it asks for any, between where it asks for several judges."""

    both_orders: bool
    judges: Count
    by_judge: dict[Text, JudgeAlone] = Field(default_factory=dict)
    between: dict[Text, dict[str, AgreementOf]] = Field(default_factory=dict)


FILES: dict[str, Any] = {
    "agreement": AgreementMetrics,
    "coverage": CoverageMetrics,
    "disclosures": Disclosures,
    "judge": JudgeMetrics,
    "pairs": dict[Text, PairMetrics],
    "provenance": Provenance,
    "qualification": Qualification,
    "scenarios": dict[Text, ScenarioMetrics],
    "scores": dict[Text, ContestantCounts],
    "timing": TimingMetrics,
}


def check_metrics(name: str, tree: Any) -> None:
    """Raise ValueError, naming the key, unless ``tree`` is what ``metrics/<name>.json`` holds."""
    _check_leaves(tree, ())
    if name == "scores" and isinstance(tree, dict):  # no contestant's name has an underscore, and every ranking's has
        checked(dict[Text, RankingMetrics], {key: value for key, value in tree.items() if "_" in key})
        tree = {key: value for key, value in tree.items() if "_" not in key}
    checked(FILES[name], tree)


def _check_leaves(value: Any, front: tuple[str, ...]) -> None:
    """Raise ValueError for a null or a list: DVC drops them without a word, so neither stands in a metrics file."""
    if value is None or isinstance(value, list):
        place = f"key {'.'.join(front)!r}" if front else "the file"
        raise ValueError(f"{place} holds {shown(value)}, and a metric is a number, a text, or true or false")
    for key, inner in value.items() if isinstance(value, dict) else ():
        _check_leaves(inner, (*front, key))


def check_names(name: str, tree: Any, contestants: list[str]) -> None:
    """Raise ValueError, naming the key, unless a metrics file that is sound in itself counts each of these contestants, or each pair."""
    by_name = {
        "agreement": [(f"by_judge.{key}.pairs.", own["pairs"]) for key, own in tree.get("by_judge", {}).items()]
        if name == "agreement"
        else [],
        "coverage": [("contestants.", tree.get("contestants"))],
        "judge": [("balance.", tree.get("balance")), ("rejected_points.", tree.get("rejected_points"))],
        "scores": [("", tree)],
        "pairs": [("", tree)],
        "scenarios": [(f"{key}.pairs.", own["pairs"]) for key, own in tree.items()] if name == "scenarios" else [],
        "timing": [("contestants.", tree.get("contestants"))],
    }
    wanted = [pair_name(*pair) for pair in pairs(contestants)] if name in ("agreement", "pairs", "scenarios") else contestants
    for place, counts in by_name.get(name, []):
        for absent in [each for each in wanted if each not in counts]:
            raise ValueError(f"key {place + absent!r} is missing, and the tables hold {absent}")
