"""Where a rejected point stands in the answer: the longest run of words that both share. A judge paraphrases: it may stand nowhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

# Three words in a row, such as "the appeal must", are shared by chance; four are taken where they are half of the point. Of the 52 points
# of the shipped record, which paraphrase a great deal, 15 are placed so.
LEAST_WORDS = 5
FEW_WORDS, FEW_SHARE = 4, 0.5
LONGEST = 20_000  # characters of an answer that are searched; the time grows with the square of it
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Place:
    """The characters ``start`` to ``end`` of the text. number: the point's place in the judge's list."""

    start: int
    end: int
    number: int


@dataclass(frozen=True)
class Piece:
    """A stretch of the text, with the numbers of the points that stand there. The pieces of a text, joined, are the text."""

    text: str
    numbers: tuple[int, ...]


def place_of(point: str, number: int, text: str) -> Place | None:
    """Where the point stands, or None where no run of words says so."""
    said = [word.group().casefold() for word in _WORD.finditer(point)]
    words = list(_WORD.finditer(text, 0, LONGEST))
    there = [word.group().casefold() for word in words]
    run = SequenceMatcher(None, said, there, autojunk=False).find_longest_match()
    if run.size < LEAST_WORDS and not (run.size == FEW_WORDS and run.size >= FEW_SHARE * len(said)):
        return None
    return Place(words[run.b].start(), words[run.b + run.size - 1].end(), number)


def pieces(text: str, places: Sequence[Place]) -> list[Piece]:
    """The text cut where a place begins or ends. Every character is in exactly one piece, in order."""
    cuts = sorted({0, len(text), *(place.start for place in places), *(place.end for place in places)})
    return [
        Piece(text[start:end], tuple(p.number for p in places if p.start <= start and end <= p.end)) for start, end in pairwise(cuts)
    ] or [Piece(text, ())]
