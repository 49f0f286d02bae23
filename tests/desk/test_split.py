"""The decomposition by itself: whatever two states are, before plus all causes is after."""

from hypothesis import given
from hypothesis import strategies as st

from stages.desk.moved.changes import listed
from stages.desk.moved.split import CAUSES, cause_of, moved, split
from stages.desk.moved.state import OUTCOMES, Cell, State

X, Y, BOTH = frozenset("x"), frozenset("y"), frozenset("xz")
PAIRS, MATTERS = ["a~b", "a~c", "b~c"], ["Q01", "Q02", "Q03"]


def cell(outcome="ties", **change):
    own = {
        "matter_sha256": "m",
        "answers": ("x", "y"),
        "attempts": (X, Y),
        "sides": ("a", 0),
        "request": "q",
        "reply": "r",
        "reading": ("reader-1", "tie"),
    }
    return Cell(outcome, **{**own, **change})


def state_of(cells, counted=None):
    return State("constructed", None, cells, counted or {}, {}, {}, "reader-1", {}, frozenset())


cells = st.dictionaries(
    st.tuples(st.sampled_from(PAIRS), st.sampled_from(MATTERS)),
    st.builds(
        Cell, st.sampled_from(OUTCOMES), st.sampled_from(["m", "n"]), st.tuples(st.sampled_from(["x", "z", None]), st.just("y")),
        st.tuples(st.sampled_from([X, BOTH, frozenset()]), st.just(Y)),
        st.sampled_from([("a", 0), ("b", 0)]), st.sampled_from(["q", "p"]), st.sampled_from(["r", "s"]), st.just(("reader-1", "A")),
    ),
)  # fmt: skip
counts = st.dictionaries(st.sampled_from(PAIRS), st.dictionaries(st.sampled_from(OUTCOMES), st.integers(0, 5)))


@given(cells, cells, counts, counts)
def test_before_and_all_causes_make_after(one, two, counted_one, counted_two):
    for outcomes in split(state_of(one, counted_one), state_of(two, counted_two)).values():
        for part in outcomes.values():
            assert part["before"] + sum(value for name, value in part.items() if name in CAUSES) == part["after"]
            assert set(part) <= {"before", "after", *CAUSES}


@given(cells, cells)
def test_what_moved_is_what_differs(one, two):
    found = {(each.pair, each.matter_id): (each.before, each.after) for each in moved(state_of(one), state_of(two))}
    outcome = {key: tuple(side[key].outcome if key in side else None for side in (one, two)) for key in one.keys() | two.keys()}
    assert found == {key: both for key, both in outcome.items() if both[0] != both[1]}


def test_the_first_cause_counts():
    before = cell()
    assert cause_of(before, cell("wins_1", matter_sha256="n", answers=("z", "y"), reply="s"), True) == "edited_matters"
    assert (
        cause_of(before, cell("wins_1", answers=("z", "y"), attempts=(frozenset("z"), Y), sides=("b", 0), reply="s"), True) == "re_answered"
    )
    assert cause_of(before, cell("wins_1", sides=("b", 0), reply="s"), True) == "re_assigned"
    assert cause_of(before, cell("wins_1", request="p"), True) == "re_judged"
    assert cause_of(before, cell("wins_1", reply="s"), True) == "re_judged"
    assert cause_of(before, cell("wins_1", reading=("reader-2", "A")), True) == "re_read"
    assert cause_of(before, cell("wins_1"), True) == "rules"
    assert cause_of(None, before, True) == "new_matters"
    assert cause_of(before, None, True) == "left_out_matters"
    assert cause_of(None, before, False) == "contestants"


def test_another_answer_is_another_choice_a_further_attempt_or_another_reply():
    chosen, again = cell("wins_1", answers=("z", "y"), attempts=(BOTH, Y)), cell(attempts=(BOTH, Y))
    assert cause_of(again, chosen, True) == cause_of(chosen, again, True) == "attempt_rules"
    assert cause_of(cell(), chosen, True) == cause_of(chosen, cell(), True) == "reruns"
    assert cause_of(cell(), cell("wins_1", answers=("z", "y"), attempts=(frozenset("z"), Y)), True) == "re_answered"
    nothing = cell("missing", answers=(None, "y"), attempts=(frozenset(), Y))
    assert cause_of(nothing, chosen, True) == cause_of(chosen, nothing, True) == "re_answered"
    both_sides = cell("wins_1", answers=("z", "w"), attempts=(BOTH, frozenset("w")))
    assert cause_of(again, both_sides, True) == cause_of(both_sides, again, True) == "re_answered"


def test_what_the_published_count_differs_by_is_the_rules():
    cells = {("a~b", "Q01"): cell("wins_1")}
    found = split(state_of(cells, {"a~b": {"wins_1": 1}}), state_of(cells, {"a~b": {"wins_1": 0}}))
    assert found == {"a~b": {"wins_1": {"before": 1, "after": 0, "rules": -1}}}


def test_long_values_are_shown_where_they_part():
    long = "word " * 40
    (said,) = listed({"system": f"{long}one end"}, {"system": f"{long}two end"})
    assert said == "system was ...word word word word one end, is ...word word word word two end"
    assert listed({"seed": 1}, {"seed": 2, "new": True}) == ["new was nothing, is True", "seed was 1, is 2"]
