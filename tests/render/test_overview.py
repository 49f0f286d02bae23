"""The overview's sentences and tables, on trees where one thing differs."""

import copy
import dataclasses

import pytest

from stages.render.contestant import contestant_page
from stages.render.frame import Page
from stages.render.methodology import methodology
from stages.render.overview import clearest, overview, rankings, seen_from, sentences
from tests.render.test_site import Reading

FRAME = {"study": "A study", "record": "0a" * 32, "judge": "oak"}


def with_metrics(evidence, **trees):
    """The evidence with parts of metrics files replaced: name__key=value."""
    metrics = copy.deepcopy(evidence.metrics)
    for path, value in trees.items():
        *above, last = path.split("__")
        inner = metrics
        for step in above:
            inner = inner[step]
        inner[last] = value
    return dataclasses.replace(evidence, metrics=metrics)


def text_of(page: Page) -> str:
    return Reading(page.text).spaced


def test_five_sentences_say_what_was_compared(small):
    found = sentences(small)
    assert len(found) == 5
    assert found[0] == "3 contestants (alder, birch and cedar) answered 3 closed-record legal matters."
    assert "9 pairings in all, went before the judge oak" in found[1]
    assert found[2] == "It preferred one answer 3 times, found 1 tie and 1 pair both inadequate; 1 could not be read and 3 are missing."
    assert found[4].startswith("The judge has not shown that it can tell a right answer from a wrong one")


def test_a_judge_that_qualifies_is_said_to(small):
    fit = with_metrics(small, qualification__qualifies=True, qualification__because="every threshold is met")
    assert sentences(fit)[4] == "The judge met every threshold on controls with a known verdict."
    text = text_of(overview(fit, **FRAME))
    assert "The judge qualifies" in text
    assert "does not qualify" not in text.split("Ranking")[0]


def scored_tables(evidence) -> dict[str, str]:
    """Each table that shows scores on the overview and on a contestant's page, from the end of the one before it to its own head."""
    pages = [overview(evidence, **FRAME), *(contestant_page(evidence, place, **FRAME) for place in range(len(evidence.names)))]
    parts = [part for page in pages for part in page.text.split("</table>") if "<table" in part]
    heads = {part[part.rindex("<h2") :].partition("</h2>")[0]: part.partition("<tbody")[0] for part in parts}
    return {name: heads[name] for name in heads if not any(f'id="{other}"' in name for other in ("answers", "ranking"))}


UNFIT = "The judge does not qualify: this is what it said, and no evidence."


def test_beside_every_table_of_scores_stands_that_the_judge_does_not_qualify(small):
    found = scored_tables(small)
    kinds = ("matrix", "difference", "outcomes", "contestants", "scenarios", "pairs", "by-series", "by-area")
    assert [kind for kind in kinds if not any(f'id="{kind}"' in name for name in found)] == []
    assert len(found) == len(kinds)
    assert [name for name, head in found.items() if UNFIT not in head] == []
    fit = scored_tables(with_metrics(small, qualification__qualifies=True))
    assert [name for name, head in fit.items() if UNFIT in head] == []


def test_every_page_with_a_score_says_so_before_the_first_of_them(small):
    for page in (overview(small, **FRAME), *(contestant_page(small, place, **FRAME) for place in range(len(small.names)))):
        text = text_of(page)
        assert text.index("The judge does not qualify So the scores below are counts of what it said") < text.index("net difference")
    assert UNFIT in text_of(methodology(small, **FRAME))


@pytest.mark.parametrize(
    ("share", "p", "said"),
    [
        (0.9, 0.001, "The judge leans to Answer A"),
        (0.1, 0.049, "The judge leans to Answer B"),
        (0.6, 0.05, "No lean to a side can be told"),
    ],
)
def test_the_alarm_says_to_which_side_the_judge_leans(small, share, p, said):
    lean = {"a": 3, "decisive": 3, "share": share, "p": p}
    text = text_of(overview(with_metrics(small, judge__a_share=lean), **FRAME))
    assert said in text
    assert text.index(said) < text.index("Head to head")


