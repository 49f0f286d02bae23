"""metrics/scores.json, on the small record built by hand and on the constructed tables."""

from pathlib import Path

import pytest

from stages import measure
from stages.metrics import pairs, scores
from stages.metrics.leaves import metric_text
from tests.published import TABLES_FOLDER, constructed_tables, counted, expected, measured
from tests.small_record import NAMES, small_record

RANKINGS = ["davidson_ranking", "bradley_terry_ranking"]


def test_scores_by_hand():
    found = counted(small_record())["scores"]
    assert {name: found[name] for name in NAMES} == {
        "alder": {"wins": 2, "losses": 1, "ties": 1, "both_inadequate": 0, "n": 4, "unreadable": 0, "missing": 2, "planned": 6},
        "birch": {"wins": 0, "losses": 1, "ties": 0, "both_inadequate": 1, "n": 2, "unreadable": 1, "missing": 3, "planned": 6},
        "cedar": {"wins": 1, "losses": 1, "ties": 1, "both_inadequate": 1, "n": 4, "unreadable": 1, "missing": 1, "planned": 6},
    }
    assert set(found) == {*NAMES, *RANKINGS}


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def test_a_constructed_table_gives_its_known_scores(name):
    constructed_tables(name)
    found = measured()["scores"]
    for contestant, known in expected(name)["per_contestant"].items():
        assert [found[contestant][number] for number in ("wins", "losses", "ties", "both_inadequate")] == list(known.values())[:4]


def scored(withheld: str | None = None) -> dict:
    """scores.json of the written tables, with a judge that qualifies unless it says otherwise."""
    _, frames = measure.read_tables(TABLES_FOLDER)
    return scores.tree(frames, pairs.counted(frames), withheld)


def test_the_rankings_of_the_constructed_table():
    constructed_tables("s1_four_by_eighty")
    found, known = scored(), expected("s1_four_by_eighty")
    davidson, halves = (found[name] for name in RANKINGS)
    for ranking, values in (
        (davidson, known["davidson_reference"]["log_strength"]),
        (halves, known["bradley_terry_ties_half_reference"]["log_strength"]),
    ):
        assert {name: placed["log_strength"] for name, placed in ranking["strengths"].items()} == pytest.approx(values, abs=1.1e-5)
        assert {name: placed["rank"] for name, placed in ranking["strengths"].items()} == {"alder": 3, "birch": 4, "cedar": 1, "dogwood": 2}
        assert (ranking["n"], ranking["decisive"], ranking["ties"], ranking["both_inadequate"]) == (475, 69, 406, 5)
        assert (ranking["matters"], ranking["interval_method"], ranking["level"]) == (80, "cluster_sandwich_t", 0.95)
    assert davidson["tie_parameter"] == pytest.approx(known["davidson_reference"]["nu"], abs=1e-5)
    assert "tie_parameter" not in halves
    assert davidson["method"] == "Davidson 1970, maximum likelihood"
    assert davidson["strengths"]["cedar"] == {
        "rank": 1, "log_strength": 0.727921, "se": 0.265448, "interval": {"lo": 0.199561, "hi": 1.256282},
    }  # fmt: skip


def test_what_cannot_be_ranked_says_why_and_keeps_its_counts():
    constructed_tables("s4_all_ties")
    found = scored()
    for name in RANKINGS:
        assert found[name]["refused"] == "no verdict is decisive, so nothing orders the contestants"
        assert (found[name]["n"], found[name]["ties"], "strengths" in found[name]) == (60, 60, False)
    assert found["a"]["ties"] == 30


def test_the_small_record_has_a_contestant_that_nothing_places():
    counted(small_record())
    assert scored()["davidson_ranking"]["refused"] == (
        "birch never won against or tied with alder, cedar, so the distance between them has no bound"
    )


def test_a_withheld_ranking_says_why_and_every_count_stays():
    constructed_tables("s1_four_by_eighty")
    free, held = scored(), scored("the judge does not qualify")
    for name in RANKINGS:
        assert held[name] == {
            **{key: free[name][key] for key in ("n", "decisive", "ties", "both_inadequate", "unreadable", "matters", "method")},
            "withheld": "the judge does not qualify",
        }
    assert {key: value for key, value in held.items() if key not in RANKINGS} == {
        key: value for key, value in free.items() if key not in RANKINGS
    }


def test_the_stage_withholds_the_ranking_of_a_judge_that_does_not_qualify():
    constructed_tables("s1_four_by_eighty")
    found = measured()
    assert found["qualification"]["qualifies"] is False
    assert found["scores"]["davidson_ranking"]["withheld"] == f"the judge does not qualify: {found['qualification']['because']}"


def test_two_matters_bear_strengths_without_intervals():
    constructed_tables("s2_both_inadequate", without=[f"B{matter:02}" for matter in range(1, 13) if matter not in (4, 7)])
    found = scored()
    assert "the tie parameter has no bound" in found["davidson_ranking"]["refused"]
    halves = found["bradley_terry_ranking"]
    assert halves["no_interval"] == "an interval for 2 parameters needs more than 2 matters, and there are 2"
    assert {name: set(placed) for name, placed in halves["strengths"].items()} == {key: {"rank", "log_strength"} for key in "pqr"}
    assert {"interval_method", "level"} & set(halves) == set()
    assert metric_text(found)


def test_the_page_of_measures_explains_every_number_of_a_ranking():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    section = page.split("## Over the record\n")[1].split("\n## ", maxsplit=1)[0]
    constructed_tables("s1_four_by_eighty")
    named = {*scored()["davidson_ranking"], *scored()["davidson_ranking"]["strengths"]["alder"], "refused", "withheld", "no_interval"}
    assert [name for name in sorted(named) if f"`{name}`" not in section] == []
    assert all(name in section for name in RANKINGS)
