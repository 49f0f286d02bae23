"""Names and ids: how each thing is called in rows, tables and metric paths."""

import difflib
import re
from collections.abc import Iterable
from itertools import combinations

from stages.schema.canonical import digest

# No dot (it nests a metric path), no ~ (it joins a pair), no : or @ (they join ids), nothing a shell or YAML would read.
PLAIN_WORD = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# What an answer says when it speaks to whoever compares it, instead of to the client.
_TO_THE_JUDGE = re.compile(
    r"\banswer [ab]\b|\bboth_inadequate\b|[\"']verdict[\"']\s*:|^===\s?[0-9a-f]{8,}|\bignore\b.{0,40}\binstructions?\b"
    r"|\b(?:choose|prefer|select|pick)\s+(?:answer\s+)?[ab]\b(?!\s+\w)",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = 8  # names in a sentence: more is a wall
MATTER_ID = re.compile(r"[A-Z][0-9]{2,4}")


def plain_word(name: str) -> str:
    """``name``, if it is one plain word. Raises ValueError otherwise."""
    if not PLAIN_WORD.fullmatch(name):
        raise ValueError(f"{name!r} is not one plain word (lower-case letters, digits and hyphens, a letter first)")
    return name


def matter_id(text: str) -> str:
    """``text``, if it is a matter's id such as Q01. Raises ValueError otherwise."""
    if not MATTER_ID.fullmatch(text):
        raise ValueError(f"{text!r} is not a matter id (a capital letter and two to four digits, such as Q01)")
    return text


def pairs(contestants: Iterable[str]) -> list[tuple[str, str]]:
    """All C(N,2) pairs, alphabetical within and between."""
    return list(combinations(sorted(contestants), 2))


def answer_id(matter: str, contestant: str) -> str:
    return f"{matter}:{contestant}"


def attempt_id(matter: str, contestant: str, attempt: int) -> str:
    return f"{matter}:{contestant}:{attempt}"


def pair_name(contestant_1: str, contestant_2: str) -> str:
    return f"{contestant_1}~{contestant_2}"


def pairing_id(matter: str, contestant_1: str, contestant_2: str) -> str:
    return f"{matter}:{pair_name(contestant_1, contestant_2)}"


def verdict_id(pairing: str, judge: str, turned: bool = False) -> str:
    """turned: of the pairing's other order, the sides exchanged."""
    return f"{pairing}@{judge}" + ("@turned" if turned else "")


def presentation_id(matter_sha256: str, answer_a_sha256: str, answer_b_sha256: str, ordinal: int) -> str:
    """The id a judge sees. It is made of the matter, the two texts and an ordinal, so nobody can compute it from names or seeds."""
    return digest(["presentation", matter_sha256, answer_a_sha256, answer_b_sha256, ordinal])


def nearest(name: str, known: Iterable[str]) -> str:
    """What to say after an unknown name: the nearest right one, or all of them."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"the nearest is {close[0]!r}"
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return f"known: {', '.join(known[:_LISTED]) or 'none'}{more}"


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether one of ``words`` stands in ``text`` as a word of its own, whatever its case."""
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) for word in words if word)


def addresses_the_judge(text: str) -> bool:
    """Whether ``text`` speaks to whoever compares it: labels, verdict words, a planted reply or boundary, an order to choose."""
    return _TO_THE_JUDGE.search(text) is not None
