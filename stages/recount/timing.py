"""How the numbers of metrics/timing.json arise."""

from stages.recount.rules import File, Rule

_UNDER = "contestants.*.series.*"
_KEYS = ("who", "series")

TIMING = File(
    rules=(
        Rule(f"{_UNDER}.answers", "timed", keys=_KEYS),
        Rule(f"{_UNDER}.public_before", "timed", "days > 0", _KEYS),
        Rule(f"{_UNDER}.same_day", "timed", "days = 0", _KEYS),
        Rule(f"{_UNDER}.public_after", "timed", "days < 0", _KEYS),
        Rule(f"{_UNDER}.days.smallest", "timed", keys=_KEYS, value="min(days)", optional=True),
        Rule(f"{_UNDER}.days.largest", "timed", keys=_KEYS, value="max(days)", optional=True),
        Rule(f"{_UNDER}.published_after_training", "trained", "after_training", _KEYS),
        Rule(f"{_UNDER}.published_until_training", "trained", "not after_training", _KEYS),
    )
)
