"""Tests buy from loopback servers, so their journal must never be a real one: it is a temporary folder or there are no tests."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("moot", deadline=None, max_examples=100)  # no deadline: a busy machine is no defect
settings.load_profile("moot")

TEMPORARY = Path(tempfile.gettempdir()).resolve()

# A shell's background jobs and nohup ignore these two; tests send them, and what is ignored here their processes ignore as well
for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)


def pytest_configure(config):
    named = os.environ.get("MOOT_JOURNAL")
    if named is None:
        os.environ["MOOT_JOURNAL"] = tempfile.mkdtemp(prefix="moot-test-journal-")
    elif not Path(named).resolve().is_relative_to(TEMPORARY):
        pytest.exit(f"MOOT_JOURNAL is {named}: tests run only on a journal under {TEMPORARY}", returncode=2)


@pytest.fixture(autouse=True)
def journal_of_its_own(tmp_path, monkeypatch):
    """Each test has an empty journal."""
    folder = tmp_path / "journal"
    monkeypatch.setenv("MOOT_JOURNAL", str(folder))
    monkeypatch.setattr("sys.argv", ["stage"])  # a stage run in this process must not read the words of the test run
    return folder
