"""moot site, as a process: it says where it serves, serves that, and ends with Ctrl-C."""

import re
import signal
import socket
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


def test_a_reader_that_asks_for_no_address_or_leaves_early_gets_no_traceback_and_no_file(tmp_path):
    (tmp_path / "data/site").mkdir(parents=True)
    (tmp_path / "data/site/index.html").write_text("<p>pages</p>")
    (tmp_path / "data/site/large.html").write_bytes(b"x" * 50_000_000)
    (tmp_path / "data/secret").write_text("secret")
    process = started(tmp_path)
    try:
        port = int(re.search(r":(\d+)/", process.stderr.readline()).group(1))
        for path in ("/%00", "/../secret", "/%2e%2e/secret", "/..%2fsecret", "//etc/passwd", "/assets/"):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as asking:
                asking.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                assert b"secret" not in asking.makefile("rb").read().replace(path.encode(), b""), path
        with socket.create_connection(("127.0.0.1", port), timeout=60) as leaving:
            leaving.sendall(b"GET /large.html HTTP/1.0\r\n\r\n")
            assert leaving.recv(100)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
            assert answer.read() == b"<p>pages</p>"
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert said.strip() == ""


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
