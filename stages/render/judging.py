"""The page of the judge: whether it may be believed, whether its verdicts go together, and what it said that nobody could read."""

from stages.render.apart import apart
from stages.render.evidence import Evidence, Tree
from stages.render.frame import Page, page
from stages.render.wording import in_words, percent, plural
from stages.schema.jsonl import Row

FOUND = 300  # verdicts to look at on one page, about 200 bytes each
UNREADABLE = 50  # replies shown on one page, at most 2,000 characters each
WORDS = ("A", "B", "tie", "both_inadequate", "unreadable")


def judge_page(evidence: Evidence, **frame: str) -> Page:
    """data/site/judges/<judge>.html."""
    metrics = evidence.metrics
    judge, qualification = metrics["judge"], metrics["qualification"]
    found = to_look_at(evidence)
    unreadable = [each for each in evidence.shown if each.unreadable]
    controls = evidence.rows["controls"]
    return page(
        f"judges/{evidence.judge}.html",
        "judge.html.j2",
        **frame,
        metrics=metrics,
        row=evidence.rows["judges"][0] if evidence.rows["judges"] else None,
        sentence=sentence(evidence),
        kinds=[{"kind": kind, "use": use, **line} for use in ("testing", "settling") for kind, line in kinds(qualification, use).items()],
        wanted=wanted(qualification.get("thresholds", {})),
        controls=controls[:FOUND],
        controls_total=len(controls),
        words=[in_words(word) for word in WORDS],
        verdicts={in_words(word): judge["verdicts"].get(word, 0) for word in WORDS},
        balance=[(name, {"won_as_a": "", "won_as_b": "", **judge["balance"][name]}) for name in evidence.names],
        longer=longer(judge.get("longer_won")),
        apart=apart(evidence),
        found=found[:FOUND],
        found_total=len(found),
        unreadable=unreadable[:UNREADABLE],
        unreadable_total=len(unreadable),
    )


def kinds(qualification: Tree, use: str) -> dict[str, Tree]:
    """The kinds of control of one half, each with what its counts are; a kind that nothing was asked of has no rate."""
    found: dict[str, Tree] = qualification.get(use, {}).get("kinds", {})
    return {kind: {"passing_rate": None, **line} for kind, line in found.items()}


def sentence(evidence: Evidence) -> str:
    """What the judge is, in a sentence."""
    rows: list[Row] = evidence.rows["judges"]
    what = f"The model {rows[0]['model']} of the family {rows[0]['family']}" if rows else "A model"
    verdicts = plural(len(evidence.rows["verdicts"]), "verdict")
    told = "It was told no name, no setting and no outcome of any other pairing."
    return f"{what} gave {verdicts} under the instrument {evidence.instrument_name}. {told}"


def wanted(thresholds: Tree) -> str:
    """The thresholds in words."""
    if "passing_rate" not in thresholds:
        return "nothing, as the settings of this judge name no thresholds"
    return (
        f"{percent(thresholds['passing_rate'])} of every kind right in both orders, the same verdict in"
        f" {percent(thresholds['order_consistency'])} of all exchanges of sides, on {plural(int(thresholds['matters']), 'matter')} at least"
    )


def longer(tree: Tree | None) -> str:
    """Whether the longer answer won, in a sentence; empty where nothing is decisive."""
    if not tree or not tree.get("decisive") or "share" not in tree:
        return ""
    share = tree["share"]
    interval = share["interval"]
    return (
        f"The longer answer won {tree['longer']} of {plural(tree['decisive'], 'decisive verdict')} ({percent(share['value'])}, interval"
        f" {percent(interval['lo'])} to {percent(interval['hi'])})."
    )


def to_look_at(evidence: Evidence) -> list[tuple[str, str, str]]:
    """Verdicts that do not go together: the page of each where it has one, its name, and what is odd."""
    found = [(f"matters/{matter}.html", name, str(said)) for matter, own in evidence.not_together.items() for name, said in own.items()]
    for pairing, why in evidence.against.items():
        shown = evidence.by_pairing.get(pairing)
        found.append((shown.address if shown else "", pairing, why))
    return found
