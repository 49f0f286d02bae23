"""Counts, proved three ways: known answers, a second implementation in SQL, and properties over random verdicts."""

import dataclasses
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.stats.counts import (
    ContestantCount,
    PairCount,
    SideCount,
    Verdicts,
    WordCount,
    contestant_counts,
    outcome,
    pair_counts,
    side_counts,
    word_counts,
)
from tests.verdict_tables import (
    CONSTRUCTED,
    MATTERS,
    NAMES,
    TABLES,
    VICUNA,
    constructed,
    csv_rows,
    random_rows,
    relettered,
    renamed,
    row_of,
    turned,
    verdicts,
    vicuna,
)

COUNTED = ["wins_1", "wins_2", "ties", "both_inadequate", "unreadable"]


def counted(rows) -> dict[str, PairCount]:
    """All pairs of the contestants in ``rows`` over all their matters."""
    names = {row["contestant_1"] for row in rows} | {row["contestant_2"] for row in rows}
    found = pair_counts(verdicts(rows), names, {row["matter_id"] for row in rows})
    return {f"{pair.contestant_1}|{pair.contestant_2}": pair for pair in found}


# --- known answers


@pytest.mark.parametrize("name", TABLES)
def test_pairs_of_a_constructed_table(name):
    rows, expected = constructed(name)
    found = counted(rows)
    assert found.keys() == expected["pairs"].keys()
    for pair, count in found.items():
        known = expected["pairs"][pair]
        for number in ("contestant_1", "contestant_2", "n", "wins_1", "wins_2", "ties", "both_inadequate"):
            assert getattr(count, number) == known[number], (pair, number)
        assert (count.unreadable, count.missing, count.planned) == (0, 0, expected["matters"])


@pytest.mark.parametrize("name", TABLES)
def test_contestants_of_a_constructed_table(name):
    rows, expected = constructed(name)
    totals = contestant_counts(counted(rows).values())
    sides = {side.contestant: side for side in side_counts(expected["contestants"], *columns(rows, "answer_a_was", "answer_b_was"))}
    assert [total.contestant for total in totals] == expected["contestants"]
    for total in totals:
        known, side = expected["per_contestant"][total.contestant], sides[total.contestant]
        assert (total.wins, total.losses, total.ties, total.both_inadequate) == tuple(
            known[k] for k in ("wins", "losses", "ties", "both_inadequate")
        )
        assert (side.times_a, side.times_b) == (known["times_as_A"], known["times_as_B"])


@pytest.mark.parametrize("name", TABLES)
def test_the_judge_of_a_constructed_table(name):
    rows, expected = constructed(name)
    words, known = word_counts(row["verdict"] for row in rows), expected["position"]
    assert (words.a, words.b, words.tie, words.both_inadequate) == tuple(known[k] for k in ("A", "B", "tie", "both_inadequate"))
    assert words.decisive == known["decisive"]
    assert words.a_share == (None if known["A_share"] is None else pytest.approx(known["A_share"], abs=1e-9))


def test_dogwood_against_alder_is_six_four_seventy():
    pair = counted(constructed("s1_four_by_eighty")[0])["alder|dogwood"]
    assert (pair.wins_2, pair.wins_1, pair.ties, pair.both_inadequate, pair.n) == (6, 4, 70, 0, 80)


@pytest.mark.parametrize("scenario", ["exclude_content_filtered", "exclude_rerun", "exclude_both"])
def test_leaving_matters_out_gives_the_known_counts(scenario):
    rows, expected = constructed("s1_four_by_eighty")
    known = expected["scenarios"][scenario]
    found = counted([row for row in rows if row["matter_id"] not in known["excluded"]])
    assert found.keys() == known["pairs"].keys()
    for pair, count in found.items():
        for number in ("n", "wins_1", "wins_2", "ties", "both_inadequate"):
            assert getattr(count, number) == known["pairs"][pair][number]


