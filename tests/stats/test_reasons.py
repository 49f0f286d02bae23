"""Verdicts against their own reasons, kind by kind, and that nothing else is flagged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.stats.reasons import KINDS, Flagged, Point, Reasoned, against_their_reasons

WINNER, TIE, CARRIED, REPEATED, RESTS = KINDS
RATIONALE = "Answer A appeals in time. Answer B states that the deadline is ten days, and so advises to wait."


def kinds(winner: str, material: bool, *points: Point, rationale: str = RATIONALE) -> tuple[str, ...]:
    found = against_their_reasons([Reasoned("Q01:a~b", winner, material, rationale, points)])
    assert [each.pairing_id for each in found] in ([], ["Q01:a~b"])
    return found[0].kinds if found else ()


@pytest.mark.parametrize(
    ("winner", "material", "points", "expected"),
    [
        ("a", True, [], ()),
        ("a", False, [], (WINNER,)),
        ("tie", False, [], ()),
        ("tie", True, [], (TIE,)),
        ("both_inadequate", True, [], ()),
        ("both_inadequate", False, [], ()),
        ("tie", False, [Point("a", "some point", False)], ()),
        ("tie", False, [Point("a", "some point", True)], (CARRIED,)),
        ("tie", True, [Point("a", "x", True), Point("b", "y", True)], (TIE, CARRIED)),
        ("both_inadequate", True, [Point("a", "x", True)], ()),
        ("a", True, [Point("b", "x", True)], ()),
        ("a", True, [Point("a", "x", True)], (RESTS,)),
        ("a", True, [Point("a", "x", True), Point("b", "y", True)], ()),
        ("a", True, [Point("a", "x", False)], ()),
        ("a", False, [Point("a", "x", True)], (WINNER, RESTS)),
    ],
)
def test_each_kind(winner, material, points, expected):
    assert kinds(winner, material, *points) == expected


@pytest.mark.parametrize(
    ("words", "changes", "flagged"),
    [
        ("the deadline is ten days", False, True),
        ("  The  deadline IS ten days. ", False, True),
        ("the deadline is ten days", True, False),  # it does change the course, so it may decide
        ("the deadline is nine days", False, False),
        ("ten days", False, False),  # too short to be a repetition
        ("adline is ten days", False, False),  # no whole words
        ("", False, False),
    ],
)
def test_a_winner_on_a_point_that_changes_nothing_is_one_whose_rationale_repeats_it(words, changes, flagged):
    assert (REPEATED in kinds("a", True, Point("b", words, changes))) is flagged
    assert REPEATED not in kinds("tie", False, Point("b", words, changes))


def test_the_order_is_kept_and_only_contradictions_are_listed():
    verdicts = [Reasoned("3", "a", False, ""), Reasoned("1", "a", True, ""), Reasoned("2", "tie", True, "")]
    assert against_their_reasons(verdicts) == [Flagged("3", (WINNER,)), Flagged("2", (TIE,))]
    assert against_their_reasons([]) == []


points = st.builds(Point, st.sampled_from("ab"), st.sampled_from(["the deadline is ten days", "x"]), st.booleans())
reasoned = st.builds(
    Reasoned, st.text(min_size=1), st.sampled_from(["a", "b", "tie", "both_inadequate"]), st.booleans(), st.just(RATIONALE), st.lists(points).map(tuple)
)  # fmt: skip


@settings(max_examples=40)
@given(st.lists(reasoned, max_size=6))
def test_other_names_flag_the_same(verdicts):
    new = {"a": "b", "b": "a"}
    others = [
        Reasoned(
            v.pairing_id, new.get(v.winner, v.winner), v.material_difference, v.rationale,
            tuple(Point(new[p.contestant], p.words, p.changes_course) for p in v.points),
        )
        for v in verdicts
    ]  # fmt: skip
    assert against_their_reasons(others) == against_their_reasons(verdicts)


@settings(max_examples=40)
@given(st.lists(reasoned, max_size=6))
def test_without_rejected_points_only_the_material_difference_can_contradict(verdicts):
    bare = [Reasoned(v.pairing_id, v.winner, v.material_difference, v.rationale) for v in verdicts]
    flagged = [v.pairing_id for v in bare if v.winner != "both_inadequate" and (v.winner == "tie") == v.material_difference]
    assert [each.pairing_id for each in against_their_reasons(bare)] == flagged
