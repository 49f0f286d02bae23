"""metrics/judge.json, on the small record built by hand and on the constructed tables, with SQL as the second opinion."""

import dataclasses
import json
from pathlib import Path

import duckdb
import pytest

from stages.metrics.leaves import metric_text
from stages.stats.reasons import KINDS
from tests.published import CONSTRUCTED, constructed_tables, counted, expected, measured
from tests.small_record import rejected, small_record


def test_the_judge_by_hand():
    rows = small_record()
    judge = counted(rows)["judge"]
    a = sum(verdict.verdict == "A" for verdict in rows.verdicts)
    lowest, highest = {0: (0.0, 0.707598), 1: (0.008404, 0.905701), 2: (0.094299, 0.991596), 3: (0.292402, 1.0)}[a]
    assert judge["decisive"] == 3
    assert judge["a_share"] == {
        "a": a, "decisive": 3, "share": round(a / 3, 6), "interval": {"lo": lowest, "hi": highest}, "method": "clopper_pearson",
        "level": 0.95, "p": 0.25 if a in (0, 3) else 1.0, "test": "exact_binomial",
    }  # fmt: skip
    assert judge["verdicts"] == {"A": a, "B": 3 - a, "tie": 1, "both_inadequate": 1, "unreadable": 1}
    assert judge["names_itself"] == {"answers": 1, "verdicts": 2}
    sides = {name: side["n"] for name, side in judge["balance"].items()}
    assert sides == {"alder": 5, "birch": 4, "cedar": 5}, "over the seven assignments in use"
    assert sum(side["times_a"] for side in judge["balance"].values()) == 7
    assert {name: side["decisive_as_a"] + side["decisive_as_b"] for name, side in judge["balance"].items()} == {
        "alder": 3,
        "birch": 1,
        "cedar": 2,
    }
    assert {name: side["won_as_a"] + side["won_as_b"] for name, side in judge["balance"].items()} == {"alder": 2, "birch": 0, "cedar": 1}


def test_what_goes_together_by_hand():
    """Q01: alder beats birch, ties cedar; birch and cedar both inadequate: cedar's tie contradicts. No triad has three scored verdicts."""
    judge = counted(small_record())["judge"]
    assert judge["triads"] == {
        "total": 3, "evaluable": 0, "consistent": 0, "circles": 0, "chains_with_end_tie": 0, "two_ties_and_a_win": 0, "found_circles": {},
        "skipped": {"both_inadequate": 1, "unreadable": 0, "missing": 2},
    }  # fmt: skip
    assert judge["adequacy"] == {
        "at_risk": 2, "contradictions": 1,
        "found": {"Q01:alder~cedar": "a tie, though cedar is called inadequate beside another answer"},
    }  # fmt: skip
    assert judge["place_and_length"] == {
        "method": "logit of A winning on place, contestants and length, clustered by matter", "n": 3,
        "refused": "4 parameters need 40 decisive verdicts, and there are 3",
    }  # fmt: skip


def test_the_longer_answer_by_hand():
    """Q01: alder's is shorter than birch's script and wins; Q02: cedar's 26 characters beat alder's 29; Q03: alder's empty one beats cedar's."""
    rows = small_record()
    lengths = {(attempt.matter_id, attempt.contestant): len(attempt.text) for attempt in rows.attempts}
    won = [("Q01", "alder", "birch"), ("Q02", "cedar", "alder"), ("Q03", "alder", "cedar")]
    longer = sum(lengths[matter, one] > lengths[matter, two] for matter, one, two in won)
    found = counted(rows)["judge"]["longer_won"]
    assert (found["longer"], found["shorter"], found["equal"], found["decisive"]) == (longer, 3 - longer, 0, 3)
    assert (found["share"]["value"], found["share"]["n"], found["share"]["method"]) == (round(longer / 3, 6), 3, "clopper_pearson")


def test_reasons_that_contradict_by_hand():
    rows = small_record()
    judge = counted(rows)["judge"]["against_its_reasons"]
    first = next(a for a in rows.assignments if a.pairing_id == "Q01:alder~birch")
    carried = {"Q01:alder~birch": KINDS["winner_whose_course_rests_on_a_rejected_point"]} if first.answer_a_was == "alder" else {}
    assert (judge["n"], judge["verdicts"], judge["found"]) == (5, len(carried), carried), (
        "five readable verdicts, three points in one of them"
    )
    assert set(judge["kinds"]) == set(KINDS)


