"""Concurrency that adapts, at a server that throttles: everything is bought once, and the lane finds the level that the server bears."""

import threading

from stages.providers.pace import START
from tests.loopback import Loopback, slow, status
from tests.whole.project import Project, model
from tests.whole.test_kills import MATTERS

BEARS = 6


class Throttle:
    """A server that bears six calls at once. Until it has refused one it sends one reply at a time, and the next when the lane is full
    again: a full lane grows by one at each landing, so a seventh call comes on any machine, however slow."""

    def __init__(self):
        self.turn = threading.Condition()
        self.arrived = self.released = self.throttled = 0

    def __call__(self, _):
        with self.turn:
            self.arrived += 1
            self.turn.notify_all()
            if self.server.in_flight > BEARS:
                self.throttled += 1
                return status(429, "slow down", headers={"Retry-After": "0"})
            if not self.throttled:
                self.turn.wait_for(self._lane_is_full, timeout=600)
                self.released += 1
        return slow(0.05)

    def _lane_is_full(self):
        return self.throttled or self.arrived >= START + 2 * self.released  # for each reply comes one call, and one more


def test_a_throttling_server_is_not_overrun_and_everything_is_bought(tmp_path):
    faults = Throttle()
    with Loopback(faults) as server:
        faults.server = server
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
        assert 0 < faults.throttled < server.count / 2
        assert server.peak < 4 * BEARS
