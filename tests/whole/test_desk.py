"""The commands that people type, on a recorded project: what they find, what they refuse, and that they touch nothing."""

import json
import random
import re
import subprocess
import sys
from contextlib import chdir

import pytest

from stages.__main__ import COMMANDS, main
from stages.desk.checks.dates import dates_against_commits
from stages.desk.in_use import load
from tests.loopback import Loopback, status
from tests.whole.project import CONTESTANTS, Project, Till


@pytest.fixture(scope="module")
def recorded(made_once, tmp_path_factory):
    """A copy of the project with results, the server that sold them, and every file as it is at first."""
    project = made_once[0].copy(tmp_path_factory.mktemp("desk") / "project")
    files = {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file() and ".git/" not in str(path)}
    return project, made_once[1].server, files


def moot(project, *words, ok=True, **environment):
    return project.run("python", "-m", "stages", *words, ok=ok, **environment)


def restore(project, files):
    for path in [p for p in project.folder.rglob("*") if p.is_file() and ".git/" not in str(p) and p not in files]:
        path.unlink()
    for path, data in files.items():
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)


@pytest.fixture
def project(recorded):
    whole, _, files = recorded
    yield whole
    restore(whole, files)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_every_command_offers_json(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    said = capsys.readouterr().out
    assert left.value.code == 0
    assert "example:" in said
    assert re.search(rf"^  moot {command}\b", said, re.MULTILINE)
    assert "--json" in said


def test_the_whole_help_names_every_command_and_loads_none_of_them():
    loaded = "import sys\nfrom stages.__main__ import main\ntry: main(['--help'])\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert all(re.search(rf"^    {command}\b", done.stdout, re.MULTILINE) for command in COMMANDS)
    modules = set(done.stderr.split())
    assert "stages.__main__" in modules
    assert not modules & {"duckdb", "hydra", "jsonschema", "omegaconf", "pandas", "pyarrow", "pydantic", "stages.desk.verify"}


def test_verify_counts_what_it_looked_at_and_passes(project):
    said = moot(project, "verify").stdout
    assert "29 checks, 0 failed" in said
    assert "     0  further attempts at answers were ordered; 0 orders not in use today" in said
    assert "     2  published dates compared with first commits; " in said
    assert "     6  requests of answers rebuilt from matters and settings" in said
    assert "     6  requests of verdicts rebuilt from answers, sides and instrument" in said
    assert "     6  verdicts read again from their received bodies" in said
    assert json.loads(moot(project, "verify", "--json").stdout)["record_sha256"] == project.metrics("provenance")["record"]
    assert f"record {project.metrics('provenance')['record']}" in said


def test_a_matter_that_names_an_earlier_day_than_its_first_commit_is_told_and_fails_nothing(project):
    project.edit("data/matters/Q01.md", 'published: "2026-11-30"', 'published: "2020-01-31"')
    with chdir(project.folder):
        check = dates_against_commits(load())
    assert check.looked_at == 2
    assert re.search(r"^[12] earlier than their commit: Q01 \(published 2020-01-31, first commit 20\d\d-\d\d-\d\d\)", check.remark)
    assert check.failures == []


def flip(path, line, chance):
    """Change one character inside one row of a recording."""
    lines = path.read_text("utf-8").split("\n")
    row = lines[line]
    places = [n for n, char in enumerate(row) if char.isalnum()]
    at = chance.choice(places)
    lines[line] = row[:at] + ("x" if row[at] != "x" else "y") + row[at + 1 :]
    path.write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize("recording", ["answers", "assignments", "verdicts", "readings"])
def test_one_flipped_character_of_any_recording_is_named_with_its_line(project, recording):
    chance = random.Random(recording)
    line = chance.randrange(6)
    flip(project.folder / f"data/recordings/{recording}.jsonl", line, chance)
    failed = moot(project, "verify", ok=False)
    assert failed.returncode == 9
    assert f"data/recordings/{recording}.jsonl: line {line + 1}" in failed.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("data/matters/Q01.md", "## Law\n\n", "## Law\n\nMore. ", "Q01:alder: no recorded reply"),
        ("conf/contestant/alder.yaml", "temperature: 0.0", "temperature: 0.1", "Q01:alder: no recorded reply"),
        ("conf/instrument/material_outcome.yaml", "by outcome", "by outcomes", "the study pins the instrument in use"),
        ("conf/judge/owl.yaml", "max_tokens: 256", "max_tokens: 255", "Q01:alder~birch: no recorded reply"),
        ("data/matters/Q01.md", "## Law", "## Laws", "data/matters/Q01.md: unknown section 'Laws'"),
    ],
)
def test_a_source_changed_after_the_fact_is_named(project, file, old, new, named):
    project.edit(file, old, new)
    failed = moot(project, "verify", ok=False)
    assert failed.returncode == 9
    assert named in failed.stderr


