"""Which stages would run: held against DVC's own lock of this project, and against what is changed in a small one."""

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from stages.desk.stale import md5, stages_of, stale

ROOT = Path(__file__).parents[2]
FLOW = """\
stages:
  first:
    cmd: python -m first taste=${taste}
    deps: [source]
    params: [seed, "conf/${taste}.yaml": ]
    outs: [made/one.txt]
  second:
    cmd: python -m second
    deps: [made]
    metrics:
      - two.json: {cache: false}
  apart:
    cmd: python -m apart
    deps: [other.txt]
"""
CHOICES = {"seed": 7, "taste": "sweet"}


def lock(stage, choices=CHOICES):
    """What DVC would lock for a stage of FLOW as the files stand."""
    params = {"params.yaml": {"seed": 7}, "conf/sweet.yaml": yaml.safe_load(Path("conf/sweet.yaml").read_text())}
    found = {
        "cmd": stage["cmd"].replace("${taste}", choices["taste"]),
        "deps": [{"path": dep, "md5": md5(Path(dep))} for dep in stage["deps"]],
    }
    found["outs"] = [
        {"path": out, "md5": md5(Path(out))} for out in stage.get("outs", []) + [n for m in stage.get("metrics", []) for n in m]
    ]
    return found | ({"params": params} if "params" in stage else {})


@pytest.fixture
def flow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "dvc.yaml": FLOW, "source/a.txt": "a", "source/deep/b.txt": "b", "conf/sweet.yaml": "sugar: 1.0\n", "conf/sour.yaml": "sugar: 0.0\n",
        "made/one.txt": "1", "two.json": "{}", "other.txt": "o",
    }  # fmt: skip
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    stages = yaml.safe_load(FLOW)["stages"]
    Path("dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": {name: lock(stage) for name, stage in stages.items()}}))
    return tmp_path


def runs(choices=CHOICES, edited=()):
    return {row["stage"]: (row["runs"], row["because"]) for row in stale(choices, edited)}


def test_where_nothing_changed_nothing_runs(flow):
    assert runs() == dict.fromkeys(["first", "second", "apart"], ("no", "nothing changed"))


@pytest.mark.parametrize(
    ("path", "text", "because"),
    [
        ("source/deep/b.txt", "c", "source changed"),
        ("source/new.txt", "n", "source changed"),
        ("conf/sweet.yaml", "sugar: 2.0\n", "conf/sweet.yaml changed"),
        ("made/one.txt", "2", "made/one.txt is not what dvc.lock names"),
    ],
)
def test_a_changed_file_runs_its_stage_and_perhaps_what_follows(flow, path, text, because):
    Path(path).write_text(text)
    found = runs()
    assert found["first"] == ("yes", because)
    assert found["second"][0] == "perhaps", "what first makes anew may be what it was"
    assert found["apart"] == ("no", "nothing changed")


def test_a_comment_in_a_settings_file_runs_nothing(flow):
    Path("conf/sweet.yaml").write_text("sugar: 1.0  # a comment\n")
    assert {word for word, _ in runs().values()} == {"no"}


def test_compiled_python_runs_nothing(flow):
    Path("source/__pycache__").mkdir()
    Path("source/__pycache__/a.pyc").write_bytes(b"x")
    assert {word for word, _ in runs().values()} == {"no"}


def test_a_lost_output_and_a_stage_that_never_ran_run(flow):
    Path("two.json").unlink()
    assert runs()["second"] == ("yes", "two.json is not there")
    Path("dvc.lock").unlink()
    assert set(runs().values()) == {("yes", "it never ran")}


def test_a_choice_runs_the_stages_that_read_it(flow):
    assert runs({**CHOICES, "seed": 8})["first"] == ("yes", "seed changed in params.yaml")
    assert runs({**CHOICES, "taste": "sour"})["first"] == ("yes", "its command changed")


def test_a_supposed_edit_counts_as_one(flow):
    assert runs(edited=["source/a.txt"])["first"] == ("yes", "source changed")
    assert runs(edited=["source/a.txt"])["second"] == ("perhaps", "if made changes")


def test_what_is_no_yaml_is_named(flow):
    Path("dvc.lock").write_text("a: [1\n")
    with pytest.raises(ValueError, match=r"dvc\.lock: it is no YAML"):
        stale(CHOICES)


def test_a_folders_digest_is_dvcs(flow):
    listed = [{"md5": hashlib.md5(text).hexdigest(), "relpath": name} for text, name in ((b"a", "a.txt"), (b"b", "deep/b.txt"))]
    assert md5(Path("source")) == hashlib.md5(json.dumps(listed).encode()).hexdigest() + ".dir"
    assert md5(Path("nothing")) is None


def test_the_settings_and_recordings_that_are_shipped_have_the_digests_that_dvc_wrote(monkeypatch):
    monkeypatch.chdir(ROOT)
    stages = yaml.safe_load(Path("dvc.lock").read_text())["stages"]
    known = {each["path"]: each["md5"] for stage in stages.values() for each in [*stage["deps"], *stage["outs"]]}
    shipped = [path for path in known if path in ("conf", "data/matters", "uv.lock") or path.startswith(("data/recordings", "metrics/"))]
    assert len(shipped) > 8
    assert {path: md5(Path(path)) for path in shipped} == {path: known[path] for path in shipped}


def test_what_a_stage_reads_and_makes_is_said_with_the_choices_put_in(monkeypatch):
    monkeypatch.chdir(ROOT)
    chosen = {"judge": "owl", "instrument": "plain", "runner": "slow", "study": "first"}
    found = stages_of({**chosen, "panel": {"second_judges": []}})
    assert found["judge"]["cmd"].strip() == "python -m stages.judge judge=owl instrument=plain runner=slow"
    panel = stages_of({**chosen, "panel": {"second_judges": ["elm", "oak"]}})
    assert panel["judge"]["cmd"] == "python -m stages.judge judge=owl instrument=plain runner=slow --second_judges elm oak"
    assert "conf/judge/owl.yaml" in found["judge"]["reads"]
    assert "params.yaml" not in found["judge"]["reads"], "the judge stage does not open it"
    assert "params.yaml" in found["pair"]["reads"]
    assert "metrics/pairs.json" in found["measure"]["makes"]
