"""Every file that a stage or `moot verify` reads, replaced by something else: one sentence that names it, and everything left as it was.

The stages run in this process, in a copy of a project with results; what a process makes of a refusal is tests/whole/test_refusals.py.
"""

import json
import os
import shutil
from argparse import Namespace
from pathlib import Path

import pytest

from stages import conceal, generate, judge, matters, measure, pair, qualify, record, report
from stages.desk import audit, verify
from stages.runtime.errors import BadRecord, Refusal, VerifyFailed
from stages.schema.calls import seal
from stages.schema.canonical import text_digest
from stages.schema.jsonl import read_rows, write_rows
from stages.schema.orders import AnswerOrder

SEAT = {"judge": "owl", "instrument": "material_outcome", "runner": "default"}
STAGES = {
    "matters": matters.matters, "generate": generate.generate, "pair": pair.pair, "conceal": conceal.conceal,
    "judge": lambda: judge.judge(SEAT), "qualify": lambda: qualify.qualify(SEAT), "record": record.record, "measure": measure.measure,
    "report": report.report, "verify": lambda: verify.run(Namespace(expect=None, live=None, sample=2)),
    "audit": lambda: audit.run(Namespace(what="Q01:alder~birch", prompt=False)),
}  # fmt: skip
READER = {"answers": "generate", "assignments": "conceal", "verdicts": "judge", "readings": "judge", "qualification": "qualify"}
READERS = {  # of each file under data/work, and the stage that makes it
    "matters": ("matters", ["generate", "pair", "conceal", "judge", "record"]),
    "attempts": ("generate", ["conceal", "record"]),
    "pairings": ("pair", ["conceal", "record"]),
    "presentations": ("conceal", ["judge"]),
    "verdicts": ("judge", ["record"]),
}
ORDER = AnswerOrder("abandon", "withdrawn", "A. Author", "2026-11-30T08:15:11.000Z", "alder", "Q02")


@pytest.fixture(scope="module")
def whole(made_once, tmp_path_factory):
    """A copy of the project with results, and every file as it is at first."""
    project = made_once[0].copy(tmp_path_factory.mktemp("bad-files") / "project")
    folders = ("data", "conf", "metrics")
    files = {path: path.read_bytes() for name in folders for path in (project.folder / name).rglob("*") if path.is_file()}
    return project, {**files, project.folder / "params.yaml": project.read("params.yaml")}


@pytest.fixture
def project(whole, monkeypatch, sales):
    found, files = whole
    monkeypatch.chdir(found.folder)
    monkeypatch.setenv("MOOT_JOURNAL", str(found.journal))
    yield found
    assert sales.sold() == (0, 0)
    restore(files)


def restore(files):
    """Every file as it was at first, and nothing beside them."""
    for path in sorted((path.absolute() for name in ("data", "conf", "metrics") for path in Path(name).rglob("*")), reverse=True):
        plain = path.is_file() and not path.is_symlink()
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path) if path in files or not any(path.iterdir()) else None
        elif not plain or path not in files:
            path.unlink()
    for path, data in files.items():
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def contents():
    plain = [path for name in ("data", "metrics", "conf") for path in Path(name).rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in plain}


def said_by(stage):
    """The sentences of a refusal, and its exit code. Nothing may have changed."""
    before = contents()
    with pytest.raises(Refusal) as refused:
        STAGES[stage]()
    sentences = [str(refused.value), *getattr(refused.value, "__notes__", [])]
    assert [sentence for sentence in sentences if "\n" in sentence] == []
    assert contents() == before
    return " | ".join(sentences), refused.value.exit_code


def check_refused(stage, *words):
    said, code = said_by(stage)
    assert [word for word in words if word not in said] == [], said
    assert code == (VerifyFailed.exit_code if stage == "verify" else BadRecord.exit_code)


def check_found(path, *words):
    """What verify says of one recording, without the checks after it."""
    failures = verify.rows_stand(path).failures
    assert len(failures) == 1
    assert [word for word in (f"{path}: ", *words) if word not in failures[0]] == [], failures