def test_dogwood_against_alder_is_four_four_sixty_nine_without_the_cut_off_answers():
    rows, expected = constructed("s1_four_by_eighty")
    cut_off = {row["matter_id"] for row in csv_rows(CONSTRUCTED / "s1_answers.csv") if row["finish_reason"] == "content_filter"}
    pair = counted([row for row in rows if row["matter_id"] not in cut_off])["alder|dogwood"]
    assert sorted(cut_off) == expected["scenarios"]["exclude_content_filtered"]["excluded"]
    assert (pair.wins_2, pair.wins_1, pair.ties) == (4, 4, 69)


def test_the_real_record_counts_as_independent_code_counted_it():
    rows, expected = vicuna()
    found = counted(rows)
    assert found.keys() == expected["pairs"].keys()
    for pair, count in found.items():
        known = expected["pairs"][pair]
        assert (count.wins_1, count.wins_2, count.ties, count.unreadable) == tuple(
            known[k] for k in ("wins_1", "wins_2", "ties", "invalid")
        )
        assert (count.n + count.unreadable, count.missing) == (80, 0)


def test_the_real_judge_leaned_to_a_as_independent_code_counted_it():
    rows, expected = vicuna()
    words, known = word_counts(row["verdict"] for row in rows), expected["position"]
    assert (words.a, words.b, words.tie, words.unreadable) == tuple(known[k] for k in ("A", "B", "tie", "invalid"))
    assert (words.a, words.b, words.tie, words.unreadable) == (267, 139, 73, 1)
    assert words.a_share == pytest.approx(267 / 406)


# --- the second implementation

SQL = """
    select contestant_1 || '|' || contestant_2 as pair,
        count(*) filter (where winner = contestant_1) as wins_1, count(*) filter (where winner = contestant_2) as wins_2,
        count(*) filter (where verdict = 'tie') as ties, count(*) filter (where verdict = 'both_inadequate') as both_inadequate,
        count(*) filter (where verdict in ('unreadable', 'INVALID')) as unreadable
    from (select *, case verdict when 'A' then answer_a_was when 'B' then answer_b_was end as winner
          from read_csv('{path}', header = true, all_varchar = true))
    group by all order by pair
"""


def sql_counts(path: Path) -> dict[str, tuple]:
    return {pair: tuple(numbers) for pair, *numbers in duckdb.sql(SQL.format(path=path)).fetchall()}


def our_counts(rows) -> dict[str, tuple]:
    return {pair: tuple(getattr(count, number) for number in COUNTED) for pair, count in counted(rows).items()}


@pytest.mark.parametrize("name", TABLES)
def test_sql_counts_the_same(name):
    assert our_counts(constructed(name)[0]) == sql_counts(CONSTRUCTED / f"{name}.csv")


def test_sql_counts_the_real_record_the_same():
    assert our_counts(vicuna()[0]) == sql_counts(VICUNA / "verdicts.csv")


# --- properties


def count_all(rows) -> list[PairCount]:
    return pair_counts(verdicts(rows), NAMES, MATTERS)


def columns(rows, *names) -> list[list[str]]:
    return [[row[name] for row in rows] for name in names]


@given(random_rows())
def test_the_identities_of_every_pair_hold(rows):
    for pair in count_all(rows):
        own = [row for row in rows if (row["contestant_1"], row["contestant_2"]) == (pair.contestant_1, pair.contestant_2)]
        assert pair.wins_1 + pair.wins_2 + pair.ties + pair.both_inadequate == pair.n
        assert pair.n + pair.unreadable + pair.missing == pair.planned == len(MATTERS)
        assert pair.n + pair.unreadable == len(own)
        assert min(getattr(pair, number) for number in [*COUNTED, "missing"]) >= 0


