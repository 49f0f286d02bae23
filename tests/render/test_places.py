"""Where a rejected point stands in the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.render.places import Piece, Place, pieces, place_of

ANSWER = "Dear client, the appeal must reach the registry by Monday 23 November. You may keep the tavern open. Yours, A."


@pytest.mark.parametrize(
    ("point", "found"),
    [
        ("The appeal must reach the registry by Monday 23 November.", "the appeal must reach the registry by Monday 23 November"),
        ("Answer A says that one may keep the tavern open, wrongly", "may keep the tavern open"),
        ("keep the tavern open", "keep the tavern open"),
        ("THE  APPEAL\nMUST reach the registry", "the appeal must reach the registry"),
    ],
)
def test_a_point_that_repeats_the_answer_is_placed(point, found):
    place = place_of(point, 2, ANSWER)
    assert (ANSWER[place.start : place.end], place.number) == (found, 2)


@pytest.mark.parametrize(
    "point",
    [
        "",
        "the tavern open",
        "the answer says nothing that helps the client at all",
        "…",
        "the appeal must be lodged in another town and by another person",
    ],
)
def test_a_point_that_shares_few_words_is_placed_nowhere(point):
    assert place_of(point, 1, ANSWER) is None
    assert place_of(point, 1, "") is None


def test_pieces_bear_the_numbers_of_the_points_that_stand_there():
    assert pieces("abcdef", [Place(1, 4, 1), Place(2, 6, 2)]) == [
        Piece("a", ()), Piece("b", (1,)), Piece("cd", (1, 2)), Piece("ef", (2,)),
    ]  # fmt: skip


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4))
def test_pieces_joined_are_the_text_to_the_character(text, spans):
    places = [Place(*sorted((min(a, len(text)), min(b, len(text)))), number) for number, (a, b) in enumerate(spans, 1)]
    assert "".join(piece.text for piece in pieces(text, places)) == text
