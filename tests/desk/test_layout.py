"""What stands on a terminal: columns, and text that moves no cursor."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.desk.layout import count, set_out, short, visible

TABLE = """\
name    n
─────  ──
alder   1
birch  10
"""


def test_columns_are_as_wide_as_what_stands_in_them_and_numbers_stand_to_the_right():
    assert set_out(("name", "n"), [("alder", 1), ("birch", 10)]) == TABLE


def test_a_table_without_rows_is_its_head():
    assert set_out(("name", "n"), []) == "name  n\n────  ─\n"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (True, "True"), (0.5, "0.5"), ("a\n b", "a b"), ("x" * 60, "x" * 47 + "…"), ("\x1b[2Jgone", "\\x1b[2Jgone")],
)
def test_a_cell_is_one_line(value, shown):
    assert short(value) == shown


@given(st.text())
def test_no_character_that_a_terminal_obeys_gets_through(text):
    allowed = {"\n", "\t"}
    for shown, kept in ((visible(text), set()), (visible(text, lines=True), allowed), (short(text), set())):
        assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in kept]


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_plain_text_stays_as_it_is(text):
    assert visible(text) == text


def test_a_number_has_its_noun():
    assert [count(n, "call") for n in (0, 1, 1200)] == ["0 calls", "1 call", "1,200 calls"]
    assert count(2, "reply", "replies") == "2 replies"
