"""Loopback replies must never enter a real journal: without a temporary one, no test runs at all."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_tests_refuse_a_journal_that_is_not_temporary():
    environment = {**os.environ, "MOOT_JOURNAL": str(Path.home() / "a-real-journal")}
    words = [sys.executable, "-m", "pytest", "-n", "0", "tests/schema/test_names.py"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "tests run only on a journal under" in done.stdout + done.stderr
    assert "passed" not in done.stdout


def test_every_test_has_an_empty_journal_of_its_own(journal_of_its_own):
    assert os.environ["MOOT_JOURNAL"] == str(journal_of_its_own)
    assert not journal_of_its_own.exists()
