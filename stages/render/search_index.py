"""The search without a server: every word with the documents that hold it, in small scripts of which the page loads what it needs.

A script and no JSON, because a page that was opened from file:// may not fetch. ``search/documents-0.js`` names the documents,
``search/words-a.js`` holds the words that begin with a. A word's documents are numbers, each as the step from the one before.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from stages.render.evidence import Evidence
from stages.render.frame import Page

_WORD = re.compile(r"[^\W_]+")
LONGEST = 40  # letters of a word: beyond, it is a digest or a line without spaces, and nobody types it
IN_A_CHUNK = 2_000  # documents
SHELVES = "abcdefghijklmnopqrstuvwxyz0123456789"


def search_pages(evidence: Evidence) -> tuple[list[Page], int]:
    """The scripts of the index, and how many of them name documents."""
    documents, words = [], dict[str, list[int]]()
    for number, (name, text) in enumerate(texts(evidence)):
        documents.append(name)
        for word in set(words_of(text)):
            words.setdefault(word, []).append(number)
    chunks = [documents[start : start + IN_A_CHUNK] for start in range(0, len(documents), IN_A_CHUNK)]
    found = [script(f"documents-{number}", "documents", chunk) for number, chunk in enumerate(chunks)]
    shelves: dict[str, dict[str, list[int]]] = {}
    for word in sorted(words):
        shelves.setdefault(shelf(word), {})[word] = steps(words[word])
    return found + [script(f"words-{name}", "words", shelves.get(name, {})) for name in [*SHELVES, "other"]], len(chunks)


def texts(evidence: Evidence) -> Iterable[tuple[list[str], str]]:
    """Each document as [matter, contestant or nothing, title], with all its words: the matter first, then its answers."""
    for matter in evidence.matters:
        parts = ("matter_id", "title", "area", "facts", "law", "assignment")
        yield [matter["matter_id"], "", matter["title"]], "\n".join(matter[part] for part in parts)
        for name in evidence.names:
            answer = evidence.answers.get((matter["matter_id"], name))
            if answer is not None:
                yield [matter["matter_id"], name, matter["title"]], f"{matter['matter_id']} {name} {answer['text']}"


def words_of(text: str) -> list[str]:
    """The words as they are looked up: small letters without marks, as the page folds what is typed."""
    folded = "".join(each for each in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(each))
    return [word for word in _WORD.findall(folded) if len(word) <= LONGEST]


def shelf(word: str) -> str:
    return word[0] if word[0] in SHELVES else "other"


def steps(numbers: list[int]) -> list[int]:
    """Rising numbers as the first and the steps from each to the next: short to write, however many documents there are."""
    return [after - before for before, after in zip([0, *numbers], numbers, strict=False)]


def script(name: str, kind: str, content: Any) -> Page:
    """A script that hands its content to the page. JSON within JavaScript: no character of it can end the string or the script."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return Page(f"search/{name}.js", f'mootSearch("{kind}","{name}",{text});\n')
