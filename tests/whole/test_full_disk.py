"""A disk that fills up in the middle of a purchase: what landed stays, nothing new starts, and with room again the same command goes on."""

import json
from collections import Counter

import pytest

from stages.schema.calls import check_row
from tests.disks import enlarge, small_disk
from tests.loopback import Loopback
from tests.whole.project import Project, model

MATTERS, WIDTH = 20, 4
LONG = "constructed " * 3000  # 36 kB: a disk of 1 MiB is full after two dozen


@pytest.fixture
def seller():
    with Loopback(reply=lambda asked: f"{LONG}{asked['model']}") as server:
        yield server


@pytest.fixture
def buyer(tmp_path, seller):
    """Two contestants, forty answers to buy, four at a time from one endpoint."""
    project = Project(tmp_path / "project", seller.base_url, matters=MATTERS)
    project.choose(contestants=["alder", "birch"])
    for name in ("alder", "birch"):
        project.conf("contestant", name, model(seller.base_url, name, route="loopback"))
    project.change("runner", "default", concurrency=WIDTH)
    project.stage("matters")
    return project


def entries(project):
    """The requests that the journal has a whole reply to."""
    rows = [json.loads(path.read_text("utf-8")) for path in (project.journal / "entries").rglob("*.json")]
    for row in rows:
        check_row(row)
    return {row["request_sha256"] for row in rows}


def recorded(project):
    path = project.folder / "data/recordings/answers.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def sold(seller):
    """How often each request was sold."""
    return Counter(request.body for request in seller.received)


def full(done):
    """The one sentence of a run that the disk stopped."""
    assert done.returncode == 7
    return next(line for line in done.stderr.splitlines() if line.startswith("generate: "))


def test_a_journals_disk_that_fills_up_loses_nothing_and_buys_nothing_twice(tmp_path, buyer, seller):
    with small_disk(tmp_path / "disk", "1m") as disk:
        buyer.journal = disk / "journal"
        stopped = buyer.stage("generate", ok=False)
        assert full(stopped) == f"generate: the journal {buyer.journal} cannot be written: No space left on device"
        kept = entries(buyer)
        assert 5 < len(kept) < 2 * MATTERS
        assert len(kept) < seller.count <= len(kept) + WIDTH, "one reply found no room, and only what was in flight came after it"
        assert len(recorded(buyer)) == seller.count, "what found no room in the journal is in the recording"
        assert f"{seller.count} landed and are stored, {2 * MATTERS - seller.count} remain; the same command goes on" in stopped.stderr
        before = seller.count
        assert full(buyer.stage("generate", ok=False)).endswith("No space left on device")
        assert (seller.count, entries(buyer)) == (before, kept)
        enlarge(disk, "64m")
        buyer.stage("generate")
        assert len(recorded(buyer)) == 2 * MATTERS
        assert set(sold(seller).values()) == {1}
        assert kept <= entries(buyer)


def test_where_the_recordings_disk_is_full_too_only_what_was_in_flight_is_bought_again(tmp_path, buyer, seller):
    with small_disk(tmp_path / "disk", "1m") as disk:
        buyer.journal = disk / "journal"
        (disk / "recordings").mkdir()
        (buyer.folder / "data/recordings").symlink_to(disk / "recordings")
        stopped = buyer.stage("generate", ok=False)
        assert full(stopped) == f"generate: the journal {buyer.journal} cannot be written: No space left on device"
        kept = entries(buyer)
        assert len(kept) < seller.count <= len(kept) + WIDTH
        assert "data/recordings/answers.jsonl cannot be written: No space left on device" in stopped.stderr
        assert f"{len(kept)} landed and are in the journal, but not in the recording" in stopped.stderr
        assert list((disk / "recordings").iterdir()) == [], "half a recording would take the room of replies"
        in_flight = seller.count - len(kept)
        enlarge(disk, "64m")
        buyer.stage("generate")
        assert kept <= entries(buyer)
        assert len(entries(buyer)) == len(recorded(buyer)) == 2 * MATTERS
        assert sorted(sold(seller).values()) == [1] * (2 * MATTERS - in_flight) + [2] * in_flight


def test_a_reply_that_is_longer_than_a_file_may_be_stops_the_run_the_same(tmp_path):
    """Where nothing can be mounted, the file-size limit stands for the full disk: 300 KiB, and one reply of 480 kB."""
    with Loopback(reply=lambda asked: "x" * (480_000 if "cedar" in asked["model"] else 1000)) as seller:
        project = Project(tmp_path / "project", seller.base_url, matters=1)
        project.stage("matters")
        limited = project.run("sh", "-c", "ulimit -f 600; exec python -m stages.generate", ok=False)
        assert full(limited) == f"generate: the journal {project.journal} cannot be written: File too large"
        assert "2 landed and are in the journal, but not in the recording, 1 could be stored nowhere" in limited.stderr
        assert (seller.count, len(entries(project)), recorded(project)) == (3, 2, [])
        project.stage("generate")
        assert sorted(sold(seller).values()) == [1, 1, 2]
        assert len(recorded(project)) == 3
