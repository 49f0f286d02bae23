"""metrics/agreement.json: off it says so, on it counts each judge alone, and no score moves for it."""

import dataclasses

import duckdb
import pytest

from stages.schema.names import verdict_id
from stages.schema.tables import read_table, write_table
from tests.published import TABLES_FOLDER, counted, measured
from tests.small_record import NAMES, designed_record, small_record

OFF = {"both_orders": False, "judges": 1}
SAID = """
    with every as (
        select pairing_id, judge, false as turned, verdict, winner, presentation_id from 'data/tables/verdicts.parquet'
        union all select pairing_id, judge, turned, verdict, winner, presentation_id from 'data/tables/second_verdicts.parquet'),
    twice as (
        select one.judge, one.verdict as v, other.verdict as w, one.winner as x, other.winner as y
        from every one join every other using (pairing_id, judge) where not one.turned and other.turned)
"""


@pytest.fixture
def designed():
    return counted(designed_record())


def without(rows, **what):
    """The designed record without the verdicts of which all of this is so."""
    return dataclasses.replace(rows, verdicts=[v for v in rows.verdicts if any(getattr(v, name) != value for name, value in what.items())])


def test_where_a_study_asks_for_neither_the_file_says_just_that():
    assert counted(small_record())["agreement"] == OFF


def test_no_score_moves_for_what_is_asked_beside_it(designed):
    plain = counted(small_record())
    same = {"pairs", "scores", "judge"}
    assert {name: plain[name] for name in same} == {name: designed[name] for name in same}
    assert plain["provenance"]["record"] == designed["provenance"]["record"]
    assert plain["coverage"]["verdicts"] == designed["coverage"]["verdicts"]
    assert designed["coverage"]["calls"] - plain["coverage"]["calls"] == 17 + 4


def test_a_judge_is_compared_with_itself_on_exchanged_sides(designed):
    found = designed["agreement"]["by_judge"]["oak"]["orders"]
    kinds = ("consistent", "tie_and_winner", "adequate_and_not", "n", "unreadable", "missing", "planned")
    assert tuple(found[kind] for kind in kinds) == (2, 1, 1, 5, 1, 3, 9)
    assert found["first_place"] + found["second_place"] == 1
    cedar_was_a = next(
        row["answer_a_was"] == "cedar" for row in read_table("verdicts", TABLES_FOLDER) if row["pairing_id"] == "Q02:alder~cedar"
    )
    assert found["first_place"] == cedar_was_a
    assert found["consistency"]["value"] == 0.4
    assert found["reversals"] == {"n": 1, "p": 1.0, "method": "exact_binomial"}
    assert designed["agreement"]["by_judge"]["elm"]["orders"]["consistency"]["value"] == 1.0


def test_every_judge_has_a_table_of_its_own_and_the_first_ones_is_that_of_the_pairs(designed):
    found = designed["agreement"]["by_judge"]
    assert set(found) == {"elm", "oak"}
    for name, pair in designed["pairs"].items():
        assert found["oak"]["pairs"][name].items() <= pair.items()
    assert found["oak"]["a_share"] == designed["judge"]["a_share"]
    assert found["oak"]["verdicts"] == designed["judge"]["verdicts"]
    for name in found:
        for pair in found[name]["pairs"].values():
            assert pair["n"] + pair["unreadable"] + pair["missing"] == pair["planned"] == 3
    assert found["elm"]["pairs"]["alder~birch"]["wins_1"] == found["elm"]["pairs"]["alder~birch"]["wins_2"] == 1


def test_beside_the_numbers_of_each_judge_stands_whether_it_qualifies(designed):
    found = designed["agreement"]["by_judge"]
    assert (found["oak"]["qualifies"], found["elm"]["qualifies"]) == (False, True)
    assert found["oak"]["because"] == designed["qualification"]["because"]
    assert designed["qualification"]["second_judges"]["elm"]["because"] == "every threshold is met"
    plain = counted(small_record())["qualification"]
    assert {key: value for key, value in designed["qualification"].items() if key != "second_judges"} == plain


def test_a_second_judge_that_was_given_no_control_is_untested():
    rows = designed_record()
    found = counted(dataclasses.replace(rows, controls=[c for c in rows.controls if c.judge != "elm"]))
    assert found["agreement"]["by_judge"]["elm"]["because"] == "there are no controls for testing, so the judge is untested"


def test_judges_are_compared_on_the_very_same_presentations_each_order_apart(designed):
    found = designed["agreement"]["between"]
    assert set(found) == {"elm~oak"}
    first, turned = found["elm~oak"]["first_order"], found["elm~oak"]["turned_order"]
    assert (first["raters"], first["units"], first["raw"]) == (2, 4, 0.75)
    assert (turned["raters"], turned["units"], turned["raw"]) == (2, 3, round(1 / 3, 6))
    assert first["ac1"]["n"] == first["alpha"]["n"] == 4
    assert 0 < first["alpha"]["value"] < first["raw"]


