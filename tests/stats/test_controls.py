import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.stats.controls import Judged, kind_counts

WORDS = ("A", "B", "tie", "both_inadequate", "unreadable")


def judged(kind, *said, expected=("A", "B"), matter="Q01"):
    return [Judged(matter, kind, order, right, verdict) for order, right, verdict in zip((1, 2), expected, said, strict=True)]


@pytest.mark.parametrize(
    ("said", "expected", "passed", "consistent", "right", "unreadable"),
    [
        (("A", "B"), ("A", "B"), 1, 1, 2, 0),
        (("A", "A"), ("A", "B"), 0, 0, 1, 0),
        (("B", "A"), ("A", "B"), 0, 1, 0, 0),  # wrong both times, and of one mind
        (("tie", "tie"), ("tie", "tie"), 1, 1, 2, 0),
        (("A", "A"), ("tie", "tie"), 0, 0, 0, 0),
        (("unreadable", "unreadable"), ("tie", "tie"), 0, 0, 0, 2),
        (("tie", "unreadable"), ("tie", "tie"), 0, 0, 1, 1),
        (("both_inadequate", "tie"), ("both_inadequate", "both_inadequate"), 0, 0, 1, 0),
    ],
)
def test_what_counts_as_passed_consistent_and_right(said, expected, passed, consistent, right, unreadable):
    (count,) = kind_counts(judged("reworded", *said, expected=expected))
    assert (count.n, count.passed, count.consistent, count.right, count.unreadable) == (1, passed, consistent, right, unreadable)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=12))
def test_every_verdict_is_right_wrong_or_unreadable(drawn):
    rows = [row for n, (kind, one, two) in enumerate(drawn) for row in judged(kind, one, two, matter=f"Q{n:02}")]
    for count in kind_counts(rows):
        assert count.right + count.wrong + count.unreadable == count.verdicts == 2 * count.n
        assert 0 <= count.passed <= count.consistent <= count.n
        assert count.wrong >= 0


def test_a_control_judged_in_one_order_only_is_refused():
    with pytest.raises(ValueError, match=re.escape("the control Q01:reworded was not judged once in each order")):
        kind_counts(judged("reworded", "A", "B")[:1])
