"""Numbers and names as they read on a page: the same words for the same value, whatever the machine's locale."""

import json
import re
from typing import Any

Tree = dict[str, Any]

MINUS = "\u2212"  # the minus sign is as wide as the plus sign: signed numbers stand in line
STATUS_WORDS = {
    "complete": "complete", "truncated": "cut off at the token limit", "filtered": "cut off by a content filter",
    "blocked": "blocked by moderation", "refused": "refused by the provider", "empty": "empty",
}  # fmt: skip


def percent(share: float) -> str:
    """A share between 0 and 1 in per cent, with one decimal: 78.3 %."""
    return f"{100 * share:.1f}\u00a0%"


def level(share: float) -> str:
    """A confidence level in per cent: 95 %."""
    return f"{100 * share:g}\u00a0%"


def signed(difference: float) -> str:
    """A difference of shares with its sign and three decimals: +0.025. Zero has no sign."""
    return f"{difference:+.3f}".replace("-", MINUS) if round(difference, 3) else "0.000"


def bounds(interval: Tree) -> str:
    """An interval of a difference, from its lower to its upper end."""
    return f"{signed(interval['lo'])} to {signed(interval['hi'])}"


def share_bounds(interval: Tree) -> str:
    """An interval of a share: 83.2 % to 100.0 %."""
    return f"{percent(interval['lo'])} to {percent(interval['hi'])}"


def decimals(value: float) -> str:
    """A plain number with two decimals: 1.19."""
    return f"{value:.2f}".replace("-", MINUS)


def p_value(p: float) -> str:
    """A p-value with three decimals; what would read as zero reads as < 0.001."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def grouped(count: int) -> str:
    """A count with its thousands set apart: 50 030 with narrow spaces, as no locale disputes."""
    return f"{count:,}".replace(",", "\u202f")


def dollars(amount: float | None) -> str:
    """US dollars with cents; below a cent, as many digits as it takes to see something."""
    if amount is None:
        return "unknown"
    return f"${amount:.2f}" if amount == 0 or amount >= 0.01 else f"${amount:.4f}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: 1 matter, 8 matters, no matter."""
    return f"{grouped(count)} {one if count == 1 else many or one + 's'}"


def listed(names: list[str]) -> str:
    """Names in a sentence: alder, birch and cedar."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def in_words(name: str) -> str:
    """A column or verdict as it reads in a sentence: both_inadequate becomes ``both inadequate``."""
    return name.replace("_", " ")


def day(moment: str) -> str:
    """The day of a UTC time: 2026-11-30."""
    return moment[:10]


def minute(moment: str) -> str:
    """A UTC time to the minute: 2026-11-30 08:15 UTC."""
    return f"{moment[:10]} {moment[11:16]} UTC"


def short(digest: str) -> str:
    """The beginning of a digest, long enough to look it up by."""
    return digest[:12]


def flat(settings: str) -> list[tuple[str, str | None]]:
    """Canonical JSON of a configuration as (dotted key, value) lines, in the order of the keys. None for what is not set."""
    return _leaves(json.loads(settings), "")


def is_digest(text: str) -> bool:
    """Whether a text is a sha256 in lower-case hex."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def _leaves(value: Any, place: str) -> list[tuple[str, str | None]]:
    if isinstance(value, dict) and value:
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, f"{place}.{key}" if place else str(key))]
    if isinstance(value, list):
        return [(place, ", ".join(str(each) for each in value) or None)]
    return [(place, value if value is None or isinstance(value, str) else json.dumps(value))]


FILTERS = {
    "percent": percent, "level": level, "signed": signed, "bounds": bounds, "share_bounds": share_bounds, "decimals": decimals,
    "p_value": p_value, "grouped": grouped, "dollars": dollars, "plural": plural, "listed": listed, "words": in_words, "day": day,
    "minute": minute, "short": short, "flat": flat,
}  # fmt: skip