def test_several_judges_alone_or_both_orders_alone_are_counted_alone():
    rows = designed_record()
    turned = {a.pairing_id for a in rows.assignments if a.rule == "turned-1"}
    count = len(small_record().verdicts)
    oak_alone = dataclasses.replace(
        rows, verdicts=[v for v in rows.verdicts if v.judge == "oak"], second_judges={}, controls=small_record().controls
    )
    found = counted(oak_alone)["agreement"]
    assert (found["both_orders"], found["judges"], set(found["by_judge"]), "between" in found) == (True, 1, {"oak"}, False)
    first_alone = dataclasses.replace(
        rows, verdicts=[v for v in rows.verdicts[: count + 14] if v.judge == "elm" or v in rows.verdicts[:count]]
    )
    found = counted(first_alone)["agreement"]
    assert (found["both_orders"], found["judges"], "orders" in found["by_judge"]["elm"]) == (False, 2, False)
    assert set(found["between"]["elm~oak"]) == {"first_order"}
    assert turned


def test_three_judges_are_compared_two_by_two_and_all_together():
    rows = designed_record()
    third = [dataclasses.replace(v, judge="fir", request_sha256=v.request_sha256[::-1]) for v in rows.verdicts if v.judge == "elm"]
    judges = {**rows.second_judges, "fir": rows.second_judges["elm"]}
    found = counted(dataclasses.replace(rows, verdicts=[*rows.verdicts, *third], second_judges=judges))["agreement"]
    assert set(found["between"]) == {"elm~fir", "elm~oak", "fir~oak", "all"}
    assert found["between"]["elm~fir"]["first_order"]["raw"] == 1.0
    assert found["between"]["all"]["first_order"]["raters"] == 3
    assert found["between"]["fir~oak"] == found["between"]["elm~oak"]


def test_judges_that_always_say_a_agree_and_are_told_nothing_by_it():
    rows = designed_record()
    said = [dataclasses.replace(v, verdict="A", material_difference=True, unreadable_because=None) for v in rows.verdicts]
    found = counted(dataclasses.replace(rows, verdicts=said))["agreement"]
    between = found["between"]["elm~oak"]["first_order"]
    assert between["raw"] == 1.0
    assert "every rating is the same" in between["alpha"]["refused"]
    for judge in found["by_judge"].values():
        orders = judge["orders"]
        assert (orders["consistency"]["value"], orders["first_place"]) == (0.0, orders["n"])
        assert judge["a_share"]["share"] == 1.0


def test_the_counts_are_those_that_sql_finds(designed):
    def rows(select):
        return duckdb.sql(f"{SAID} {select}").fetchall()

    by_judge = designed["agreement"]["by_judge"]
    readable = "v <> 'unreadable' and w <> 'unreadable'"
    for judge, n, consistent, first, second in rows(
        f"select judge, count(*) filter (where {readable}), count(*) filter (where {readable} and x = y),"
        " count(*) filter (where v = 'A' and w = 'A'), count(*) filter (where v = 'B' and w = 'B') from twice group by judge"
    ):
        found = by_judge[judge]["orders"]
        assert (found["n"], found["consistent"], found["first_place"], found["second_place"]) == (n, consistent, first, second)
    agreeing = rows(
        "select one.turned, count(*), avg((one.verdict = other.verdict)::int) from every one join every other using (presentation_id)"
        " where one.judge < other.judge and one.verdict <> 'unreadable' and other.verdict <> 'unreadable' group by one.turned"
    )
    assert len(agreeing) == 2
    for turned, units, raw in agreeing:
        found = designed["agreement"]["between"]["elm~oak"]["turned_order" if turned else "first_order"]
        assert (found["units"], found["raw"]) == (units, round(raw, 6))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"judge": "fir"}, "there are second verdicts of 'fir', which is no judge of this study"),
        ({"judge": "oak", "turned": False}, "holds verdicts of oak on the first order, which belong in verdicts"),
        ({"matter_id": "Q99"}, "there is a verdict on matter 'Q99', which is not planned"),
        ({"contestant_2": "zelkova", "answer_b_was": "zelkova", "answer_a_was": "alder"}, "which is not planned"),
    ],
)
def test_a_table_of_second_verdicts_that_was_made_by_hand_is_refused(designed, change, sentence):
    rows = read_table("second_verdicts", TABLES_FOLDER)
    odd = next(row for row in rows if row["judge"] == "elm" and row["turned"] and row["contestant_1"] == "alder")
    write_table("second_verdicts", [{**odd, **change} if row is odd else row for row in rows], TABLES_FOLDER)
    with pytest.raises(ValueError, match=sentence):
        measured()
    assert set(NAMES) == set(designed["scores"]) - {name for name in designed["scores"] if "_" in name}


def test_a_turned_verdict_that_shows_the_first_order_is_refused(designed):
    rows = read_table("second_verdicts", TABLES_FOLDER)
    name = verdict_id("Q01:alder~birch", "oak", turned=True)
    same = [
        {**row, "answer_a_was": row["answer_b_was"], "answer_b_was": row["answer_a_was"]} if row["verdict_id"] == name else row
        for row in rows
    ]
    write_table("second_verdicts", same, TABLES_FOLDER)
    with pytest.raises(ValueError, match="in the same order twice"):
        measured()
    assert designed["agreement"]["both_orders"]


def test_second_controls_of_a_judge_that_is_none_are_refused(designed):
    rows = read_table("second_controls", TABLES_FOLDER)
    write_table("second_controls", [{**row, "judge": "fir"} for row in rows], TABLES_FOLDER)
    with pytest.raises(ValueError, match="there are controls of 'fir', which is no second judge"):
        measured()
    assert designed["agreement"]["judges"] == 2
