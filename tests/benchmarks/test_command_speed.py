"""The measuring itself, not the speed: a time that is asserted fails on a busy machine."""

from stages.__main__ import COMMANDS as KNOWN
from tests.benchmarks.command_speed import COMMANDS, IMPORTS, measured, processor_seconds


def test_every_measured_word_is_a_command():
    assert {words[0] for words in COMMANDS.values()} - {"--help"} <= set(KNOWN)


def test_processor_time_counts_work_and_not_waiting(tmp_path):
    idle = processor_seconds(["-c", "import time; time.sleep(0.2)"], tmp_path)
    work = processor_seconds(["-c", "import time\nwhile time.process_time() < 0.3: pass"], tmp_path)
    assert work > idle
    assert work >= 0.3


def test_a_command_is_measured_beside_the_imports_that_limit_it():
    (found,) = measured(["--help"], rounds=1)
    assert found.name == "--help"
    assert found.seconds > 0
    assert found.limit > 1
    assert IMPORTS[1] == "import duckdb, pyarrow"