@given(random_rows())
def test_the_identities_of_every_contestant_hold(rows):
    totals = contestant_counts(count_all(rows))
    for total in totals:
        assert total.wins + total.losses + total.ties + total.both_inadequate == total.n
        assert total.n + total.unreadable + total.missing == total.planned == len(MATTERS) * (len(NAMES) - 1)
    assert sum(total.wins for total in totals) == sum(total.losses for total in totals)
    assert sum(total.n for total in totals) == 2 * sum(pair.n for pair in count_all(rows))


@given(random_rows())
def test_decisive_verdicts_are_wins(rows):
    words = word_counts(row["verdict"] for row in rows)
    assert words.decisive == sum(pair.wins_1 + pair.wins_2 for pair in count_all(rows))
    assert words.decisive + words.tie + words.both_inadequate + words.unreadable == len(rows)


@given(random_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, chance):
    assert count_all(chance.sample(rows, len(rows))) == count_all(rows)


@given(random_rows())
def test_swapping_sides_and_letters_together_changes_no_pair(rows):
    swapped = turned(rows)
    assert count_all(swapped) == count_all(rows)
    before, after = word_counts(row["verdict"] for row in rows), word_counts(row["verdict"] for row in swapped)
    assert (before.a, before.b) == (after.b, after.a)


@given(random_rows())
def test_swapping_the_letters_alone_turns_every_win_round(rows):
    after = count_all(relettered(rows))
    assert [(pair.wins_2, pair.wins_1) for pair in after] == [(pair.wins_1, pair.wins_2) for pair in count_all(rows)]


@given(random_rows(), st.permutations(NAMES))
def test_other_names_give_the_same_counts_under_the_other_names(rows, others):
    """Antisymmetry: where a new name reverses the alphabetical order of a pair, its two wins change places, and nothing else changes."""
    new = dict(zip(NAMES, others, strict=True))
    found = {(pair.contestant_1, pair.contestant_2): pair for pair in count_all(renamed(rows, new))}
    for pair in count_all(rows):
        one, two = sorted((new[pair.contestant_1], new[pair.contestant_2]))
        wins = (pair.wins_1, pair.wins_2) if one == new[pair.contestant_1] else (pair.wins_2, pair.wins_1)
        assert found[one, two] == dataclasses.replace(pair, contestant_1=one, contestant_2=two, wins_1=wins[0], wins_2=wins[1])


@given(random_rows(), st.integers(1, 5))
def test_more_planned_matters_are_more_missing_ones_and_nothing_else(rows, more):
    wider = pair_counts(verdicts(rows), NAMES, [*MATTERS, *(f"N{n:02}" for n in range(more))])
    for before, after in zip(count_all(rows), wider, strict=True):
        assert after == dataclasses.replace(before, planned=before.planned + more)
        assert after.missing == before.missing + more


@given(random_rows())
def test_sides_add_up(rows):
    sides = side_counts(NAMES, *columns(rows, "answer_a_was", "answer_b_was"))
    assert sum(side.times_a for side in sides) == sum(side.times_b for side in sides) == len(rows)
    assert all(side.times_a + side.times_b == side.n for side in sides)


# --- small cases, by hand


@pytest.mark.parametrize(
    ("a", "b", "word", "means"),
    [
        ("x", "y", "A", "wins_1"),
        ("x", "y", "B", "wins_2"),
        ("y", "x", "A", "wins_2"),
        ("y", "x", "B", "wins_1"),
        ("x", "y", "tie", "ties"),
        ("y", "x", "both_inadequate", "both_inadequate"),
        ("x", "y", "unreadable", "unreadable"),
    ],
)
def test_a_letter_means_who_stood_behind_it(a, b, word, means):
    assert outcome("x", a, b, word) == means


