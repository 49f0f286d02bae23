"""The whole flow: matters to scores, once bought, ever after reproduced byte for byte without a key or a network."""

import hashlib
import shutil

from tests.whole.project import digests_of_tables


def test_matters_become_scores_and_a_second_run_has_nothing_to_do(project, till):
    said = project.repro()
    assert till.sold() == (6, 6)
    assert "answers: 6/6, 6 bought" in said.stderr + said.stdout
    pairs = project.metrics("pairs")
    assert sorted(pairs) == ["alder~birch", "alder~cedar", "birch~cedar"]
    for row in pairs.values():
        assert row["wins_1"] + row["wins_2"] + row["ties"] + row["both_inadequate"] == row["n"]
        assert row["n"] + row["unreadable"] + row["missing"] == row["planned"] == 2
    assert (project.folder / "data/site/index.html").exists()
    assert "up to date" in project.repro().stdout
    assert till.sold() == (0, 0)


def test_a_fresh_clone_reproduces_without_key_network_or_journal(project, server, till, tmp_path):
    project.repro()
    project.commit("Results")
    till.sold()
    clone = tmp_path / "clone"
    project.run("git", "clone", "-q", str(project.folder), str(clone))
    project.folder, project.journal = clone, tmp_path / "no-journal"
    server.key = "nobody has it"
    project.repro()
    assert till.sold() == (0, 0)
    assert project.clean()
    assert not project.journal.exists()
    locked = digests_of_tables(project)
    assert len(locked) == 12
    for name, md5 in locked.items():
        assert hashlib.md5(project.read(name)).hexdigest() == md5
    assert "up to date" in project.repro().stdout


def test_forcing_every_stage_changes_nothing_and_buys_nothing(project, till):
    project.repro()
    project.commit("Results")
    till.sold()
    project.repro("-f")
    assert till.sold() == (0, 0)
    assert project.clean()


def test_the_journal_gives_back_what_the_recordings_lost(project, till):
    project.repro()
    before = project.recordings()
    till.sold()
    shutil.rmtree(project.folder / "data/recordings")
    project.repro()
    assert till.sold() == (0, 0)
    assert project.recordings() == before


def test_metrics_show_and_diff_read_well(project):
    project.repro()
    project.commit("Three contestants")
    project.choose(contestants=["alder", "birch", "cedar", "dogwood"])
    project.repro()
    shown = project.dvc("metrics", "show", "metrics/pairs.json").stdout
    assert "alder~birch.wins_1" in shown
    diff = project.dvc("metrics", "diff", "HEAD").stdout
    assert "alder~dogwood.n" in diff
    assert "None" not in shown
    assert "params.yaml" in project.dvc("params", "diff", "HEAD").stdout


def test_no_output_names_a_commit_a_clock_or_a_host_of_its_run(project):
    project.repro()
    project.commit("Results")
    before = {path: path.read_bytes() for path in (project.folder / "data").rglob("*") if path.is_file()}
    metrics = {path: path.read_bytes() for path in (project.folder / "metrics").rglob("*") if path.is_file()}
    head = project.git("rev-parse", "HEAD").strip()
    for name in ("data/work", "data/tables", "data/site"):
        shutil.rmtree(project.folder / name)
    project.run("git", "commit", "-q", "--allow-empty", "-m", "Another commit")
    project.repro("-f", TZ="Asia/Kathmandu", LC_ALL="C", PYTHONHASHSEED="7", HOSTNAME="elsewhere")
    for path, data in {**before, **metrics}.items():
        assert path.read_bytes() == data, path
        assert head.encode() not in data
