"""How a stage starts and ends, in a process of its own."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAGE = "import resource; from stages.runtime.entry import run; run('stage', lambda: print(*resource.getrlimit(resource.RLIMIT_CORE)))"


def test_a_stage_that_crashes_leaves_no_core_file_which_would_hold_the_key():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    if most == 0:
        pytest.skip("no process here may leave one")

    def allow():
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))

    done = subprocess.run([sys.executable, "-c", STAGE], cwd=ROOT, preexec_fn=allow, capture_output=True, text=True, check=True)
    assert done.stdout == f"0 {most}\n"
