"""Bad input at the level of the whole flow: one sentence, a documented exit code, and everything left as it was."""

import json
import stat
import subprocess

import pytest

from stages.schema.calls import body_of
from tests.loopback import Loopback, raw, slow, status
from tests.whole.project import CONTESTANTS, Project, Till
from tests.whole.test_kills import wait_for


def snapshot(project):
    kept = ("data/recordings", "data/work", "data/tables", "metrics")
    return {path: path.read_bytes() for name in kept for path in (project.folder / name).rglob("*") if path.is_file()}


def sentence(done, stage):
    lines = [line for line in done.stderr.splitlines() if line.startswith(f"{stage}: ")]
    assert lines, done.stderr
    return lines[0]


def test_a_missing_key_with_something_left_to_buy_buys_nothing(tmp_path):
    with Loopback(key="planted") as server:
        project, till = Project(tmp_path / "project", server.base_url, key_env="LOOPBACK_KEY"), Till(server)
        refused = project.stage("matters") and project.stage("generate", ok=False)
        assert refused.returncode == 4
        said = sentence(refused, "generate")
        assert "6 replies are missing, the first is the answer of alder to Q01 (attempt 1), and nothing was bought" in said
        assert "LOOPBACK_KEY" in said
        assert till.sold() == (0, 0)
        assert not (project.folder / "data/recordings").exists()
        project.stage("generate", LOOPBACK_KEY="planted")
        assert till.sold() == (6, 0)


def test_recordings_stay_as_they_were_when_the_key_is_missing(tmp_path):
    with Loopback() as server:
        project, till = Project(tmp_path / "project", server.base_url, key_env="LOOPBACK_KEY"), Till(server)
        project.flow(LOOPBACK_KEY="planted")
        till.sold()
        project.choose(contestants=[*CONTESTANTS, "dogwood"])
        before = project.recordings()
        refused = project.repro(ok=False)
        assert refused.returncode != 0
        assert "2 replies are missing, the first is the answer of dogwood to Q01" in refused.stderr
        assert project.recordings() == before
        assert till.sold() == (0, 0)


def edit_row(path, number, **change):
    lines = path.read_text("utf-8").splitlines()
    lines[number] = json.dumps({**json.loads(lines[number]), **change}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("stage", "recording", "change"),
    [
        ("generate", "answers", {"body": "{}"}),
        ("generate", "answers", {"contestant": "cedar"}),
        ("judge", "verdicts", {"body": '{"choices":[]}'}),
        ("conceal", "assignments", {"answer_a_was": "birch", "answer_b_was": "alder"}),
    ],
)
def test_a_hand_edited_recording_is_refused_with_its_line(bought, sales, stage, recording, change):
    path = bought.folder / f"data/recordings/{recording}.jsonl"
    edit_row(path, 1, **change)
    edited = snapshot(bought)
    refused = bought.stage(stage, ok=False)
    assert refused.returncode == 3
    said = sentence(refused, stage)
    assert f"data/recordings/{recording}.jsonl: line 2" in said
    assert "row_sha256 does not match" in said
    assert snapshot(bought) == edited
    assert sales.sold() == (0, 0)


@pytest.mark.parametrize(("stage", "recording"), [("generate", "answers"), ("conceal", "assignments"), ("judge", "verdicts")])
def test_a_truncated_last_line_is_refused(bought, sales, stage, recording):
    path = bought.folder / f"data/recordings/{recording}.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    cut = snapshot(bought)
    refused = bought.stage(stage, ok=False)
    assert refused.returncode == 3
    assert "is cut off" in sentence(refused, stage)
    assert snapshot(bought) == cut
    assert sales.sold() == (0, 0)


def test_two_contradictory_assignments_are_refused(bought):
    from dataclasses import replace

    from stages.conceal import assignment_row
    from stages.schema.jsonl import read_rows, write_rows
    from stages.schema.rows import Assignment

    path = bought.folder / "data/recordings/assignments.jsonl"
    rows = read_rows(path)
    first = Assignment.from_row(rows[0])
    turned = replace(first, answer_a_was=first.answer_b_was, answer_b_was=first.answer_a_was, ordinal=1)
    write_rows(path, [*rows, assignment_row(turned)])
    refused = bought.stage("conceal", ok=False)
    assert refused.returncode == 3
    assert "Q01:alder~birch: two stored assignments contradict each other" in sentence(refused, "conceal")


