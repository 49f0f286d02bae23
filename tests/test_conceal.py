"""The conceal stage: stored sides rule, new ones are drawn, equal texts stay two calls, and nothing shown names anyone."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from stages.conceal import answered, assign, assignment_row, scored_answers, turn
from stages.pair import pairings
from stages.schema.calls import check_row
from stages.schema.canonical import canonical, text_digest
from stages.schema.rows import Attempt, coin, draw, in_force, turned_in_force

MATTERS = {"Q01": "1" * 64, "Q02": "2" * 64}
NAMES = ["birch", "cedar", "dogwood"]


def attempt(matter, contestant, text, scored=True):
    call = dict.fromkeys(["request_sha256", "response_sha256", "settings_sha256", "route", "model", "started_at"], "x")
    rest = dict.fromkeys(
        ["finish_reason", "provider_code", "reasoning", "served_model", "served_by", "prompt_tokens", "completion_tokens", "cost_usd"]
    )
    return Attempt(
        **call, **rest, elapsed_ms=1, tries=1, replies=1, matter_id=matter, contestant=contestant, attempt=1, status="complete",
        text=text, text_sha256=text_digest(text), names_itself=False, addresses_the_judge=False, scored=scored, attempt_rule="recorded_attempt",
        ordered_by=None, reason=None,
    )  # fmt: skip


def answers_of(texts):
    """Constructed answers: ``texts`` maps (matter, contestant) to what it said."""
    return scored_answers(attempt(matter, name, text) for (matter, name), text in texts.items())


DISTINCT = {(matter, name): f"{name} on {matter}" for matter in MATTERS for name in NAMES}
PLAN = pairings(MATTERS, NAMES)


def test_sides_follow_the_coin_and_texts_follow_the_sides():
    for assignment, shown in assign(PLAN, {}, MATTERS, answers_of(DISTINCT), seed=5):
        first = coin(5, assignment.matter_id, assignment.contestant_1, assignment.contestant_2)
        assert assignment.answer_a_was == (assignment.contestant_1 if first else assignment.contestant_2)
        assert shown.answer_a == DISTINCT[assignment.matter_id, assignment.answer_a_was]
        assert shown.answer_b == DISTINCT[assignment.matter_id, assignment.answer_b_was]


def test_a_stored_assignment_is_never_redrawn():
    stored = {a.pairing_id: [a] for a, _ in assign(PLAN, {}, MATTERS, answers_of(DISTINCT), seed=5)}
    for seed in range(20):
        assert {a.pairing_id: [a] for a, _ in assign(PLAN, stored, MATTERS, answers_of(DISTINCT), seed)} == stored


def test_a_stored_row_that_the_rule_would_draw_otherwise_is_kept():
    drawn = draw(5, PLAN[0], 0)
    turned = replace(drawn, answer_a_was=drawn.answer_b_was, answer_b_was=drawn.answer_a_was)
    found = {a.pairing_id: a for a, _ in assign(PLAN, {turned.pairing_id: [turned]}, MATTERS, answers_of(DISTINCT), seed=5)}
    assert found[turned.pairing_id] == turned


def test_equal_texts_are_two_presentations():
    same = dict.fromkeys(DISTINCT, "The very same answer.")
    found = assign(PLAN, {}, MATTERS, answers_of(same), seed=5)
    assert len({shown.presentation_id for _, shown in found}) == len(PLAN)
    assert sorted(a.ordinal for a, _ in found if a.matter_id == "Q01") == [0, 1, 2]


def test_texts_that_become_equal_later_get_a_further_row_and_no_changed_one():
    stored = {a.pairing_id: [a] for a, _ in assign(PLAN, {}, MATTERS, answers_of(DISTINCT), seed=5)}
    found = [a for a, _ in assign(PLAN, stored, MATTERS, answers_of(dict.fromkeys(DISTINCT, "Same.")), seed=5)]
    merged = in_force([*(row for rows in stored.values() for row in rows), *(a for a in found if a not in stored[a.pairing_id])])
    assert all(merged[name][0] == rows[0] for name, rows in stored.items())
    assert all(a.answer_a_was == stored[a.pairing_id][0].answer_a_was for a in found)
    assert sorted(a.ordinal for a in found if a.matter_id == "Q01") != [0, 0, 0]


def test_texts_that_differ_again_go_back_to_their_first_presentations():
    """Otherwise going back to earlier settings would buy verdicts again, and other ones."""
    first = assign(PLAN, {}, MATTERS, answers_of(DISTINCT), seed=5)
    stored = in_force([a for a, _ in first])
    equal = assign(PLAN, stored, MATTERS, answers_of(dict.fromkeys(DISTINCT, "Same.")), seed=5)
    grown = in_force(list({*(a for a, _ in first), *(a for a, _ in equal)}))
    assert assign(PLAN, grown, MATTERS, answers_of(DISTINCT), seed=5) == first
    assert assign(PLAN, grown, MATTERS, answers_of(dict.fromkeys(DISTINCT, "Same.")), seed=5) == equal


def test_the_order_in_which_contestants_joined_does_not_change_a_presentation():
    texts = {**DISTINCT, **{(matter, "elm"): f"elm on {matter}" for matter in MATTERS}}
    whole = assign(pairings(MATTERS, [*NAMES, "elm"]), {}, MATTERS, answers_of(texts), seed=5)
    first = {a.pairing_id: [a] for a, _ in assign(PLAN, {}, MATTERS, answers_of(DISTINCT), seed=5)}
    grown = assign(pairings(MATTERS, [*NAMES, "elm"]), first, MATTERS, answers_of(texts), seed=5)
    assert {s.presentation_id for _, s in whole} == {s.presentation_id for _, s in grown}


def test_a_pairing_without_both_answers_is_not_shown():
    some = {key: text for key, text in DISTINCT.items() if key != ("Q01", "cedar")}
    shown = answered(PLAN, answers_of(some))
    assert {p.pairing_id for p in PLAN} - {p.pairing_id for p in shown} == {"Q01:birch~cedar", "Q01:cedar~dogwood"}


def test_only_the_scored_attempt_is_shown():
    two = [attempt("Q01", "birch", "first", scored=False), attempt("Q01", "birch", "second")]
    assert scored_answers(two)["Q01", "birch"].text == "second"


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), min_size=6, max_size=6)


@given(TEXTS, st.integers())
def test_nothing_shown_names_anyone_and_the_id_does_not_depend_on_names(texts, seed):
    said = dict(zip(DISTINCT, texts, strict=True))
    found = assign(PLAN, {}, MATTERS, answers_of(said), seed)
    for assignment, shown in found:
        assert set(shown.row()) == {"presentation_id", "matter_id", "answer_a", "answer_b"}
        masked = canonical({**shown.row(), "answer_a": "", "answer_b": ""})
        assert not any(name in masked for name in NAMES)
        renamed = replace(assignment, contestant_1="x", contestant_2="y", answer_a_was="x", answer_b_was="y", seed=seed + 1)
        digests = {"x": text_digest(shown.answer_a), "y": text_digest(shown.answer_b)}
        assert renamed.shown_as(MATTERS[shown.matter_id], digests) == shown.presentation_id


def test_a_row_is_sealed():
    row = assignment_row(draw(1, PLAN[0], 0))
    check_row(row)
    assert row["kind"] == "assignment"


def test_the_other_order_shows_the_same_texts_on_exchanged_sides():
    first = assign(PLAN, {}, MATTERS, answers_of(DISTINCT), seed=5)
    other = turn(first, {}, MATTERS, answers_of(DISTINCT))
    assert [a.pairing_id for a, _ in other] == [a.pairing_id for a, _ in first]
    for (_, shown), (row, exchanged) in zip(first, other, strict=True):
        assert (exchanged.answer_a, exchanged.answer_b) == (shown.answer_b, shown.answer_a)
        assert exchanged.answer_a == DISTINCT[row.matter_id, row.answer_a_was]
    assert len({shown.presentation_id for _, shown in first + other}) == 2 * len(PLAN)


@given(st.dictionaries(st.sampled_from(sorted(DISTINCT)), st.sampled_from(["x", "y"])), st.integers(0, 3))
def test_whatever_texts_are_alike_the_other_order_is_one_more_presentation_for_each_pairing_and_displaces_none(said, seed):
    answers = answers_of(said)
    plan = answered(PLAN, answers)
    first = assign(plan, {}, MATTERS, answers, seed)
    other = turn(first, {}, MATTERS, answers)
    assert len({shown.presentation_id for _, shown in first + other}) == 2 * len(plan)
    rows = [a for a, _ in first + other]
    assert assign(plan, in_force(rows), MATTERS, answers, seed) == first
    assert turn(first, turned_in_force(rows), MATTERS, answers) == other, "a stored turned row is never drawn anew"


def test_a_pairing_that_comes_later_takes_its_first_presentation_from_a_turned_one_and_not_the_other_way_round():
    texts = {("Q01", "birch"): "x", ("Q01", "cedar"): "y", ("Q01", "dogwood"): "x"}
    answers = answers_of(texts)
    early = answered([p for p in PLAN if "dogwood" not in p.pairing_id], answers)
    seed = next(seed for seed in range(99) if coin(seed, "Q01", "birch", "cedar") != coin(seed, "Q01", "cedar", "dogwood"))
    begun = assign(early, {}, MATTERS, answers, seed)
    rows = [a for a, _ in begun + turn(begun, {}, MATTERS, answers)]
    plan = answered(PLAN, answers)
    grown = assign(plan, in_force(rows), MATTERS, answers, seed)
    assert grown == assign(plan, in_force([a for a, _ in begun]), MATTERS, answers, seed), "as it would be with no turned row"
    other = turn(grown, turned_in_force(rows), MATTERS, answers)
    assert len({shown.presentation_id for _, shown in grown + other}) == 2 * len(plan)
