"""Whether a ranking exists: small cases by hand, and a linear programme that asks the same question in another way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from stages.stats.contests import Contests, contests, ladder, without_bound
from tests.verdict_tables import MATTERS, NAMES, met, random_rows, relettered, row_of, turned, verdicts, vicuna


def of(rows, names=None) -> Contests:
    return contests(verdicts(rows), names or {row[side] for row in rows for side in ("contestant_1", "contestant_2")})


def test_a_table_as_arrays():
    rows = [
        row_of("M2", "a", "b", True, "A"), row_of("M1", "a", "b", False, "A"), row_of("M1", "b", "c", False, "tie"),
        row_of("M3", "a", "c", False, "both_inadequate"), row_of("M3", "b", "c", False, "unreadable"),
    ]  # fmt: skip
    found = of(rows)
    assert found.names == ("a", "b", "c")
    assert list(zip(found.matter, found.one, found.two, found.share, strict=True)) == [(1, 0, 1, 0.0), (0, 0, 1, 1.0), (0, 1, 2, 0.5)]
    assert (found.n, found.decisive, found.ties, found.both_inadequate, found.unreadable, found.matters) == (3, 2, 1, 1, 1, 2)


def test_nothing_at_all():
    found = of([], NAMES)
    assert (found.n, found.matters, found.decisive) == (0, 0, 0)
    assert without_bound(found) == "no verdict is decisive, so nothing orders the contestants"
    assert without_bound(of([], ["alder"])) == "there are fewer than two contestants"


def test_a_stranger_is_refused():
    with pytest.raises(ValueError, match="there is a verdict on contestant 'b', which is not planned"):
        of([row_of("M1", "a", "b", False, "A")], ["a", "c"])


@pytest.mark.parametrize(
    ("tallies", "reason"),
    [
        ([("a", "b", 0, 60, 0)], "a never won against or tied with b, so the distance between them has no bound"),
        ([("a", "b", 60, 0, 0)], "b never won against or tied with a, so the distance between them has no bound"),
        ([("a", "b", 1, 1, 0), ("a", "c", 3, 0, 0)], "c never won against or tied with a, b, so the distance between them has no bound"),
        ([("a", "b", 1, 1, 0), ("c", "d", 1, 1, 0)], "a, b never won against or tied with c, d, so the distance between them has no bound"),
        ([("a", "b", 0, 0, 5)], "no verdict is decisive, so nothing orders the contestants"),
        ([("a", "b", 1, 1, 0)], None),
        ([("a", "b", 1, 0, 1)], None),
        ([("a", "b", 1, 0, 0), ("b", "c", 1, 0, 0), ("a", "c", 0, 1, 0)], None),
    ],
)
def test_who_cannot_be_placed(tallies, reason):
    assert without_bound(of(met(*tallies))) == reason


def test_a_contestant_that_met_nobody_cannot_be_placed():
    found = of(met(("a", "b", 2, 1, 0)), ["a", "b", "c"])
    assert without_bound(found) == "a, b never won against or tied with c, so the distance between them has no bound"


@pytest.mark.parametrize(
    ("tallies", "bounded"),
    [
        ([("a", "b", 1, 0, 5)], False),  # a one step above b: every win a step, every tie a step
        ([("a", "b", 1, 1, 5)], True),
        ([("a", "b", 2, 0, 3), ("b", "c", 2, 0, 3), ("a", "c", 9, 0, 0)], False),  # two steps from a to c
        ([("a", "b", 2, 0, 3), ("b", "c", 2, 0, 3), ("a", "c", 9, 0, 1)], True),  # a tie cannot span two
        ([("a", "b", 3, 0, 4), ("b", "c", 0, 0, 3), ("a", "c", 0, 2, 3)], True),  # b never won, and still has its place
        ([("a", "b", 5, 3, 0)], True),  # no tie, no tie parameter
    ],
)
def test_when_the_tie_parameter_has_a_bound(tallies, bounded):
    assert (ladder(of(met(*tallies))) is None) is bounded


def no_maximum(found: Contests) -> bool:
    """Whether some direction (strengths, tie parameter) never lowers the chance of anything observed, and raises that of something or
    of nothing at all, because the contestants fall apart into groups that never met.

    The chances of (win, loss, tie) go as exp(d/2), exp(-d/2), exp(eta); an observed outcome must not lose against the other two.
    """
    size, rows = len(found.names), []
    outcomes = {1.0: 0, 0.0: 1, 0.5: 2}
    for one, two, share in zip(found.one, found.two, found.share, strict=True):
        logits = np.zeros((3, size + 1))
        logits[0, [one, two]], logits[1, [one, two]], logits[2, size] = (0.5, -0.5), (-0.5, 0.5), 1
        rows += [logits[outcomes[share]] - other for other in logits]
    towards = np.array(rows)
    if np.linalg.matrix_rank(towards) < size:  # all strengths may move together, which leaves size - 1 of them and the tie parameter
        return True
    return -linprog(-towards.sum(axis=0), A_ub=-towards, b_ub=np.zeros(len(rows)), bounds=(-1, 1)).fun > 1e-9


@settings(max_examples=80)
@given(random_rows(words=("A", "B", "tie")))
def test_a_ranking_is_refused_exactly_where_the_likelihood_has_a_direction_to_run_off_in(rows):
    found = of(rows, NAMES)
    if found.ties and found.decisive:
        assert (without_bound(found) is None and ladder(found) is None) == (not no_maximum(found))


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.sampled_from([("a", "b"), ("a", "c"), ("b", "c")]), st.sampled_from(["A", "B", "tie"])), min_size=2, max_size=9)
)
def test_and_so_it_is_among_three(words):
    found = of([row_of(f"M{index}", *pair, False, word) for index, (pair, word) in enumerate(words)], "abc")
    if found.ties and found.decisive:
        assert (without_bound(found) is None and ladder(found) is None) == (not no_maximum(found))


@given(random_rows())
def test_every_verdict_is_somewhere(rows):
    found = of(rows, NAMES)
    assert found.n + found.both_inadequate + found.unreadable == len(rows)
    assert found.decisive + found.ties == found.n
    assert found.matters <= len(MATTERS)


@given(random_rows())
def test_the_side_of_the_table_is_not_in_it(rows):
    before, after = of(rows, NAMES), of(turned(rows), NAMES)
    assert all((getattr(before, name) == getattr(after, name)).all() for name in ("matter", "one", "two", "share"))


@given(random_rows())
def test_turned_wins_are_turned_shares(rows):
    assert (of(relettered(rows), NAMES).share == 1 - of(rows, NAMES).share).all()


def test_the_real_record_can_be_ranked():
    found = of(vicuna()[0])
    assert (found.n, found.decisive, found.ties, found.unreadable, found.matters) == (479, 406, 73, 1, 80)
    assert without_bound(found) is None
    assert ladder(found) is None
