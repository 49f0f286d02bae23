"""metrics/timing.json: when matters became public and when they were answered, in dates and counts. A part of it:

    "contestants": {"alder": {"trained_until": "2026-01-31", "series": {"1": {
        "answers": 20, "public_before": 18, "same_day": 2, "public_after": 0, "days": {"smallest": 0, "largest": 41},
        "published": {"first": "2026-10-20", "last": "2026-11-30"}, "generated": {"first": "2026-11-30", "last": "2026-11-30"},
        "published_after_training": 20, "published_until_training": 0}}}}

An answer's day is the day, in UTC, on which the call that delivered it began. What a model has read nobody can say from dates.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from stages.metrics.leaves import Frames, Tree, present


@dataclass(frozen=True)
class Answered:
    """The days of one scored answer: its matter's publication, and the beginning of the call."""

    published: date
    generated: date

    @property
    def days(self) -> int:
        """Whole days that the matter had been public; negative where the answer came first."""
        return (self.generated - self.published).days


def tree(frames: Frames) -> Tree:
    """Every contestant and every series of the study, answered or not."""
    declared = zip(frames["contestants"]["contestant"], frames["contestants"]["trained_until"], strict=True)
    return {"contestants": {name: contestant(name, until, frames) for name, until in declared}}


def contestant(name: str, until: object, frames: Frames) -> Tree:
    """One contestant, with the end of its training where that is declared."""
    trained = until if isinstance(until, date) else None
    series = sorted(set(frames["matters"]["series"]))
    own = {each: one_series(answered(name, each, frames), trained) for each in series}
    return present({"trained_until": trained.isoformat() if trained else None, "series": own})


def answered(contestant: str, series: str, frames: Frames) -> list[Answered]:
    """The days of each scored answer of a contestant to the matters of a series."""
    published = {row["matter_id"]: row["published"] for row in frames["matters"].to_dict("records") if row["series"] == series}
    attempts = frames["attempts"]
    own = attempts[(attempts["contestant"] == contestant) & attempts["scored"]]
    rows = zip(own["matter_id"], own["started_at"], strict=True)
    return [Answered(published[matter], started.date()) for matter, started in rows if matter in published]


def one_series(found: Iterable[Answered], trained: date | None) -> Tree:
    """public_before + same_day + public_after = answers; published_after_training + published_until_training = answers."""
    found = list(found)
    days = [each.days for each in found]
    spans = {"published": [each.published for each in found], "generated": [each.generated for each in found]}
    after = sum(each.published > trained for each in found) if trained else 0
    training = {"published_after_training": after, "published_until_training": len(found) - after}
    return {
        "answers": len(found),
        "public_before": sum(n > 0 for n in days),
        "same_day": days.count(0),
        "public_after": sum(n < 0 for n in days),
        **({"days": {"smallest": min(days), "largest": max(days)}} if days else {}),
        **{name: {"first": min(span).isoformat(), "last": max(span).isoformat()} for name, span in spans.items() if span},
        **(training if trained else {}),
    }
