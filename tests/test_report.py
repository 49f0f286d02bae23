"""The stage report, on the small record built by hand (tests/small_record.py)."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stages import measure, record, report
from stages.render.contestant import contestant_page
from stages.render.evidence import TABLES
from stages.render.judging import judge_page
from stages.render.matter import matter_lists
from stages.render.methodology import methodology
from stages.render.overview import overview
from stages.runtime.errors import BadInput, BadRecord
from stages.runtime.paths import SITE
from stages.schema.jsonl import write_rows
from stages.schema.metrics import FILES, check_metrics, check_names
from stages.schema.tables import FOLDER, read_table, write_table
from tests.published import changed
from tests.small_record import NAMES, small_record, write_project

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    write_project(tmp_path, small_record())
    monkeypatch.chdir(tmp_path)
    record.record()
    measure.measure()
    return tmp_path


def page(name: str = "index.html") -> str:
    report.report()
    return (SITE / name).read_text(encoding="utf-8")


def test_the_title_is_the_studys():
    assert "<title>Overview · Three &lt;invented&gt; trees &amp; a judge</title>" in page()


def test_the_numbers_are_those_of_the_metrics():
    text = page()
    judge = json.loads(Path("metrics/judge.json").read_text())
    assert f"Answer A in {judge['a_share']['a']} of 3</strong> decisive verdicts" in text
    assert json.loads(Path("metrics/provenance.json").read_text())["record"] in text
    assert json.loads((SITE / "data/pairs.json").read_text()) == json.loads(Path("metrics/pairs.json").read_text())


def test_what_stands_against_believing_the_scores_stands_before_them():
    text = page()
    assert text.index("The judge does not qualify") < text.index("<table")
    assert text.index("decisive verdicts") < text.index("<table")
    assert "No ranking is published by Davidson 1970 and Bradley-Terry: the judge does not qualify: identical: 0 of 1 passed" in text


def test_the_line_of_a_recorded_reply_is_said(project):
    rows = small_record().verdicts
    place = next(number for number, row in enumerate(rows, 1) if row.matter_id == "Q01" and row.rejected_points)
    report.report()
    found = [path.read_text("utf-8") for path in (SITE / "pairings").glob("Q01-*.html")]
    (text,) = [each for each in found if "ten days" in each]
    assert f"data/recordings/verdicts.jsonl, line {place}<" in text
    assert "data/recordings/answers.jsonl, line " in text


def test_the_authors_keys_are_opened_only_where_the_study_shows_them():
    Path("data/keys").mkdir()
    Path("data/keys/Q01.md").write_text("---\nid: Q01\n---\n\n## Right course\n\nAppeal at once.\n", "utf-8")
    assert "Appeal at once." not in page("matters/Q01.html")
    study = Path("conf/study/first.yaml")
    study.write_text(study.read_text("utf-8") + "show_keys: true\n", "utf-8")
    assert '<div class="prose exact" dir="auto">## Right course\n\nAppeal at once.</div>' in page("matters/Q01.html")
    assert "author's key" not in page("matters/Q02.html"), "a matter without a key has no empty widget"


def written() -> dict[str, bytes]:
    return {path.relative_to(SITE).as_posix(): path.read_bytes() for path in SITE.rglob("*") if path.is_file()}


def test_the_pages_are_the_same_every_time_and_hold_no_path_of_this_machine(project):
    report.report()
    first = written()
    report.report()
    assert written() == first
    assert not [name for name, data in first.items() if str(project).encode() in data]


def test_the_pages_are_the_same_in_every_locale_and_time_zone(project):
    report.report()
    here = written()
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "LANG": "C",
        "TZ": "Asia/Kathmandu",
        "PYTHONHASHSEED": "7",
        "PYTHONUTF8": "0",
        "PYTHONPATH": str(ROOT),
    }
    subprocess.run([sys.executable, "-m", "stages.report"], env=environment, cwd=project, check=True, capture_output=True)
    assert written() == here


def test_a_page_of_an_earlier_study_does_not_stay():
    (SITE / "pairings").mkdir(parents=True)
    (SITE / "pairings/Q99-old.html").write_text("old")
    report.report()
    assert "pairings/Q99-old.html" not in written()
    assert [path.name for path in SITE.parent.iterdir() if path.name.startswith("site")] == ["site"]


@pytest.mark.parametrize("place", ["site", "site.partial"])
def test_whatever_stands_where_the_pages_belong_gives_way_and_nothing_is_written_through_a_link(place):
    path = SITE.with_name(place)
    path.write_text("a file")
    report.write_site(report.evidence(), SITE)
    report.take_away(path)
    Path("elsewhere").mkdir()
    Path("elsewhere/own.txt").write_text("stays")
    path.symlink_to(Path("elsewhere").resolve())
    report.report()
    assert not SITE.is_symlink()
    assert (SITE / "index.html").is_file()
    assert [each.name for each in Path("elsewhere").iterdir()] == ["own.txt"]


def test_a_key_that_is_no_text_is_named():
    Path("data/keys").mkdir()
    Path("data/keys/Q01.md").write_bytes(b"\xff")
    study = Path("conf/study/first.yaml")
    study.write_text(study.read_text("utf-8") + "show_keys: true\n", "utf-8")
    with pytest.raises(BadInput, match=r"^data/keys/Q01\.md: byte 0 is not UTF-8$"):
        report.report()


def test_a_record_without_verdicts_still_has_its_pages():
    write_rows(Path("data/work/verdicts.jsonl"), [])
    record.record()
    measure.measure()
    text = page()
    assert "The judge gave no decisive verdict" in text
    assert "No verdict is scored, so nobody leads." in text
    assert "Nothing: no verdict is recorded" in next((SITE / "pairings").iterdir()).read_text("utf-8")


def places(tree, front=()):
    """The path of every key in a tree; of several pairs or contestants, those of the first."""
    for number, (key, value) in enumerate(tree.items()) if isinstance(tree, dict) else ():
        if number == 0 or "~" not in key:
            yield (*front, key)
            yield from places(value, (*front, key))


FRAME = {"study": "A study", "record": "0" * 64, "judge": "oak"}
PAGES = [
    lambda found: overview(found, **FRAME), lambda found: methodology(found, **FRAME), lambda found: contestant_page(found, 0, **FRAME),
    lambda found: judge_page(found, **FRAME), lambda found: matter_lists(found, **FRAME),
]  # fmt: skip
USERS = {  # the pages that use each file: a test of a thousand renderings must not render what cannot differ
    **dict.fromkeys(FILES, PAGES[:2]), "pairs": [PAGES[0], PAGES[2]], "scores": [PAGES[0], PAGES[2]], "judge": PAGES,
    "coverage": PAGES[:3], "qualification": [PAGES[0], PAGES[1], PAGES[3]],
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_whatever_a_metrics_file_loses_or_holds_instead_the_pages_are_made_or_the_key_is_named(name):
    """The pages may use any key: what they use and schema/metrics.py does not ask for ends in another error than this test takes."""
    found = report.evidence()
    refused = 0
    for path in places(found.metrics[name]):
        for value in (..., "text", {"a": 1}):
            tree = changed(found.metrics[name], path, value)
            try:
                check_metrics(name, tree)
                check_names(name, tree, NAMES)
            except ValueError:
                refused += 1
            else:
                changed_evidence = dataclasses.replace(found, metrics={**found.metrics, name: tree})
                assert [made(changed_evidence) for made in USERS[name]]
    assert refused


@pytest.mark.parametrize("name", FILES)
def test_a_missing_metrics_file_is_named(name):
    Path(f"metrics/{name}.json").unlink()
    with pytest.raises(BadRecord, match=rf"^metrics/{name}\.json: no such file"):
        report.report()
    assert not SITE.exists()


def test_a_metrics_file_that_is_no_json_is_named():
    Path("metrics/judge.json").write_text('{"decisive": 3, "decisive": 4}')
    with pytest.raises(BadRecord, match=r"^metrics/judge\.json: a key stands twice"):
        report.report()


@pytest.mark.parametrize("name", TABLES)
def test_a_missing_table_is_named(name):
    Path(f"data/tables/{name}.parquet").unlink()
    with pytest.raises(BadRecord, match=rf"^data/tables/{name}\.parquet: no such file"):
        report.report()


def test_a_table_that_the_metrics_do_not_count_is_named_and_the_pages_stay():
    """A row fewer, a word changed: whatever the tables say of each other then, no page is made of it."""
    report.report()
    before = written()
    for name in TABLES:
        rows = read_table(name, FOLDER)
        if rows:
            write_table(name, rows[1:], FOLDER)
            with pytest.raises(BadRecord, match=rf"^data/tables/{name}\.parquet: it is not the table that metrics/provenance\.json counts"):
                report.report()
            write_table(name, rows, FOLDER)
    assert written() == before
    rows = read_table("answers", FOLDER)
    write_table("answers", [{**rows[0], "status": "lost"}, *rows[1:]], FOLDER)
    with pytest.raises(BadRecord, match=r"^data/tables/answers\.parquet: it is not the table"):
        report.report()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no such file"),
        ("{", "Expecting property name enclosed in double quotes"),
        ('{"mark": "bar", "mark": "bar"}', "a key stands twice"),
        ("[]", "Vega-Lite draws nothing by it: "),
        (
            '{"mark": "bar", "data": {"url": "https://example.org/rows.json"}}',
            "Vega-Lite draws nothing by it: Error: External data url not",
        ),
        (
            '{"mark": {"type": "image", "url": "https://example.org/a.png"}, "data": {"values": "<DVC_METRIC_DATA>"}}',
            "it holds a link or a picture",
        ),
        (
            '{"mark": {"type": "bar", "href": "https://example.org/"}, "data": {"values": "<DVC_METRIC_DATA>"}}',
            "it holds a link or a picture",
        ),
    ],
)
def test_a_specification_that_is_none_is_named_and_the_pages_stay(text, said):
    report.report()
    before = written()
    path = Path(".dvc/plots/outcomes.json")
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(BadInput, match=rf"^\.dvc/plots/outcomes\.json: {said}"):
        report.report()
    assert written() == before


@pytest.mark.parametrize("name", ["answers", "verdicts"])
def test_a_missing_recording_is_named(name):
    Path(f"data/recordings/{name}.jsonl").unlink()
    with pytest.raises(BadRecord, match=rf"^data/recordings/{name}\.jsonl: no such file"):
        report.report()


def test_a_study_with_an_unknown_key_is_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["report"])
    path = Path("conf/study/first.yaml")
    path.write_text(path.read_text() + "titel: x\n")
    with pytest.raises(SystemExit) as left:
        report.main()
    assert left.value.code == BadInput.exit_code
    assert capsys.readouterr().err == "report: conf/study/first.yaml: unknown key 'titel'; the nearest is 'title'\n"
