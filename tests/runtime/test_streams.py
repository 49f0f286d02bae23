"""Standard streams that are closed, full or read by nobody: no traceback, and the exit code of what was done."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stages.runtime.errors import BadInput, Refusal, Stopped

ROOT = Path(__file__).parents[2]
STAGES = {
    "tells": "tell('word ' * 200_000)",
    "says": "[say('word ' * 1_000) for _ in range(100)]",
    "refuses": "(_ for _ in ()).throw(BadInput('It will not do.'))",
    "cannot": "open('/nowhere/at/all')",
    "stops": "(_ for _ in ()).throw(KeyboardInterrupt())",
    "quiet": "None",
}
CODES = {"tells": 0, "says": 0, "refuses": BadInput.exit_code, "cannot": Refusal.exit_code, "stops": Stopped.exit_code, "quiet": 0}
ENDS = {
    "closed output": ">&-",
    "closed error": "2>&-",
    "all closed": "<&- >&- 2>&-",
    "an error stream that is full": "2>/dev/full",
    "a reader that leaves": "| true",
    "a reader of both that leaves": "2>&1 | true",
}


def run(what, end, tmp_path):
    """Run a stage that does ``what`` in a shell that ends its streams so; its exit code, and what stands on standard error."""
    code = (
        "import sys; from stages.runtime.entry import run; from stages.runtime.errors import BadInput; "
        f"from stages.runtime.streams import say, tell; run('stage', lambda: {STAGES[what]})"
    )
    (tmp_path / "stage.py").write_text(code)
    line = f'"{sys.executable}" stage.py {end}; exit ${{PIPESTATUS[0]}}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("what", STAGES)
def test_nobody_need_be_listening(tmp_path, what, end):
    done = run(what, ENDS[end], tmp_path)
    assert done.returncode == CODES[what]
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_output_that_cannot_be_written_is_a_refusal(tmp_path):
    done = run("tells", ">/dev/full", tmp_path)
    assert (done.returncode, done.stderr) == (Refusal.exit_code, "stage: what was found cannot be written: No space left on device\n")


def test_what_is_heard_is_heard_whole(tmp_path):
    assert run("tells", "", tmp_path).stdout == "word " * 200_000
    assert run("refuses", "", tmp_path).stderr == "stage: It will not do.\n"
    assert run("cannot", "", tmp_path).stderr == "stage: /nowhere/at/all: no such file\n"


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path):
    """What a library writes to standard error would otherwise go into the next file that is opened."""
    (tmp_path / "stage.py").write_text(
        "import os; from stages.runtime.entry import run\n"
        "def stage():\n"
        "    with open('recording', 'w') as file:\n"
        "        assert file.fileno() > 2\n"
        "        os.write(2, b'noise')\n"
        "run('stage', stage)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["bash", "-c", f'"{sys.executable}" stage.py <&- >&- 2>&-'], cwd=tmp_path, env=environment, timeout=600, check=True)
    assert (tmp_path / "recording").read_bytes() == b""
    code = "import subprocess, sys; from stages.runtime.streams import open_streams; open_streams(); "
    code += "sys.exit(subprocess.run([sys.executable, '-c', 'import os; os.fstat(2)']).returncode)"
    words = ["bash", "-c", f'"{sys.executable}" -c "{code}" 2>&-']
    assert subprocess.run(words, cwd=tmp_path, env=environment, timeout=600, check=False).returncode == 0


def test_progress_needs_no_error_stream(monkeypatch):
    from stages.runtime.progress import Progress
    from stages.runtime.streams import say

    monkeypatch.setattr(sys, "stderr", None)
    with Progress("answers", 2) as progress:
        progress.landed(0.1, 10, bought=True)
        progress.say("A sentence.")
        say("Another.")
        assert progress.confirmed("Buy?") is False
    assert progress.tally.done == 1
