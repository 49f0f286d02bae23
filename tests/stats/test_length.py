"""Length and place: known counts, statsmodels, the figures of a real record, and when nothing can be said."""

import json
from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binomtest

from stages.stats.clustered import Refused
from stages.stats.length import Adjusted, LongerWon, longer_won, place_and_length
from tests.verdict_tables import (
    CONSTRUCTED,
    MATTERS,
    NAMES,
    VICUNA,
    constructed,
    contestants_of,
    csv_rows,
    full_rows,
    met,
    relettered,
    rematted,
    renamed,
    row_of,
    turned,
    verdicts,
    vicuna,
)


def constructed_lengths() -> dict:
    return {(row["matter_id"], row["contestant"]): int(row["chars"]) for row in csv_rows(CONSTRUCTED / "s1_answers.csv")}


def vicuna_lengths() -> dict:
    answers = map(json.loads, (VICUNA / "answers.jsonl").read_text(encoding="utf-8").splitlines())
    return {(answer["matter_id"], answer["contestant"]): len(answer["text"]) for answer in answers}


# --- how often the longer one won


def test_the_longer_answer_in_the_constructed_table():
    rows, _ = constructed("s1_four_by_eighty")
    known = json.loads((CONSTRUCTED / "s1_answers.expected.json").read_text(encoding="utf-8"))["longer_answer_won"]
    found = longer_won(verdicts(rows), constructed_lengths())
    assert (found.decisive, found.longer, found.equal) == (known["decisive"], known["longer_won"], 0)
    exact = binomtest(36, 69).proportion_ci(method="exact")
    assert (found.share.value, found.share.interval.lo, found.share.interval.hi) == pytest.approx(
        (36 / 69, exact.low, exact.high), abs=1e-9
    )


def test_equally_long_answers_stand_apart():
    rows = met(("a", "b", 2, 1, 1))
    lengths = {(row["matter_id"], side): 10 for row in rows for side in "ab"}
    assert longer_won(verdicts(rows), lengths) == LongerWon(0, 0, 3, None)
    found = longer_won(verdicts(rows), {**lengths, ("M0000", "a"): 11, ("M0002", "a"): 11})
    assert (found.longer, found.shorter, found.equal, found.decisive) == (1, 1, 1, 3)
    assert longer_won(verdicts([]), {}) == LongerWon(0, 0, 0, None)


def test_a_verdict_on_no_answer_is_refused():
    for measure in (longer_won, place_and_length):
        with pytest.raises(ValueError, match="there is a verdict on b's answer to M1, and no such answer"):
            measure(verdicts([row_of("M1", "a", "b", False, "A")]), {("M1", "a"): 3})


@settings(max_examples=40)
@given(full_rows(), st.integers(0, 2**32 - 1))
def test_turning_the_table_changes_nothing_and_turning_wins_turns_the_count(rows, seed):
    lengths = random_lengths(seed)
    before, other = longer_won(verdicts(rows), lengths), longer_won(verdicts(relettered(rows)), lengths)
    assert longer_won(verdicts(turned(rows)), lengths) == before
    assert (other.longer, other.shorter, other.equal) == (before.shorter, before.longer, before.equal)
    assert before.decisive == sum(row["verdict"] in ("A", "B") for row in rows)


def random_lengths(seed: int) -> dict:
    chance = np.random.default_rng(seed)
    return {(matter, name): int(chance.integers(0, 40)) for matter in MATTERS for name in NAMES}


# --- place and length with the contestants held fixed


def by_statsmodels(rows, lengths):
    """The same model by another hand: (coefficients, standard errors, t quantile left out) of place and length."""
    decisive = [row for row in rows if row["verdict"] in ("A", "B")]
    names = contestants_of(decisive)
    matters = sorted({row["matter_id"] for row in decisive})
    columns = np.zeros((len(decisive), len(names) + 1))
    columns[:, 0] = 1
    for at, row in enumerate(decisive):
        a, b = row["answer_a_was"], row["answer_b_was"]
        for name, sign in ((a, 1), (b, -1)):
            if name != names[0]:
                columns[at, names.index(name)] += sign
        columns[at, -1] = np.log(lengths[row["matter_id"], a] / lengths[row["matter_id"], b])
    columns[:, -1] /= columns[:, -1].std()
    groups = [matters.index(row["matter_id"]) for row in decisive]
    won = [row["verdict"] == "A" for row in decisive]
    fit = sm.Logit(np.array(won, float), columns).fit(disp=0, cov_type="cluster", cov_kwds={"groups": np.array(groups)}, tol=1e-12)
    return (fit.params[0], fit.bse[0], fit.params[-1], fit.bse[-1]), np.std([row[-1] for row in columns])


def numbers(found: Adjusted) -> tuple:
    return found.place.value, found.place.se, found.length.value, found.length.se


def test_the_figures_of_the_real_record():
    rows, lengths = vicuna()[0], vicuna_lengths()
    found = place_and_length(verdicts(rows), lengths)
    assert numbers(found) == pytest.approx((0.9629, 0.1874, 1.8316, 0.4765), abs=1e-4)
    assert numbers(found) == pytest.approx(by_statsmodels(rows, lengths)[0], abs=1e-6)
    assert (found.n, found.matters, found.parameters) == (406, 80, 5)
    reach = 1.9904502102301287 * found.length.se  # Student's t, 79 degrees of freedom, 0.975
    assert (found.length.interval.lo, found.length.interval.hi) == pytest.approx(
        (found.length.value - reach, found.length.value + reach), abs=1e-7
    )


