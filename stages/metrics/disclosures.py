"""metrics/disclosures.json: what a reader must know before the scores, told by the record alone. Kinds, and in each a sentence by id:

    "reruns": {"Q12:alder:2": "Attempt 2 of alder at Q12 was ordered by A. Author on 2026-11-30, after attempt 1 was truncated: …"}

A kind whose fact is absent does not appear; ``scope`` always does. What is told of single answers stands in ``interruptions.py``.
"""

from collections.abc import Iterable

import pandas as pd

from stages.metrics.interruptions import interruptions, listed, number, reruns, word
from stages.metrics.leaves import Frames, Tree

RULES = {
    "recorded_attempt": "the first delivered attempt at an answer is scored, whatever it is",
    "completed_rerun": "an attempt that was cut off or kept back gives way to a later complete one that was ordered",
}
SELF_NAMING = (
    "names its own maker or model, so the judge may know whose it is",
    "name their own maker or model, so the judge may know whose they are",
)
ADDRESSING = ("speaks to whoever compares it", "speak to whoever compares them")


def tree(frames: Frames, timing: Tree, qualified: Tree) -> Tree:
    """Every disclosure that the record calls for. timing and qualified: the trees of the metrics files of these names."""
    found = {
        "interruptions": interruptions(frames),
        "reruns": reruns(frames),
        "attempt_rules": attempt_rules(frames),
        "unanswered": unanswered(frames),
        "self_naming": flagged(frames, "names_itself", *SELF_NAMING),
        "addressing_the_judge": flagged(frames, "addresses_the_judge", *ADDRESSING),
        "judging": judging(frames),
        "beside_the_scores": beside_the_scores(frames, qualified),
        "qualification": qualification(qualified),
        "same_family": same_family(frames),
        "served": served(frames),
        "assignments": assignments(frames["assignments"]),
        "unreadable": unreadable(frames["verdicts"]),
        "timing": timing_told(timing),
    }
    return {**{kind: told for kind, told in found.items() if told}, "scope": {"scope": scope(frames)}}


def attempt_rules(frames: Frames) -> Tree:
    """For each series the rule that picked the scored attempt."""
    series = dict(zip(frames["matters"]["matter_id"], frames["matters"]["series"], strict=True))
    used: dict[str, set[str]] = {}
    for matter, rule in zip(frames["attempts"]["matter_id"], frames["attempts"]["attempt_rule"], strict=True):
        used.setdefault(str(series.get(matter)), set()).add(rule)
    return {
        name: " ".join(f"In series {name}, {RULES.get(rule, 'another rule picks the attempt')} (rule {rule})." for rule in sorted(rules))
        for name, rules in sorted(used.items())
    }


def unanswered(frames: Frames) -> Tree:
    """Contestants without an answer to some matter: all its pairings there are missing."""
    there = set(zip(frames["answers"]["matter_id"], frames["answers"]["contestant"], strict=True))
    found = {}
    for name in frames["contestants"]["contestant"]:
        gaps = [matter for matter in frames["matters"]["matter_id"] if (matter, name) not in there]
        if gaps:
            found[name] = f"{name} has no answer to {number(len(gaps), 'matter')}, and its pairings there count as missing: {listed(gaps)}."
    return found


def flagged(frames: Frames, flag: str, one: str, many: str) -> Tree:
    """The answers that bear a flag, by contestant, with what to say of one and of many."""
    answers, found = frames["answers"], {}
    for name, rows in answers[answers[flag]].groupby("contestant"):
        words = one if len(rows) == 1 else many
        found[str(name)] = f"{number(len(rows), 'answer')} of {name} {words}: {listed(sorted(rows['matter_id']))}."
    return found


def judging(frames: Frames) -> Tree:
    """That all verdicts are of one judge under one instrument, where that is so."""
    verdicts = frames["verdicts"]
    judges, instruments = sorted(set(verdicts["judge"])), sorted(set(verdicts["instrument"]))
    if len(judges) != 1 or len(instruments) != 1:
        return {}
    who = f"{_all(len(verdicts), 'verdict')} of one judge, {judges[0]}, under one instrument, {instruments[0]}"
    others = "nobody else has judged" if frames["second_judges"].empty else "no score rests on anybody else"
    return {"one_judge": f"{who}: {others}, and its leanings are in every score."}


def beside_the_scores(frames: Frames, qualified: Tree) -> Tree:
    """That pairings were judged in both orders, and by second judges, where that is so; and whether these qualify."""
    found = {}
    turned = frames["second_verdicts"][frames["second_verdicts"]["turned"].astype(bool)]
    if len(turned):
        who = listed(sorted(set(turned["judge"])))
        found["both_orders"] = f"Pairings were judged in their other order as well, by {who}: every score rests on the first order alone."
    for name, tested in sorted(qualified.get("second_judges", {}).items()):
        able = "It qualifies" if tested["qualifies"] else f"It does not qualify: {tested['because']}"
        found[f"judge:{name}"] = f"The second judge {name} was asked about the same presentations, and no score rests on it. {able}."
    return found


