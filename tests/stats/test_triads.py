"""Triads: the 27 patterns, known counts, a second implementation in SQL, and what must not move them."""

from itertools import product

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.stats.triads import Circle, Triads, triads
from tests.verdict_tables import (
    MATTERS,
    NAMES,
    TABLES,
    constructed,
    contestants_of,
    full_rows,
    matters_of,
    random_rows,
    relettered,
    rematted,
    renamed,
    row_of,
    turned,
    verdicts,
    vicuna,
)


def of(rows, names=None, matters=None) -> Triads:
    return triads(verdicts(rows), names or contestants_of(rows), matters or matters_of(rows))


def three(ab: str, bc: str, ac: str) -> list[dict]:
    return [row_of("M1", "a", "b", False, ab), row_of("M1", "b", "c", False, bc), row_of("M1", "a", "c", False, ac)]


@pytest.mark.parametrize("name", TABLES)
def test_triads_of_a_constructed_table(name):
    rows, expected = constructed(name)
    found, known = of(rows), expected["triads"]
    assert (found.total, found.both_inadequate, found.evaluable) == (known["total"], known["with_both_inadequate"], known["evaluable"])
    kinds = ("weak_order_consistent", "strict_cycle", "two_wins_chain_but_end_tie", "two_ties_one_win")
    assert (found.consistent, found.circles, found.chains_with_end_tie, found.two_ties_and_a_win) == tuple(known[kind] for kind in kinds)
    assert found.found_circles == ()


def test_triads_of_the_real_record():
    rows, expected = vicuna()
    found, known = of(rows), expected["triads"]
    kinds = ("weak_order_consistent", "strict_cycle", "two_wins_chain_but_end_tie", "two_ties_one_win")
    assert (found.consistent, found.circles, found.chains_with_end_tie, found.two_ties_and_a_win) == tuple(known[kind] for kind in kinds)
    assert (found.consistent, found.circles, found.chains_with_end_tie, found.two_ties_and_a_win) == (278, 4, 17, 19)
    assert (found.total, found.evaluable, found.unreadable, found.missing) == (320, 318, 2, 0)
    assert len(found.found_circles) == 4


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def consistent_by_ranks(ab: str, bc: str, ac: str) -> bool:
    """Whether three numbers can be given to a, b and c that say the same: the definition of an order with ties."""
    words = {1: "A", -1: "B", 0: "tie"}
    return any(
        (words[sign(a - b)], words[sign(b - c)], words[sign(a - c)]) == (ab, bc, ac) for a, b, c in product(range(3), repeat=3)
    )  # fmt: skip


def test_the_27_patterns_are_13_orders_2_circles_6_chains_and_6_thresholds():
    sums = dict.fromkeys(("consistent", "circles", "chains_with_end_tie", "two_ties_and_a_win"), 0)
    for pattern in product(("A", "B", "tie"), repeat=3):
        found = of(three(*pattern))
        assert (found.total, found.evaluable) == (1, 1)
        assert bool(found.consistent) == consistent_by_ranks(*pattern)
        assert bool(found.circles) == (pattern in [("A", "A", "B"), ("B", "B", "A")])
        if not found.consistent and not found.circles:
            assert bool(found.two_ties_and_a_win) == (pattern.count("tie") == 2)
        for kind in sums:
            sums[kind] += getattr(found, kind)
    assert sums == {"consistent": 13, "circles": 2, "chains_with_end_tie": 6, "two_ties_and_a_win": 6}


def test_a_circle_is_told_in_the_order_of_its_wins():
    assert of(three("A", "A", "B")).found_circles == (Circle("M1", "a", "b", "c"),)
    assert of(three("B", "B", "A")).found_circles == (Circle("M1", "a", "c", "b"),)


@pytest.mark.parametrize(
    ("words", "skipped"),
    [
        (("A", "tie", "both_inadequate"), "both_inadequate"),
        (("A", "both_inadequate", "unreadable"), "unreadable"),
        (("unreadable", "unreadable", "A"), "unreadable"),
    ],
)
def test_what_is_not_scored_skips_a_triad_and_is_counted_once(words, skipped):
    found = of(three(*words))
    assert (found.total, found.evaluable, getattr(found, skipped)) == (1, 0, 1)


