"""metrics/pairs.json, on the small record built by hand and on the constructed tables."""

import dataclasses
import json

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages import record
from stages.metrics import pairs
from stages.schema.tables import columns
from tests.published import CONSTRUCTED, constructed_tables, counted, five, measured
from tests.small_record import small_record


def test_pairs_by_hand():
    pairs = counted(small_record())["pairs"]
    assert pairs == {
        "alder~birch": {
            "wins_1": 1, "wins_2": 0, "ties": 0, "both_inadequate": 0, "n": 1, "unreadable": 0, "missing": 2, "planned": 3,
        },
        "alder~cedar": {
            "wins_1": 1, "wins_2": 1, "ties": 1, "both_inadequate": 0, "n": 3, "unreadable": 0, "missing": 0, "planned": 3,
        },
        "birch~cedar": {
            "wins_1": 0, "wins_2": 0, "ties": 0, "both_inadequate": 1, "n": 1, "unreadable": 1, "missing": 1, "planned": 3,
        },
    }  # fmt: skip


def test_sql_over_the_tables_gives_the_same_pairs():
    pairs = counted(small_record())["pairs"]
    query = """
        with planned as (
            select a.contestant as one, b.contestant as two, m.matter_id
            from 'data/tables/contestants.parquet' a join 'data/tables/contestants.parquet' b on a.contestant < b.contestant,
                 'data/tables/matters.parquet' m)
        select one || '~' || two,
            count(*) filter (where winner = one), count(*) filter (where winner = two), count(*) filter (where winner = 'tie'),
            count(*) filter (where winner = 'both_inadequate'), count(*) filter (where verdict = 'unreadable'),
            count(*) filter (where verdict is null), count(*)
        from planned left join 'data/tables/verdicts.parquet' v
            on v.matter_id = planned.matter_id and v.contestant_1 = one and v.contestant_2 = two
        group by one, two order by one, two
    """
    names = ("wins_1", "wins_2", "ties", "both_inadequate", "unreadable", "missing", "planned")
    assert {pair: tuple(tree[name] for name in names) for pair, tree in pairs.items()} == {
        pair: tuple(numbers) for pair, *numbers in duckdb.sql(query).fetchall()
    }


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def test_a_constructed_table_gives_its_known_pairs(name):
    constructed_tables(name)
    expected = json.loads((CONSTRUCTED / f"{name}.expected.json").read_text(encoding="utf-8"))
    assert {pair.replace("~", "|"): five(tree) for pair, tree in measured()["pairs"].items()} == {
        pair: five(tree) for pair, tree in expected["pairs"].items()
    }


def test_dogwood_against_alder_is_six_four_seventy():
    constructed_tables("s1_four_by_eighty")
    assert five(measured()["pairs"]["alder~dogwood"]) == (4, 6, 70, 0, 80)


SMALL = small_record()
WORDS = ["A", "B", "tie", "both_inadequate", "unreadable"]


@given(st.lists(st.sampled_from([*WORDS, None]), min_size=len(SMALL.verdicts), max_size=len(SMALL.verdicts)))
@settings(max_examples=40)
def test_whatever_the_judge_says_or_fails_to_say_the_pairs_add_up(words):
    said = [dataclasses.replace(v, verdict=word) for v, word in zip(SMALL.verdicts, words, strict=True) if word]
    tables = record.tables(dataclasses.replace(SMALL, verdicts=said))
    frames = {name: pd.DataFrame(tables[name], columns=columns(name)) for name in ("verdicts", "contestants", "matters")}
    found = pairs.tree(pairs.counted(frames))
    winners = [row["winner"] for row in tables["verdicts"]]
    assert all(sum(five(pair)[:4]) == pair["n"] == 3 - pair["unreadable"] - pair["missing"] for pair in found.values())
    assert sum(pair["wins_1"] + pair["wins_2"] for pair in found.values()) == sum(words.count(word) for word in "AB")
    assert sum(pair["ties"] for pair in found.values()) == winners.count("tie")
    assert sum(pair["unreadable"] for pair in found.values()) == winners.count(None)
    assert sum(pair["missing"] for pair in found.values()) == 9 - len(said)