def test_the_constructed_table_as_statsmodels_fits_it():
    rows, lengths = constructed("s1_four_by_eighty")[0], constructed_lengths()
    found = place_and_length(verdicts(rows), lengths)
    assert numbers(found) == pytest.approx(by_statsmodels(rows, lengths)[0], abs=1e-6)
    assert (found.n, found.parameters) == (69, 5)


def test_what_is_put_in_comes_out():
    """5,000 pairings decided by a coin with log odds 0.8 for the place and 1.5 for each unit of the log ratio, strengths apart."""
    chance = np.random.default_rng(7)
    lengths, rows = {}, []
    for at in range(5000):
        one, two = sorted(chance.choice(["a", "b", "c"], 2, replace=False))
        a, b = (one, two) if chance.random() < 0.5 else (two, one)
        matter = f"M{at:04}"
        lengths |= {(matter, name): int(np.exp(chance.normal(8, 0.5))) for name in (a, b)}
        ratio = np.log(lengths[matter, a] / lengths[matter, b])
        strength = {"a": 0.5, "b": 0.0, "c": -0.5}
        won = chance.random() < expit(0.8 + strength[a] - strength[b] + 1.5 * ratio)
        rows.append(row_of(matter, one, two, a != one, "A" if won else "B"))
    found = place_and_length(verdicts(rows), lengths)
    assert abs(found.place.value - 0.8) < 3 * found.place.se < 0.15
    assert abs(found.length.value / found.spread - 1.5) < 3 * found.length.se / found.spread < 0.25


REFUSALS = [
    (met(("a", "b", 12, 17, 40)), None, "3 parameters need 30 decisive verdicts, and there are 29"),
    ([], None, "2 parameters need 20 decisive verdicts, and there are 0"),
    (met(("a", "b", 20, 20, 0)), 100, "place, length and contestants cannot be told apart in these verdicts"),
    (met(("a", "b", 20, 20, 0), ("c", "d", 20, 20, 0)), None, "place, length and contestants cannot be told apart in these verdicts"),
]


@pytest.mark.parametrize(("rows", "length", "reason"), REFUSALS)
def test_what_is_too_little(rows, length, reason):
    lengths = {(row["matter_id"], side): length or 50 + 7 * at % 30 for row in rows for at, side in enumerate(sorted(contestants_of(rows)))}
    found = place_and_length(verdicts(rows), lengths)
    assert isinstance(found, Refused)
    assert (found.reason, found.n) == (reason, sum(row["verdict"] != "tie" for row in rows))


def ragged(rows) -> dict:
    """Lengths that follow nothing in particular."""
    return {(row["matter_id"], side): 40 + (at * 37 + place * 53) % 61 for at, row in enumerate(rows) for place, side in enumerate("ab")}


def test_a_judge_that_always_says_a_is_separated():
    rows = [{**row, "verdict": "A"} for row in met(("a", "b", 60, 0, 0))]
    found = place_and_length(verdicts(rows), ragged(rows))
    assert found.reason == "a mix of place, length and contestants predicts every decisive verdict, so the likelihood has no maximum"
    assert found.n == 60


def test_a_judge_that_always_takes_the_longer_one_is_separated():
    rows = met(("a", "b", 30, 30, 0))
    lengths = {}
    for at, row in enumerate(rows):
        won, lost = (row["answer_a_was"], row["answer_b_was"])[:: 1 if row["verdict"] == "A" else -1]
        lengths |= {(row["matter_id"], won): 100 + at, (row["matter_id"], lost): 60}
    assert "the likelihood has no maximum" in place_and_length(verdicts(rows), lengths).reason


def test_few_matters_bear_no_interval_however_many_verdicts_they_have():
    names = "abcdefghijkl"
    chance = np.random.default_rng(3)
    rows = [row_of(f"M{m}", *pair, False, str(chance.choice(["A", "B"]))) for m in range(3) for pair in combinations(names, 2)]
    lengths = {(f"M{m}", name): int(chance.integers(20, 60)) for m in range(3) for name in names}
    found = place_and_length(verdicts(rows), lengths)
    assert (found.reason, found.n) == ("an interval for 13 parameters needs more than 13 matters, and there are 3", 198)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.permutations(NAMES))
def test_names_sides_and_ids_move_it_as_they_must(seed, others):
    chance = np.random.default_rng(seed)
    matters = [f"M{m:02}" for m in range(20)]
    pairs = list(combinations(NAMES, 2))
    rows = [
        row_of(matter, *pair, bool(chance.random() < 0.5), str(chance.choice(["A", "B", "tie"]))) for matter in matters for pair in pairs
    ]
    lengths = {(matter, name): int(chance.integers(20, 60)) for matter in matters for name in NAMES}
    found = place_and_length(verdicts(rows), lengths)
    new, places = dict(zip(NAMES, others, strict=True)), dict(zip(matters, reversed(matters), strict=True))
    moved = {(places[matter], new[name]): length for (matter, name), length in lengths.items()}
    assert numbers(place_and_length(verdicts(rematted(renamed(rows, new), places)), moved)) == pytest.approx(numbers(found), abs=1e-8)
    over = place_and_length(verdicts(turned(rows)), lengths)
    assert numbers(over) == pytest.approx((-found.place.value, *numbers(found)[1:]), abs=1e-8), "the other side of the table"
    lost = place_and_length(verdicts(relettered(rows)), lengths)
    assert (lost.place.value, lost.length.value) == pytest.approx((-found.place.value, -found.length.value), abs=1e-8)
