"""Files that stages hand on: the sentence names the file, what is wrong with it, and the stage that makes it."""

import re
from pathlib import Path

import pytest
import yaml

from stages.runtime.errors import BadRecord
from stages.runtime.handing import handed
from stages.runtime.paths import ATTEMPTS, CONTROLS, MATTERS, METRICS, PAIRINGS, PRESENTATIONS, TABLES, VERDICTS

ROOT = Path(__file__).parents[2]
HANDED = [MATTERS, ATTEMPTS, PAIRINGS, PRESENTATIONS, VERDICTS, CONTROLS, TABLES / "calls.parquet", METRICS / "pairs.json"]


def wrong(path):
    raise ValueError("line 3: key 'text' is missing")


@pytest.mark.parametrize("path", HANDED, ids=str)
def test_the_stage_that_is_named_is_the_one_that_dvc_lets_write_the_file(path):
    with pytest.raises(BadRecord) as refused:
        handed(path, wrong)
    said = re.fullmatch(
        rf"{path}: line 3: key 'text' is missing; stage (\w+) makes this file: `uv run dvc repro (\w+)`", str(refused.value)
    )
    stage = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"][said.group(1)]
    outs = [out if isinstance(out, str) else next(iter(out)) for out in [*stage.get("outs", []), *stage.get("metrics", [])]]
    assert path.as_posix() in outs
    assert said.group(1) == said.group(2)


def test_what_is_sound_is_handed_on():
    assert handed(MATTERS, lambda path: path) == MATTERS


def test_a_missing_file_is_said_to_be_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadRecord, match=r"^data/work/matters\.jsonl: no such file; stage matters makes this file"):
        handed(MATTERS, Path.read_bytes)


def test_a_file_that_no_stage_makes_is_named_all_the_same(tmp_path):
    with pytest.raises(BadRecord, match=f"^{tmp_path}/x: line 3: key 'text' is missing$"):
        handed(tmp_path / "x", wrong)
