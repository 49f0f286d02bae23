"""metrics/qualification.json, from a table of constructed controls."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from stages.metrics.qualification import COUNTS, THRESHOLDS, withheld
from stages.schema.controls import KINDS, USES
from stages.schema.settings import settings
from tests.published import counted
from tests.small_record import JUDGE, control, small_controls, small_record


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def qualification(controls=None, judge=JUDGE):
    rows = replace(small_record(), judges={"oak": settings("judge", yaml.safe_load(judge))})
    return counted(rows if controls is None else replace(rows, controls=controls))["qualification"]


def test_a_judge_that_takes_identical_texts_apart_does_not_qualify():
    found = qualification()
    assert found["qualifies"] is False
    assert found["because"] == (
        "identical: 0 of 1 passed, and 0.75 is wanted; the verdict stayed the same in 1 of 2 exchanges of sides, and 0.75 is wanted"
    )
    kinds = found["testing"]["kinds"]
    assert kinds["alike_length"]["passed"] == kinds["alike_length"]["n"] == 1
    assert kinds["identical"]["passing_rate"]["value"] == 0.0
    assert found["testing"]["order_consistency"]["value"] == 0.5
    assert "does not qualify: identical" in withheld(found)


def test_a_judge_that_meets_every_threshold_qualifies():
    found = qualification([*small_controls()[:2], control("identical", 1, "tie", "tie"), control("identical", 2, "tie", "tie")])
    assert (found["qualifies"], found["because"], withheld(found)) == (True, "every threshold is met", None)


def test_controls_for_settling_are_reported_apart_and_decide_nothing():
    settled = [control("reworded", order, "tie", "A", use="settling", matter_id="Q02") for order in (1, 2)]
    found = qualification([*small_controls(), *settled])
    assert found["settling"]["kinds"]["reworded"]["passed"] == 0
    assert "reworded" not in found["testing"]["kinds"]
    assert "reworded" not in found["because"]


def test_too_few_matters_do_not_qualify():
    assert "controls of 1 matters, and 3 are wanted" in qualification(judge=JUDGE.replace("matters: 1", "matters: 3"))["because"]


def test_a_judge_without_controls_is_untested_and_says_so():
    found = qualification([])
    assert (found["qualifies"], found["because"]) == (False, "there are no controls for testing, so the judge is untested")


def test_a_judge_without_thresholds_is_untested_and_says_where_they_belong():
    found = qualification(judge=JUDGE.split("qualifies")[0])
    assert found["qualifies"] is False
    assert found["because"] == "conf/judge/oak.yaml sets no thresholds (key qualifies), so the judge is untested"


def test_an_unreadable_verdict_is_counted_and_never_right():
    unread = [control("identical", order, "tie", "unreadable", unreadable_because="no JSON object") for order in (1, 2)]
    kind = qualification([*small_controls()[:2], *unread])["testing"]["kinds"]["identical"]
    assert (kind["unreadable"], kind["right"], kind["consistent"]) == (2, 0, 0)


def test_the_page_of_measures_explains_every_number_and_every_kind():
    page = (Path(__file__).parents[1] / "docs/measures.md").read_text(encoding="utf-8")
    section = page.split("## The judge on controls\n")[1].split("\n## ", maxsplit=1)[0]
    named = {*qualification(), *COUNTS, *THRESHOLDS, *KINDS, *USES, "kinds", "passing_rate", "order_consistency", "second_judges"}
    headed = {name for line in section.splitlines() if line.startswith("### ") for name in line.removeprefix("### ").split(" and ")}
    assert headed == {"passing_rate", "order_consistency", "qualifies", "because"}
    assert [name for name in sorted(named - {"judge", "kinds"}) if f"`{name}`" not in section and name not in headed] == []
