"""A key never reaches a file, a log, an exception or a progress line: it is planted, everything fails, and every byte is searched."""

import base64
import gzip
import signal
import subprocess
import urllib.parse

import pytest

from tests.loopback import Loopback, close_early, echo_key, raw, reset, status
from tests.whole.project import Project
from tests.whole.test_kills import wait_for

KEY = "sk-PLANTED-0c5f/+=7d1b"  # with characters that JSON and URLs spell otherwise
FORMS = [KEY.encode(), urllib.parse.quote(KEY, safe="").encode(), KEY.replace("/", "\\/").encode(), b"PLANTED"]
WIDE = "PLANTED".encode("utf-16-be")  # a body that is no UTF-8 is kept in base64, where a text stands in one of three forms
FORMS += [WIDE, *(base64.b64encode(WIDE[start:])[:-4] for start in range(3))]


def leaks(project, *said):
    found = [f"said: {text[:200]}" for text in said if any(form.decode() in text for form in FORMS)]
    for folder in (project.folder, project.journal):
        for path in folder.rglob("*"):
            if path.is_file() and any(form in path.read_bytes() for form in FORMS):
                found.append(str(path))
    return found


def project_with(server, tmp_path):
    return Project(tmp_path / "project", server.base_url, key_env="LOOPBACK_KEY")


def stages(project, **environment):
    said = []
    for stage in ("matters", "generate"):
        done = project.stage(stage, ok=False, LOOPBACK_KEY=KEY, **environment)
        said.append(done.stdout + done.stderr)
    return said


@pytest.mark.parametrize(
    "fault",
    [
        echo_key(401),
        echo_key(403),
        echo_key(429),
        echo_key(500),
        echo_key(200),
        echo_key(302),
        reset(),
        close_early(),
        status(400, "no"),
        raw(f"<html>{KEY} and {KEY[:-3]}".encode()),
        raw(gzip.compress(f"<html>{KEY}".encode("utf-16"))[:-3], headers={"Content-Encoding": "gzip"}),
    ],
    ids=["401", "403", "429", "500", "200", "302", "reset", "close", "400", "page", "packed page"],
)
def test_whatever_fails_the_key_is_written_nowhere(tmp_path, fault):
    with Loopback(lambda _: fault, key=None) as server:
        project = project_with(server, tmp_path)
        said = stages(project, PYTHONDEVMODE="1", HTTPX_LOG_LEVEL="trace", PYTHONFAULTHANDLER="1")
        assert server.count > 0
        assert any(KEY in request.headers.get("authorization", "") for request in server.received), (
            "the key was never used: nothing is proved"
        )
        assert leaks(project, *said) == []


def test_dvc_writes_the_key_nowhere_either(tmp_path):
    with Loopback(lambda _: echo_key(500)) as server:
        project = project_with(server, tmp_path)
        environment = project.environment(LOOPBACK_KEY=KEY)  # -v makes DVC show its own traceback of a failed stage
        done = subprocess.run(["dvc", "repro", "-v"], cwd=project.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert leaks(project, done.stdout, done.stderr) == []


def test_a_run_that_works_writes_it_nowhere(tmp_path):
    with Loopback(key=KEY) as server:
        project = project_with(server, tmp_path)
        done = project.flow(LOOPBACK_KEY=KEY)
        assert leaks(project, done.stdout, done.stderr) == []
        assert project.metrics("coverage")["answers"]["recorded"] == 6


def test_a_kill_leaves_it_nowhere(tmp_path):
    with Loopback() as server:
        server.hold_after(0)
        project = project_with(server, tmp_path)
        project.stage("matters")
        words = ["python", "-m", "stages.generate"]
        process = subprocess.Popen(words, cwd=project.folder, env=project.environment(LOOPBACK_KEY=KEY), stderr=subprocess.PIPE, text=True)
        wait_for(lambda: server.count > 0)
        process.send_signal(signal.SIGKILL)
        said = process.communicate()[1]
        assert server.count > 0
        assert leaks(project, said) == []


def test_a_wrong_key_is_refused_without_showing_it(tmp_path):
    with Loopback(key="another") as server:
        project = project_with(server, tmp_path)
        project.stage("matters")
        refused = project.stage("generate", ok=False, LOOPBACK_KEY=KEY)
        assert refused.returncode == 5
        assert leaks(project, refused.stderr) == []