@pytest.mark.parametrize(("part", "old"), [("published", 'published: "2026'), ("price", "family: family-alder")])
def test_a_change_that_buys_nothing_still_changes_the_record_digest(project, part, old):
    file = "data/matters/Q01.md" if part == "published" else "conf/contestant/alder.yaml"
    project.edit(file, old, old.replace("2026", "2025").replace("family-alder", "another"))
    failed = moot(project, "verify", ok=False)
    assert failed.returncode == 9
    assert "metrics/provenance.json: record is" in failed.stderr


def test_a_forged_count_is_named(project):
    before = project.metrics("pairs")["alder~birch"]["wins_1"]
    project.edit("metrics/pairs.json", f'"wins_1": {before}', f'"wins_1": {before + 1}')
    failed = moot(project, "verify", ok=False)
    assert failed.returncode == 9
    assert f"metrics/pairs.json: alder~birch.wins_1 is {before + 1}, counted {before}" in failed.stderr


def test_an_id_that_is_not_in_the_study_is_refused(project):
    refused = moot(project, "explain-miss", "Q09:alder", ok=False)
    assert refused.returncode == 2
    assert "is no answer or pairing that this study can ask for now; the nearest is" in refused.stderr


def test_a_comment_changes_nothing(project):
    project.edit("conf/contestant/alder.yaml", "provider:", "# a comment\nprovider:")
    assert "0 failed" in moot(project, "verify").stdout


def test_a_verdict_changed_in_the_table_is_named(project):
    from stages.schema.tables import read_table, write_table

    folder = project.folder / "data/tables"
    rows = read_table("verdicts", folder)
    rows[0]["verdict"] = "A" if rows[0]["verdict"] != "A" else "B"
    write_table("verdicts", rows, folder)
    failed = moot(project, "verify", ok=False)
    assert failed.returncode == 9
    assert (
        f"data/tables/verdicts.parquet: row 1 ({rows[0]['verdict_id']}): verdict is not what recordings and settings say" in failed.stderr
    )


def test_the_prompt_is_byte_for_byte_what_the_server_received(project, recorded):
    _, server, _ = recorded
    received = {request.body for request in server.received}
    ids = [f"Q0{n}:{name}" for n in (1, 2) for name in CONTESTANTS] + [f"Q0{n}:alder~birch" for n in (1, 2)]
    for name in ids:
        assert moot(project, "audit", name, "--prompt").stdout.encode() in received
    assert len({moot(project, "audit", name, "--prompt").stdout for name in ids[:3]}) == 3


def test_audit_shows_sides_and_reply_and_takes_the_beginning_of_a_digest(project):
    shown = json.loads(moot(project, "audit", "Q01:alder~birch", "--json").stdout)
    assert {shown["assignment"]["answer_a_was"], shown["assignment"]["answer_b_was"]} == {"alder", "birch"}
    assert json.loads(shown["replies"][0]["body"])["choices"]
    again = json.loads(moot(project, "audit", shown["request_sha256"][:8], "--json").stdout)
    assert again == shown
    refused = moot(project, "audit", "Q01:aldr", ok=False)
    assert refused.returncode == 2
    assert "the nearest is 'Q01:alder'" in refused.stderr


def test_explain_miss_names_the_part_that_differs(project):
    assert "Nothing is missing" in moot(project, "explain-miss").stdout
    project.change("contestant", "alder", decoding={"max_tokens": 64, "temperature": 0.5})
    said = moot(project, "explain-miss", "Q01:alder").stdout
    assert "Q01:alder: nearest recorded call" in said
    assert "differs in settings_sha256: recorded " in said
    project.edit("data/matters/Q02.md", "## Law\n\n", "## Law\n\nMore. ")
    assert "differs in matter_sha256: recorded " in moot(project, "explain-miss", "Q02:birch").stdout
    assert [row["missing"] for row in json.loads(moot(project, "explain-miss", "--json").stdout)] == [
        "Q01:alder",
        "Q02:alder",
        "Q02:birch",
        "Q02:cedar",
    ]


def test_explain_miss_names_a_changed_system_prompt_and_a_new_contestant(project):
    project.change("contestant", "alder", system="Another prompt.")
    assert "Q01:alder: nearest recorded call" in moot(project, "explain-miss", "Q01:alder").stdout
    assert "words: recorded another system prompt" in moot(project, "explain-miss", "Q01:alder").stdout
    project.choose(contestants=[*CONTESTANTS, "dogwood"])
    assert re.search(r"differs in contestant: recorded \w+, wanted dogwood", moot(project, "explain-miss", "Q01:dogwood").stdout)


def files_of(project):
    """Every file but git's own and compiled sources, which Python may write whenever it likes."""
    skipped = (".git/", "__pycache__/")
    return {p: p.read_bytes() for p in project.folder.rglob("*") if p.is_file() and not any(word in str(p) for word in skipped)}


