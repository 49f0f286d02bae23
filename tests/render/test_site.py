"""The whole set of pages: that they hang together, hold to their policy, say the same in the same bytes, and stay small."""

import dataclasses
import posixpath
import re
from html.parser import HTMLParser

import pytest
from markupsafe import escape

from stages.render import matter as matter_module
from stages.render.evidence import Evidence
from stages.render.frame import POLICY, Page
from stages.render.inert import rendered
from stages.render.judging import to_look_at
from stages.render.site import site
from tests.evidences import FOUR, HOSTILE, built, evidence_of, of_length
from tests.small_record import NAMES

VOID = {"meta", "link", "input", "br", "hr", "img"}


class Reading(HTMLParser):
    """A page as a browser reads it: tags with their attributes, text by the tag that it stands in, and whether the tags match."""

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

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def text(self):
        return " ".join("".join(data for _, data in self.texts).split())

    @property
    def spaced(self):
        """The text with a space wherever a tag stands: cells of a table apart."""
        return " ".join(" ".join(data for _, data in self.texts).split())

    def named(self, name):
        return [attrs for tag, attrs in self.tags if tag == name]


def files(evidence: Evidence) -> dict[str, Page]:
    pages = list(site(evidence))
    assert len({page.address for page in pages}) == len(pages), "an address stands twice"
    return {page.address: page for page in pages}


def readings(found: dict[str, Page]) -> dict[str, Reading]:
    return {name: Reading(page.text) for name, page in found.items() if name.endswith(".html")}


@pytest.fixture(scope="module")
def made(small):
    return files(small)


@pytest.fixture(scope="module")
def read(made):
    return readings(made)


@pytest.fixture(scope="module")
def under_attack(attacked):
    return readings(files(attacked))


def test_there_is_a_page_for_each_thing(made, small):
    names = {name for name in made if name.endswith(".html")}
    assert {"index.html", "methodology.html", "search.html", "votes.html", "matters/index.html", "judges/oak.html"} <= names
    assert {f"matters/{matter}.html" for matter in ("Q01", "Q02", "Q03")} <= names
    assert {f"contestants/{name}.html" for name in NAMES} <= names
    assert {each.address for each in small.shown} == {name for name in names if name.startswith("pairings/")}
    assert len(small.shown) == 7


def test_every_page_is_well_formed_and_has_one_title_one_heading_and_no_id_twice(read):
    for name, page in read.items():
        assert page.wrong == [], name
        assert len(page.named("title")) - len(page.named("svg")) == len(page.named("h1")) == len(page.named("main")) == 1, name
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        assert len(ids) == len(set(ids)), name


def test_every_link_leads_to_a_page_and_a_place_that_there_is(made, read):
    ids = {name: {attrs["id"] for _, attrs in page.tags if "id" in attrs} for name, page in read.items()}
    followed = 0
    for name, page in read.items():
        for attrs in [each for tag in ("a", "link", "script") for each in page.named(tag)]:
            target = attrs.get("href") or attrs.get("src")
            if target is None:
                continue
            path, _, anchor = target.partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert there in made, f"{name} leads to {target}"
            assert not anchor or anchor in ids[there], f"{name} leads to {target}"
            followed += 1
    assert followed > 100


def test_every_page_can_be_reached_from_the_index(made, read):
    seen, left = {"index.html"}, ["index.html"]
    while left:
        name = left.pop()
        for attrs in read[name].named("a"):
            path = posixpath.normpath(
                posixpath.join(posixpath.dirname(name), attrs.get("href", "").partition("#")[0] or posixpath.basename(name))
            )
            if path in read and path not in seen:
                seen.add(path)
                left.append(path)
    assert seen == set(read)


