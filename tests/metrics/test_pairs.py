"""metrics/pairs.json, on the small record built by hand, on the constructed tables, and over random verdicts."""

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages import record
from stages.metrics import pairs
from stages.metrics.leaves import metric_text
from stages.schema.tables import columns
from stages.stats.counts import PairCount
from tests.published import constructed_tables, counted, expected, five, measured
from tests.small_record import small_record

TABLES = ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"]


def counts(tree):
    return {name: tree[name] for name in pairs.COUNTS}


def close(value):
    """Both sides are rounded, to six digits here and to ten there."""
    return pytest.approx(value, abs=1.1e-6)


def ends(interval):
    return [interval["lo"], interval["hi"]]


# --- by hand


def test_counts_by_hand():
    found = counted(small_record())["pairs"]
    assert {pair: counts(tree) for pair, tree in found.items()} == {
        "alder~birch": {
            "wins_1": 1, "wins_2": 0, "ties": 0, "both_inadequate": 0, "n": 1, "unreadable": 0, "missing": 2, "planned": 3,
        },
        "alder~cedar": {
            "wins_1": 1, "wins_2": 1, "ties": 1, "both_inadequate": 0, "n": 3, "unreadable": 0, "missing": 0, "planned": 3,
        },
        "birch~cedar": {
            "wins_1": 0, "wins_2": 0, "ties": 0, "both_inadequate": 1, "n": 1, "unreadable": 1, "missing": 1, "planned": 3,
        },
    }  # fmt: skip


def test_dogwood_against_alder_is_six_four_seventy():
    constructed_tables("s1_four_by_eighty")
    pair = measured()["pairs"]["alder~dogwood"]
    assert five(pair) == (4, 6, 70, 0, 80)
    assert pair["net_difference"] == {
        "value": -0.025,
        "n": 80,
        "interval": {"lo": -0.113442, "hi": 0.059893},
        "method": "tango_score",
        "level": 0.95,
    }
    assert pair["decisive_share"] == {
        "value": 0.4,
        "n": 10,
        "interval": {"lo": 0.121552, "hi": 0.737622},
        "method": "clopper_pearson",
        "level": 0.95,
        "wilson": {"lo": 0.16818, "hi": 0.687326},
    }
    assert pair["sign_test"] == {"p": 0.753906, "p_holm": 1.0, "p_mid": 0.548828, "n": 10, "pairs": 6, "method": "exact_binomial"}
    assert pair["share_above_half"] == {"value": 0.264827, "n": 10, "method": "jeffreys"}
    assert pair["fragility"] == {
        "n": 80,
        "to_erase": 2,
        "to_reverse": 3,
        "without_one": {
            "net_difference": {"lo": -0.037975, "hi": -0.012658},
            "decisive_share": {"lo": 0.333333, "hi": 0.444444},
            "p": {"lo": 0.507812, "hi": 1.0},
        },
    }
    assert pair["detectability"] == {
        "alpha": 0.05, "power": 0.8, "n": 10, "least_wins": 9, "detectable_share": 0.91674,
        "first_holm_step": {"alpha": 0.008333, "power": 0.8, "least_wins": 10, "detectable_share": 0.977933},
        "sixty_forty": {"share": 0.6, "power": 0.8, "alpha": 0.05, "decisive": 210, "matters": 1680},
    }  # fmt: skip


def test_it_is_four_four_sixty_nine_without_the_answers_that_were_cut_off():
    constructed_tables("s1_four_by_eighty", without=("M017", "M042", "M063"))
    pair = measured()["pairs"]["alder~dogwood"]
    assert five(pair) == (4, 4, 69, 0, 77)
    assert pair["net_difference"]["value"] == 0.0
    assert pair["net_difference"]["interval"] == {"lo": -0.083429, "hi": 0.083429}
    assert pair["fragility"] | {"without_one": {}} == {"n": 77, "to_erase": 0, "without_one": {}}


# --- known answers


@pytest.mark.parametrize("name", TABLES)
def test_a_constructed_table_gives_its_known_numbers(name):
    constructed_tables(name)
    check_pairs(measured()["pairs"], expected(name)["pairs"])


@pytest.mark.parametrize("scenario", ["exclude_content_filtered", "exclude_rerun", "exclude_both"])
def test_leaving_matters_out_gives_the_known_numbers(scenario):
    known = expected("s1_four_by_eighty")["scenarios"][scenario]
    constructed_tables("s1_four_by_eighty", without=known["excluded"])
    check_pairs(measured()["pairs"], known["pairs"])


