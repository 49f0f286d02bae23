"""metrics/scenarios.json: the constructed record with known answers, the small record by hand, and what flips."""

import dataclasses

import pytest

from stages.metrics.leaves import metric_text
from stages.metrics.scenarios import flip
from stages.schema.scenarios import ALWAYS, Scenario
from stages.schema.tables import read_table, write_table
from stages.stats.counts import PairCount
from tests.published import TABLES_FOLDER, constructed_tables, counted, expected, five, measured
from tests.small_record import attempt, small_record

S1 = "s1_four_by_eighty"


def scenarios_of(changes=None, **own):
    """The scenarios of the small record, with further ones, and with other attempts where ``changes`` replaces some."""
    rows = small_record()
    attempts = [(changes or {}).get((a.matter_id, a.contestant), a) for a in rows.attempts]
    return counted(dataclasses.replace(rows, attempts=attempts, scenarios={**ALWAYS, **own}))["scenarios"]


# --- the constructed record: dogwood against alder 6-4-70, and 4-4-69 without the three interrupted matters


def test_dogwood_leads_alder_as_delivered_and_not_without_the_three_interrupted_matters():
    constructed_tables(S1)
    found = measured()["scenarios"]
    assert five(found["as_delivered"]["pairs"]["alder~dogwood"]) == (4, 6, 70, 0, 80)
    without = found["without_blocked"]
    assert five(without["pairs"]["alder~dogwood"]) == (4, 4, 69, 0, 77)
    assert without["pairs"]["alder~dogwood"]["left_out"] == 3
    assert without["flips"]["alder~dogwood"] == "lead erased: as delivered dogwood leads by 2, here nobody leads"
    assert without["pairs"]["alder~dogwood"]["net_difference"]["value"] == 0.0
    assert without["pairs"]["birch~cedar"] == found["as_delivered"]["pairs"]["birch~cedar"] | {
        "p_holm": without["pairs"]["birch~cedar"]["p_holm"]
    }
    assert (found["without_reruns"]["left_out"], found["without_reruns"]["pairs"]["alder~birch"]["n"]) == (3, 79)
    assert found["without_truncated"]["left_out"] == found["without_self_naming"]["left_out"] == 0


@pytest.mark.parametrize("name", ["exclude_content_filtered", "exclude_rerun", "exclude_both"])
def test_a_list_of_matters_counts_what_independent_code_counted(name):
    known = expected(S1)["scenarios"][name]
    constructed_tables(S1)
    listed = {"scenario": "listed", "rule": None, "matters": str(known["excluded"]).replace("'", '"'), "reason": "x"}
    write_table("scenarios", [*read_table("scenarios", TABLES_FOLDER), listed], TABLES_FOLDER)
    found = measured()["scenarios"]["listed"]
    assert found["matters"] == ", ".join(known["excluded"])
    for pair, counts in known["pairs"].items():
        ours = found["pairs"][pair.replace("|", "~")]
        assert five(ours) == tuple(counts[key] for key in ("wins_1", "wins_2", "ties", "both_inadequate", "n"))
        assert ours["net_difference"]["value"] == pytest.approx(counts["net_difference_over_all_n"], abs=1e-6)
        assert ours["p_holm"] == pytest.approx(counts["sign_test_p_holm"], rel=1e-5)


