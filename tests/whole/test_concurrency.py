"""Concurrency that adapts, at a server that throttles: everything is bought once, and the lane finds the level that the server bears."""

import threading

from tests.loopback import Loopback, slow, status
from tests.whole.project import Project, model
from tests.whole.test_kills import MATTERS

BEARS = 6


def test_a_throttling_server_is_not_overrun_and_everything_is_bought(tmp_path):
    lock, flying, throttled = threading.Lock(), [0], [0]

    def faults(_):
        with lock:
            flying[0] = server.in_flight
            if server.in_flight > BEARS:
                throttled[0] += 1
                return status(429, "slow down", headers={"Retry-After": "0"})
        return slow(0.05)

    with Loopback(faults) as server:
        project = Project(tmp_path / "project", server.base_url, matters=1)
        source = (project.folder / "data/matters/Q01.md").read_text("utf-8")
        for number in range(1, MATTERS + 1):
            text = source.replace("id: Q01", f"id: Q{number:03}").replace("## Law", f"## Law\n\nNumber {number}.")
            (project.folder / f"data/matters/Q{number:03}.md").write_text(text)
        (project.folder / "data/matters/Q01.md").unlink()
        project.choose(contestants=["alder", "birch"])
        for name in ("alder", "birch"):
            project.conf("contestant", name, model(server.base_url, name, route="loopback"))
        project.change("runner", "default", concurrency=64, tries=10, confirm_above=None)
        project.stage("matters")
        project.stage("generate")
        assert len(project.read("data/recordings/answers.jsonl").splitlines()) == 2 * MATTERS
        assert 0 < throttled[0] < server.count / 2
        assert server.peak < 4 * BEARS