def check_pairs(found, known):
    assert {pair.replace("~", "|") for pair in found} == set(known)
    for pair, tree in found.items():
        wanted = known[pair.replace("~", "|")]
        assert five(tree) == five(wanted)
        assert tree["net_difference"]["value"] == close(wanted["net_difference_over_all_n"])
        assert ends(tree["net_difference"]["interval"]) == close(wanted["net_difference_tango95_over_all_n"])
        assert tree["sign_test"]["p"] == close(wanted["sign_test_p_exact"])
        assert tree["sign_test"]["p_mid"] == close(wanted["sign_test_mid_p"])
        assert tree["sign_test"]["p_holm"] == close(wanted["sign_test_p_holm"])
        assert tree["tie_rate"]["value"] == close(wanted["tie_rate_over_all_n"])
        assert tree["both_inadequate_rate"]["value"] == close(wanted["both_inadequate_rate"])
        assert tree["ties_half"]["value"] == close(wanted["score_1_ties_half_excl_bi"])
        if wanted["decisive_share_1"] is None:
            assert "decisive_share" not in tree
        else:
            assert tree["decisive_share"]["value"] == close(wanted["decisive_share_1"])
            assert ends(tree["decisive_share"]["interval"]) == close(wanted["decisive_share_1_clopper_pearson95"])
            assert ends(tree["decisive_share"]["wilson"]) == close(wanted["decisive_share_1_wilson95"])


# --- what does not exist


def test_where_nothing_is_decisive_shares_are_left_out_and_nothing_can_be_rejected():
    constructed_tables("s4_all_ties")
    for pair in measured()["pairs"].values():
        assert not {"decisive_share", "share_above_half"} & set(pair)
        assert (pair["sign_test"]["p"], pair["sign_test"]["p_mid"], pair["sign_test"]["n"]) == (1.0, 1.0, 0)
        assert pair["detectability"] == {
            "alpha": 0.05, "power": 0.8, "n": 0, "first_holm_step": {"alpha": 0.008333, "power": 0.8},
            "sixty_forty": {"share": 0.6, "power": 0.8, "alpha": 0.05, "decisive": 210},
        }  # fmt: skip
        assert set(pair["fragility"]["without_one"]) == {"net_difference", "p"}


def test_where_nothing_is_scored_only_the_counts_stand():
    rows = small_record()
    unreadable = [dataclasses.replace(verdict, verdict="unreadable") for verdict in rows.verdicts]
    for pair in counted(dataclasses.replace(rows, verdicts=unreadable))["pairs"].values():
        assert set(pair) == set(pairs.COUNTS)


def test_a_single_matter_has_no_extremes_without_it():
    assert "without_one" not in counted(small_record())["pairs"]["alder~birch"]["fragility"]


def test_the_page_of_measures_explains_every_number():
    page = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    section = page.split("## Pair by pair\n")[1].split("\n## ", maxsplit=1)[0]
    named = {name for line in section.splitlines() if line.startswith("### ") for name in line.removeprefix("### ").split(" and ")}
    assert named - {"Do the intervals hold their level?"} == set(
        alone(PairCount("a", "b", 6, 4, ties=1, both_inadequate=1, unreadable=0, planned=12))
    ) - set(pairs.COUNTS)


# --- properties

few = st.integers(0, 12)
pair_counts = st.builds(
    PairCount, st.just("alder"), st.just("birch"), few, few, ties=few, both_inadequate=few, unreadable=few, planned=st.just(60)
)


def alone(pair: PairCount) -> dict:
    (tree,) = pairs.tree([pair]).values()
    return tree


@given(pair_counts)
def test_exchanging_the_contestants_turns_every_number_round(pair):
    turned = alone(dataclasses.replace(pair, wins_1=pair.wins_2, wins_2=pair.wins_1))
    tree = alone(pair)
    same = ("tie_rate", "both_inadequate_rate", "sign_test", "detectability")
    assert {name: tree.get(name) for name in same} == {name: turned.get(name) for name in same}
    if pair.n:
        assert turned["net_difference"]["value"] == -tree["net_difference"]["value"]
        assert ends(turned["net_difference"]["interval"]) == [-end for end in reversed(ends(tree["net_difference"]["interval"]))]
        assert turned["fragility"]["to_erase"] == tree["fragility"]["to_erase"]
    for name in ("decisive_share", "share_above_half", "ties_half", "ties_half_inadequate_as_ties"):
        assert (name in tree) == (name in turned)
        if name in tree:
            assert turned[name]["value"] == close(1 - tree[name]["value"])
        if "interval" in tree.get(name, {}):
            assert ends(turned[name]["interval"]) == close([1 - end for end in reversed(ends(tree[name]["interval"]))])


@given(st.lists(pair_counts, max_size=4))
def test_any_counts_make_a_file_that_dvc_keeps_whole(found):
    named = [dataclasses.replace(pair, contestant_2=f"birch-{number}") for number, pair in enumerate(found)]
    assert metric_text(pairs.tree(named)).endswith("}\n")


@given(pair_counts)
def test_every_number_has_its_n_and_a_number_with_an_interval_its_method_and_level(pair):
    for name, number in alone(pair).items():
        if name not in pairs.COUNTS:
            assert number["n"] in (pair.n, pair.decisive, pair.n - pair.both_inadequate)
        if isinstance(number, dict) and "interval" in number:
            assert number["interval"]["lo"] <= number["value"] <= number["interval"]["hi"]
            assert (number["method"] in ("tango_score", "clopper_pearson", "wilson"), number["level"]) == (True, 0.95)