def test_an_unknown_choice_stops_the_first_stage(bought, sales):
    bought.choose(contestants=["alder", "brich"])
    refused = bought.repro(ok=False)
    assert refused.returncode != 0
    assert "params.yaml: contestant: no file conf/contestant/brich.yaml; the nearest is 'birch'" in refused.stderr
    assert sales.sold() == (0, 0)


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("api.example.org/v1", "it begins with neither http:// nor https://; the nearest is 'https://api.example.org/v1'"),
        ("https://me:planted@api.example.org/v1", "a user or a password stands in it"),
        ("https://api.example.org/v1?key=planted", "a query or a fragment stands in it"),
    ],
)
def test_an_address_that_cannot_be_asked_stops_the_first_stage(bought, base_url, words):
    before = snapshot(bought)
    for group, name in (("contestant", "birch"), ("judge", "owl")):
        unchanged = bought.read(f"conf/{group}/{name}.yaml")
        bought.change(group, name, base_url=base_url)
        refused = bought.stage("matters", ok=False)
        assert refused.returncode == 2
        assert sentence(refused, "matters").startswith(
            f"matters: conf/{group}/{name}.yaml: key 'base_url' must be another address: {words}"
        )
        assert "planted" not in refused.stderr + refused.stdout
        (bought.folder / f"conf/{group}/{name}.yaml").write_bytes(unchanged)
    assert snapshot(bought) == before


def test_a_provider_that_says_no_is_quoted_and_what_landed_is_kept(tmp_path):
    def faults(request):
        return status(401, "No such key, friend.") if "birch" in request.json["model"] else None

    with Loopback(faults) as server:
        project = Project(tmp_path / "project", server.base_url)
        project.stage("matters")
        refused = project.stage("generate", ok=False)
        assert refused.returncode == 5
        assert "No such key, friend." in sentence(refused, "generate")
        kept = [json.loads(line)["contestant"] for line in project.read("data/recordings/answers.jsonl").splitlines()]
        assert "birch" not in kept
        assert len(kept) == len(list((project.journal / "entries").rglob("*.json")))


def test_a_gap_is_never_an_answer_and_the_same_command_goes_on(tmp_path):
    broken = [True]

    def faults(request):
        return status(503, "overloaded") if broken and "birch" in request.json["model"] else None

    with Loopback(faults) as server:
        project, till = Project(tmp_path / "project", server.base_url), Till(server)
        project.stage("matters")
        refused = project.stage("generate", ok=False)
        assert refused.returncode == 6
        assert "overloaded" in refused.stderr
        assert b"overloaded" not in project.read("data/recordings/answers.jsonl")
        broken.clear()
        till.sold()
        project.stage("generate")
        assert till.sold() == (2, 0)


PAGE = "<html><title>Welcome</title>é</html>".encode("latin-1")  # constructed


def kept_pages(project):
    """What came and could not be read, by the file that holds it."""
    files = sorted((project.journal / "tries").glob("*.jsonl"))
    return {
        path: [body_of(row) for line in path.read_text("utf-8").splitlines() if line and "body" in (row := json.loads(line))]
        for path in files
    }


