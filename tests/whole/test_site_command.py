"""moot site, as a process: it says where it serves, serves that, and ends with Ctrl-C."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from stages.desk.site import server
from stages.runtime.errors import BadInput
from tests.whole.project import ROOT


def started(folder, *words):
    command = [sys.executable, "-m", "stages", "site", "--no-browser", *words]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_it_serves_the_pages_until_ctrl_c(tmp_path):
    (tmp_path / "data/site").mkdir(parents=True)
    (tmp_path / "data/site/index.html").write_text("<p>pages</p>")
    process = started(tmp_path)
    try:
        line = process.stderr.readline()
        address = re.fullmatch(r"moot site: (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\n", line).group(1)
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert answer.read() == b"<p>pages</p>"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    finally:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out == ""


def test_without_pages_it_says_how_to_make_them(tmp_path):
    with pytest.raises(BadInput, match=r"index\.html: no such file; stage report makes it: `uv run dvc repro report`$"):
        server(tmp_path, 0)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_refused(tmp_path, port):
    (tmp_path / "index.html").touch()
    with pytest.raises(BadInput, match=f"^--port {port}: a port is a number up to 65535$"):
        server(tmp_path, port)


def test_a_port_in_use_is_refused(tmp_path):
    (tmp_path / "index.html").touch()
    with server(tmp_path, 0) as first, pytest.raises(BadInput, match="Address already in use"):
        server(tmp_path, first.server_address[1])
