"""Each test writes its tables into a folder of its own."""

import pytest


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path
