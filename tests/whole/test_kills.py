"""Kill -9 at random moments: the stage, DVC or both. Nothing that landed is lost, and only what was in flight may be bought again.

Ten kills here; ``MOOT_KILLS=50 uv run pytest tests/whole/test_kills.py`` does fifty.
"""

import collections
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time

import psutil
import pytest

from stages.providers.pace import START
from stages.schema.calls import check_row
from tests.loopback import Loopback, slow
from tests.whole.project import Project, model

KILLS = int(os.environ.get("MOOT_KILLS", "10"))
MATTERS, WIDTH = 100, 32
PATIENCE_S = 600  # no measure of speed, only the end of patience with a test that hangs


@pytest.fixture
def shop():
    with Loopback(lambda _: slow(0.3)) as server:
        yield server


@pytest.fixture
def large(tmp_path, shop):
    """Two contestants and a hundred constructed matters: 200 answers to buy, 32 at a time."""
    project = Project(tmp_path / "project", shop.base_url, matters=1)
    source = (project.folder / "data/matters/Q01.md").read_text("utf-8")
    for number in range(1, MATTERS + 1):
        name = f"Q{number:03}"
        (project.folder / f"data/matters/{name}.md").write_text(
            source.replace("id: Q01", f"id: {name}").replace("## Law", f"## Law\n\nNumber {number}.")
        )
    (project.folder / "data/matters/Q01.md").unlink()
    project.choose(contestants=["alder", "birch"])
    for name in ("alder", "birch"):
        project.conf("contestant", name, model(shop.base_url, name, route="loopback"))
    project.change("runner", "default", concurrency=WIDTH, confirm_above=None, stop_after_failures=50)
    project.commit("A hundred matters")
    project.stage("matters")
    return project


def entries(project):
    return sorted((project.journal / "entries").rglob("*.json"))


def started(project, *command, **environment):
    return subprocess.Popen(
        command, cwd=project.folder, env=project.environment(**environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def command_of(process):
    """A process's command line; empty once it has gone, which it may do between being listed and being asked."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def stage_of(process):
    """The stage's own process below DVC's: not the shell that may stand between them, nor a child of the stage. None when it has ended."""
    try:
        below = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    named = [child for child in below if "-m stages.generate" in command_of(child) and " -c " not in command_of(child)]
    return named[:1]  # children come before their own children


def kill(process):
    """SIGKILL, unless the process has ended by itself in the meantime."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGKILL)


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def ended(process):
    """Whether a process that is no child of this one has ended; where nobody collects it, it stays a zombie."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def heard(process, words):
    """Read what the process says until a line holds ``words``."""
    assert any(words in line for line in process.stdout), f"it never said: {words}"


def bought_again(shop):
    bodies = collections.Counter(request.body for request in shop.received)
    return sum(count - 1 for count in bodies.values())


def check_every_entry(project):
    for path in entries(project):
        (line,) = path.read_text("utf-8").splitlines()
        check_row(json.loads(line))


def test_kills_at_random_moments_lose_nothing_and_repeat_only_what_was_in_flight(large, shop):
    chance = random.Random(20261130)
    said, landed = [], 0
    for round_ in range(KILLS):
        before = shop.count
        process = started(large, "dvc", "repro", "-s", "generate")
        wait_for(lambda: shop.count > before or process.poll() is not None)  # noqa: B023  called before the loop turns
        time.sleep(chance.uniform(0.0, 0.8))
        stage = stage_of(process)
        victims = {"stage": stage, "dvc": [process], "both": [process, *stage]}[chance.choice(["stage", "dvc", "both"])]
        for victim in victims:
            kill(victim)
        process.wait()
        wait_for(lambda: all(map(ended, stage)))  # noqa: B023  an orphan still stores what lands, where `git clean` is about to clean
        check_every_entry(large)
        assert len(entries(large)) >= landed, "a reply that had landed is gone"
        landed = len(entries(large))
        assert bought_again(shop) <= WIDTH * (round_ + 1)
        large.git("clean", "-fdxq")
        large.stage("matters")
    done = large.stage("generate")
    said.append(done.stderr)
    assert len(entries(large)) == 2 * MATTERS
    assert len(large.read("data/recordings/answers.jsonl").splitlines()) == 2 * MATTERS
    assert bought_again(shop) <= WIDTH * KILLS
    seen = shop.count
    large.stage("generate")
    assert shop.count == seen


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_drains_stores_and_says_how_to_go_on(large, shop, name):
    shop.hold_after(20)
    process = started(large, "python", "-m", "stages.generate")
    wait_for(lambda: shop.count > 20)
    process.send_signal(getattr(signal, name))
    heard(process, "because it is paid for")
    shop.let_go()
    said = process.communicate()[0]
    assert process.returncode == 130
    assert "the same command goes on from here" in said
    rows = large.read("data/recordings/answers.jsonl").splitlines()
    assert len(rows) == shop.count == len(entries(large))
    assert bought_again(shop) == 0
    large.stage("generate")
    assert shop.count == 2 * MATTERS


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_death_of_dvc_alone_drains_the_stage(large, shop, shell):
    """Debian's sh stays between DVC and the stage, and outlives DVC; bash gives its place to the stage."""
    shop.hold_after(20)
    process = started(large, "dvc", "repro", "-s", "generate", SHELL=shutil.which(shell) or "/bin/sh")
    wait_for(lambda: shop.count > 20)
    (stage,) = stage_of(process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    heard(process, "because it is paid for")  # the stage holds the other end of the pipe still
    shop.let_go()
    wait_for(lambda: ended(stage))
    assert len(large.read("data/recordings/answers.jsonl").splitlines()) == shop.count == len(entries(large))
    assert shop.count < 2 * MATTERS
    assert bought_again(shop) == 0


def test_a_kill_says_how_many_calls_may_be_bought_again(large, shop):
    shop.hold_after(12)
    process = started(large, "python", "-m", "stages.generate")
    wait_for(lambda: shop.count >= 12 + START)  # so many at least are held: a lane begins at START and only grows here
    process.send_signal(signal.SIGKILL)
    process.wait()
    shop.let_go()
    open_calls = len(list((large.journal / "claims").iterdir()))
    assert START <= open_calls <= WIDTH
    done = large.stage("generate")
    assert "calls were in flight when an earlier run died; they may be bought again" in done.stderr
    assert bought_again(shop) <= open_calls


def test_two_processes_on_one_journal_buy_each_reply_once(large, shop, tmp_path):
    large.run("cp", "-r", str(large.folder), str(tmp_path / "second"))
    other = Project.__new__(Project)
    other.__dict__ |= {**large.__dict__, "folder": tmp_path / "second"}
    both = [started(project, "python", "-m", "stages.generate") for project in (large, other)]
    for process in both:
        assert process.wait(PATIENCE_S) == 0, process.stdout.read()
    assert shop.count == 2 * MATTERS
    assert large.read("data/recordings/answers.jsonl") == other.read("data/recordings/answers.jsonl")
