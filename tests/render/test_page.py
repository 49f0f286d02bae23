"""The page: what it says, and what no text of anybody's can make it do. All content here is made up by hand."""

import base64
import copy
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from stages.render import page as page_module
from stages.render.page import Page, bounds, in_words, level_of, p_value, page_html, percent, points_by_verdict, policy, signed

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = "<script>alert('x')</script><img src=x onerror=alert(1)>\" onload='x' &amp; {{ 7 * 7 }} {% raw %} </style></title></blockquote>"

SCORE = {"wins": 2, "losses": 1, "ties": 0, "both_inadequate": 0, "n": 3, "unreadable": 1, "missing": 4, "planned": 8}
OWN = {
    "attempts": 8, "answers": 7, "unanswered": 1, "names_itself": 1,
    "status": {"complete": 6, "truncated": 1, "filtered": 0, "blocked": 0, "refused": 0, "empty": 0},
}  # fmt: skip
METRICS = {
    "pairs": {
        "alder~birch": {
            "wins_1": 21, "wins_2": 22, "ties": 23, "both_inadequate": 24, "n": 90, "unreadable": 25, "missing": 26, "planned": 141,
            "net_difference": {"value": -0.011111, "n": 90, "interval": {"lo": -0.156, "hi": 0.1345}, "method": "tango_score", "level": 0.95},
            "sign_test": {"p": 0.8, "p_holm": 0.98765, "p_mid": 0.7, "n": 43, "pairs": 1, "method": "exact_binomial"},
            "detectability": {"first_holm_step": {"alpha": 0.05, "power": 0.8, "least_wins": 29, "detectable_share": 0.72}},
        },
    },
    "scores": {"alder": SCORE, "birch": SCORE},
    "judge": {
        "decisive": 23, "a_share": {"a": 18, "decisive": 23, "share": 0.782609},
        "verdicts": {"A": 18, "B": 5, "tie": 1, "both_inadequate": 0, "unreadable": 1},
        "balance": {"alder": {"times_a": 4, "times_b": 3, "n": 7}, "birch": {"times_a": 3, "times_b": 4, "n": 7}},
        "names_itself": {"answers": 1, "verdicts": 2},
        "rejected_points": {"alder": {"points": 5, "changes_course": 2}, "birch": {"points": 0, "changes_course": 0}},
    },
    "coverage": {
        "matters": 8, "answers": {"planned": 16, "recorded": 14}, "verdicts": {"planned": 8, "recorded": 4, "unreadable": 1},
        "contestants": {"alder": OWN, "birch": OWN}, "assignments": {"in_use": 7, "not_rederivable": 1}, "calls": 18,
        "requests_with_two_replies": 1, "tokens": {"prompt": 1000, "completion": 200, "unknown_calls": 2},
        "cost_usd": 1.239, "cost_unknown_calls": 3,
    },
    "qualification": {"qualifies": False, "because": "identical: 0 of 4 passed, and 0.75 is wanted"},
    "provenance": {
        "record": "0a" * 32, "battery": "1b" * 32, "contestants": "2c" * 32, "answers": "3d" * 32, "assignments": "4e" * 32,
        "instrument": "5f" * 32, "verdicts": "6a" * 32, "tables": {"calls": "7b" * 32},
    },
}  # fmt: skip


def contestant(name):
    return {"contestant": name, "provider": "local", "model": f"{name}-model", "family": name, "trained_until": None}


def verdict(number, **changes):
    row = {
        "verdict_id": f"v{number}", "matter_id": "Q01", "contestant_1": "alder", "contestant_2": "birch", "answer_a_was": "birch",
        "answer_b_was": "alder", "verdict": "B", "winner": "alder", "rationale": "Only one appeals in time.",
        "unreadable_because": None, "raw_text": "{}", "judge": "oak", "instrument": "material_outcome",
    }  # fmt: skip
    return {**row, **changes}


def point(verdict_id, text, changes_course=True):
    return {"verdict_id": verdict_id, "contestant": "alder", "point": text, "why": "unsupported", "changes_course": changes_course}


def a_page(**changes) -> Page:
    content = {
        "title": "Two trees",
        "matters": [{"matter_id": "Q01", "title": "A tavern", "area": "licensing", "published": "2026-11-30"}],
        "contestants": [contestant("alder"), contestant("birch")],
        "verdicts": [verdict(1)],
        "rejected_points": [point("v1", "ten days")],
        "metrics": METRICS,
    }
    return Page(**{**content, **changes})


