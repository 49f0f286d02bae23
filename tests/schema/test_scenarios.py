"""Scenarios as a study writes them: five always stand, further ones have a reason and either a rule or matters."""

from typing import get_args

import pytest

from stages.metrics.scenarios import RULES
from stages.schema.scenarios import ALWAYS, ScenarioRule, all_scenarios
from stages.schema.settings import settings

STUDY = {"title": "A study", "instrument_sha256": "0" * 64, "attempt_rules": {"1": "recorded_attempt"}}


def study(scenarios):
    return settings("study", {**STUDY, "scenarios": scenarios})


def test_five_scenarios_always_stand_with_their_reasons():
    found = all_scenarios(settings("study", STUDY).scenarios)
    assert list(found) == ["as_delivered", "without_blocked", "without_truncated", "without_reruns", "without_self_naming"]
    assert all(scenario.reason.endswith(".") for scenario in found.values())
    assert {scenario.rule for scenario in found.values()} == set(get_args(ScenarioRule)) == set(RULES)


def test_a_study_adds_a_list_of_matters_or_a_rule_under_another_name():
    own = {"without_q03": {"reason": "Its law was repealed.", "matters": ["Q03"]}, "cut": {"reason": "Mine.", "rule": "truncated"}}
    found = all_scenarios(study(own).scenarios)
    assert set(found) == {*ALWAYS, "without_q03", "cut"}
    assert found["without_q03"].matters == ["Q03"]


def test_a_study_may_give_a_standing_scenario_a_reason_of_its_own():
    found = all_scenarios(study({"without_reruns": {"reason": "The endpoint changed.", "rule": "rerun"}}).scenarios)
    assert found["without_reruns"].reason == "The endpoint changed."


@pytest.mark.parametrize(
    ("scenarios", "sentence"),
    [
        ({"x": {"reason": "r", "rule": "bloked"}}, "key 'scenarios.x.rule' must be 'as_delivered', .*; the nearest is 'blocked'"),
        ({"x": {"rule": "blocked"}}, "key 'scenarios.x.reason' is missing"),
        ({"x": {"reason": " ", "rule": "blocked"}}, "key 'scenarios.x.reason' must be words, and none stand there"),
        ({"x": {"reason": "r"}}, "key 'scenarios.x' must have either rule or matters"),
        ({"x": {"reason": "r", "rule": "blocked", "matters": ["Q01"]}}, "key 'scenarios.x' must have either rule or matters"),
        ({"x": {"reason": "r", "matters": []}}, "key 'scenarios.x.matters' must not be empty"),
        ({"x": {"reason": "r", "matters": ["q1"]}}, "key 'scenarios.x.matters.0' must be the id of a matter"),
        ({"x": {"reason": "r", "matters": ["Q01", "Q01"]}}, "key 'scenarios.x' must name each matter once: Q01 stands twice"),
        ({"x": {"reasn": "r", "rule": "blocked"}}, "unknown key 'scenarios.x.reasn'; the nearest is 'reason'"),
        ({"x-y": {"reason": "r", "rule": "blocked"}}, "key 'scenarios.x-y' must be one plain word of lower-case letters, digits and underscores"),
        ({1: {"reason": "r", "rule": "blocked"}}, "key 'scenarios.1' must be quoted, because a key is text"),
        ({"without_blocked": {"reason": "r", "rule": "truncated"}}, "scenarios.without_blocked always has the rule 'blocked'"),
        ({"as_delivered": {"reason": "r", "matters": ["Q01"]}}, "scenarios.as_delivered always has the rule 'as_delivered'"),
        ([], "key 'scenarios' must hold keys of its own"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_key(scenarios, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        study(scenarios)
    assert "\n" not in str(refused.value)