def test_a_missing_verdict_skips_a_triad():
    found = of(three("A", "both_inadequate", "A")[:2], "abc")
    assert (found.total, found.missing, found.both_inadequate) == (1, 1, 0)


def test_two_contestants_have_no_triad():
    assert of([row_of("M1", "a", "b", False, "A")]).total == 0


def test_what_is_not_planned_is_refused():
    with pytest.raises(ValueError, match="there is a verdict on a and b in M1, which is not planned"):
        of(three("A", "A", "A"), "acd")
    with pytest.raises(ValueError, match="there is a verdict on a and b in M1, which is not planned"):
        of(three("A", "A", "A"), matters=["M2"])


SQL = """
    with won as (select matter_id, contestant_1 as one, contestant_2 as two,
                        case verdict when 'A' then answer_a_was when 'B' then answer_b_was else verdict end as winner from rows),
    either as (select matter_id, one, two, winner from won union all select matter_id, two, one, winner from won),
    three as (select x.winner as xy, y.winner as yz, z.winner as zx, x.one as a, y.one as b, z.one as c
              from either x join either y on y.matter_id = x.matter_id and y.one = x.two
                            join either z on z.matter_id = x.matter_id and z.one = y.two and z.two = x.one
              where x.one < y.one and y.one < z.one and not list_has_any(['both_inadequate', 'unreadable'], [x.winner, y.winner, z.winner])),
    told as (select (xy = a)::int - (xy = b)::int as p, (yz = b)::int - (yz = c)::int as q, (zx = c)::int - (zx = a)::int as r from three)
    select count(*), count(*) filter (where p = q and q = r and p <> 0),
           count(*) filter (where (p = 0)::int + (q = 0)::int + (r = 0)::int = 2),
           count(*) filter (where (p = 0)::int + (q = 0)::int + (r = 0)::int = 1 and p + q + r <> 0)
    from told
"""


def by_sql(rows) -> tuple:
    frame = pd.DataFrame(rows)
    return duckdb.connect().register("rows", frame).sql(SQL).fetchall()[0]


def ours(found: Triads) -> tuple:
    return found.evaluable, found.circles, found.two_ties_and_a_win, found.chains_with_end_tie


@pytest.mark.parametrize("name", TABLES)
def test_sql_counts_the_same_triads(name):
    rows, _ = constructed(name)
    assert ours(of(rows)) == by_sql(rows)


def test_sql_counts_the_same_triads_of_the_real_record():
    rows, _ = vicuna()
    assert ours(of(rows)) == by_sql(rows)


@settings(max_examples=40)
@given(random_rows())
def test_every_triad_is_somewhere(rows):
    found = of(rows, NAMES, MATTERS)
    assert found.total == len(MATTERS) * 4 == found.evaluable + found.both_inadequate + found.unreadable + found.missing
    assert len(found.found_circles) == found.circles


@settings(max_examples=40)
@given(full_rows(), st.permutations(NAMES), st.permutations(MATTERS))
def test_names_ids_and_sides_move_no_count(rows, others, ids):
    new = dict(zip(NAMES, others, strict=True))
    before = of(rows, NAMES, MATTERS)
    for moved in (renamed(rows, new), rematted(rows, dict(zip(MATTERS, ids, strict=True))), turned(rows), relettered(rows), rows[::-1]):
        after = of(moved, NAMES, MATTERS)
        assert ours(after) == ours(before)
        assert (after.both_inadequate, after.unreadable, after.missing) == (before.both_inadequate, before.unreadable, before.missing)
    backwards = of(relettered(rows), NAMES, MATTERS).found_circles
    assert {(c.matter_id, c.first, c.third, c.second) for c in backwards} == {
        (c.matter_id, c.first, c.second, c.third) for c in before.found_circles
    }