def metrics(path: str, value) -> dict:
    """The metrics with one value replaced, or left out where it is None."""
    tree = copy.deepcopy(METRICS)
    *above, last = path.split(".")
    inner = tree
    for step in above:
        inner = inner[step]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return tree


class Reading(HTMLParser):
    """A page as a browser would read it: its tags with their attributes, its text by the tag it stands in, and whether tags match."""

    def __init__(self, html: str):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.open, self.wrong = [], [], [], []
        self.feed(html)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def text(self, *tags):
        return " ".join("".join(data for tag, data in self.texts if (not tags or tag in tags) and tag != "style").split())

    def named(self, name):
        return [attrs for tag, attrs in self.tags if tag == name]


def reading(**changes) -> Reading:
    return Reading(page_html(a_page(**changes)))


# --- what it says


def test_the_page_is_well_formed():
    html = page_html(a_page())
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert Reading(html).wrong == []


def test_the_same_content_gives_the_same_bytes():
    assert page_html(a_page()) == page_html(a_page())


def test_every_number_of_a_pair_stands_in_its_row():
    said = ["-0.011", "-0.156 to +0.135", "43", "0.988", "29"]
    assert pair_row(page_html(a_page())) == [*said, "21", "22", "23", "24", "90", "25", "26", "141"]


def pair_row(html: str) -> list[str]:
    """The cells of the one pair's row; every number stands under its own heading."""
    row = re.search(r'<tr><th scope="row">alder</th><th scope="row">birch</th>(.*?)</tr>', html, re.DOTALL).group(1)
    cells = re.findall(r'<td class="number">([^<]*)</td>', row)
    heads = html.split('<h2 id="pairs">')[1].split("</thead>", maxsplit=1)[0].count('<th scope="col" class="number">')
    assert len(cells) == heads
    return cells


def test_the_interval_says_its_level_and_p_for_how_many_pairs_it_stands():
    html = page_html(a_page())
    assert '<th scope="col" class="number">95 % interval</th>' in html
    assert "corrected for all 1 pairs (Holm)" in Reading(html).text("caption")


def test_a_pair_without_a_scored_verdict_shows_its_counts_and_no_invented_number():
    tree = copy.deepcopy(METRICS)
    for name in ("net_difference", "sign_test", "detectability"):
        del tree["pairs"]["alder~birch"][name]
    tree["pairs"]["alder~birch"]["n"] = 0
    assert pair_row(page_html(a_page(metrics=tree))) == ["-"] * 5 + ["21", "22", "23", "24", "0", "25", "26", "141"]


def test_where_no_split_would_have_done_the_page_says_so():
    html = page_html(a_page(metrics=metrics("pairs.alder~birch.detectability.first_holm_step.least_wins", None)))
    assert pair_row(html)[4] == "out of reach"


@pytest.mark.parametrize("section", ["pairs", "totals"])
def test_every_table_of_scores_shows_what_was_left_unscored_beside_n(section):
    html = page_html(a_page()).split(f'<section aria-labelledby="{section}">')[1].split("</section>")[0]
    heads = re.findall(r'<th scope="col" class="number">([^<]+)</th>', html)
    assert heads[-4:] == ["n", "unreadable", "missing", "planned"]


def test_the_judges_lean_stands_before_every_score():
    html = page_html(a_page())
    said = "The judge chose Answer A in 18 of 23 decisive verdicts (78.3 %)."
    assert said in reading().text("strong")
    assert html.index(said) < html.index("<table")


def test_a_judge_without_a_decisive_verdict_has_no_lean():
    tree = metrics("judge.decisive", 0)
    tree["judge"]["a_share"] = {"a": 0, "decisive": 0}
    html = page_html(a_page(metrics=tree))
    note = html.split('role="note">')[1].split("</p>")[0]
    assert "The judge gave no decisive verdict" in note
    assert "%" not in note


def test_the_record_digest_and_its_six_parts_are_there():
    text = reading().text("code")
    assert [digest in text for digest in METRICS["provenance"].values() if isinstance(digest, str)] == [True] * 7


def test_a_part_that_does_not_exist_is_left_out():
    assert "instrument" not in reading(metrics=metrics("provenance.instrument", None)).text("dt")


