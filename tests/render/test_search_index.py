"""The search index: what the scripts hold, read as the page reads them."""

import json
import re

import pytest

from stages.render import search_index
from stages.render.search_index import search_pages, steps, words_of


def handed(pages) -> dict:
    """What each script hands to the page, by its name."""
    found = {}
    for page in pages:
        match = re.fullmatch(r'mootSearch\("(\w+)","([\w-]+)",(.*)\);\n', page.text, re.DOTALL)
        assert page.address == f"search/{match[2]}.js"
        found[match[2]] = json.loads(match[3])
    return found


def looked_up(shelves: dict, word: str) -> list[int]:
    numbers, at = [], 0
    for step in shelves.get(f"words-{word[0]}", {}).get(word, []):
        at += step
        numbers.append(at)
    return numbers


@pytest.fixture(scope="module")
def index(small):
    pages, chunks = search_pages(small)
    found = handed(pages)
    return found, [each for number in range(chunks) for each in found[f"documents-{number}"]]


def test_every_matter_and_every_answer_is_a_document(index, small):
    _, documents = index
    assert [each[:2] for each in documents if not each[1]] == [["Q01", ""], ["Q02", ""], ["Q03", ""]]
    assert sorted(tuple(each[:2]) for each in documents if each[1]) == sorted(small.answers)


def test_a_word_is_found_where_it_stands_and_nowhere_else(index):
    shelves, documents = index
    assert [documents[number][:2] for number in looked_up(shelves, "wait")] == [["Q02", "cedar"]]
    assert [documents[number][:2] for number in looked_up(shelves, "facts")] == [["Q01", ""], ["Q02", ""], ["Q03", ""]]
    assert looked_up(shelves, "absent") == []


def test_every_letter_has_its_script_so_that_none_is_missed(index):
    shelves, _ = index
    assert {f"words-{letter}" for letter in [*search_index.SHELVES, "other"]} <= set(shelves)


def test_words_are_folded_as_the_page_folds_them():
    assert words_of("Été, ÜBER-see 21(2) don't_stop \ufb01n") == ["ete", "uber", "see", "21", "2", "don", "t", "stop", "fin"]
    assert words_of("w" * 41) == []


@pytest.mark.parametrize(("numbers", "stepped"), [([], []), ([0], [0]), ([3, 4, 9], [3, 1, 5])])
def test_numbers_as_steps(numbers, stepped):
    assert steps(numbers) == stepped


def test_documents_are_cut_into_chunks(small, monkeypatch):
    monkeypatch.setattr(search_index, "IN_A_CHUNK", 4)
    pages, chunks = search_pages(small)
    found = handed(pages)
    assert chunks == 3
    assert [len(found[f"documents-{number}"]) for number in range(3)] == [4, 4, 3]


def test_hostile_titles_stay_within_their_string(attacked):
    pages, _ = search_pages(attacked)
    assert handed(pages)["documents-0"][0][2] == attacked.matters[0]["title"]
    assert all(page.text.isascii() for page in pages)