ODD = {
    "junk": lambda path: path.write_bytes(b"\x00\xffjunk"),
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "link to nothing": lambda path: path.symlink_to("gone"),
    "link to itself": lambda path: path.symlink_to(path.name),
}


def replace(path, odd):
    path.unlink()
    ODD[odd](path)


# ---- recordings


def recorded(name):
    return Path(f"data/recordings/{name}.jsonl")


def resealed(row, **change):
    changed = {**row, **change}
    if "body" in change:
        changed["response_sha256"] = text_digest(changed["body"])
    return seal({key: value for key, value in changed.items() if key != "row_sha256" and value is not ...})


RECORDINGS = ["answers", "assignments", "verdicts", "readings"]


@pytest.mark.parametrize(("into", "of"), [(into, of) for into in RECORDINGS for of in RECORDINGS if into != of])
def test_a_sealed_row_in_the_wrong_recording_is_refused_with_line_and_kind(project, into, of):
    rows, stray = read_rows(recorded(into)), read_rows(recorded(of))[0]
    write_rows(recorded(into), [*rows, stray])
    words = (
        f"{recorded(into)}: line 7 ",
        f"the row is of kind {of[:-1]!r}, and belongs in {of}.jsonl; here stand rows of kind {into[:-1]!r}",
    )
    check_refused(READER[into], *words)
    check_found(recorded(into), *words)


FORMS = [
    ("answers", {"http_status": "200"}, "key 'http_status' must be a whole number (it is '200')"),
    ("answers", {"attempt": 0}, "key 'attempt' must be 1 or more (it is 0)"),
    ("answers", {"started_at": "garbage"}, "key 'started_at' must be a time such as 2026-11-30T08:15:11.123Z (it is 'garbage')"),
    ("answers", {"tries": ...}, "key 'tries' is missing"),
    ("answers", {"contestnat": "alder"}, "unknown key 'contestnat'; the nearest is 'contestant'"),
    ("answers", {"body": "no text of a reply"}, "the body is no JSON object"),
    ("answers", {"body": '{"error": {"message": "overloaded"}}'}, "an error stands in it"),
    ("answers", {"body": '{"choices": []}'}, "the body holds no choices"),
    ("answers", {"wire": ""}, "key 'wire' must not be empty (it is '')"),
    ("verdicts", {"presentation_id": 7}, "key 'presentation_id' must be text (it is 7)"),
    ("verdicts", {"http_status": 500}, "HTTP 500 is no success"),
    ("verdicts", {"body": "[]"}, "the body is no JSON object"),
    ("assignments", {"ordinal": True}, "key 'ordinal' must be a whole number (it is true)"),
    ("assignments", {"answer_a_was": None}, "key 'answer_a_was' must be text (it is null)"),
    ("assignments", {"seed": ...}, "key 'seed' is missing"),
    ("readings", {"verdict": "C"}, "key 'verdict' must be 'A', 'B', 'tie', 'both_inadequate' or 'unreadable' (it is 'C')"),
    ("readings", {"matter_id": "one"}, "key 'matter_id' must be the id of a matter, such as Q01 (it is 'one')"),
]


@pytest.mark.parametrize(("name", "change", "words"), FORMS)
def test_a_sealed_row_with_an_impossible_content_is_refused_with_its_place(project, name, change, words):
    first, *rest = read_rows(recorded(name))
    write_rows(recorded(name), [resealed(first, **change), *rest])
    check_refused(READER[name], f"data/recordings/{name}.jsonl: ", words)
    check_found(recorded(name), "line 1 (", words)


@pytest.mark.parametrize(
    ("name", "change"), [("answers", {"contestant": "zebra"}), ("verdicts", {"matter_id": "Q02"}), ("verdicts", {"model": "m"})]
)
def test_a_row_that_was_sealed_under_another_requests_digest_is_refused(project, name, change):
    first, *rest = read_rows(recorded(name))
    write_rows(recorded(name), [resealed(first, **change), *rest])
    key = next(iter(change))
    check_refused(READER[name], f"data/recordings/{name}.jsonl: ", f"it states another {key} than the request whose digest it bears")
    check_refused("verify", f"its recorded row states another {key} than its request")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", READER)
