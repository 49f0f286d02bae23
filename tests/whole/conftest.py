"""One loopback server and one project for each test that asks for them."""

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