def test_a_page_in_the_place_of_an_answer_is_asked_for_twice_at_most_and_kept_whole(tmp_path):
    broken = [True]

    def faults(request):
        return raw(PAGE) if broken and "birch" in request.json["model"] else None

    with Loopback(faults) as server:
        project, till = Project(tmp_path / "project", server.base_url), Till(server)
        project.change("runner", "default", tries=6)
        project.stage("matters")
        refused = project.stage("generate", ok=False)
        assert refused.returncode == 6
        assert till.sold() == (4 + 2 * 2, 0)
        assert "nothing delivered in 2 tries; the last: HTTP 200, but the body is no JSON object: Welcome" in refused.stderr
        pages = kept_pages(project)
        assert list(pages.values()) == [[PAGE, PAGE]] * 2
        told = refused.stderr.split("generate: what came for 2 requests cannot be read and may be paid for; it is kept, the first in ")[1]
        assert told.split("\n")[0] in map(str, pages)
        assert stat.S_IMODE((project.journal / "tries").stat().st_mode) == 0o700
        assert b"Welcome" not in project.read("data/recordings/answers.jsonl")
        broken.clear()
        project.stage("generate")
        assert till.sold() == (2, 0)
        rows = [row for line in project.read("data/recordings/answers.jsonl").splitlines() if (row := json.loads(line))["tries"]]
        assert [[body_of(tried) for tried in row["tries"]] for row in rows] == [[PAGE, PAGE]] * 2


def test_a_kill_after_a_page_came_leaves_the_page(tmp_path):
    pages = set()

    def faults(request):
        if request.body in pages:
            return slow(3600)  # until the server stops
        pages.add(request.body)
        return raw(PAGE)

    with Loopback(faults) as server:
        project = Project(tmp_path / "project", server.base_url, matters=1)
        project.stage("matters")
        process = subprocess.Popen(["python", "-m", "stages.generate"], cwd=project.folder, env=project.environment())
        wait_for(lambda: server.count == 6)
        process.kill()
        process.wait()
    assert list(kept_pages(project).values()) == [[PAGE]] * 3


@pytest.mark.parametrize("end", ["2>&-", ">&- 2>&- <&-", "2>&1 | true"])
def test_replies_are_bought_and_stored_when_nobody_hears_of_it(tmp_path, end):
    with Loopback() as server:
        project, till = Project(tmp_path / "project", server.base_url), Till(server)
        project.stage("matters")
        project.run("bash", "-c", f"python -m stages.generate {end}; exit ${{PIPESTATUS[0]}}")
        assert till.sold() == (6, 0)
        rows = [json.loads(line) for line in project.read("data/recordings/answers.jsonl").splitlines()]
        assert len(rows) == 6


@pytest.mark.parametrize("named", ["", "journal", "~no-such-user/x"])
def test_a_journal_that_is_badly_named_is_refused_and_nothing_is_bought(tmp_path, named):
    with Loopback() as server:
        project, till = Project(tmp_path / "project", server.base_url), Till(server)
        project.stage("matters")
        refused = project.stage("generate", ok=False, MOOT_JOURNAL=named)
        assert refused.returncode == 2
        assert sentence(refused, "generate").startswith("generate: MOOT_JOURNAL is ")
        (project.folder / "file").touch()
        refused = project.stage("generate", ok=False, MOOT_JOURNAL=str(project.folder / "file"))
        assert refused.returncode == 7
        assert "cannot be read: Not a directory" in sentence(refused, "generate")
        assert till.sold() == (0, 0)
        assert not (project.folder / "data/recordings").exists()


@pytest.mark.parametrize(
    "words", [[], ["judge=owl"], ["judge=owl", "instrument=material_outcome", "runner=default", "x=y"], ["owl", "a", "b"]]
)
def test_the_judge_says_what_its_command_line_must_be(bought, words):
    refused = bought.run("python", "-m", "stages.judge", *words, ok=False)
    assert refused.returncode == 2
    assert "the command line must be judge=NAME instrument=NAME runner=NAME" in refused.stderr


@pytest.mark.parametrize("stage", ["matters", "generate", "pair", "conceal", "record", "measure", "report"])
def test_a_stage_tells_what_it_is_about_and_refuses_words_that_it_does_not_take(bought, sales, stage):
    told = bought.run("python", "-m", f"stages.{stage}", "--help").stdout
    assert told.startswith(f"{stage}: ")
    refused = bought.run("python", "-m", f"stages.{stage}", "foo=bar", ok=False)
    assert refused.returncode == 2
    assert "a stage takes no words on its command line, and here stand foo=bar" in refused.stderr
    assert sales.sold() == (0, 0)
