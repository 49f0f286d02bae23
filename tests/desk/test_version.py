"""moot version: what runs here, printed only; also where there is no git."""

import json
import subprocess
from importlib import metadata

import pytest

from stages.desk.checkout import checkout


def git(folder, *words):
    author = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    return subprocess.run(["git", *author, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "One")
    return tmp_path


def test_the_commit_and_a_clean_state(repository):
    found = checkout()
    assert (found["commit"], found["dirty"]) == (git(repository, "rev-parse", "HEAD"), False)


@pytest.mark.parametrize("name", ["file", "another"])
def test_a_changed_file_and_a_new_one_are_seen(repository, name):
    (repository / name).write_text("two")
    assert checkout()["dirty"] is True


def test_outside_git_nothing_is_claimed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    found = checkout()
    assert (found["commit"], found["dirty"]) == (None, None)


def test_without_git_on_the_path_nothing_is_claimed(repository, monkeypatch):
    monkeypatch.setenv("PATH", str(repository))
    assert (checkout()["commit"], checkout()["dirty"]) == (None, None)


def test_every_package_that_moot_asks_for_is_there_with_its_version():
    packages = checkout()["packages"]
    assert packages["pyarrow"] == metadata.version("pyarrow")
    assert {"duckdb", "dvc", "hydra-core", "pandas", "rocrate"} <= packages.keys()
    assert "xllamacpp" not in packages, "extras are not asked for"


def test_the_command_says_it_in_words_and_in_json(moot, project, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    code, out, _ = moot("version")
    assert code == 0
    assert ", no commit\nPython 3." in out
    assert json.loads(moot("version", "--json")[1])["packages"]["numpy"] in out