def test_the_clearest_difference_names_who_leads(small):
    assert clearest(small) == "No pair differs by more than chance allows, with all 3 pairs allowed for."
    pair = {**small.metrics["pairs"]["alder~cedar"]}
    pair |= {"sign_test": {"p_holm": 0.0004, "n": 20}, "net_difference": {**pair["net_difference"], "value": -0.25}}
    led = with_metrics(small, **{"pairs__alder~cedar": pair})
    assert (
        clearest(led) == "The clearest difference is that of cedar over alder: +0.250 of all matters, p < 0.001, corrected for all pairs."
    )
    assert '<td class="cell told">' in overview(led, **FRAME).text


def test_a_pair_is_seen_from_both_sides(small):
    one, other = seen_from(small, "alder", "birch"), seen_from(small, "birch", "alder")
    assert (one["won"], one["lost"]) == (other["lost"], other["won"]) == (1, 0)
    assert one["unscored"] == other["unscored"] == 2


def test_a_ranking_stands_with_its_intervals_or_its_reason():
    strength = {"rank": 1, "log_strength": 0.5, "se": 0.1, "interval": {"lo": 0.3, "hi": 0.7}}
    ranked = {"method": "Davidson 1970, maximum likelihood", "strengths": {"b": {**strength, "rank": 2}, "a": strength}}
    refused = {"method": "Bradley-Terry, a tie as half a win each", "refused": "nobody met anybody"}
    first, second = rankings({"davidson_ranking": ranked, "bradley_terry_ranking": refused})
    assert [each["name"] for each in first["strengths"]] == ["a", "b"]
    assert (second["verb"], second["why_not"]) == ("Refused", "nobody met anybody")
    (both,) = rankings(
        {"davidson_ranking": {**ranked, "withheld": "untested"}, "bradley_terry_ranking": {**refused, "withheld": "untested"}}
    )
    assert both["method"] == "Davidson 1970 and Bradley-Terry"


def test_an_unknown_cost_is_not_nothing(small):
    metrics = {**small.metrics, "coverage": {key: value for key, value in small.metrics["coverage"].items() if key != "cost_usd"}}
    text = text_of(overview(dataclasses.replace(small, metrics=metrics), **FRAME))
    assert "known of no call" in text
    assert "$0.00" not in text


COUNTS = {"wins_1": 1, "wins_2": 2, "ties": 3, "both_inadequate": 0, "n": 6, "unreadable": 0, "missing": 0, "planned": 9, "left_out": 3}


def test_scenarios_and_disclosures_stand_where_their_files_are_and_nothing_where_not(small):
    without = {name: tree for name, tree in small.metrics.items() if name not in ("scenarios", "disclosures")}
    plain = text_of(overview(dataclasses.replace(small, metrics=without), **FRAME))
    assert "Scenarios side by side" not in plain
    assert "Disclosures" not in plain
    pairs = dict.fromkeys(small.metrics["pairs"], COUNTS)
    flips = {"alder~birch": "lead erased: as delivered alder leads, here nobody leads"}
    scenario = {"reason": "Cut off.", "rule": "truncated", "left_out": 3, "flipped": 1, "flips": flips, "pairs": pairs}
    told = {"scope": {"scope": "These systems, these matters."}, "reruns": {f"Q{n:02}": f"Attempt at Q{n:02}." for n in range(60)}}
    metrics = {
        **small.metrics,
        "scenarios": {"as_delivered": {**scenario, "flips": {}}, "without_truncated": scenario},
        "disclosures": told,
    }
    text = text_of(overview(dataclasses.replace(small, metrics=metrics), **FRAME))
    assert "without truncated Cut off. Without: truncated. 3 1 \u2013 2 3 ties of 6 lead erased: as delivered alder leads" in text
    assert "These systems, these matters." in text
    assert "Attempt at Q49." in text
    assert "Attempt at Q50." not in text
    assert "The rest stands in metrics/disclosures.json" in text