@given(st.lists(pair_counts, min_size=1, max_size=5))
def test_holm_counts_every_pair_of_the_study(found):
    named = [dataclasses.replace(pair, contestant_2=f"birch-{number}") for number, pair in enumerate(found)]
    tests = [tree["sign_test"] for tree in pairs.tree(named).values() if "sign_test" in tree]
    assert all(test["pairs"] == len(found) for test in tests)
    assert all(test["p"] <= test["p_holm"] <= min(1.0, 1.00001 * test["p"] * len(found)) for test in tests)


NAMES = ("alder", "birch", "cedar")
MATTERS = [f"Q{number:02}" for number in range(1, 7)]
WORDS = ["A", "B", "tie", "both_inadequate", "unreadable"]
LETTERS = {"A": "B", "B": "A"}


@st.composite
def verdict_rows(draw):
    """Rows of the verdicts table for three contestants and six matters: any word, any sides, any of them missing."""
    rows = []
    for one, two in (("alder", "birch"), ("alder", "cedar"), ("birch", "cedar")):
        for matter in MATTERS:
            word, swapped = draw(st.sampled_from([*WORDS, None])), draw(st.booleans())
            sides = (two, one) if swapped else (one, two)
            if word:
                rows.append((matter, one, two, *sides, word))
    return rows


def published(rows, names=NAMES, matters=MATTERS) -> dict:
    kept = ("matter_id", "contestant_1", "contestant_2", "answer_a_was", "answer_b_was", "verdict")
    frames = {
        "verdicts": pd.DataFrame(rows, columns=kept),
        "contestants": pd.DataFrame({"contestant": names}),
        "matters": pd.DataFrame({"matter_id": matters}),
    }
    return pairs.tree(pairs.counted(frames))


@given(verdict_rows(), st.randoms())
@settings(max_examples=40)
def test_the_order_of_rows_and_the_names_of_matters_change_nothing(rows, chance):
    chance.shuffle(rows)
    renamed = dict(zip(MATTERS, chance.sample(MATTERS, len(MATTERS)), strict=True))
    assert published(rows) == published(sorted((renamed[row[0]], *row[1:]) for row in rows))


@given(verdict_rows())
@settings(max_examples=40)
def test_turning_every_presentation_round_changes_nothing(rows):
    assert published(rows) == published([(m, one, two, b, a, LETTERS.get(word, word)) for m, one, two, a, b, word in rows])


@given(verdict_rows())
@settings(max_examples=40)
def test_new_names_in_the_same_order_change_the_names_alone(rows):
    named = dict(zip(NAMES, ("xenia", "yew", "zelkova"), strict=True))
    found = published([(row[0], *(named[name] for name in row[1:5]), row[5]) for row in rows], names=list(named.values()))
    assert list(found.values()) == list(published(rows).values())


@given(verdict_rows())
@settings(max_examples=40)
def test_a_clone_gets_the_numbers_of_its_original(rows):
    """Everything but what counts the pairs of the study: Holm's p and its first step."""
    copied = [
        (matter, *("alder-twin" if name == "alder" else name for name in names), word) for matter, *names, word in rows if "alder" in names
    ]
    found = published([*rows, *copied], names=[*NAMES, "alder-twin"])
    for other in ("birch", "cedar"):
        assert of_itself(found[f"alder-twin~{other}"]) == of_itself(found[f"alder~{other}"])
        assert of_itself(found[f"alder~{other}"]) == of_itself(published(rows)[f"alder~{other}"])


def of_itself(tree: dict) -> dict:
    """A pair's numbers without those that the number of pairs decides."""
    tests = {name: value for name, value in tree.get("sign_test", {}).items() if name not in ("p_holm", "pairs")}
    reach = {name: value for name, value in tree.get("detectability", {}).items() if name != "first_holm_step"}
    return {**tree, "sign_test": tests, "detectability": reach}


SMALL = small_record()


@given(st.lists(st.sampled_from([*WORDS, None]), min_size=len(SMALL.verdicts), max_size=len(SMALL.verdicts)))
@settings(max_examples=40)
def test_whatever_the_judge_says_or_fails_to_say_the_pairs_add_up(words):
    said = [dataclasses.replace(v, verdict=word) for v, word in zip(SMALL.verdicts, words, strict=True) if word]
    tables = record.tables(dataclasses.replace(SMALL, verdicts=said))
    frames = {name: pd.DataFrame(tables[name], columns=columns(name)) for name in ("verdicts", "contestants", "matters")}
    found = pairs.tree(pairs.counted(frames))
    winners = [row["winner"] for row in tables["verdicts"]]
    assert all(sum(five(pair)[:4]) == pair["n"] == 3 - pair["unreadable"] - pair["missing"] for pair in found.values())
    assert sum(pair["wins_1"] + pair["wins_2"] for pair in found.values()) == sum(words.count(word) for word in "AB")
    assert sum(pair["ties"] for pair in found.values()) == winners.count("tie")
    assert sum(pair["unreadable"] for pair in found.values()) == winners.count(None)
    assert sum(pair["missing"] for pair in found.values()) == 9 - len(said)
