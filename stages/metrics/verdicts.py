"""The verdicts of the published tables as the columns that stats counts."""

from dataclasses import fields

from stages.metrics.leaves import Frames
from stages.stats.counts import Verdicts


def verdicts(frames: Frames) -> Verdicts:
    """Every recorded verdict. Raises ValueError for two verdicts on one pairing, and for sides that are not the pair."""
    return Verdicts(*(frames["verdicts"][field.name].tolist() for field in fields(Verdicts)))
