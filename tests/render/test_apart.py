"""What stands apart from the scores: verdicts on the other order and of other judges, on the pairing's and the judge's page."""

import copy
import dataclasses

from stages.render.apart import apart, corrected
from stages.render.judging import judge_page
from stages.render.overview import overview
from stages.render.pairing import pairing_page
from stages.schema.metrics import check_metrics, check_names
from tests.published import changed
from tests.render.test_site import Reading, files, readings
from tests.small_record import NAMES

FRAME = {"study": "A study", "record": "0a" * 32, "judge": "oak"}


def shown_on(evidence, pairing):
    place = next(place for place, each in enumerate(evidence.shown) if each.assignment["pairing_id"] == pairing)
    return pairing_page(evidence, place, **FRAME).text


def test_a_pairing_holds_its_verdicts_apart_the_judges_own_first(designed):
    found = designed.by_pairing["Q01:alder~cedar"].apart
    assert [(each["judge"], each["turned"], each["winner"]) for each in found] == [
        ("oak", True, "tie"),
        ("elm", False, "cedar"),
        ("elm", True, "cedar"),
    ]
    assert all(each["pairing_id"] == "Q01:alder~cedar" for each in found)


def test_the_page_of_a_pairing_shows_them_after_the_reveal_beside_the_scored_verdict(designed):
    text = shown_on(designed, "Q01:alder~cedar")
    before, after = text.split('<details class="reveal" id="reveal">')
    assert "stand apart" not in before
    said = Reading(after).spaced
    lines = [
        "oak alder tie tie scored",
        "oak cedar sides exchanged tie tie stands apart, not scored",
        "elm alder B cedar stands apart, not scored",
        "elm cedar sides exchanged A cedar stands apart, not scored",
    ]
    assert " ".join(lines) in said
    assert "Their reasons oak, sides exchanged Because of tie. uv run moot audit 'Q01:alder~cedar@oak@turned'" in said


def test_an_unreadable_or_missing_first_verdict_is_not_called_scored(designed):
    unreadable, missing = (Reading(shown_on(designed, name)).spaced for name in ("Q02:birch~cedar", "Q02:alder~birch"))
    assert "unreadable unreadable not scored oak" in unreadable
    assert "missing no verdict recorded not scored oak" in missing


def test_an_unreadable_second_verdict_shows_the_reply_as_it_came(designed):
    said = Reading(shown_on(designed, "Q03:alder~cedar")).spaced
    assert "elm The reply could not be read: no JSON object . I would rather not." in said


def test_nothing_appears_where_a_study_asks_for_nothing(small, designed):
    assert apart(small) is None
    for text in (shown_on(small, "Q01:alder~cedar"), judge_page(small, **FRAME).text):
        assert 'id="apart"' not in text
        assert "sides exchanged" not in text
    assert 'id="apart"' in judge_page(designed, **FRAME).text
    assert overview(small, **FRAME).text.replace("0a" * 32, "") == overview(
        dataclasses.replace(small, metrics={**small.metrics, "agreement": designed.metrics["agreement"]}), **FRAME
    ).text.replace("0a" * 32, "")


def test_the_page_of_the_judge_says_how_far_they_agree(designed):
    said = Reading(judge_page(designed, **FRAME).text).spaced
    found = apart(designed)
    assert [(each["name"], each["scored"], each["qualifies"]) for each in found["judges"]] == [("oak", True, False), ("elm", False, True)]
    assert "elm 1 4 25.0 % 0.6 % to 80.6 % stands apart yes" in said
    assert "oak does not qualify: identical: 0 of 1 passed" in said
    assert "alder birch 1 \u2013 0 0 ties of 1 1 \u2013 1 0 ties of 2" in said
    assert "oak 2 5 40.0 % 11.8 % to 76.9 % 0 1 1 1 1 3" in said, "2 + 0 + 1 + 1 + 1 = 5, and 5 + 1 + 3 = 9"
    assert "elm and oak first order 4 75.0 % 0.68 0.59" in said
    assert "elm and oak turned order 3 33.3 % 0.22 \u22120.11" in said


def test_one_order_and_one_judge_leave_their_part_out(designed):
    one_order = copy.deepcopy(designed.metrics["agreement"])
    for each in one_order["by_judge"].values():
        del each["orders"]
    del one_order["between"]
    page = judge_page(dataclasses.replace(designed, metrics={**designed.metrics, "agreement": one_order}), **FRAME).text
    assert 'id="apart"' in page
    assert 'id="orders"' not in page
    assert 'id="between"' not in page


def test_a_number_that_cannot_be_corrected_says_why():
    assert corrected({"value": -0.111}) == "\u22120.11"
    assert corrected({"refused": "only one word was used"}) == "none: only one word was used"


def test_the_pages_of_a_designed_study_are_well_formed_and_their_links_lead_somewhere(designed):
    made = files(designed)
    for name, page in readings(made).items():
        assert page.wrong == [], name
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        assert len(ids) == len(set(ids)), name
    assert 'href="../judges/oak.html#apart"' in made[designed.shown[0].address].text


def places(tree, front=()):
    for number, (key, value) in enumerate(tree.items()) if isinstance(tree, dict) else ():
        if number == 0 or "~" not in key:
            yield (*front, key)
            yield from places(value, (*front, key))


def test_whatever_agreement_loses_or_holds_instead_the_page_is_made_or_the_key_is_named(designed):
    tree = designed.metrics["agreement"]
    refused = 0
    for path in places(tree):
        for value in (..., "text", {"a": 1}):
            other = changed(tree, path, value)
            try:
                check_metrics("agreement", other)
                check_names("agreement", other, NAMES)
            except ValueError:
                refused += 1
            else:
                judge_page(dataclasses.replace(designed, metrics={**designed.metrics, "agreement": other}), **FRAME)
    assert refused > 50
