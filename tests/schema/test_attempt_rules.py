"""The attempt rules: which of several attempts is scored, and which may be ordered again."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.attempt_rules import ORDERED_AGAIN, RULES, AttemptRule, check_ordered_again, scored_attempt
from stages.schema.rows import Status

STATUSES = get_args(Status)


@pytest.mark.parametrize(
    ("rule", "statuses", "place"),
    [
        ("recorded_attempt", ["blocked", "complete"], 0),
        ("recorded_attempt", ["complete"], 0),
        ("completed_rerun", ["blocked", "complete"], 1),
        ("completed_rerun", ["truncated", "truncated"], 0),
        ("completed_rerun", ["truncated", "refused"], 0),
        ("completed_rerun", ["empty", "filtered", "complete"], 2),
        ("completed_rerun", ["complete"], 0),
    ],
)
def test_the_attempt_that_a_rule_scores(rule, statuses, place):
    assert scored_attempt(rule, statuses) == place


@given(st.sampled_from(get_args(AttemptRule)), st.lists(st.sampled_from(STATUSES), min_size=1))
def test_a_rule_scores_one_of_the_attempts_and_a_later_one_only_where_it_is_complete(rule, statuses):
    place = scored_attempt(rule, statuses)
    assert 0 <= place < len(statuses)
    assert place == 0 or (rule == "completed_rerun" and statuses[place] == "complete" and statuses[0] != "complete")


@given(st.lists(st.sampled_from(STATUSES), min_size=1), st.lists(st.sampled_from(STATUSES)))
def test_a_later_attempt_never_unseats_one_that_is_complete(earlier, later):
    before = scored_attempt("completed_rerun", earlier)
    after = scored_attempt("completed_rerun", [*earlier, *later])
    assert before == after or earlier[before] != "complete"


def test_nothing_is_scored_where_nothing_was_delivered():
    with pytest.raises(ValueError, match="there is no attempt to score"):
        scored_attempt("recorded_attempt", [])


def test_every_rule_that_a_study_may_name_is_there():
    assert set(RULES) == set(get_args(AttemptRule))


@pytest.mark.parametrize("status", STATUSES)
def test_what_is_whole_or_was_refused_is_not_ordered_again(status):
    if status in ("blocked", "empty", "filtered", "truncated"):
        check_ordered_again("Q12:alder:1", status)
        assert status in ORDERED_AGAIN
        return
    with pytest.raises(ValueError, match=rf"attempt Q12:alder:1 is {status}; only one that is blocked, empty, filtered or truncated can"):
        check_ordered_again("Q12:alder:1", status)