def qualification(qualified: Tree) -> Tree:
    """That the judge does not qualify, where that is so."""
    judge = qualified["judge"]
    return {} if qualified["qualifies"] else {judge: f"The judge {judge} does not qualify: {qualified['because']}."}


def same_family(frames: Frames) -> Tree:
    """Contestants of a judge's declared family, the second judges' as well."""
    contestants, found = frames["contestants"], {}
    judges = [zip(frames[table]["judge"], frames[table]["family"], strict=True) for table in ("judges", "second_judges")]
    for judge, family in (each for table in judges for each in table):
        kin = sorted(contestants[contestants["family"] == family]["contestant"])
        if kin:
            found[judge] = f"The judge {judge} is declared to be of the family {word(family)}, as {_is(kin)} {listed(kin)}."
    return found


def served(frames: Frames) -> Tree:
    """Who was served by several models or hosts, or by another model than was asked for, as the replies say."""
    found = {}
    for key, name, calls in _asked(frames):
        for column, what in (("served_model", "models"), ("served_by", "hosts")):
            times = calls[column].dropna().value_counts().sort_index()
            if len(times) > 1:
                told = listed(f"{word(said)} ({times[said]})" for said in times.index)
                found[f"{key}:{what}"] = f"Replies of {name} say that they come from {len(times)} {what}: {told}."
        other = calls[calls["served_model"].notna() & (calls["served_model"] != calls["model"])]
        if len(other):
            asked, said = (listed(str(word(model)) for model in sorted(set(other[side]))) for side in ("model", "served_model"))
            found[f"{key}:other"] = f"{number(len(other), 'reply')} of {name} to a request for {asked} came from {said}."
    return found


def _asked(frames: Frames) -> Iterable[tuple[str, str, pd.DataFrame]]:
    """The calls of each contestant and each judge, with a key and a name for whom was asked."""
    calls = frames["calls"]
    for name, rows in frames["attempts"].groupby("contestant"):
        yield str(name), str(name), _of(calls, "answer", rows)
    for name, rows in frames["verdicts"].groupby("judge"):
        yield f"judge:{name}", f"the judge {name}", _of(calls, "verdict", rows)


def _of(calls: pd.DataFrame, kind: str, rows: pd.DataFrame) -> pd.DataFrame:
    """The calls behind some attempts or verdicts."""
    return calls[(calls["kind"] == kind) & calls["request_sha256"].isin(rows["request_sha256"])]


def assignments(stored: pd.DataFrame) -> Tree:
    """Stored sides that the drawing rule does not give again."""
    odd = stored[~stored["rederivable"]]["pairing_id"].tolist()
    what = f"The rule that drew them does not give {number(len(odd), 'stored assignment')} again"
    return {"not_rederivable": f"{what}; what is stored counts: {listed(odd)}."} if odd else {}


def unreadable(verdicts: pd.DataFrame) -> Tree:
    """Verdicts that nobody could read: counted, never scored."""
    rows = verdicts[verdicts["verdict"] == "unreadable"]["pairing_id"].tolist()
    return {"verdicts": f"{_all(len(rows), 'verdict', '')} unreadable and not scored: {listed(rows)}."} if rows else {}


def _all(count: int, noun: str, opening: str = "The ") -> str:
    """``The 24 verdicts are``, ``The 1 verdict is``."""
    return f"{opening}{number(count, noun)} {'is' if count == 1 else 'are'}"


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def timing_told(timing: Tree) -> Tree:
    """For each contestant and series with a matter that was public by the day of its answer: how many, and for how long."""
    return {
        f"{name}:{series}": _public(name, series, counts) + _trained(own.get("trained_until"), counts)
        for name, own in timing["contestants"].items()
        for series, counts in own["series"].items()
        if counts["public_before"] + counts["same_day"]
    }


def _public(name: str, series: str, counts: Tree) -> str:
    """How many matters were public, and for how many days."""
    least, most = counts["days"]["smallest"], counts["days"]["largest"]
    between = f"days between: {least}" if least == most else f"days between: {least} to {most}"
    on = f"{counts['public_before']} had been published on an earlier day, {counts['same_day']} on the same day"
    when = f"{on} and {counts['public_after']} later"
    return f"When {name} was asked about {number(counts['answers'], 'matter')} of series {series}, {when} ({between})."


def _trained(until: str | None, counts: Tree) -> str:
    """What the declared end of training says, where there is one."""
    if until is None:
        return ""
    after, before = counts["published_after_training"], counts["published_until_training"]
    return f" Its training is declared to end on {until}: {after} of these were published after that day, {before} on it or before."


def scope(frames: Frames) -> str:
    """What the record supports claims about."""
    scored = frames["verdicts"][frames["verdicts"]["verdict"] != "unreadable"]
    if not len(scored):
        return "No verdict is scored, so this record supports no claim."
    matters, contestants = number(len(frames["matters"]), "matter"), number(len(frames["contestants"]), "contestant")
    what = f"these {matters}, these {contestants} as they are configured, and this way of judging them"
    return f"This record supports claims about {what}, and about nothing else."
