"""The small record built by hand (tests/small_record.py) as published tables in a temporary folder, made once."""

import shutil

import pytest

from tests.published import counted
from tests.small_record import small_record, write_project


@pytest.fixture(scope="session")
def small_project(tmp_path_factory):
    """A folder with settings, recordings, tables and no git."""
    folder = tmp_path_factory.mktemp("desk") / "project"
    folder.mkdir()
    write_project(folder, small_record())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        counted(small_record())
    return folder


@pytest.fixture
def project(small_project, tmp_path, monkeypatch):
    """A copy of it as the working folder."""
    shutil.copytree(small_project, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def moot(project, capfd):
    """Run a command in this process; its exit code, standard output and standard error."""
    from stages.__main__ import main

    def run(*words):
        capfd.readouterr()
        try:
            main(words)
            code = 0
        except SystemExit as left:
            code = left.code
        said = capfd.readouterr()
        return code, said.out, said.err

    return run
