"""Adequacy contradictions: the constructed ones, a second implementation in SQL, and what must not move them."""

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.stats.adequacy import Adequacy, Contradiction, adequacy
from tests.verdict_tables import MATTERS, NAMES, TABLES, constructed, full_rows, rematted, renamed, row_of, turned, verdicts, vicuna


def of(rows) -> Adequacy:
    return adequacy(verdicts(rows))


def told(found: Adequacy) -> list[list[str]]:
    return [[each.matter_id, each.contestant_1, each.contestant_2, each.winner] for each in found.found]


@pytest.mark.parametrize("name", TABLES)
def test_contradictions_of_a_constructed_table(name):
    rows, expected = constructed(name)
    assert told(of(rows)) == sorted(expected["adequacy_contradictions"])


def test_what_contradicts_and_what_does_not_by_hand():
    inadequate = row_of("M1", "a", "b", False, "both_inadequate")
    assert of([inadequate, row_of("M1", "a", "c", False, "A")]) == Adequacy(1, (Contradiction("M1", "a", "c", "a", ("a",)),))
    assert of([inadequate, row_of("M1", "a", "c", False, "B")]) == Adequacy(1, ()), "that it loses is no contradiction"
    assert of([inadequate, row_of("M1", "a", "c", False, "tie")]).found[0].inadequate == ("a",)
    assert of([inadequate, row_of("M2", "a", "c", False, "A")]) == Adequacy(0, ()), "another matter is another answer"
    assert of([inadequate, row_of("M1", "c", "d", False, "A")]) == Adequacy(0, ())
    assert of([inadequate, row_of("M1", "a", "c", False, "both_inadequate")]) == Adequacy(0, ())
    assert of([inadequate, row_of("M1", "a", "c", False, "unreadable")]) == Adequacy(0, ())


def test_a_tie_of_two_inadequate_answers_is_one_contradiction_that_names_both():
    rows = [
        row_of("M1", "a", "c", False, "both_inadequate"),
        row_of("M1", "b", "c", False, "both_inadequate"),
        row_of("M1", "a", "b", True, "tie"),
    ]
    assert of(rows) == Adequacy(1, (Contradiction("M1", "a", "b", "tie", ("a", "b")),))


def test_nothing_at_all():
    assert of([]) == Adequacy(0, ())
    assert of(vicuna()[0]) == Adequacy(0, ()), "its instrument knows no such verdict"


SQL = """
    with won as (select *, case verdict when 'A' then answer_a_was when 'B' then answer_b_was else verdict end as winner from rows),
    bad as (select matter_id, contestant_1 as name from won where winner = 'both_inadequate'
            union select matter_id, contestant_2 from won where winner = 'both_inadequate')
    select distinct won.matter_id, contestant_1, contestant_2, winner from won join bad using (matter_id)
    where winner = name or winner = 'tie' and name in (contestant_1, contestant_2) order by all
"""


@settings(max_examples=40)
@given(full_rows())
def test_sql_finds_the_same(rows):
    found = duckdb.connect().register("rows", pd.DataFrame(rows)).sql(SQL).fetchall()
    assert told(of(rows)) == [list(row) for row in found]
    assert len(found) <= of(rows).at_risk


@settings(max_examples=40)
@given(full_rows(), st.permutations(NAMES), st.permutations(MATTERS))
def test_names_ids_and_sides_move_no_count(rows, others, ids):
    before = of(rows)
    new, places = dict(zip(NAMES, others, strict=True)), dict(zip(MATTERS, ids, strict=True))
    for moved in (renamed(rows, new), rematted(rows, places), turned(rows), rows[::-1]):
        after = of(moved)
        assert (after.at_risk, len(after.found)) == (before.at_risk, len(before.found))
    assert told(of(turned(rows))) == told(before)
