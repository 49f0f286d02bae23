"""Assignments: a fair coin, stored sides that rule for ever, and contradictions that are refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.rows import Assignment, Pairing, chosen, coin, draw, in_force, rederivable, turned, turned_in_force

PAIRING = Pairing("Q01:a~b", "Q01", "a", "b")
STORED = Assignment("Q01", "a", "b", "b", "a", 0, "coin-1", 7)


def test_the_coin_is_fair_over_many_pairings():
    heads = sum(coin(1, f"Q{n:04}", "a", "b") for n in range(10_000))
    assert 4_800 < heads < 5_200  # four standard deviations of Binomial(10000, 1/2)


@pytest.mark.parametrize("change", [(2, "Q01", "a", "b"), (1, "Q02", "a", "b"), (1, "Q01", "a", "c")])
def test_the_coin_depends_on_seed_matter_and_pair(change):
    def tosses(seed, matter, one, two):
        return [coin(seed * 1000 + n, matter, one, two) for n in range(64)]

    assert tosses(*change) != tosses(1, "Q01", "a", "b")


@given(st.integers(), st.integers(0, 3))
def test_a_drawn_assignment_can_be_derived_again(seed, ordinal):
    drawn = draw(seed, PAIRING, ordinal)
    assert rederivable(drawn)
    assert not rederivable(replace(drawn, answer_a_was=drawn.answer_b_was, answer_b_was=drawn.answer_a_was))
    assert not rederivable(replace(drawn, rule="dice-9"))
    assert drawn.pairing_id == "Q01:a~b"


def test_the_stored_row_counts_whatever_the_rule_would_say():
    for seed in range(10):
        assert in_force([replace(STORED, seed=seed)])["Q01:a~b"][0].answer_a_was == "b"


def test_rows_of_one_pairing_may_differ_in_ordinal():
    later = replace(STORED, ordinal=2)
    assert in_force([later, STORED, replace(STORED, ordinal=1)]) == {"Q01:a~b": [STORED, replace(STORED, ordinal=1), later]}


def test_the_lowest_ordinal_that_shows_something_of_its_own_is_chosen():
    other = Assignment("Q01", "a", "c", "a", "c", 0, "coin-1", 7)
    stored = in_force([STORED, replace(STORED, ordinal=1), other, replace(other, ordinal=1)])
    apart = chosen(stored, lambda row: f"{row.pairing_id} {row.ordinal}")
    assert {name: row.ordinal for name, row in apart.items()} == {"Q01:a~b": 0, "Q01:a~c": 0}
    alike = chosen(stored, lambda row: f"same texts {row.ordinal}")
    assert {name: row.ordinal for name, row in alike.items()} == {"Q01:a~b": 0, "Q01:a~c": 1}


def test_a_pairing_without_a_presentation_of_its_own_is_left_out():
    other = Assignment("Q01", "a", "c", "a", "c", 0, "coin-1", 7)
    assert list(chosen(in_force([STORED, other]), lambda row: "one and the same")) == ["Q01:a~b"]


def test_contradicting_rows_are_refused():
    turned = replace(STORED, answer_a_was="a", answer_b_was="b", ordinal=1)
    with pytest.raises(ValueError, match="Q01:a~b: two stored assignments contradict each other"):
        in_force([STORED, turned])


def test_a_turned_assignment_exchanges_the_stored_sides_whatever_drew_them():
    other = turned(replace(STORED, ordinal=3, rule="dice-9"))
    assert (other.answer_a_was, other.answer_b_was, other.ordinal, other.rule) == (STORED.answer_b_was, STORED.answer_a_was, 0, "turned-1")
    assert other.pairing_id == STORED.pairing_id


def test_turned_rows_stand_apart_from_the_first_ones():
    rows = [STORED, turned(STORED), replace(turned(STORED), ordinal=1)]
    assert in_force(rows) == in_force([STORED]) == {"Q01:a~b": [STORED]}
    assert turned_in_force(rows) == {"Q01:a~b": rows[1:]}
    assert turned_in_force([STORED]) == {}


@pytest.mark.parametrize("firsts", [[], [replace(STORED, answer_a_was="a", answer_b_was="b")]])
def test_a_turned_row_that_exchanges_no_stored_sides_is_refused(firsts):
    with pytest.raises(ValueError, match="Q01:a~b: a turned assignment does not exchange the sides of a stored first one"):
        turned_in_force([*firsts, turned(STORED)])


def test_what_is_shown_already_is_not_chosen_again():
    stored = in_force([STORED, replace(STORED, ordinal=1)])
    assert chosen(stored, lambda row: f"shown {row.ordinal}", {"shown 0"})["Q01:a~b"].ordinal == 1
    assert chosen(stored, lambda row: f"shown {row.ordinal}", {"shown 0", "shown 1"}) == {}


@pytest.mark.parametrize("change", [{"answer_a_was": "c"}, {"answer_a_was": "a"}, {"contestant_1": "b", "contestant_2": "a"}])
def test_sides_that_are_not_the_contestants_are_refused(change):
    with pytest.raises(ValueError, match="are not its two contestants"):
        in_force([replace(STORED, **change)])


def test_a_presentation_id_follows_the_sides():
    texts = {"a": "1" * 64, "b": "2" * 64}
    turned = replace(STORED, answer_a_was="a", answer_b_was="b")
    assert STORED.shown_as("0" * 64, texts) != turned.shown_as("0" * 64, texts)
    assert STORED.shown_as("0" * 64, texts) == turned.shown_as("0" * 64, {"a": "2" * 64, "b": "1" * 64})


def test_rows_come_back_from_their_dictionaries():
    assert Assignment.from_row({**STORED.row(), "format": 1, "kind": "assignment", "row_sha256": "x"}) == STORED