def test_commands_need_no_key_and_leave_no_trace(project):
    before = files_of(project)
    for words in (["verify"], ["audit", "Q01:alder"], ["explain-miss"], ["plan"], ["show", "answers"], ["sql", "SELECT 1"], ["version"]):
        moot(project, *words, MOOT_JOURNAL=str(project.folder.parent / "untouched"))
    assert files_of(project) == before
    assert not (project.folder.parent / "untouched").exists()


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("verify", ">&-"),
        ("verify", "2>&-"),
        ("verify", "| head -1"),
        ("audit Q01:alder~birch --json", "| true"),
        ("audit --help", "| true"),
    ],
)
def test_a_reader_that_is_not_there_or_leaves_changes_no_exit_code(project, words, end):
    done = project.run("bash", "-c", f"python -m stages {words} {end}; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr) == (0, "")


# ---- abandon


@pytest.fixture(scope="module")
def overloaded(tmp_path_factory):
    """A project that one contestant answers nothing, and its server."""
    with Loopback(lambda request: status(503, "overloaded") if "model-birch" in request.json["model"] else None) as server:
        project = Project(tmp_path_factory.mktemp("gap") / "project", server.base_url)
        refused = project.flow(ok=False)
        assert "delivered nothing" in refused.stderr
        yield project, server


@pytest.fixture
def gap(overloaded, tmp_path):
    project, server = overloaded
    till = Till(server)
    till.sold()
    return project.copy(tmp_path / "project"), till


def abandon(project, *words, ok=True):
    return moot(project, "abandon", *words, ok=ok)


WHY = ["--reason", "the endpoint is gone", "--by", "A. Author"]


def test_a_gap_is_ended_by_an_order_and_the_study_goes_on(gap):
    project, till = gap
    for matter in ("Q01", "Q02"):
        assert (
            "is abandoned: the endpoint is gone (A. Author)" in abandon(project, "--contestant", "birch", "--matter", matter, *WHY).stdout
        )
    till.sold()
    project.flow()
    assert till.sold() == (0, 2)
    pairs = project.metrics("pairs")
    assert (pairs["alder~birch"]["missing"], pairs["alder~birch"]["n"]) == (2, 0)
    assert pairs["alder~cedar"]["missing"] == 0
    abandoned = project.metrics("coverage")["abandoned"]
    assert abandoned["Q01:birch"].startswith("the endpoint is gone (A. Author, 20")
    project.commit("Results")
    project.flow()
    assert project.clean()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--contestant", "birch", "--matter", "Q01", "--by", "A"], "--reason"),
        (["--contestant", "birch", "--matter", "Q01", "--reason", "r"], "--by"),
        (["--contestant", "birch", "--matter", "Q01", "--reason", " ", "--by", "A"], "an order needs a reason"),
        (["--contestant", "birch", "--matter", "Q01", "--reason", "r", "--by", ""], "an order needs a named author"),
        (["--contestant", "birhc", "--matter", "Q01", *WHY], "the nearest is 'birch'"),
        (["--contestant", "birch", "--matter", "Q91", *WHY], "is not in the battery"),
        (["--contestant", "birch", *WHY], "name either --contestant and --matter, or --pairing"),
        (["--contestant", "alder", "--matter", "Q01", *WHY], "alder has a recorded answer to Q01"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_and_nothing_is_written(gap, words, sentence):
    project, _ = gap
    before = sorted((project.folder / "data/orders").rglob("*"))
    refused = abandon(project, *words, ok=False)
    assert refused.returncode == 2
    assert sentence in refused.stderr
    assert sorted((project.folder / "data/orders").rglob("*")) == before


def test_the_same_order_twice_is_refused(gap):
    project, _ = gap
    abandon(project, "--contestant", "birch", "--matter", "Q01", *WHY)
    refused = abandon(project, "--contestant", "birch", "--matter", "Q01", *WHY, ok=False)
    assert "abandoned already, by A. Author on 20" in refused.stderr


def test_a_verdict_that_will_not_come_is_abandoned_by_its_pairing_and_blindly(tmp_path):
    refuse = []

    def faults(request):
        if "response_format" in request.json and not refuse:
            refuse.append(request.body)
        return status(503, "overloaded") if request.body in refuse else None

    with Loopback(faults) as server:
        project, till = Project(tmp_path / "project", server.base_url), Till(server)
        project.flow(ok=False)
        (label,) = [row["missing"] for row in json.loads(moot(project, "explain-miss", "--json").stdout)]
        abandon(project, "--pairing", label, *WHY)
        (order,) = (project.folder / "data/orders/verdicts").glob("*.json")
        assert not any(name in order.read_text() + order.name for name in CONTESTANTS)
        till.sold()
        project.flow()
        assert till.sold() == (0, 0)
        assert project.metrics("pairs")[label.split(":")[1]]["missing"] == 1
        assert project.metrics("coverage")["abandoned"][label].startswith("the endpoint is gone")
        other = next(p for p in ("Q01:alder~birch", "Q01:alder~cedar") if p != label)
        refused = abandon(project, "--pairing", other, *WHY, ok=False)
        assert "has a recorded verdict" in refused.stderr
