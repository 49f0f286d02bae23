"""metrics/judge.json, on the small record built by hand and on the constructed tables."""

import json

import duckdb
import pytest

from tests.published import CONSTRUCTED, constructed_tables, counted, measured
from tests.small_record import small_record


def test_the_judge_by_hand():
    rows = small_record()
    judge = counted(rows)["judge"]
    a = sum(verdict.verdict == "A" for verdict in rows.verdicts)
    assert judge["decisive"] == 3
    assert judge["a_share"] == {"a": a, "decisive": 3, "share": round(a / 3, 6)}
    assert judge["verdicts"] == {"A": a, "B": 3 - a, "tie": 1, "both_inadequate": 1, "unreadable": 1}
    assert judge["names_itself"] == {"answers": 1, "verdicts": 2}
    sides = {name: side["n"] for name, side in judge["balance"].items()}
    assert sides == {"alder": 5, "birch": 4, "cedar": 5}, "over the seven assignments in use"
    assert sum(side["times_a"] for side in judge["balance"].values()) == 7


def test_rejected_points_are_counted_for_whose_answer_they_stand_in():
    rows = small_record()
    first = next(a for a in rows.assignments if a.pairing_id == "Q01:alder~birch")
    judge = counted(rows)["judge"]
    assert judge["rejected_points"][first.answer_a_was] == {"points": 1, "changes_course": 1}
    assert judge["rejected_points"][first.answer_b_was] == {"points": 2, "changes_course": 0}
    assert judge["rejected_points"]["cedar"] == {"points": 0, "changes_course": 0}


def test_sql_over_the_tables_gives_the_same_share_of_a():
    share = counted(small_record())["judge"]["a_share"]
    counts = "count(*) filter (where verdict = 'A'), count(*) filter (where verdict in ('A', 'B'))"
    assert duckdb.sql(f"select {counts} from 'data/tables/verdicts.parquet'").fetchall() == [(share["a"], share["decisive"])]


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def test_a_constructed_table_gives_its_known_judge(name):
    constructed_tables(name)
    expected = json.loads((CONSTRUCTED / f"{name}.expected.json").read_text(encoding="utf-8"))
    judge = measured()["judge"]
    for contestant, known in expected["per_contestant"].items():
        side = judge["balance"][contestant]
        assert (side["times_a"], side["times_b"]) == (known["times_as_A"], known["times_as_B"])
    share = expected["position"]["A_share"]
    assert judge["a_share"].get("share") == (None if share is None else round(share, 6))


def test_where_nothing_is_decisive_there_is_no_share():
    constructed_tables("s4_all_ties")
    assert measured()["judge"]["a_share"] == {"a": 0, "decisive": 0}
