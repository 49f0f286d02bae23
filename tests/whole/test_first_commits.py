"""Publication dates against the first commits, over real git: earlier, same, not committed, shallow, and without git."""

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest

from stages.desk.first_commits import days_in, earlier_than_committed, first_days
from tests.small_record import matter


def git(*words, when="2026-11-29T23:30:00-05:00"):
    environment = {
        "PATH": "/usr/bin:/bin:/usr/local/bin",
        "HOME": str(Path.cwd()),
        "GIT_COMMITTER_DATE": when,
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
    }
    named = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *named, *words], check=True, capture_output=True, env=environment)


def write(name, text="x"):
    Path("data/matters").mkdir(parents=True, exist_ok=True)
    Path(f"data/matters/{name}.md").write_text(text)


def commit(*names, when, text="x"):
    for name in names:
        write(name, text)
    git("add", "-A")
    git("commit", "-qm", "Matters", when=when)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git("init", "-q")
    commit("Q01", when="2026-11-29T23:30:00-05:00")  # the 30th in UTC
    commit("Q02", when="2026-12-03T10:00:00+00:00")
    commit("Q01", when="2026-12-04T10:00:00+00:00", text="edited")
    return folder


def test_the_first_commit_counts_in_utc_and_an_edit_does_not(repository):
    assert first_days() == {"data/matters/Q01.md": "2026-11-30", "data/matters/Q02.md": "2026-12-03"}


def test_a_matter_that_went_and_came_back_is_as_old_as_its_first_commit(repository):
    Path("data/matters/Q01.md").unlink()
    git("commit", "-qam", "Without", when="2026-12-05T10:00:00+00:00")
    commit("Q01", when="2026-12-06T10:00:00+00:00")
    assert first_days()["data/matters/Q01.md"] == "2026-11-30"


def test_a_date_that_is_earlier_than_its_commit_is_told_and_no_other(repository):
    battery = [matter("Q01"), matter("Q02"), matter("Q03")]  # all published on 2026-11-30, and Q03 not committed
    assert earlier_than_committed(battery, first_days()) == ["Q02 (published 2026-11-30, first commit 2026-12-03)"]
    later = [dataclasses.replace(each, published="2026-12-03") for each in battery]
    assert earlier_than_committed(later, first_days()) == []


def test_a_shallow_clone_does_not_know(repository, tmp_path, monkeypatch):
    git("clone", "-q", "--depth", "1", f"file://{repository}", str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    assert first_days() == "the clone is shallow, so its history does not reach back"


def test_a_folder_without_git_does_not_know(repository, tmp_path, monkeypatch):
    shutil.copytree(repository / "data", tmp_path / "plain/data")
    monkeypatch.chdir(tmp_path / "plain")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert first_days() == "there is no git history here"


def test_a_machine_without_git_does_not_know(repository, monkeypatch):
    monkeypatch.setenv("PATH", str(repository))
    assert first_days() == "there is no git history here"


def test_a_repository_without_a_commit_does_not_know(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    assert first_days() == "git has no commits here"


def test_a_copy_inside_another_repository_claims_nothing_about_files_that_are_not_in_it(repository, monkeypatch):
    shutil.copytree("data", "inner/data")
    monkeypatch.chdir(repository / "inner")
    assert first_days() == {}


def test_of_several_commits_that_add_a_path_the_earliest_counts():
    assert days_in("\0002026-12-06T10:00:00+00:00\n\na.md\n\0002026-11-30T10:00:00+00:00\n\na.md\nb.md\n") == {
        "a.md": "2026-11-30",
        "b.md": "2026-11-30",
    }
    assert days_in("") == {}