def test_coverage_is_said_in_words():
    text = reading().text("p")
    assert "14 of 16 planned answers and 4 of 8 planned verdicts are recorded; 1 verdicts are unreadable." in text
    assert "7 stored assignments are in use; 1 of them the rule that they name does not give again" in text
    assert "1 requests have more than one recorded reply" in text
    assert (
        "1000 prompt tokens and 200 completion tokens (2 calls did not say how many). Known cost 1.24 US dollars (3 calls of unknown"
        in text
    )


def test_an_unknown_cost_is_not_nothing():
    text = reading(metrics=metrics("coverage.cost_usd", None)).text("p")
    assert "The cost is known of none of them." in text
    assert "0.00" not in text


def test_a_verdict_says_who_won_and_why():
    text = reading().text()
    assert "Q01: alder against birch: alder" in text
    assert "Answer A was birch, Answer B was alder; the judge said B." in text
    assert "Only one appeals in time." in text
    assert "alder: ten days: unsupported (changes the course)" in text


def test_an_unreadable_verdict_shows_what_came():
    unreadable = verdict(1, verdict="unreadable", winner=None, rationale=None, unreadable_because="no JSON object", raw_text="I refuse.")
    text = reading(verdicts=[unreadable], rejected_points=[]).text()
    assert "Q01: alder against birch: unreadable" in text
    assert "The reply could not be read: no JSON object I refuse." in text


def test_too_many_verdicts_are_left_to_the_table(monkeypatch):
    monkeypatch.setattr(page_module, "LISTED", 2)
    found = reading(verdicts=[verdict(n) for n in range(3)])
    assert found.named("details") == []
    assert "They stand in the table data/tables/verdicts.parquet" in found.text()
    assert len(reading(verdicts=[verdict(n) for n in range(2)]).named("details")) == 2


def test_no_verdict_makes_no_list_and_no_excuse():
    tree = metrics("coverage.verdicts.recorded", 0)
    text = reading(verdicts=[], rejected_points=[], metrics=tree).text()
    assert "too many" not in text


def test_a_date_that_nobody_states_is_not_invented():
    assert "not stated" in reading().text("td")
    dated = [{**contestant("alder"), "trained_until": "2026-01-31"}, {**contestant("birch"), "trained_until": "2026-02-28"}]
    assert "not stated" not in reading(contestants=dated).text("td")


def test_rejected_points_keep_the_order_of_the_reply():
    rows = [point("v1", "b"), point("v2", "c"), point("v1", "a")]
    assert {name: [row["point"] for row in found] for name, found in points_by_verdict(rows).items()} == {"v1": ["b", "a"], "v2": ["c"]}


