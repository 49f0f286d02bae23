"""The pages in a real browser: clicked through, looked at in both widths and colour schemes, and measured by axe-core.

It is the system's Chromium. By hand these tests are skipped where there is none; with MOOT_BROWSER=1, as .ci/run sets it, they fail.
"""

import os
import shutil
from contextlib import contextmanager
from importlib.resources import files as package_files

import pytest

from stages.desk.site import server
from stages.report import write_site

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
AXE = "window.axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], preload: false})"
pytestmark = pytest.mark.skipif(
    BROWSER is None and os.environ.get("MOOT_BROWSER") != "1", reason="no Chromium on the PATH: apt-get install chromium"
)


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    assert BROWSER, "no Chromium on the PATH"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def sites(small, attacked, designed, tmp_path_factory):
    """The pages on the disk: of the record built by hand, of the hostile one, and of the study that asks more than it scores."""
    folder = tmp_path_factory.mktemp("sites")
    for name, evidence in (("small", small), ("attacked", attacked), ("designed", designed)):
        write_site(evidence, folder / name)
    return folder


class Visit:
    """A page in the browser that keeps all that it asks for and all that it complains about."""

    def __init__(self, context, site):
        self.page, self.site, self.asked, self.wrong = context.new_page(), site, [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("requestfailed", self.failed)

    def failed(self, request):
        if request.failure != "net::ERR_ABORTED":  # what the next page cut short is no fault of the last
            self.wrong.append(f"{request.url} failed: {request.failure}")

    def to(self, address):
        self.page.goto((self.site / address).as_uri() if "#" not in address else f"{self.site.as_uri()}/{address}")
        return self.page

    def check_quiet(self):
        """Nothing went wrong, and nothing was asked for that is not a file of the site."""
        assert self.wrong == []
        assert [url for url in self.asked if not url.startswith((self.site.as_uri(), "blob:"))] == []


@contextmanager
def visiting(browser, site, **context):
    opened = browser.new_context(viewport=DESKTOP, **context)
    opened.set_default_timeout(60_000)  # a busy machine is no defect
    visit = Visit(opened, site)
    try:
        yield visit
        visit.check_quiet()
    finally:
        opened.close()


@pytest.fixture
def visit(browser, sites):
    with visiting(browser, sites / "small") as found:
        yield found


def pairing(evidence, name):
    return evidence.by_pairing[name].address


def test_from_the_index_to_a_vote_and_its_export(visit, small):
    page = visit.to("index.html")
    page.get_by_role("link", name="Matters", exact=True).click()
    page.get_by_role("link", name="Q01", exact=True).click()
    page.get_by_role("link", name="begin with a blind pairing").click()
    page.wait_for_url("**/pairings/*.html")
    here = next(each for each in small.shown if page.url.endswith(each.address))
    reveal = page.locator("#reveal")
    assert reveal.get_attribute("open") is None
    assert not page.get_by_text("The judge oak said").is_visible()
    page.get_by_role("button", name="Tie").click()
    assert page.get_by_role("button", name="Tie").get_attribute("aria-pressed") == "true"
    page.get_by_text("Reveal who wrote them").click()
    page.get_by_text("The judge oak said").wait_for()
    said = "agrees" if here.verdict["verdict"] == "tie" else "disagrees"
    assert f"You said tie. The judge {said} with you" in page.locator("#compared").inner_text()
    page.locator("[data-vote='A']:disabled").wait_for()  # a vote after looking would not be blind
    page.get_by_role("link", name="Your votes").click()
    page.get_by_text("You voted on 1 pairing.").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV").click()
    record = small.metrics["provenance"]["record"]
    lines = download.value.path().read_text().splitlines()
    assert lines == [
        '"presentation_id","matter_id","vote","verdict","record"',
        f'"{here.presentation_id}","Q01","tie","{here.verdict["verdict"]}","{record}"',
    ]
    page.get_by_role("button", name="Delete my votes").click()
    assert "You have not voted yet." in page.locator("[data-agreement]").inner_text()


def test_a_vote_can_be_changed_before_and_not_after_looking(visit, small):
    page = visit.to(pairing(small, "Q01:alder~birch"))
    page.get_by_role("button", name="A", exact=True).click()
    page.get_by_role("button", name="Neither is usable").click()
    assert page.evaluate("Object.values(mootVotes.all()).map((each) => each.vote)") == ["both_inadequate"]
    page.locator("#reveal > summary").click()
    page.locator("#compared:not([hidden])").wait_for()
    page.reload()
    assert page.get_by_role("button", name="Neither is usable").get_attribute("aria-pressed") == "true"


def test_votes_stand_in_the_order_of_the_pages_which_tells_nothing_of_names(visit, small):
    there = [each for each in small.shown if each.matter["matter_id"] == "Q01"]
    assert len(there) == 3
    for each in reversed(there):
        visit.to(each.address).get_by_role("button", name="Tie").click()
    page = visit.to("votes.html")
    assert page.locator("[data-rows] a").all_inner_texts() == [each.name for each in there]
    assert not [name for name in small.names if name in page.evaluate("JSON.stringify(localStorage)")]


def test_who_looks_without_a_vote_is_told_that_it_is_too_late(visit, small):
    page = visit.to(pairing(small, "Q01:alder~birch"))
    page.locator("#reveal > summary").click()
    page.get_by_text("You have looked, so a vote would no longer be blind.").wait_for()
    assert all(button.is_disabled() for button in page.locator("[data-vote]").all())


def test_votes_in_the_store_are_text_whoever_put_them_there(visit):
    page = visit.to("votes.html")
    record = page.evaluate("document.body.dataset.record")
    evil = {"=1+1": {"page": "javascript:alert(1)", "matter": "<b>", "vote": "A", "verdict": "A"}, "none": None, "word": "A"}
    page.evaluate("([key, votes]) => localStorage.setItem(key, JSON.stringify(votes))", [f"moot votes {record}", evil])
    page.reload()
    assert page.locator("[data-rows] a").get_attribute("href") is None
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV").click()
    assert download.value.path().read_text().splitlines()[1].startswith('"\'=1+1"')


def test_the_place_of_a_rejected_point_shows_only_after_looking(visit, attacked, browser, sites):
    with visiting(browser, sites / "attacked") as there:
        page = there.to(pairing(attacked, "Q01:alder~birch"))
        struck = page.locator("#A-1, #A-2").first
        assert "underline" not in struck.evaluate("(each) => getComputedStyle(each).textDecorationLine")
        page.locator("#reveal > summary").click()
        assert "underline" in struck.evaluate("(each) => getComputedStyle(each).textDecorationLine")


def test_search_finds_what_is_there(visit):
    page = visit.to("search.html")
    box = page.get_by_role("searchbox")
    box.fill("advise WAIT")
    page.get_by_text("1 found").wait_for()
    page.locator("[data-found] a").click()
    page.wait_for_url("**/matters/Q02.html#answer-cedar")
    assert page.locator("#answer-cedar").is_visible()
    page = visit.to("search.html#appe")
    page.get_by_text("5 found").wait_for()
    box.fill("constructor")
    page.get_by_text("0 found").wait_for()


def test_the_list_of_matters_is_filtered_and_sorted(visit):
    page = visit.to("matters/index.html")
    rows = page.locator("[data-list] tbody tr:not([hidden])")
    assert rows.count() == 3
    page.get_by_label("Flag").select_option("names_itself")
    assert rows.locator("th").all_inner_texts() == ["Q02"]
    page.get_by_label("Flag").select_option("")
    page.get_by_label("Contains").fill("title of q03")
    assert rows.locator("th").all_inner_texts() == ["Q03"]
    page.get_by_label("Contains").fill("")
    page.get_by_role("button", name="Unscored").click()
    page.get_by_role("button", name="Unscored").click()
    assert rows.locator("td:nth-child(9)").all_inner_texts() == ["2", "2", "0"]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"


def test_the_keyboard_reaches_everything(visit, small):
    page = visit.to(small.shown[0].address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("#reveal > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#reveal").get_attribute("open") is not None
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/{small.shown[1].name}.html")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/{small.shown[0].name}.html")


def test_without_javascript_all_but_voting_searching_and_sorting_is_there(browser, sites, small):
    with visiting(browser, sites / "small", java_script_enabled=False) as visit:
        page = visit.to(pairing(small, "Q01:alder~birch"))
        assert not page.locator(".ballot").is_visible()
        page.locator("#reveal > summary").click()
        assert page.get_by_text("The judge oak said").is_visible()
        page.get_by_label("with their Markdown rendered").check()
        assert page.locator(".as-rendered").first.is_visible()
        assert not page.locator(".as-exact").first.is_visible()
        page = visit.to("matters/index.html")
        assert page.locator("[data-list] tbody tr").count() == 3
        assert not page.locator("[data-filters]").is_visible()
        assert visit.to("search.html").get_by_text("Searching takes JavaScript").is_visible()
        assert visit.to("votes.html").get_by_text("Voting takes JavaScript").is_visible()


def test_hostile_text_runs_nothing_loads_nothing_and_stays_in_its_box(browser, sites, attacked):
    with visiting(browser, sites / "attacked") as visit:
        for address in (pairing(attacked, "Q01:alder~birch"), "index.html", "matters/index.html", "judges/oak.html", "search.html#script"):
            page = visit.to(address)
            assert page.evaluate("window.hacked") is None
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
            assert page.locator("footer").is_visible()
        page = visit.to(pairing(attacked, "Q01:alder~birch"))
        page.get_by_label("with their Markdown rendered").check()
        assert page.locator(".answer a").count() == 0
        assert page.locator(".as-rendered table").count() >= 2


def test_a_script_that_got_in_all_the_same_would_not_run(visit):
    """The second wall: the policy stops what the first one, escaping, would have let through."""
    page = visit.to("index.html")
    page.evaluate(
        """() => { const evil = document.createElement("script"); evil.append("window.hacked = 5"); document.body.append(evil);
        const picture = document.createElement("img"); picture.src = "https://example.org/pixel.png"; document.body.append(picture); }"""
    )
    assert page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in each or "TrustedScript" in each for each in visit.wrong)
    visit.wrong.clear()
    visit.asked[:] = [url for url in visit.asked if "example.org" not in url]