def test_a_tie_for_a_material_difference_is_flagged_and_stays_a_tie():
    rows = small_record()
    changed = [dataclasses.replace(v, material_difference=True) if v.verdict == "tie" else v for v in rows.verdicts]
    before, after = counted(rows), counted(dataclasses.replace(rows, verdicts=changed))
    found = after["judge"]["against_its_reasons"]
    assert found["found"]["Q01:alder~cedar"] == "a tie, though the action differs materially"
    assert found["kinds"]["tie_with_material_difference"] == 1
    assert found["share"] == round(found["verdicts"] / 5, 6)
    assert (after["pairs"], after["scores"], after["judge"]["verdicts"]) == (before["pairs"], before["scores"], before["judge"]["verdicts"])


def test_a_decision_on_a_harmless_point_is_flagged():
    rows = small_record()
    point = "the ten days ran from Monday"
    changed = [
        dataclasses.replace(v, rationale=f"Answer A says that {point}.", rejected_points=[rejected("A", point)])
        if v.verdict in ("A", "B")
        else v
        for v in rows.verdicts
    ]
    found = counted(dataclasses.replace(rows, verdicts=changed))["judge"]["against_its_reasons"]
    assert found["kinds"]["winner_on_a_point_that_changes_nothing"] == found["verdicts"] == 3


def test_rejected_points_are_counted_for_whose_answer_they_stand_in():
    rows = small_record()
    first = next(a for a in rows.assignments if a.pairing_id == "Q01:alder~birch")
    judge = counted(rows)["judge"]
    assert judge["rejected_points"][first.answer_a_was] == {"points": 1, "changes_course": 1}
    assert judge["rejected_points"][first.answer_b_was] == {"points": 2, "changes_course": 0}
    assert judge["rejected_points"]["cedar"] == {"points": 0, "changes_course": 0}


def test_the_review_burden_by_hand():
    """alder has three answers and four readable verdicts, birch one answer and two, cedar three and four."""
    rows = small_record()
    first = next(a for a in rows.assignments if a.pairing_id == "Q01:alder~birch")
    points = {first.answer_a_was: 1, first.answer_b_was: 2}
    burden = counted(rows)["judge"]["review_burden"]
    found = burden["contestants"]
    assert {name: (tree["answers"], tree["verdicts"], tree["points"]) for name, tree in found.items()} == {
        "alder": (3, 4, points["alder"]), "birch": (1, 2, points["birch"]), "cedar": (3, 4, 0),
    }  # fmt: skip
    assert found["birch"]["mean"] == points["birch"] / 2
    assert found["alder"]["mean"] == round(points["alder"] / 2 / 3, 6), "two verdicts on its answer to Q01"
    assert (found["alder"]["with_any"]["value"], found["alder"]["with_any"]["n"]) == (0.333333, 3)
    assert burden["differences"]["alder~birch"] == {
        "n": 1, "value": (points["alder"] - points["birch"]) / 2, "no_interval": "one matter shows no spread",
    }  # fmt: skip
    assert burden["differences"]["alder~cedar"]["n"] == 3
    assert burden["differences"]["alder~cedar"]["value"] == round(points["alder"] / 6, 6)


