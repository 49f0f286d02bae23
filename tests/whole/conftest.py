"""Loopback servers and projects. What costs most, a project that has bought its first replies under DVC, is made once and copied."""

import pytest

from tests.loopback import Loopback
from tests.whole.project import Project, Till


@pytest.fixture
def server():
    with Loopback() as loopback:
        yield loopback


@pytest.fixture
def till(server):
    return Till(server)


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path / "project", server.base_url)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """A project with results, committed, and the server that it bought from."""
    with Loopback() as server:
        project = Project(tmp_path_factory.mktemp("made-once") / "project", server.base_url)
        till = Till(server)
        project.repro()
        project.commit("Three contestants")
        assert till.sold() == (6, 6)
        yield project, till


@pytest.fixture
def bought(made_once, tmp_path):
    """A copy of the project with results. What it buys is counted by ``sales``."""
    return made_once[0].copy(tmp_path / "bought")


@pytest.fixture
def sales(made_once):
    """What the server behind ``bought`` sells from now on."""
    till = made_once[1]
    till.sold()
    return till