def test_every_page_states_the_policy_before_anything_is_loaded(made, read):
    for name, page in read.items():
        (stated,) = [attrs["content"] for attrs in page.named("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
        assert stated.startswith(POLICY)
        assert stated.removeprefix(POLICY) == ("moot-search" if name == "search.html" else "'none'")
        html = made[name].text
        assert html.index("Content-Security-Policy") < html.index("<link") < html.index("<body")


def test_no_page_holds_a_style_or_script_of_its_own_or_an_address_elsewhere(read):
    for name, page in read.items():
        assert not page.named("style"), name
        assert not page.named("form") or name.startswith("matters/"), name
        assert not [tag for tag, _ in page.tags if tag in ("img", "iframe", "object", "embed", "base", "video", "audio")], name
        assert all(attrs.get("src", "").endswith(".js") for attrs in page.named("script")), name
        for tag, attrs in page.tags:
            assert not [key for key in attrs if key == "style" or key.startswith("on")], (name, tag)
            assert not [key for key in ("href", "src", "action") if re.match(r"[a-z]+:|//", attrs.get(key) or "")], (name, tag)


def test_the_style_sheet_and_the_scripts_fetch_nothing_and_make_no_markup(made):
    for name in (each for each in made if each.startswith("assets/")):
        text = made[name].text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(
            r"https?://|url\(|@import|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|XMLHttp", text
        ), name


def test_the_same_evidence_gives_the_same_bytes(made, small):
    again = dataclasses.replace(small, views={})
    assert [page.data for page in site(again)] == [page.data for page in made.values()]


def test_a_pairing_is_blind_until_it_is_revealed(made, small):
    for shown in small.shown:
        before, after = made[shown.address].text.split('<details class="reveal" id="reveal">')
        for answer in shown.answers.values():  # the texts say what they say
            before = before.replace(str(escape(answer["text"])), "").replace(str(rendered(answer["text"])), "")
        assert not [name for name in NAMES if name in before.casefold()], shown.address
        assert f'data-presentation="{shown.presentation_id}"' in before
        assert shown.assignment["answer_a_was"] in after
        assert not [name for name in NAMES if name in shown.address]


def test_a_pairing_shows_both_texts_to_the_character(small, read):
    for shown in small.shown:
        texts = read[shown.address].text
        for answer in (shown.answer_a, shown.answer_b):
            assert " ".join(answer["text"].split()) in texts


def test_a_revealed_pairing_says_all_that_it_rests_on(made, small):
    shown = small.by_pairing["Q01:alder~birch"]
    text = Reading(made[shown.address].text).text
    verdict = shown.verdict
    digests = (verdict["request_sha256"], verdict["response_sha256"], shown.presentation_id, verdict["instrument_sha256"])
    assert [digest in text for digest in digests] == [True] * 4
    assert shown.presentation_id == verdict["presentation_id"]
    assert "uv run moot audit 'Q01:alder~birch'" in text
    assert "data/recordings/verdicts.jsonl" in text
    assert "ten days" in text
    assert "removing it changes the course" in text
    assert "Because of alder." in text
    assert all(
        " ".join(message["content"].split()) in text
        for message in small.prompt(brief_of(shown), shown.answer_a["text"], shown.answer_b["text"])
    )


def brief_of(shown):
    return "\n\n".join(["FACTS", shown.matter["facts"], "LAW", shown.matter["law"], "ASSIGNMENT", shown.matter["assignment"]])


def test_every_outcome_has_its_words(read, small):
    said = {each.assignment["pairing_id"]: read[each.address].text for each in small.shown}
    assert "The judge oak said Tie" in said["Q01:alder~cedar"]
    assert "The judge oak said Both inadequate" in said["Q01:birch~cedar"]
    assert "The judge oak said Nothing: no verdict is recorded" in said["Q02:alder~birch"]
    assert "The judge oak said Unreadable The reply could not be read, so it scores nothing: no JSON object." in said["Q02:birch~cedar"]
    assert "I would rather not." in said["Q02:birch~cedar"]
    assert "the rule does not give these sides again, and they count as stored" in said["Q01:alder~cedar"]


def test_a_matter_has_its_answers_its_verdicts_and_what_is_missing(read):
    first, third = read["matters/Q01.html"].spaced, read["matters/Q03.html"].spaced
    for words in (
        "Facts of Q01.",
        "The law.",
        "Advise.",
        "published 2026-11-30",
        "<script>alert(1)</script> & more",
        "cut off at the token limit",
    ):
        assert words in first
    assert "alder and birch missing an answer is missing" in third
    assert "The answer is empty, and was judged as delivered." in third
    assert "No answer is recorded. Its pairings count as missing." in third


def test_the_authors_key_is_there_only_where_the_study_shows_it(made, small):
    assert "author's key" not in made["matters/Q01.html"].text
    shown = dataclasses.replace(small, keys={"Q01": "Do <not> wait."})
    page = {each.address: each.text for each in site(shown)}["matters/Q01.html"]
    assert '<details class="key"><summary>The author\'s key</summary>' in page
    assert "Do &lt;not&gt; wait." in page


def test_the_list_of_matters_says_how_each_fell(read):
    assert "Q02 Title of Q02 procedure 1 2026-11-30 1 0 0 2 names itself 0" in read["matters/index.html"].spaced


def test_verdicts_that_do_not_go_together_stand_with_their_matter(small):
    judge = {
        **small.metrics["judge"],
        "triads": {**small.metrics["judge"]["triads"], "found_circles": {"Q02:alder~birch~cedar": "wins in a circle", "Q01:x~y~z": {}}},
        "adequacy": {**small.metrics["judge"]["adequacy"], "found": {"Q02:alder~birch": "a tie"}},
    }
    found = dataclasses.replace(small, metrics={**small.metrics, "judge": judge})
    assert found.not_together == {
        "Q01": {"Q01:x~y~z": {}},
        "Q02": {"Q02:alder~birch": "a tie", "Q02:alder~birch~cedar": "wins in a circle"},
    }
    assert matter_module.disagreements(found, "Q02") == ["Q02:alder~birch: a tie.", "Q02:alder~birch~cedar: wins in a circle."]
    assert matter_module.disagreements(found, "Q01") == ["Q01:x~y~z: the verdicts do not go together."]
    assert ("matters/Q02.html", "Q02:alder~birch", "a tie") in to_look_at(found)


def test_a_contestant_and_the_judge_have_their_pages(read):
    cedar, oak = read["contestants/cedar.html"].spaced, read["judges/oak.html"].spaced
    assert "The model cedar-large of the family cedar, trained until 2026-01-31 as declared." in cedar
    assert "decoding.top_p not set" in cedar
    assert "procedure 1 1 1 1 4 2" in cedar
    assert "Cost $0.0010" in cedar
    assert "identical testing 0 1 0.0" in oak
    assert "1 reply could not be read." in oak
    assert "1 verdict let an answer win or tie that is called inadequate in another pairing, of 2 that could have." in oak
    assert "I would rather not." in oak


# --- hostile text


def test_attacks_add_no_tag_and_no_attribute(under_attack, read):
    for name, page in under_attack.items():
        assert page.wrong == [], name
        assert len(page.named("h1")) == len(page.named("main")) == 1, name
        assert not [tag for tag, _ in page.tags if tag in ("img", "iframe", "style", "b", "i") and tag != "i" and name != "index.html"], (
            name
        )
    usual = {key for page in read.values() for _, attrs in page.tags for key in attrs}
    assert {key for page in under_attack.values() for _, attrs in page.tags for key in attrs} <= usual | {"data-points"}


def test_what_a_provider_says_of_itself_turns_no_sentence_of_the_page(small):
    turning = "model \u202e<b>"
    attempts = [{**row, "served_model": turning} for row in small.rows["attempts"]]
    disclosed = {**small.metrics["disclosures"], "served": {"alder": turning}}
    found = dataclasses.replace(
        small, rows={**small.rows, "attempts": attempts}, metrics={**small.metrics, "disclosures": disclosed}, views={}
    )
    pages = {each.address: each.text for each in site(found)}
    for name in ("index.html", "contestants/alder.html"):
        assert f"<bdi>{escape(turning)}</bdi>" in pages[name]


def test_attacks_are_shown_to_the_character(under_attack, attacked):
    shown = attacked.by_pairing["Q01:alder~birch"]
    texts = [data for tag, data in under_attack[shown.address].texts if tag in ("div", "blockquote", "span")]
    assert HOSTILE in texts
    assert any(HOSTILE.upper() in data for data in texts)


def test_what_turns_the_direction_is_announced_and_kept_in_its_box(under_attack, attacked):
    page = under_attack[attacked.by_pairing["Q01:alder~birch"].address]
    assert "characters that cannot be seen or that turn the direction of writing" in page.text
    for tag, attrs in page.tags:
        if "exact" in (attrs.get("class") or "").split() and tag in ("div", "blockquote"):
            assert attrs.get("dir") == "auto"


def test_a_line_of_a_million_characters_scrolls_in_its_own_box(under_attack, attacked):
    page = under_attack[attacked.by_pairing["Q01:alder~cedar"].address]
    (box,) = [attrs for attrs in page.named("div") if attrs.get("class") == "exact long"]
    assert box["tabindex"] == "0"
    assert "too long to be rendered" in page.text


# --- size


@pytest.fixture(scope="module")
def forty(tmp_path_factory):
    matters = [f"M{number:03}" for number in range(40)]
    return evidence_of(built(matters, FOUR, lambda matter, one, two: one, of_length), tmp_path_factory.mktemp("forty"))


def test_a_long_list_of_matters_comes_in_parts(forty, monkeypatch):
    monkeypatch.setattr(matter_module, "IN_A_PART", 15)
    found = files(forty)
    parts = [found[name].text for name in ("matters/index.html", "matters/part-2.html", "matters/part-3.html")]
    assert [text.count('<th scope="row">') for text in parts] == [15, 15, 10]
    assert 'href="part-3.html"' in parts[0]
    assert "matters/part-4.html" not in found
