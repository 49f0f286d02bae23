"""Rankings against published references, other fits, other standard errors, and what must and must not move them."""

import dataclasses
from itertools import combinations, pairwise

import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

from stages.stats import ranking
from stages.stats.clustered import SAME, Refused
from stages.stats.contests import Contests, contests
from stages.stats.ranking import BRADLEY_TERRY, DAVIDSON, Ranking, bradley_terry, davidson
from tests.verdict_tables import (
    MATTERS,
    NAMES,
    TABLES,
    constructed,
    contestants_of,
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

FITS = [davidson, bradley_terry]


def of(rows, names=None) -> Contests:
    return contests(verdicts(rows), names or contestants_of(rows))


def strengths(found: Ranking) -> dict[str, float]:
    return {strength.contestant: strength.log_strength for strength in found.strengths}


def errors(found: Ranking) -> dict[str, float | None]:
    return {strength.contestant: strength.se for strength in found.strengths}


# --- known answers


def test_davidson_of_the_constructed_table():
    rows, expected = constructed("s1_four_by_eighty")
    found, known = davidson(of(rows)), expected["davidson_reference"]
    assert strengths(found) == pytest.approx(known["log_strength"], abs=1e-6)
    assert found.tie_parameter == pytest.approx(known["nu"], abs=1e-6)
    assert (found.n, found.decisive, found.ties, found.both_inadequate, found.matters) == (475, 69, 406, 5, 80)
    assert [(strength.contestant, strength.rank) for strength in found.strengths] == [
        ("alder", 3), ("birch", 4), ("cedar", 1), ("dogwood", 2),
    ]  # fmt: skip


def test_bradley_terry_of_the_constructed_table_with_the_spread_of_20000_resamplings_of_matters():
    rows, expected = constructed("s1_four_by_eighty")
    found, known = bradley_terry(of(rows)), expected["bt_cluster_bootstrap_reference"]
    assert strengths(found) == pytest.approx(expected["bradley_terry_ties_half_reference"]["log_strength"], abs=1e-5)
    assert errors(found) == pytest.approx(known["sd"], rel=0.02)
    for strength in found.strengths:
        around = (strength.interval.lo, strength.interval.hi)
        assert around == pytest.approx(tuple(known["log_strength_ci95"][strength.contestant]), abs=known["tolerance_ci"] / 4)


def test_by_hand():
    """5-5-10: equal, and a tie as likely as not: nu / (2 + nu) = 1/2. evalica stops at its first iteration here, with v as it was given."""
    found = davidson(of(met(("a", "b", 5, 5, 10))))
    assert found.tie_parameter == pytest.approx(2.0, abs=1e-12)
    assert strengths(found) == {"a": 0.0, "b": 0.0}
    assert [strength.rank for strength in found.strengths] == [1, 1]
    half = np.log(5 / 3) / 2
    for fit in FITS:  # 5-3 without a tie: the odds are 5/3, whatever the model
        assert strengths(fit(of(met(("a", "b", 5, 3, 0))))) == pytest.approx({"a": half, "b": -half}, abs=1e-10)
    assert davidson(of(met(("a", "b", 5, 3, 0)))).tie_parameter == 0
    assert bradley_terry(of(met(("a", "b", 5, 5, 10)))).tie_parameter is None


def test_the_standard_error_of_a_coin_by_hand():
    """w of n without ties: log odds with variance n / (w (n - w)), the halves of it centred, times n / (n - 1) for n matters."""
    found = bradley_terry(of(met(("a", "b", 6, 4, 0))))
    assert errors(found)["a"] == pytest.approx(np.sqrt(10 / 24 * 10 / 9) / 2, abs=1e-12)
    t = 2.2621571627409915  # Student's t, 9 degrees of freedom, 0.975
    (a, _) = found.strengths
    assert (a.interval.hi - a.log_strength, a.log_strength - a.interval.lo) == pytest.approx((t * a.se, t * a.se), abs=1e-9)


def test_the_real_record_is_ranked_as_every_fit_ranks_it():
    found = davidson(of(vicuna()[0]))
    assert [(s.contestant, s.rank) for s in found.strengths] == [("chatgpt-3.5", 3), ("gpt-4", 1), ("guanaco-65b", 2), ("vicuna-13b", 4)]
    assert (found.n, found.unreadable) == (479, 1)


# --- other fits


def log_likelihood(found: Contests, theta) -> np.ndarray:
    """Of each contest under Davidson's model, in the words of the paper. theta: log strengths, then log nu."""
    pi, nu = np.exp(theta[:-1]), np.exp(theta[-1])
    i, j = pi[found.one], pi[found.two]
    every = i + j + nu * np.sqrt(i * j)
    return np.log(np.select([found.share == 1, found.share == 0], [i, j], default=nu * np.sqrt(i * j)) / every)


def scipy_davidson(found: Contests) -> np.ndarray:
    size = len(found.names)
    start = np.append(np.zeros(size), np.log(2 * found.ties / found.decisive))
    penalty = 1e-3  # holds the mean at 0; at the maximum it costs nothing
    fit = minimize(lambda x: -log_likelihood(found, x).sum() + penalty * x[:-1].sum() ** 2, start, method="BFGS", options={"gtol": 1e-7})
    return fit.x


@pytest.mark.parametrize("rows", [constructed("s1_four_by_eighty")[0], constructed("s2_both_inadequate")[0], met(("a", "b", 7, 2, 30))])
def test_davidson_is_what_a_general_optimiser_finds(rows):
    found, other = davidson(of(rows)), scipy_davidson(of(rows))
    assert list(strengths(found).values()) == pytest.approx(other[:-1], abs=1e-4)
    assert np.log(found.tie_parameter) == pytest.approx(other[-1], abs=1e-4)


@pytest.mark.parametrize("rows", [constructed("s1_four_by_eighty")[0], constructed("s2_both_inadequate")[0], met(("a", "b", 7, 2, 3))])
def test_bradley_terry_is_what_choix_finds(rows):
    found = of(rows)
    wins = np.zeros((len(found.names), len(found.names)))
    np.add.at(wins, (found.one, found.two), found.share)
    np.add.at(wins, (found.two, found.one), 1 - found.share)
    other = choix.ilsr_pairwise_dense(wins, tol=1e-12)
    assert list(strengths(bradley_terry(found)).values()) == pytest.approx(other - other.mean(), abs=1e-6)


def test_the_real_record_under_choix_and_evalica():
    found = of(vicuna()[0])
    wins = np.zeros((4, 4))
    np.add.at(wins, (found.one, found.two), found.share)
    np.add.at(wins, (found.two, found.one), 1 - found.share)
    other = choix.ilsr_pairwise_dense(wins, tol=1e-12)
    assert list(strengths(bradley_terry(found)).values()) == pytest.approx(other - other.mean(), abs=1e-6)
    words = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    winners = [words[share] for share in found.share]
    fit = evalica.newman(found.one.tolist(), found.two.tolist(), winners, tolerance=1e-12, limit=100_000)
    logs = np.log(fit.scores.sort_index().to_numpy())
    assert list(strengths(davidson(found)).values()) == pytest.approx(logs - logs.mean(), abs=1e-9)
    assert davidson(found).tie_parameter == pytest.approx(2 * fit.v, abs=1e-9)


# --- other standard errors


def numeric_errors(found: Contests, theta) -> np.ndarray:
    """The sandwich from numeric derivatives of the likelihood in the paper's words: no score or information of ours is in it."""

    def by_matter(x):
        return np.bincount(found.matter, log_likelihood(found, x), minlength=found.matters)

    scores = approx_fprime(theta, by_matter, 1e-7)
    step, size = 1e-4, len(theta)
    information = np.zeros((size, size))
    for i, j in np.ndindex(size, size):
        for one, two in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            moved = theta + step * (one * np.eye(size)[i] + two * np.eye(size)[j])
            information[i, j] -= one * two * log_likelihood(found, moved).sum() / (4 * step**2)
    bread = np.linalg.pinv(information, rcond=1e-6)
    return np.sqrt(np.diag(bread @ scores.T @ scores @ bread) * found.matters / (found.matters - 1))


@pytest.mark.parametrize("rows", [constructed("s1_four_by_eighty")[0], constructed("s2_both_inadequate")[0]])
def test_the_standard_errors_are_those_of_numeric_derivatives(rows):
    found = of(rows)
    ranked = davidson(found)
    theta = np.append(list(strengths(ranked).values()), np.log(ranked.tie_parameter))
    assert list(errors(ranked).values()) == pytest.approx(numeric_errors(found, theta)[:-1], rel=1e-4)


def test_the_intervals_are_those_of_leaving_out_a_matter_at_a_time():
    """The jackknife over matters, an estimate of the same spread by refitting alone: within a tenth at 80 matters."""
    rows, _ = constructed("s1_four_by_eighty")
    left = [davidson(of([row for row in rows if row["matter_id"] != matter])) for matter in sorted({row["matter_id"] for row in rows})]
    values = np.array([list(strengths(found).values()) for found in left])
    jackknife = np.sqrt((len(left) - 1) / len(left) * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    assert list(errors(davidson(of(rows))).values()) == pytest.approx(jackknife, rel=0.1)


def test_verdicts_on_one_matter_are_not_counted_as_if_they_were_many_matters():
    """Every verdict of a matter says the same: three times as many verdicts on as many matters say no more."""
    one = [row_of(f"M{m}", "a", "b", False, word) for m, word in enumerate("AABABBATTAAB".replace("T", "t"))]
    one = [{**row, "verdict": {"t": "tie"}.get(row["verdict"], row["verdict"])} for row in one]
    wide = [
        row_of(row["matter_id"], first, second, False, row["verdict"])
        for row in one
        for first, second in (("a", "x"), ("a", "y"), ("a", "z"))
    ]
    narrow, broad = bradley_terry(of(one)), bradley_terry(of(wide))
    gap = strengths(broad)["a"] - strengths(broad)["x"]
    assert gap == pytest.approx(strengths(narrow)["a"] - strengths(narrow)["b"], abs=1e-9)
    assert errors(broad)["a"] / gap * (4 / 3) == pytest.approx(errors(narrow)["a"] / gap * 2, abs=1e-9), "centred over four and over two"


@pytest.mark.parametrize("fit", FITS)
def test_twice_the_matters_is_half_the_variance(fit):
    rows, _ = constructed("s1_four_by_eighty")
    once, twice = fit(of(rows)), fit(of([*rows, *rematted(rows, {row["matter_id"]: f"N{row['matter_id']}" for row in rows})]))
    assert strengths(twice) == pytest.approx(strengths(once), abs=1e-9)
    factor = np.sqrt(160 / 159 / (80 / 79) / 2)
    assert errors(twice) == pytest.approx({name: se * factor for name, se in errors(once).items()}, abs=1e-9)


# --- what moves it and what does not


@pytest.mark.parametrize("fit", FITS)
def test_a_clone_gets_the_same_strength_rank_and_interval(fit):
    rows, _ = constructed("s1_four_by_eighty")
    clones = [
        {**row, **{column: value.replace("alder", "alder-clone") for column, value in row.items()}}
        for row in rows
        if row["contestant_1"] == "alder"
    ]
    ties = [row_of(matter, "alder", "alder-clone", False, "tie") for matter in sorted({row["matter_id"] for row in rows})]
    for among in ([], ties):
        alder, clone, *_ = fit(of([*rows, *clones, *among])).strengths
        assert clone.rank == alder.rank
        numbers = [(s.log_strength, s.se, s.interval.lo, s.interval.hi) for s in (alder, clone)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-10)


def test_matters_that_change_places_and_sides_that_turn_change_nothing():
    rows, _ = constructed("s1_four_by_eighty")
    matters = sorted({row["matter_id"] for row in rows})
    moved = rematted(rows, dict(zip(matters, reversed(matters), strict=True)))
    for fit in FITS:
        known = [(s.contestant, s.rank, s.log_strength, s.se) for s in fit(of(rows)).strengths]
        for other in (moved, turned(rows), rows[::-1]):
            found = [(s.contestant, s.rank, s.log_strength, s.se) for s in fit(of(other)).strengths]
            assert [each[:2] for each in found] == [each[:2] for each in known]
            assert np.array([each[2:] for each in found]) == pytest.approx(np.array([each[2:] for each in known]), abs=1e-9)


def both(rows, names=NAMES):
    found = of(rows, names)
    return [fit(found) for fit in FITS]


def close(one, two) -> bool:
    return one == pytest.approx(two, abs=1e-6)


@settings(max_examples=30)
@given(full_rows(), st.permutations(NAMES), st.permutations(MATTERS))
def test_other_names_and_other_ids_give_the_same_ranking_under_them(rows, others, ids):
    new = dict(zip(NAMES, others, strict=True))
    moved = rematted(renamed(rows, new), dict(zip(MATTERS, ids, strict=True)))
    for before, after in zip(both(rows), both(moved), strict=True):
        assert type(before) is type(after)
        if isinstance(before, Ranking):
            assert close(strengths(after), {new[name]: value for name, value in strengths(before).items()})
            ranks = {s.contestant: s.rank for s in after.strengths}
            assert ranks == {new[s.contestant]: s.rank for s in before.strengths}
            if before.no_interval is None:
                assert close(errors(after), {new[name]: value for name, value in errors(before).items()})


@settings(max_examples=30)
@given(full_rows())
def test_every_win_turned_round_turns_every_strength_round(rows):
    for before, after in zip(both(rows), both(relettered(rows)), strict=True):
        assert type(before) is type(after)
        if isinstance(before, Ranking):
            assert close(strengths(after), {name: -value for name, value in strengths(before).items()})
            assert before.tie_parameter is None or after.tie_parameter == pytest.approx(before.tie_parameter, rel=1e-6)


@settings(max_examples=30)
@given(full_rows())
def test_what_a_ranking_always_is(rows):
    for found in both(rows):
        assert found.n == sum(row["verdict"] in ("A", "B", "tie") for row in rows)
        if isinstance(found, Refused):
            assert found.reason
            continue
        values = strengths(found)
        assert sum(values.values()) == pytest.approx(0, abs=1e-8)
        assert found.n == found.decisive + found.ties
        assert found.n + found.both_inadequate + found.unreadable == len(rows)
        for one, two in combinations(found.strengths, 2):
            assert (one.rank < two.rank) == (one.log_strength > two.log_strength + 1e-9)
        for strength in found.strengths:
            assert (strength.interval is None) <= (found.no_interval is not None)
            assert strength.interval is None or strength.interval.lo < strength.log_strength < strength.interval.hi


@settings(max_examples=30)
@given(full_rows())
def test_the_fitted_chances_give_back_what_was_counted(rows):
    """At the maximum the expected wins plus half the ties of each contestant are the observed ones, and so are the ties (Davidson 1970)."""
    found = of(rows, NAMES)
    ranked = davidson(found)
    assume(isinstance(ranked, Ranking))
    pi = np.exp(list(strengths(ranked).values()))
    i, j = pi[found.one], pi[found.two]
    every = i + j + ranked.tie_parameter * np.sqrt(i * j)
    tie = ranked.tie_parameter * np.sqrt(i * j) / every
    assert tie.sum() == pytest.approx(found.ties, abs=1e-5)
    for index in range(len(NAMES)):
        expected = (i / every + tie / 2)[found.one == index].sum() + (j / every + tie / 2)[found.two == index].sum()
        seen = found.share[found.one == index].sum() + (1 - found.share)[found.two == index].sum()
        assert expected == pytest.approx(seen, abs=1e-5)


# --- refusals


def test_a_contestant_without_a_win_or_a_tie_is_no_silent_nonsense():
    """evalica by itself gives every contestant here the strength 1e-06 and says nothing."""
    rows = [*met(("a", "b", 30, 30, 0)), *({**row, "matter_id": "C" + row["matter_id"]} for row in met(("a", "c", 60, 0, 0)))]
    for fit, name in zip(FITS, (DAVIDSON, BRADLEY_TERRY), strict=True):
        reason = "c never won against or tied with a, b, so the distance between them has no bound"
        assert fit(of(rows)) == Refused(name, reason, 120)


@pytest.mark.parametrize("fit", FITS)
def test_where_all_is_tied_nothing_is_ranked(fit):
    found = fit(of(constructed("s4_all_ties")[0]))
    assert (found.reason, found.n) == ("no verdict is decisive, so nothing orders the contestants", 60)


def test_a_tie_parameter_without_bound_is_refused_and_halves_are_not():
    found = davidson(of(met(("a", "b", 1, 0, 5))))
    assert found.reason.startswith("the contestants fit on a ladder, every win at least a step apart")
    assert isinstance(bradley_terry(of(met(("a", "b", 1, 0, 5)))), Ranking)


def test_a_fit_that_runs_into_its_limit_is_refused():
    """A chain of 26, each with odds of about 100 on the next: the strengths lie 50 powers of ten apart."""
    chain = [(one, two, 100, 1, 1) for one, two in pairwise("abcdefghijklmnopqrstuvwxyz")]
    for fit in FITS:
        assert fit(of(met(*chain))).reason == "the fit did not converge in 10000 steps"


def test_the_guards_are_as_tight_as_they_must_be():
    assert ranking.LIMIT >= 10_000
    assert ranking.TOLERANCE <= 1e-10


def test_too_few_matters_give_strengths_without_intervals():
    rows = [
        row_of("M1", "a", "b", False, "A"),
        row_of("M2", "a", "b", False, "B"),
        row_of("M1", "b", "c", False, "A"),
        row_of("M1", "a", "c", False, "B"),
    ]
    found = bradley_terry(of(rows))
    assert found.no_interval == "an interval for 2 parameters needs more than 2 matters, and there are 2"
    assert {(s.se, s.interval) for s in found.strengths} == {(None, None)}
    assert [(s.contestant, s.rank) for s in found.strengths] == [("a", 3), ("b", 1), ("c", 2)]


def test_matters_that_all_say_the_same_show_no_spread():
    circle = (("a", "b", "A"), ("b", "c", "A"), ("a", "c", "B"))
    found = bradley_terry(of([row_of(f"M{m}", one, two, False, word) for m in range(9) for one, two, word in circle]))
    assert found.no_interval == SAME
    assert [strength.interval for strength in found.strengths] == [None] * 3


def test_results_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        davidson(of(met(("a", "b", 2, 2, 2)))).n = 2


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("fit", FITS)
def test_a_level_is_carried_and_widens(fit, name):
    found = of(constructed(name)[0])
    narrow, wide = fit(found, 0.5), fit(found, 0.99)
    if isinstance(narrow, Refused):
        assert narrow == wide
        return
    assert (narrow.level, wide.level) == (0.5, 0.99)
    for one, two in zip(narrow.strengths, wide.strengths, strict=True):
        assert two.interval.lo < one.interval.lo < one.interval.hi < two.interval.hi
        assert (one.interval.level, two.interval.level) == (0.5, 0.99)