PAGES = [
    "index.html",
    "methodology.html",
    "matters/index.html",
    "matters/Q01.html",
    "contestants/cedar.html",
    "judges/oak.html",
    "votes.html",
    "search.html",
    "a pairing",
]


def faults_of(page, name, tmp_path):
    """Looked at in both widths: what axe-core finds; and nothing sticks out to the side."""
    axe = (package_files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    for width in (PHONE, DESKTOP):
        page.set_viewport_size(width)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
        assert len(page.screenshot(path=tmp_path / f"{width['width']}.png")) > 5_000
    page.evaluate(axe)
    found = page.evaluate(AXE)["violations"]
    return [(name, each["id"], node["html"][:160], node.get("failureSummary")) for each in found for node in each["nodes"][:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_fits_a_phone(browser, sites, small, tmp_path, scheme):
    faults = []
    with visiting(browser, sites / "small", color_scheme=scheme, bypass_csp=True) as visit:
        for name in PAGES:
            page = visit.to(pairing(small, "Q01:alder~birch") if name == "a pairing" else name)
            if name == "a pairing":
                page.locator("#reveal > summary").click()
            faults += faults_of(page, name, tmp_path)
    assert faults == []


def test_what_stands_apart_is_accessible_and_fits_a_phone(browser, sites, designed, tmp_path):
    with visiting(browser, sites / "designed", bypass_csp=True) as visit:
        faults = faults_of(visit.to("judges/oak.html"), "judge", tmp_path)
        page = visit.to(pairing(designed, "Q01:alder~cedar"))
        assert not page.get_by_text("stands apart").first.is_visible()
        page.locator("#reveal > summary").click()
        assert page.get_by_text("stands apart, not scored").first.is_visible()
        page.get_by_text("Their reasons").click()
        faults += faults_of(page, "pairing", tmp_path)
    assert faults == []


def test_a_picture_takes_the_colours_of_the_scheme_as_a_file_too(browser, sites):
    """Inline by the page's sheets; in a file of its own by the sheet inside it."""
    seen = {}
    for scheme in ("light", "dark"):
        with visiting(browser, sites / "small", color_scheme=scheme) as visit:
            page = visit.to("index.html")
            fill = page.locator(".drawing path[fill='#2b6ca3']").first.evaluate("(each) => getComputedStyle(each).fill")
            page = visit.to("pictures/outcomes.svg")
            alone = page.evaluate("getComputedStyle(document.querySelector('path[fill=\"#2b6ca3\"]')).fill")
            ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            seen[scheme] = (fill, alone, ground)
    assert seen == {
        "light": ("rgb(43, 108, 163)", "rgb(43, 108, 163)", "rgb(252, 251, 248)"),
        "dark": ("rgb(98, 164, 220)", "rgb(98, 164, 220)", "rgb(22, 24, 27)"),
    }


def test_a_picture_has_its_words_and_its_links(visit):
    page = visit.to("index.html")
    picture = page.get_by_role("img", name="Net difference, pair by pair")
    assert picture.evaluate("(each) => document.getElementById(each.getAttribute('aria-describedby')).textContent").startswith(
        "alder against"
    )
    drawn, own = picture.bounding_box(), page.locator("main").bounding_box()
    assert own["x"] <= drawn["x"]
    assert drawn["x"] + drawn["width"] <= own["x"] + own["width"]
    links = page.locator(".drawing").first.get_by_role("link")
    assert [each.get_attribute("href") for each in links.all()] == ["pictures/net_difference.svg", "pictures/net_difference.json"]


def test_print_leaves_out_what_paper_cannot_do_and_opens_what_is_folded_once_the_reader_looked(visit, small):
    page = visit.to(pairing(small, "Q01:alder~birch"))
    page.emulate_media(media="print")
    assert not page.locator(".top nav").is_visible()
    assert not page.locator(".ballot").is_visible()
    assert not page.locator("#reveal").is_visible(), "paper is as blind as the page that it was printed from"
    page.emulate_media(media="screen")
    page.locator("#reveal > summary").click()
    page.emulate_media(media="print")
    assert page.get_by_text("The judge oak said").is_visible()
    assert page.locator("#reveal pre.exact").first.is_visible()


def test_a_web_server_serves_the_same_and_lists_no_folder(browser, sites):
    import threading
    import urllib.error
    import urllib.request

    with server(sites / "small", 0) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_address[1]}"
        try:
            with visiting(browser, sites / "small") as visit:
                page = visit.page
                page.goto(f"{address}/search.html#wait")
                page.get_by_text("1 found").wait_for()
                assert [url for url in visit.asked if not url.startswith(address)] == []
                visit.asked.clear()
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"{address}/assets/", timeout=30)
            assert refused.value.code == 404
        finally:
            serving.shutdown()
