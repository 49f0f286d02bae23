"""How the pages grow: files and bytes are in proportion to the matters, up to 10,000 pairings, and no page grows with them out of bounds."""

from stages.render.site import site
from tests.evidences import FOUR, built, evidence_of, four_by_eighty, in_brief

LARGEST = 1_000_000


def sizes(evidence) -> dict[str, int]:
    return {page.address: len(page.data) for page in site(evidence)}


def many(matters: int, tmp_path):
    """A record of so many matters, with the metrics of a small one of the same contestants: what is counted here is pages."""
    ids = [f"M{number:04}" for number in range(matters)]
    few = evidence_of(built(ids[:2], FOUR, lambda *pairing: pairing[1], in_brief), tmp_path / "few")
    from stages import record

    rows = record.tables(built(ids, FOUR, lambda *pairing: pairing[1], in_brief))
    return type(few)(**{**{f: getattr(few, f) for f in few.__dataclass_fields__}, "rows": rows, "views": {}})


def test_480_pairings_make_small_pages(tmp_path):
    found = sizes(evidence_of(four_by_eighty(), tmp_path))
    assert sum(name.startswith("pairings/") for name in found) == 480
    assert max(size for name, size in found.items() if name.endswith(".html")) < 100_000


def test_pages_grow_in_proportion_to_the_matters(tmp_path):
    """From 100 matters to 1,667 (10,002 pairings): the site grows as the matters do, and no page of it to a megabyte."""
    small, large = sizes(many(100, tmp_path / "a")), sizes(many(1667, tmp_path / "b"))
    assert sum(name.startswith("pairings/") for name in large) == 10_002
    growth = sum(large.values()) / sum(small.values())
    assert 14 < growth < 18, "16.67 times the matters"
    assert max(large.values()) < LARGEST, max(large, key=large.get)
