"""The whole flow: matters to scores, once bought, ever after reproduced byte for byte without a key or a network."""

import hashlib
import shutil

from stages.schema.tables import TABLES
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


def test_a_fresh_clone_reproduces_without_key_network_or_journal(bought, sales, tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    bought.run("git", "clone", "-q", str(bought.folder), str(clone))
    bought.folder, bought.journal = clone, tmp_path / "no-journal"
    monkeypatch.setattr(sales.server, "key", "nobody has it")
    bought.repro()
    assert sales.sold() == (0, 0)
    assert bought.clean()
    assert not bought.journal.exists()
    locked = digests_of_tables(bought)
    assert len(locked) == len(TABLES)
    for name, md5 in locked.items():
        assert hashlib.md5(bought.read(name)).hexdigest() == md5
    assert "up to date" in bought.repro().stdout


def test_the_journal_gives_back_what_the_recordings_lost(bought, sales):
    before = bought.recordings()
    shutil.rmtree(bought.folder / "data/recordings")
    bought.repro()
    assert sales.sold() == (0, 0)
    assert bought.recordings() == before


def test_metrics_show_and_diff_read_well(bought):
    bought.choose(contestants=["alder", "birch", "cedar", "dogwood"])
    bought.repro()
    shown = bought.dvc("metrics", "show", "metrics/pairs.json").stdout
    assert "alder~birch.wins_1" in shown
    diff = bought.dvc("metrics", "diff", "HEAD").stdout
    assert "alder~dogwood.n" in diff
    assert "None" not in shown
    assert "params.yaml" in bought.dvc("params", "diff", "HEAD").stdout


def test_forcing_every_stage_elsewhere_and_at_another_commit_gives_the_same_bytes_and_buys_nothing(bought, sales):
    before = {path: path.read_bytes() for path in (bought.folder / "data").rglob("*") if path.is_file()}
    metrics = {path: path.read_bytes() for path in (bought.folder / "metrics").rglob("*") if path.is_file()}
    head = bought.git("rev-parse", "HEAD").strip()
    for name in ("data/work", "data/tables", "data/site"):
        shutil.rmtree(bought.folder / name)
    bought.run("git", "commit", "-q", "--allow-empty", "-m", "Another commit")
    bought.repro("-f", TZ="Asia/Kathmandu", LC_ALL="C", PYTHONHASHSEED="7", HOSTNAME="elsewhere")
    for path, data in {**before, **metrics}.items():
        assert path.read_bytes() == data, path
        assert head.encode() not in data
    assert sales.sold() == (0, 0)
    assert bought.clean()
