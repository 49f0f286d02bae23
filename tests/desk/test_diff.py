"""Beside the counts that moved stands whether the judge that gave them qualifies. What moved and why is tested in tests/whole."""

import dataclasses

import pytest

from stages.desk.diff import doubts, markdown, plain
from tests.desk.test_split import state_of

UNFIT = {"judge": "oak", "qualifies": False, "because": "identical: 0 of 4 passed, and 0.75 is wanted"}
SENTENCE = "the judge oak does not qualify, so these are counts of what it said: identical: 0 of 4 passed, and 0.75 is wanted"
MOVED = {"alder~birch": {"wins_1": {"before": 1, "after": 2, "re_judged": 1}}}


def state(tested):
    return dataclasses.replace(state_of({}), metrics={} if tested is None else {"qualification": tested})


def result(pairs, said):
    return {"from": "a", "to": "b", "changed": {}, "pairs": pairs, "pairings": [], "numbers": {}, "doubts": said}


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        (UNFIT, UNFIT, [SENTENCE]),
        (UNFIT, UNFIT | {"qualifies": True}, [SENTENCE]),
        (UNFIT, UNFIT | {"judge": "elm"}, [SENTENCE, SENTENCE.replace("oak", "elm")]),
        (UNFIT | {"qualifies": True}, UNFIT | {"qualifies": True}, []),
        (None, [], []),
    ],
)
def test_each_state_whose_judge_does_not_qualify_is_doubted_once(one, two, said):
    assert doubts(state(one), state(two)) == said


def test_the_doubt_stands_beside_the_counts_in_either_form():
    found = result(MOVED, [SENTENCE])
    lines = plain(found).splitlines()
    assert lines[lines.index(SENTENCE) - 1].split() == ["wins_1", "1", "->", "2", "re_judged", "+1"]
    last_row, empty, doubt = markdown(found).rstrip().splitlines()[-3:]
    assert last_row.startswith("| alder\\~birch | wins_1 | 1 | 2 |")
    assert (empty, doubt) == ("", "- **Beside these counts**: " + SENTENCE)


def test_where_no_count_moved_there_is_nothing_to_doubt():
    found = result({}, [SENTENCE])
    assert plain(found).endswith("nothing changed\n")
    assert SENTENCE not in markdown(found)