def test_sql_over_the_tables_gives_the_same_share_of_a():
    share = counted(small_record())["judge"]["a_share"]
    counts = "count(*) filter (where verdict = 'A'), count(*) filter (where verdict in ('A', 'B'))"
    assert duckdb.sql(f"select {counts} from 'data/tables/verdicts.parquet'").fetchall() == [(share["a"], share["decisive"])]


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def test_a_constructed_table_gives_its_known_judge(name):
    constructed_tables(name)
    known, judge = expected(name), measured()["judge"]
    for contestant, counts in known["per_contestant"].items():
        side = judge["balance"][contestant]
        assert (side["times_a"], side["times_b"]) == (counts["times_as_A"], counts["times_as_B"])
    share = known["position"]["A_share"]
    assert judge["a_share"].get("share") == (None if share is None else round(share, 6))
    assert judge["a_share"].get("p", 1.0) == pytest.approx(known["position"]["p_exact_two_sided"], rel=1e-5)
    kinds = ("total", "evaluable", "consistent", "circles", "chains_with_end_tie", "two_ties_and_a_win")
    others = ("total", "evaluable", "weak_order_consistent", "strict_cycle", "two_wins_chain_but_end_tie", "two_ties_one_win")
    assert [judge["triads"][kind] for kind in kinds] == [known["triads"][other] for other in others]
    assert judge["triads"]["skipped"] == {"both_inadequate": known["triads"]["with_both_inadequate"], "unreadable": 0, "missing": 0}
    assert sorted(judge["adequacy"]["found"]) == sorted(f"{matter}:{one}~{two}" for matter, one, two, _ in known["adequacy_contradictions"])
    assert judge["adequacy"]["contradictions"] == len(known["adequacy_contradictions"])


def test_the_constructed_lengths_through_the_tables():
    constructed_tables("s1_four_by_eighty")
    known = json.loads((CONSTRUCTED / "s1_answers.expected.json").read_text(encoding="utf-8"))["longer_answer_won"]
    judge = measured()["judge"]
    assert (judge["longer_won"]["longer"], judge["longer_won"]["decisive"]) == (known["longer_won"], known["decisive"])
    found = judge["place_and_length"]
    assert (found["n"], found["parameters"]) == (69, 5)
    assert found["place"]["interval"]["lo"] < found["place"]["log_odds"] < found["place"]["interval"]["hi"]
    longer = duckdb.sql("""
        select count(*) filter (where length(w.text) > length(l.text)) from 'data/tables/verdicts.parquet' v
        join 'data/tables/answers.parquet' w on w.matter_id = v.matter_id and w.contestant = v.winner
        join 'data/tables/answers.parquet' l on l.matter_id = v.matter_id and l.contestant in (contestant_1, contestant_2)
            and l.contestant <> v.winner""").fetchall()
    assert longer == [(known["longer_won"],)]


def test_where_nothing_is_decisive_there_is_no_share():
    constructed_tables("s4_all_ties")
    judge = measured()["judge"]
    assert judge["a_share"] == {"a": 0, "decisive": 0}
    assert judge["longer_won"] == {"longer": 0, "shorter": 0, "equal": 0, "decisive": 0}


def test_a_judge_that_always_says_a_is_shown_and_nothing_breaks():
    rows = small_record()
    always = [dataclasses.replace(v, verdict="A", material_difference=True) for v in rows.verdicts]
    found = counted(dataclasses.replace(rows, verdicts=always))
    judge = found["judge"]
    assert judge["a_share"]["share"] == 1.0
    assert judge["a_share"]["p"] == pytest.approx(2 * 0.5**6)
    assert all(side["won_as_a"] == side["decisive_as_a"] and side["won_as_b"] == 0 for side in judge["balance"].values())
    assert all(metric_text(tree) for tree in found.values())


def test_no_verdict_at_all_breaks_nothing():
    found = counted(dataclasses.replace(small_record(), verdicts=[]))
    judge = found["judge"]
    assert judge["triads"]["skipped"]["missing"] == judge["triads"]["total"] == 3
    assert (judge["adequacy"]["at_risk"], judge["against_its_reasons"]["n"]) == (0, 0)
    assert judge["review_burden"]["contestants"]["alder"] == {"answers": 0, "verdicts": 0, "points": 0}
    assert judge["review_burden"]["differences"]["alder~birch"] == {"n": 0, "no_interval": "no matter has a readable verdict on both"}
    assert all(metric_text(tree) for tree in found.values())


def test_the_page_of_measures_explains_every_number():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    section = page.split("## The judge\n")[1].split("\n## ", maxsplit=1)[0]
    constructed_tables("s1_four_by_eighty")
    judge = measured()["judge"]
    headed = {
        name
        for line in section.splitlines()
        if line.startswith("### ")
        for name in line.removeprefix("### ").replace(" and ", ", ").split(", ")
    }
    assert headed == set(judge)
    assert [kind for kind in KINDS if f"`{kind}`" not in section] == []
