"""The matter file: what passes goes through to the byte, what does not is refused in one sentence."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.matter import matter_from_row, parse_matter, read_battery

ROOT = Path(__file__).parents[2]
FRONT = 'id: Q01\ntitle: A title\narea: carriage\nseries: "1"\npublished: "2026-11-30"\n'


def file_of(facts="Facts.", law="Law.", assignment="Assign.", front=FRONT):
    return f"---\n{front}---\n\n## Facts\n\n{facts}\n\n## Law\n\n{law}\n\n## Assignment\n\n{assignment}\n"


def test_a_matter_is_read_whole():
    matter = parse_matter(file_of(), "data/matters/Q01.md")
    assert (matter.matter_id, matter.title, matter.area, matter.series, matter.published) == (
        "Q01",
        "A title",
        "carriage",
        "1",
        "2026-11-30",
    )
    assert (matter.facts, matter.law, matter.assignment) == ("Facts.", "Law.", "Assign.")
    assert matter.brief == "FACTS\n\nFacts.\n\nLAW\n\nLaw.\n\nASSIGNMENT\n\nAssign."


@pytest.mark.parametrize(
    "text",
    [
        "{{x}}",
        "{0}",
        "${x}",
        "a\u2028b",
        "a 😀 b",
        "\u202eright to left",
        "%s",
        "### Heading below",
        "a\n\nb",
        "--- inside",
        "א ב",
        "### Facts",
    ],
)
def test_strange_text_passes_unchanged_to_the_byte(text):
    matter = parse_matter(file_of(facts=text), "x.md")
    assert matter.facts == text
    assert text in matter.brief
    assert matter_from_row(matter.row()).facts.encode() == text.encode()


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), min_size=1).map(str.strip).filter(bool)


@given(facts=LINES, law=LINES)
def test_any_text_without_a_section_heading_passes_unchanged(facts, law):
    if re.search(r"^## ", f"{facts}\n{law}", re.MULTILINE):
        return
    matter = parse_matter(file_of(facts=facts, law=law), "x.md")
    assert (matter.facts, matter.law) == (facts.strip("\n \t"), law.strip("\n \t"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (file_of(front=FRONT.replace("id: Q01\n", "")), "has no 'id'"),
        (file_of(front=FRONT.replace("Q01", "one")), "'one' is not a matter id"),
        (file_of(front=FRONT + "id: Q02\n"), "'id' stands twice"),
        (file_of(front=FRONT.replace("published", "publised")), "unknown key 'publised' in the front matter; the nearest is 'published'"),
        (file_of(front=FRONT.replace('published: "2026-11-30"\n', "")), "has no 'published'"),
        (file_of(front=FRONT.replace("2026-11-30", "30 November")), "is not a date"),
        (file_of(front=FRONT.replace("2026-11-30", "2026-02-30")), "is not a date"),
        (file_of(front=FRONT.replace("2026-11-30", "20261130")), "is not a date"),
        (file_of(front=FRONT.replace("title: A title", "title:")), "is not `key: value`"),
        (file_of(front=FRONT.replace("A title", '""')), "has no 'title'"),
        (file_of(facts=""), "section 'Facts' is empty"),
        (file_of(law=" \n\t"), "section 'Law' is empty"),
        (file_of().replace("## Law", "## Laws"), "unknown section 'Laws'; the nearest is 'Law'"),
        (file_of().replace("## Law", "### Law"), "they must be Facts, Law, Assignment"),
        (file_of() + "\n## Facts\n\nagain\n", "each once, in that order"),
        (file_of().replace("## Facts", "Stray.\n\n## Facts"), "before the first section: 'Stray.'"),
        (file_of(facts="a\x00b"), "line 11: a NUL character"),
        ("", "does not open with front matter"),
        ("---\nid: Q01\n", "does not open with front matter"),
        (file_of(facts="One.\rTwo."), "line 11: a carriage return stands there without a line feed"),
        (file_of().replace("\n", "\r"), "line 1: a carriage return stands there without a line feed"),
        ("\ufeff" + file_of(), "it opens with a byte order mark: save it as UTF-8 without one"),
        (file_of(front=FRONT.replace("id: ", "id:\t")), "front matter line 'id:\\tQ01' is not `key: value`, with a space and no tab"),
        (file_of(front="\t" + FRONT), "is not `key: value`, with a space and no tab"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(content, sentence):
    with pytest.raises(ValueError) as refused:
        parse_matter(content, "x.md")
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.sets(st.integers(0, 40)))
def test_windows_line_ends_are_the_same_matter_wherever_they_stand(lines):
    text = file_of(facts="One.\n\nTwo.\nThree.")
    mixed = "".join(line + ("\r\n" if number in lines else "\n") for number, line in enumerate(text.split("\n")[:-1]))
    assert parse_matter(mixed, "x.md") == parse_matter(text, "x.md")
    assert parse_matter(mixed, "x.md").matter_sha256 == parse_matter(text, "x.md").matter_sha256


@given(st.text())
def test_any_file_is_a_matter_or_a_refusal(text):
    try:
        assert parse_matter(text, "x.md").facts
    except ValueError as error:
        assert str(error)


def test_the_digest_covers_what_a_model_reads_and_nothing_else():
    base = parse_matter(file_of(), "x.md")
    retitled = parse_matter(file_of(front=FRONT.replace("A title", "Another")), "y.md")
    assert retitled.matter_sha256 == base.matter_sha256
    for part in ("facts", "law", "assignment"):
        assert parse_matter(file_of(**{part: "Changed."}), "x.md").matter_sha256 != base.matter_sha256


def test_text_moved_between_sections_changes_the_digest():
    assert parse_matter(file_of(facts="a", law="b"), "x").matter_sha256 != parse_matter(file_of(facts="b", law="a"), "x").matter_sha256


def test_a_row_whose_text_was_changed_is_refused():
    row = parse_matter(file_of(), "x.md").row()
    with pytest.raises(ValueError, match="matter_sha256 does not match"):
        matter_from_row({**row, "facts": "Other facts."})


def words(text):
    return len(text.split())


@pytest.mark.parametrize("path", sorted((ROOT / "data/matters").glob("*.md")), ids=lambda p: p.stem)
def test_each_shipped_matter_is_closed_and_of_its_size_and_has_a_key_and_a_solution(path):
    matter = parse_matter(path.read_text("utf-8"), path.name)
    assert matter.matter_id == path.stem
    assert 120 <= words(matter.facts) <= 220
    assert 50 <= words(matter.law) <= 150
    for ending in ("", ".solution"):
        assert (ROOT / f"data/keys/{path.stem}{ending}.md").read_text("utf-8").startswith(f"---\nid: {path.stem}\n")


def test_the_first_eight_matters_lie_in_eight_areas():
    matters = [parse_matter((ROOT / f"data/matters/Q0{n}.md").read_text("utf-8"), "") for n in range(1, 9)]
    assert len({matter.area for matter in matters}) == 8


ASKED = {  # what a lawyer is asked to write, and how an assignment says so
    "opinion": r"opinion|memorandum", "advice letter": r"by letter|letter", "clause": r"clauses?\b", "demand": r"demand",
    "settlement evaluation": r"settlement evaluation", "motion outline": r"outline of the motion|outline the motion|in outline",
}  # fmt: skip


def test_the_shipped_battery_has_two_series_many_areas_and_all_kinds_of_assignment():
    battery = read_battery(ROOT / "data/matters")[:80]
    series = {name: [matter.matter_id for matter in battery if matter.series == name] for name in ("1", "2")}
    assert series == {"1": [f"Q{n:02}" for n in range(1, 21)], "2": [f"Q{n}" for n in range(21, 81)]}
    assert len({matter.area for matter in battery}) >= 16
    assert len({matter.title for matter in battery}) == 80
    times = {kind: sum(bool(re.search(words, matter.assignment, re.IGNORECASE)) for matter in battery) for kind, words in ASKED.items()}
    assert min(times.values()) >= 3, times


@pytest.mark.parametrize("path", sorted((ROOT / "data/keys").glob("*.md")), ids=lambda p: p.stem)
def test_each_key_has_a_course_with_its_reasons_and_belongs_to_a_matter(path):
    name, solution = path.stem.removesuffix(".solution"), path.stem.endswith(".solution")
    assert (ROOT / f"data/matters/{name}.md").exists()
    parts = dict(re.findall(r"^## (.+)\n\n((?:(?!## ).*\n?)+)", path.read_text("utf-8"), re.MULTILINE))
    for part in ("Course", "Reasoning", "Doubts") if solution else ("Right course", "Reasoning", "Trap"):
        assert parts[part].strip(), part