def test_what_stands_in_a_recordings_place_is_named(project, name, odd):
    if name == "qualification":
        write_rows(recorded(name), [])
    replace(recorded(name), odd)
    check_found(recorded(name))
    if name in ("assignments", "verdicts"):
        check_refused(READER[name], f"{recorded(name)}: ")


def test_verify_goes_on_where_a_recording_is_wrong_and_leaves_with_its_own_code(project):
    first, *rest = read_rows(recorded("verdicts"))
    write_rows(recorded("verdicts"), [*rest, resealed(first, http_status="200")])
    replace(recorded("readings"), "pipe")
    check_refused(
        "verify",
        "9 checks, 4 failed",
        "verdicts.jsonl: line ",
        "readings.jsonl: it is no plain file",
        "can be read: data/recordings/verdicts.jsonl",
    )
    write_rows(recorded("verdicts"), [*rest, resealed(first, body="[]")])
    check_refused("verify", "its body is no delivery: the body is no JSON object", "readings.jsonl: it is no plain file")


# ---- what stages hand on


def work(name):
    return Path(f"data/work/{name}.jsonl")


def changed_rows(rows):
    """Ways in which a file of rows is not what it was, and what is said of it."""
    first, *rest = rows
    some = sorted(first)[0]
    return {
        "an empty object": ([{}, *rest], "line 1: key '"),
        "a missing key": ([{k: v for k, v in first.items() if k != some}, *rest], f"line 1: key '{some}' is missing"),
        "a key too many": ([*rest, {**first, "mater_id": 1}], f"line {len(rows)}: unknown key 'mater_id'; the nearest is 'matter_id'"),
        "another type": ([{**first, some: ["x"]}, *rest], f"line 1: key '{some}' must be "),
        "nothing": ([{**first, some: None}, *rest], f"line 1: key '{some}' must be "),
        "a wrong matter": ([{**first, "matter_id": "../Q01"}, *rest], "line 1: key 'matter_id' must be the id of a matter"),
    }


WAYS = ["an empty object", "a missing key", "a key too many", "another type", "nothing", "a wrong matter"]


@pytest.mark.parametrize(
    ("name", "stage", "way"),
    [
        (name, stage, way)
        for name, (_, stages) in READERS.items()
        for stage in stages
        for way in (WAYS if stage in ("conceal", "record") else WAYS[:2])
    ],
)
def test_a_row_that_was_changed_on_its_way_is_refused_with_file_key_and_maker(project, name, stage, way):
    rows, words = changed_rows(read_rows(work(name)))[way]
    write_rows(work(name), rows)
    maker = READERS[name][0]
    check_refused(stage, f"{work(name)}: {words}", f"; stage {maker} makes this file: `uv run dvc repro {maker}`")


@pytest.mark.parametrize("odd", [*ODD, "missing"])
@pytest.mark.parametrize(("name", "stage"), [(name, stages[0] if name != "matters" else "pair") for name, (_, stages) in READERS.items()])
def test_what_stands_in_the_place_of_a_file_of_rows_is_named_with_its_maker(project, name, stage, odd):
    if odd == "missing":
        work(name).unlink()
    else:
        replace(work(name), odd)
    check_refused(stage, f"{work(name)}: ", f"stage {READERS[name][0]} makes this file")


@pytest.mark.parametrize(("name", "stage"), [("pairings", "conceal"), ("presentations", "judge")])
def test_a_row_of_a_matter_that_is_not_in_the_battery_is_refused(project, name, stage):
    rows = read_rows(work("matters"))
    write_rows(work("matters"), rows[1:])
    check_refused(stage, str(work(name)), "not in data/work/matters.jsonl")


def test_a_series_that_the_study_lost_is_named_by_generate_too(project):
    project.change("study", "first", attempt_rules={"2": "recorded_attempt"})
    said, code = said_by("generate")
    assert "conf/study/first.yaml: attempt_rules has no series '1', which data/matters/Q01.md belongs to" in said
    assert code == 2


# ---- tables and metrics

TABLE_READERS = {
    "verdicts": ["measure", "report", "verify"],
    "contestants": ["measure", "report", "verify"],
    "calls": ["measure", "verify"],
}