def test_the_headline_is_what_pairs_publishes():
    constructed_tables(S1)
    found = measured()
    for pair, counts in found["scenarios"]["as_delivered"]["pairs"].items():
        published = found["pairs"][pair]
        assert all(counts[key] == published[key] for key in ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing"))
        assert counts["net_difference"] == published["net_difference"]
        assert counts["p_holm"] == published["sign_test"]["p_holm"]


# --- by hand


def test_the_small_record_by_hand():
    found = scenarios_of()
    assert list(found) == sorted(ALWAYS)
    assert {name: each["left_out"] for name, each in found.items()} == {
        "as_delivered": 0, "without_blocked": 0, "without_truncated": 2, "without_reruns": 0, "without_self_naming": 2,
    }  # fmt: skip
    truncated = found["without_truncated"]  # birch was cut off at Q01
    assert truncated["pairs"]["alder~birch"] == {
        "wins_1": 0, "wins_2": 0, "ties": 0, "both_inadequate": 0, "n": 0, "unreadable": 0, "missing": 2, "left_out": 1, "planned": 3,
    }  # fmt: skip
    assert truncated["flips"] == {"alder~birch": "lead erased: as delivered alder leads by 1, here nobody leads"}
    assert found["without_self_naming"]["flips"] == {"alder~cedar": "lead gained: as delivered nobody leads, here alder leads by 1"}


def test_the_identity_holds_in_every_scenario_and_pair():
    for each in scenarios_of(without_q02=Scenario(reason="r", matters=["Q02"])).values():
        for pair in each["pairs"].values():
            assert pair["wins_1"] + pair["wins_2"] + pair["ties"] + pair["both_inadequate"] == pair["n"]
            assert pair["n"] + pair["unreadable"] + pair["missing"] + pair["left_out"] == pair["planned"] == 3
        assert each["left_out"] == sum(pair["left_out"] for pair in each["pairs"].values())
        assert each["flipped"] == len(each["flips"])


@pytest.mark.parametrize(
    ("change", "name", "left_out"),
    [
        ({"status": "blocked"}, "without_blocked", 2),
        ({"status": "filtered"}, "without_blocked", 2),
        ({"status": "refused"}, "without_blocked", 0),
        ({"status": "truncated"}, "without_truncated", 4),
        ({"attempt": 2, "ordered_by": "A. Author", "reason": "cut off"}, "without_reruns", 2),
        ({"names_itself": True}, "without_self_naming", 3),  # of cedar, too, who names itself there
    ],
)
def test_each_rule_leaves_out_both_pairings_of_the_answer_it_is_about(change, name, left_out):
    assert scenarios_of({("Q02", "alder"): attempt("Q02", "alder", **change)})[name]["left_out"] == left_out


def test_matters_that_the_study_does_not_ask_about_leave_nothing_out():
    found = scenarios_of(later=Scenario(reason="r", matters=["Q77"]))["later"]
    assert (found["left_out"], found["matters"], found["flips"]) == (0, "Q77", {})


# --- flips


def pair(wins_1, wins_2, ties):
    return PairCount("alder", "birch", wins_1, wins_2, ties=ties, both_inadequate=0, unreadable=0, planned=80)


def test_an_interval_that_takes_zero_in_is_a_flip_though_the_lead_stays():
    assert flip(pair(20, 2, 50), pair(20, 2, 50)) is None
    assert flip(pair(20, 2, 50), pair(3, 2, 50)) == "the interval holds zero here and did not as delivered"
    assert flip(pair(3, 2, 50), pair(20, 2, 50)) == "the interval leaves zero out here and did not as delivered"


def test_both_flips_are_told():
    said = flip(pair(20, 2, 50), pair(2, 20, 50))
    assert said == "lead reversed: as delivered alder leads by 18, here birch leads by 18"
    assert flip(pair(20, 2, 50), pair(2, 2, 50)).endswith("nobody leads; the interval holds zero here and did not as delivered")


# --- tables that are not what they should be


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rule": "bloked"}, "the scenario without_reruns has the rule 'bloked'; the rules are as_delivered, blocked"),
        ({"rule": None}, "the scenario without_reruns has neither a rule nor a list of matters"),
        ({"rule": None, "matters": "Q01"}, "has neither a rule nor a list of matters"),
        ({"rule": None, "matters": "[1]"}, "has neither a rule nor a list of matters"),
    ],
)
def test_a_scenario_that_says_nothing_is_refused(change, sentence):
    counted(small_record())
    rows = [{**row, **change} if row["scenario"] == "without_reruns" else row for row in read_table("scenarios", TABLES_FOLDER)]
    write_table("scenarios", rows, TABLES_FOLDER)
    with pytest.raises(ValueError, match=sentence):
        measured()


def test_without_a_headline_nothing_is_compared():
    counted(small_record())
    write_table("scenarios", [], TABLES_FOLDER)
    with pytest.raises(ValueError, match="the table of scenarios has no as_delivered"):
        measured()


def test_dvc_would_drop_nothing_of_it():
    assert '"flips": {}' in metric_text(scenarios_of())
