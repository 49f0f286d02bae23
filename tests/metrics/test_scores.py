"""metrics/scores.json, on the small record built by hand and on the constructed tables."""

import json

import pytest

from tests.published import CONSTRUCTED, constructed_tables, counted, measured
from tests.small_record import small_record


def test_scores_by_hand():
    assert counted(small_record())["scores"] == {
        "alder": {"wins": 2, "losses": 1, "ties": 1, "both_inadequate": 0, "n": 4, "unreadable": 0, "missing": 2, "planned": 6},
        "birch": {"wins": 0, "losses": 1, "ties": 0, "both_inadequate": 1, "n": 2, "unreadable": 1, "missing": 3, "planned": 6},
        "cedar": {"wins": 1, "losses": 1, "ties": 1, "both_inadequate": 1, "n": 4, "unreadable": 1, "missing": 1, "planned": 6},
    }


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def test_a_constructed_table_gives_its_known_scores(name):
    constructed_tables(name)
    expected = json.loads((CONSTRUCTED / f"{name}.expected.json").read_text(encoding="utf-8"))
    scores = measured()["scores"]
    for contestant, known in expected["per_contestant"].items():
        assert [scores[contestant][number] for number in ("wins", "losses", "ties", "both_inadequate")] == list(known.values())[:4]