def test_no_verdict_at_all_leaves_every_pair_there_and_missing():
    nothing = verdicts([])
    found = pair_counts(nothing, ["b", "a", "c"], ["M01", "M02"])
    assert [(pair.contestant_1, pair.contestant_2, pair.n, pair.missing) for pair in found] == [
        ("a", "b", 0, 2), ("a", "c", 0, 2), ("b", "c", 0, 2),
    ]  # fmt: skip
    assert word_counts([]) == WordCount(0, 0, 0, 0, 0)
    assert word_counts([]).a_share is None


def test_totals_by_hand():
    rows = [row_of("M01", "a", "b", False, "A"), row_of("M02", "a", "b", False, "unreadable"), row_of("M01", "a", "c", True, "A")]
    assert contestant_counts(pair_counts(verdicts(rows), "abc", ["M01", "M02"])) == [
        ContestantCount("a", wins=1, losses=1, ties=0, both_inadequate=0, unreadable=1, planned=4),
        ContestantCount("b", wins=0, losses=1, ties=0, both_inadequate=0, unreadable=1, planned=4),
        ContestantCount("c", wins=1, losses=0, ties=0, both_inadequate=0, unreadable=0, planned=4),
    ]


def test_a_contestant_that_never_stood_anywhere_has_no_sides():
    assert side_counts(["c", "a", "b"], ["a"], ["b"]) == [SideCount("a", 1, 0), SideCount("b", 0, 1), SideCount("c", 0, 0)]


def test_results_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        word_counts(["A"]).a = 2


# --- refusals


@pytest.mark.parametrize("word", ["a", "C", "", "INVALID", "both inadequate", "Tie"])
def test_an_unknown_verdict_is_refused(word):
    sentence = f"{word!r} is no verdict; the words are A, B, tie, both_inadequate, unreadable"
    with pytest.raises(ValueError, match=sentence):
        verdicts([row_of("M01", "a", "b", False, word)])
    with pytest.raises(ValueError, match=sentence):
        word_counts(["A", word])
    with pytest.raises(ValueError, match=sentence):
        outcome("a", "a", "b", word)


@pytest.mark.parametrize(("one", "two"), [("b", "a"), ("a", "a")])
def test_contestants_out_of_order_are_refused(one, two):
    with pytest.raises(ValueError, match=f"contestant_1 '{one}' does not come before contestant_2 '{two}'"):
        verdicts([row_of("M01", one, two, False, "A")])


@pytest.mark.parametrize(("a", "b"), [("a", "a"), ("a", "c"), ("c", "d")])
def test_sides_that_are_not_the_two_contestants_are_refused(a, b):
    with pytest.raises(ValueError, match=f"the sides '{a}' and '{b}' are not the contestants 'a' and 'b'"):
        verdicts([{**row_of("M01", "a", "b", False, "A"), "answer_a_was": a, "answer_b_was": b}])


@pytest.mark.parametrize("swapped", [False, True])
def test_two_verdicts_on_one_pairing_are_refused_whichever_way_round(swapped):
    with pytest.raises(ValueError, match="M01 has 2 verdicts on a and b"):
        verdicts([row_of("M01", "a", "b", False, "A"), row_of("M01", "a", "b", swapped, "B")])


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="the columns have unequal lengths: 1, 2"):
        Verdicts(["M01"], ["a"], ["b"], ["a"], ["b"], ["A", "B"])


def test_a_verdict_on_an_unplanned_matter_is_refused():
    with pytest.raises(ValueError, match="there is a verdict on matter 'M09', which is not planned"):
        pair_counts(verdicts([row_of("M09", "a", "b", False, "A")]), "ab", ["M01"])


def test_a_verdict_on_an_unplanned_contestant_is_refused():
    with pytest.raises(ValueError, match="there is a verdict on contestant 'b', which is not planned"):
        pair_counts(verdicts([row_of("M01", "a", "b", False, "A")]), "ac", ["M01"])


def test_a_side_that_is_no_contestant_is_refused():
    with pytest.raises(ValueError, match="a side was 'c', which is no contestant"):
        side_counts("ab", ["a"], ["c"])
