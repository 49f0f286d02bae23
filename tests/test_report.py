"""The stage report, on the small record built by hand (tests/small_record.py)."""

import html
import json
import sys
from pathlib import Path

import pytest

from stages import measure, record, report
from stages.render.page import Page, page_html
from stages.runtime.errors import BadInput, BadRecord
from stages.schema.jsonl import write_rows
from stages.schema.metrics import FILES, check_metrics, check_names
from tests.published import changed
from tests.small_record import NAMES, small_record, write_project

PAGE = Path("data/site/index.html")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    write_project(tmp_path, small_record())
    monkeypatch.chdir(tmp_path)
    record.record()
    measure.measure()
    return tmp_path


def page() -> str:
    report.report()
    return PAGE.read_text(encoding="utf-8")


def test_the_title_is_the_studys():
    assert "<title>Three &lt;invented&gt; trees &amp; a judge</title>" in page()


def test_the_numbers_are_those_of_the_metrics():
    text = page()
    judge = json.loads(Path("metrics/judge.json").read_text())
    assert f"The judge chose Answer A in {judge['a_share']['a']} of 3 decisive verdicts" in text
    for pair in json.loads(Path("metrics/pairs.json").read_text()).values():
        assert f'<td class="number">{pair["n"]}</td><td class="number">{pair["unreadable"]}</td>' in text
    assert json.loads(Path("metrics/provenance.json").read_text())["record"] in text


def test_what_was_compared_is_named():
    text = page()
    for name in ("alder", "birch", "cedar-large", "Q01", "Title of Q03", "oak", "material_outcome", "2026-01-31"):
        assert name in text


def test_what_a_judge_wrote_is_escaped():
    text = page()
    assert "<bdi>&lt;b&gt;ten days&lt;/b&gt;</bdi>" in text
    assert "<b>ten days" not in text
    assert "I would rather not." in text


def test_every_verdict_is_listed():
    assert page().count("<details>") == len(small_record().verdicts)


def test_the_page_is_the_same_every_time_and_holds_no_path_of_this_machine(project):
    first = page()
    assert page() == first
    assert str(project) not in html.unescape(first)


def test_only_the_page_is_written():
    report.report()
    assert [path.name for path in Path("data/site").iterdir()] == ["index.html"]


def test_a_record_without_verdicts_still_has_a_page():
    write_rows(Path("data/work/verdicts.jsonl"), [])
    record.record()
    measure.measure()
    text = page()
    assert "The judge gave no decisive verdict" in text
    assert "<details>" not in text


def places(tree, front=()):
    """The path of every key in a tree; of several pairs or contestants, those of the first."""
    for number, (key, value) in enumerate(tree.items()) if isinstance(tree, dict) else ():
        if number == 0 or "~" not in key:
            yield (*front, key)
            yield from places(value, (*front, key))


@pytest.mark.parametrize("name", FILES)
def test_whatever_a_metrics_file_loses_or_holds_instead_the_page_is_made_or_the_key_is_named(name):
    """The page may use any key: what it uses and metrics.py does not ask for ends in another error than this test takes."""
    rows = report.read_rows()
    metrics = report.read_metrics(NAMES)
    refused = 0
    for path in places(metrics[name]):
        for value in (..., "text", {"a": 1}):
            tree = changed(metrics[name], path, value)
            try:
                check_metrics(name, tree)
                check_names(name, tree, NAMES)
            except ValueError:
                refused += 1
            else:
                assert page_html(Page(title="Title", metrics={**metrics, name: tree}, **rows))
    assert refused


@pytest.mark.parametrize("name", FILES)
def test_a_missing_metrics_file_is_named(name):
    Path(f"metrics/{name}.json").unlink()
    with pytest.raises(BadRecord, match=rf"^metrics/{name}\.json: no such file"):
        report.report()
    assert not PAGE.exists()


def test_a_metrics_file_that_is_no_json_is_named():
    Path("metrics/judge.json").write_text('{"decisive": 3, "decisive": 4}')
    with pytest.raises(BadRecord, match=r"^metrics/judge\.json: a key stands twice"):
        report.report()


@pytest.mark.parametrize("name", ["matters", "contestants", "verdicts", "rejected_points"])
def test_a_missing_table_is_named(name):
    Path(f"data/tables/{name}.parquet").unlink()
    with pytest.raises(BadRecord, match=rf"^data/tables/{name}\.parquet: no such file"):
        report.report()


def test_a_study_with_an_unknown_key_is_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["report"])
    path = Path("conf/study/first.yaml")
    path.write_text(path.read_text() + "titel: x\n")
    with pytest.raises(SystemExit) as left:
        report.main()
    assert left.value.code == BadInput.exit_code
    assert capsys.readouterr().err == "report: conf/study/first.yaml: unknown key 'titel'; the nearest is 'title'\n"