@pytest.mark.parametrize(("share", "said"), [(0.0, "0.0 %"), (0.782609, "78.3 %"), (1.0, "100.0 %"), (0.5, "50.0 %")])
def test_shares_in_per_cent(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(("value", "said"), [(0.025, "+0.025"), (-0.0604, "-0.060"), (0.0, "0.000"), (-0.0004, "0.000"), (-1.0, "-1.000")])
def test_differences_have_a_sign_and_zero_has_none(value, said):
    assert signed(value) == said


def test_intervals_levels_and_p_values_in_words():
    assert bounds({"lo": -0.0599, "hi": 0.11344}) == "-0.060 to +0.113"
    assert [p_value(p) for p in (1.0, 0.753906, 0.001, 0.00099, 1e-17)] == ["1.000", "0.754", "0.001", "< 0.001", "< 0.001"]
    levels = {"a~b": {"net_difference": {"level": 0.95}}, "a~c": {"n": 0}, "b~c": {"net_difference": {"level": 0.9}}}
    assert level_of(levels) == "90 % and 95 %"


def test_names_in_words():
    assert in_words("both_inadequate") == "both inadequate"


def test_a_number_that_is_missing_is_no_empty_cell():
    with pytest.raises(UndefinedError, match="missing"):
        page_html(a_page(metrics=metrics("pairs.alder~birch.missing", None)))


# --- what no text can make it do

EVERYWHERE = {
    "title": EVIL,
    "matters": [{"matter_id": EVIL, "title": EVIL, "area": EVIL, "published": EVIL}],
    "contestants": [
        {**contestant(name), "provider": EVIL, "model": EVIL, "family": EVIL, "trained_until": EVIL} for name in ("alder", "birch")
    ],
    "verdicts": [
        verdict(1, rationale=EVIL, matter_id=EVIL, judge=EVIL, instrument=EVIL),
        verdict(2, rationale=None, verdict="unreadable", winner=None, unreadable_because=EVIL, raw_text=EVIL),
    ],
    "rejected_points": [{**point("v1", EVIL), "why": EVIL}],
}


def test_text_from_anywhere_adds_no_tag_and_no_attribute():
    plain, evil = reading(verdicts=[verdict(1), EVERYWHERE["verdicts"][1]]), reading(**EVERYWHERE)
    assert evil.wrong == []
    assert evil.named("script") == evil.named("img") == []
    assert [tag for tag, _ in evil.tags if tag in ("title", "style", "blockquote")] == ["title", "style", "blockquote", "blockquote"]
    assert {name for _, attrs in evil.tags for name in attrs} == {name for _, attrs in plain.tags for name in attrs}


def test_text_from_anywhere_is_shown_as_it_is():
    found = reading(**EVERYWHERE)
    shown = [data for _, data in found.texts if "alert" in data]
    assert len(shown) >= 12
    assert all(EVIL in data for data in shown), "to the byte, braces and entities too"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00")))
@settings(max_examples=40)
def test_any_text_is_shown_as_it_is(text):
    """But for carriage returns and NUL, which no HTML can hold, whoever writes it."""
    found = reading(verdicts=[verdict(1, rationale=f"<{text}>")])
    assert found.wrong == []
    assert [data for tag, data in found.texts if tag == "blockquote"] == [f"<{text}>"]


def test_right_to_left_text_cannot_turn_what_stands_around_it():
    html = page_html(a_page(rejected_points=[point("v1", "\u202eevil")]))
    assert "<bdi>\u202eevil</bdi>" in html
    assert all(attrs == {"dir": "auto"} for attrs in reading().named("blockquote"))


# --- where it can be read


def test_the_policy_lets_nothing_in_but_the_one_style():
    html = page_html(a_page())
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (stated,) = [attrs["content"] for attrs in Reading(html).named("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert stated == policy(style) == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_the_policy_stands_before_what_it_governs():
    html = page_html(a_page(title="Content-Security-Policy"))
    assert html.index("http-equiv") < html.index("<style>")


def test_nothing_is_fetched_and_nothing_runs():
    found = reading()
    assert not [tag for tag, _ in found.tags if tag in ("script", "link", "img", "iframe", "object", "form", "a")]
    assert not [name for _, attrs in found.tags for name in attrs if name in ("src", "href", "style", "action") or name.startswith("on")]
    assert "http://" not in page_html(a_page())
    assert "https://" not in page_html(a_page())
    assert "url(" not in page_html(a_page())
    assert "@import" not in page_html(a_page())


def test_a_phone_and_a_dark_screen_are_served():
    html = page_html(a_page())
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in Reading(html).named("meta")
    assert "color-scheme: light dark" in html
    assert not re.search(r"(?<![-\w])width:\s*\d+px", html)


def test_every_table_scrolls_by_itself_and_says_what_it_is():
    found = reading()
    tables = [tag for tag, _ in found.tags if tag == "table"]
    captions = [tag for tag, _ in found.tags if tag == "caption"]
    assert len(captions) == len(tables) == 6
    regions = [attrs for attrs in found.named("div") if attrs.get("role") == "region"]
    labels = {attrs["id"] for attrs in found.named("h2")}
    assert {attrs["aria-labelledby"] for attrs in regions} <= labels
    assert all(attrs["class"] == "wide" and attrs["tabindex"] == "0" for attrs in regions)


def test_no_id_stands_twice():
    ids = [attrs["id"] for _, attrs in reading().tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_page_says_nothing_of_when_or_where_it_was_made():
    text = page_html(a_page())
    assert not re.search(r"\d{2}:\d{2}", text)
    assert json.dumps(METRICS["provenance"]["tables"]["calls"]) not in text


def test_a_judge_that_does_not_qualify_is_said_so_before_any_score():
    text = page_html(a_page())
    said = text.index("The judge does not qualify")
    assert said < text.index('id="pairs"')
    assert "identical: 0 of 4 passed, and 0.75 is wanted" in text
    fit = {**METRICS, "qualification": {"qualifies": True, "because": "every threshold is met"}}
    assert "does not qualify" not in page_html(a_page(metrics=fit))
    assert "The judge qualifies" in page_html(a_page(metrics=fit))
