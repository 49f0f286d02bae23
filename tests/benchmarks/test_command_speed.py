"""The measuring itself, not the speed: a time that is asserted fails on a busy machine."""

import os
import subprocess
import sys

from stages.__main__ import COMMANDS as KNOWN
from tests.benchmarks.command_speed import COMMANDS, IMPORTS, ROOT, measured, processor_seconds


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
    assert found.clock > 0
    assert found.limit > 1
    assert IMPORTS[1] == "import duckdb, pyarrow"


def test_no_command_loads_what_only_stages_compute_with(tmp_path):
    """Hydra composes, pandas and SciPy count, Jinja renders: together they take longer to load than any command's own work."""
    script = """
import sys
import os
import subprocess
import sys

from stages.__main__ import main
for words in (["plan"], ["verify"], ["audit", "Q01:qwen-500m"], ["version"]):
    try:
        main(words)
    except SystemExit:  # what it found is not asked here
        pass
print(*sorted({"hydra", "omegaconf", "pandas", "scipy", "evalica", "jinja2", "rocrate", "httpx", "rich"} & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        cwd=ROOT,
        env={**os.environ, "MOOT_JOURNAL": str(tmp_path / "journal")},
        capture_output=True,
        text=True,
    )
    assert done.stderr.splitlines()[-1] == ""
