"""A model that thinks for minutes without a byte is waited for: of all the times that are set, only read_timeout_s ends a silence.

Six seconds here, longer than any default but that one (httpx's own is five); ``MOOT_SILENCE=600 uv run pytest
tests/whole/test_silence.py`` waits for ten minutes.
"""

import json
import os

import yaml

from tests.loopback import Loopback, slow
from tests.whole.project import ROOT, Project

SILENCE_S = float(os.environ.get("MOOT_SILENCE", "6"))


def test_a_reply_after_a_long_silence_is_delivered_at_the_first_try(tmp_path):
    shipped = yaml.safe_load((ROOT / "conf/runner/default.yaml").read_text("utf-8"))
    assert shipped["read_timeout_s"] > SILENCE_S
    with Loopback(lambda _: slow(SILENCE_S)) as server:
        project = Project(tmp_path / "project", server.base_url, matters=1)
        project.conf("runner", "default", {**shipped, "connect_timeout_s": SILENCE_S / 2})
        project.stage("matters")
        project.stage("generate")
        rows = [json.loads(line) for line in project.read("data/recordings/answers.jsonl").splitlines()]
        assert server.count == len(rows) == 3
    assert [row["tries"] for row in rows] == [[]] * 3
    assert all(row["elapsed_ms"] >= 1000 * SILENCE_S for row in rows)