ODD_TABLES = [*ODD, "empty", "torn", "another table", "missing"]


def table(name):
    return Path(f"data/tables/{name}.parquet")


@pytest.mark.parametrize(
    ("name", "stage", "odd"),
    [
        (name, stage, odd)
        for name, stages in TABLE_READERS.items()
        for stage in stages
        for odd in (["junk", "pipe"] if stage == "verify" else ODD_TABLES)
    ],
)
def test_what_stands_in_a_tables_place_is_named_with_its_maker(project, name, stage, odd):
    if odd in ODD:
        replace(table(name), odd)
    elif odd == "missing":
        table(name).unlink()
    else:
        data = table("matters" if odd == "another table" else name).read_bytes()
        table(name).write_bytes({"empty": b"", "torn": data[:-9], "another table": data}[odd])
    check_refused(stage, f"data/tables/{name}.parquet: ", "stage record makes this file: `uv run dvc repro record`")


def test_a_table_that_was_replaced_by_a_sound_one_is_found_by_its_digest(project):
    from stages.schema.tables import read_table, write_table

    rows = read_table("calls", Path("data/tables"))
    write_table("calls", rows[1:], Path("data/tables"))
    check_refused("verify", "tables rebuilt are the published ones: data/tables/calls.parquet: row 1 (")


@pytest.mark.parametrize("odd", [*ODD, "missing", "a list", "other keys", "a null"])
@pytest.mark.parametrize(
    ("name", "stage"),
    [
        *((name, "report") for name in ("coverage", "judge", "pairs", "provenance", "scores", "qualification")),
        ("pairs", "verify"),
        ("provenance", "verify"),
    ],
)
def test_what_stands_in_the_place_of_a_metrics_file_is_named_with_its_maker(project, name, stage, odd):
    path = Path(f"metrics/{name}.json")
    if odd in ODD:
        replace(path, odd)
    elif odd == "missing":
        path.unlink()
    else:
        path.write_text({"a list": "[]", "other keys": '{"a": {"b": 1}}', "a null": '{"record": null}'}[odd])
    check_refused(stage, f"{path}: ", "stage measure makes this file: `uv run dvc repro measure`")


# ---- orders


def ordered(name, row):
    path = Path("data/orders") / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n")
    return path


ORDERS = {
    "a number for a text": ("answers/Q02-alder.json", resealed(ORDER.row(), reason=7), "key 'reason' must be text (it is 7)"),
    "an empty file": ("answers/Q02-alder.json", "", "it holds no rows, and an order is one"),
    "a folder higher": ("Q02-alder.json", ORDER.row(), "nobody obeys what stands here; known: answers, reruns, verdicts"),
    "an answer's among verdicts": ("verdicts/Q02-alder.json", ORDER.row(), "it is an order about answers, and belongs in data/orders/answers"),
}  # fmt: skip


@pytest.mark.parametrize("case", ORDERS)
def test_an_order_that_nobody_could_obey_is_refused_with_its_file(project, case):
    name, row, words = ORDERS[case]
    path = ordered(name, row)
    for stage in ["record", "judge"] if name.startswith("verdicts") else ["record", "generate"]:
        check_refused(stage, f"{path}: ", words)


@pytest.mark.parametrize("odd", ODD)
def test_what_stands_in_an_orders_place_is_named(project, odd):
    path = Path("data/orders/answers/Q02-alder.json")
    ODD[odd](path)
    check_refused("record", f"{path}: ")


def test_a_sound_order_a_readme_and_a_hidden_file_are_taken(project):
    ordered("answers/Q02-alder.json", ORDER.row())
    ordered("answers/.hidden", "x")
    ordered("README.md", "x")
    generate.generate()
    record.record()
    assert read_rows(Path("data/orders/answers/Q02-alder.json")) == [ORDER.row()]


# ---- commands that read the same files


@pytest.mark.parametrize("name", ["answers", "assignments", "verdicts"])
def test_audit_names_a_recording_that_cannot_be_read(project, name):
    replace(recorded(name), "folder")
    check_refused("audit", f"{recorded(name)}: it is a folder, and a file belongs here")
