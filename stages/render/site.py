"""The whole site: every page, script and data file in the order in which they are written. Pages come one by one, so memory stays small."""

import json
from collections.abc import Iterator

from stages.render.contestant import contestant_page
from stages.render.evidence import Evidence
from stages.render.frame import Page, asset, page
from stages.render.judging import judge_page
from stages.render.matter import matter_lists, matter_page
from stages.render.methodology import methodology
from stages.render.overview import overview
from stages.render.pairing import pairing_page
from stages.render.pictures import differences, differences_of, outcomes
from stages.render.search_index import search_pages

ASSETS = ("picture.css", "site.css", "icon.svg", "list.js", "votes-store.js", "pairing.js", "votes.js", "search.js")


def site(evidence: Evidence) -> Iterator[Page]:
    """Every file of data/site. The same evidence gives the same files, in the same order and to the byte."""
    frame = {"study": evidence.study.title, "record": evidence.metrics["provenance"]["record"], "judge": evidence.judge}
    yield from counted_pages(evidence, frame)
    for place in range(len(evidence.matters)):
        yield matter_page(evidence, place, **frame)
    for place in range(len(evidence.shown)):
        yield pairing_page(evidence, place, **frame)
    scripts, chunks = search_pages(evidence)
    yield page("search.html", "search.html.j2", **frame, chunks=chunks)
    yield page("votes.html", "votes.html.j2", **frame, first=evidence.shown[0].address if evidence.shown else None)
    yield from scripts
    yield from (asset(name) for name in ASSETS)


def counted_pages(evidence: Evidence, frame: dict[str, str]) -> Iterator[Page]:
    """The pages that show metrics, their pictures, and the data behind these."""
    yield overview(evidence, **frame)
    yield methodology(evidence, **frame)
    yield from matter_lists(evidence, **frame)
    for place in range(len(evidence.names)):
        yield contestant_page(evidence, place, **frame)
    yield judge_page(evidence, **frame)
    yield Page("data/pairs.json", json.dumps(evidence.metrics["pairs"], indent=2, ensure_ascii=False, sort_keys=True) + "\n")
    for picture in (differences(evidence), outcomes(evidence), *(differences_of(evidence, name) for name in evidence.names)):
        yield from picture.files if picture else ()
