"""DVC's and git's own traps: recordings survive them all, and nothing is bought twice."""

import json
import shutil
import subprocess

from tests.whole.project import ROOT


def check_same_and_free(project, sales, before):
    project.repro()
    assert project.recordings() == before
    assert sales.sold() == (0, 0)


def test_recordings_survive_the_commands_of_dvc_that_take_away(bought, sales):
    before = bought.recordings()
    for command in (("dvc", "checkout", "--force"), ("dvc", "gc", "-w", "-f"), ("git", "clean", "-fdxq")):
        bought.run(*command)
        assert bought.recordings() == before, command
    check_same_and_free(bought, sales, before)
    assert bought.clean()


def test_recordings_survive_a_stash(bought, sales):
    bought.choose(contestants=["alder", "birch", "cedar", "dogwood"])
    bought.repro()
    grown = bought.recordings()
    sales.sold()
    bought.git("stash", "-u")
    bought.repro()
    assert bought.clean()
    bought.git("stash", "pop")
    check_same_and_free(bought, sales, grown)


def test_windows_line_endings_change_nothing(bought, sales):
    before = bought.recordings()
    for path in (bought.folder / "data/recordings").glob("*.jsonl"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    bought.repro()
    assert sales.sold() == (0, 0)
    assert bought.recordings() in (before, {name: data.replace(b"\n", b"\r\n") for name, data in before.items()})


def test_a_clone_with_windows_settings_has_line_feeds(bought, tmp_path):
    bought.run("git", "-c", "core.autocrlf=true", "clone", "-q", str(bought.folder), str(tmp_path / "clone"))
    for name, data in bought.recordings().items():
        assert (tmp_path / "clone/data/recordings" / name).read_bytes() == data


def test_a_shallow_clone_reproduces(bought, sales, tmp_path):
    bought.run("git", "clone", "-q", "--depth", "1", f"file://{bought.folder}", str(tmp_path / "clone"))
    bought.folder = tmp_path / "clone"
    bought.repro()
    assert sales.sold() == (0, 0)
    assert bought.clean()


UV = """#!/bin/sh
case "$1" in sync) exit ;; esac
shift 2
exec "$@"
"""  # what the Makefile asks of uv: everything is installed here, and `run --frozen` runs it


def test_an_archive_without_git_reproduces(bought, sales, tmp_path):
    (tmp_path / "uv").write_text(UV)
    (tmp_path / "uv").chmod(0o755)
    archive = tmp_path / "archive.tar"
    bought.git("archive", "-o", str(archive), "HEAD")
    (tmp_path / "unpacked").mkdir()
    subprocess.run(["tar", "xf", str(archive), "-C", str(tmp_path / "unpacked")], check=True)
    before = bought.recordings()
    bought.folder = tmp_path / "unpacked"
    assert "is not a git repository" in bought.repro(ok=False).stderr
    bought.run("make", "-f", str(ROOT / "Makefile"), "repro", f"UV={tmp_path / 'uv'}")
    assert bought.recordings() == before
    assert sales.sold() == (0, 0)


def test_a_lock_file_left_behind_stops_nobody(bought, sales):
    dead = {"pid": 2**22 + 1, "cmd": "dvc repro"}  # beyond the largest process id, so nobody can have it
    held = {"write": {str(bought.folder / "data/work/matters.jsonl"): dead}, "read": {str(bought.folder / "data/matters"): [dead]}}
    (bought.folder / ".dvc/tmp/lock").write_text("")
    (bought.folder / ".dvc/tmp/rwlock").write_text(json.dumps(held))
    check_same_and_free(bought, sales, bought.recordings())


def test_a_recording_that_was_deleted_comes_back_whole(bought, sales):
    before = bought.recordings()
    shutil.rmtree(bought.folder / "data/recordings")
    check_same_and_free(bought, sales, before)
