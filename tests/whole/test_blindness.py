"""What each stage really opens, seen by an audit hook (Arrow opens its Parquet files below it): nothing of the project beyond what dvc.yaml declares; and what the judge is told."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.whole.project import CONTESTANTS, ROOT, Project

STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
HOOK = """
import os, runpy, sys
log = open(sys.argv[1], "w")
def hook(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)) and not (args[2] or 0) & (os.O_WRONLY | os.O_RDWR):
        log.write(os.path.abspath(os.fsdecode(args[0])) + "\\n")
sys.addaudithook(hook)
stage = sys.argv[2]
sys.argv = [stage, *sys.argv[3:]]
try:
    runpy.run_module(f"stages.{stage}", run_name="__main__")
finally:
    log.flush()
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    from tests.loopback import Loopback

    folder = tmp_path_factory.mktemp("blind")
    with Loopback() as server:
        project = Project(folder / "project", server.base_url)
        project.repro()
        yield project, server


def opened(project, stage):
    command = STAGES[stage]["cmd"].split()[3:]
    chosen = yaml.safe_load(project.read("params.yaml"))
    beside = chosen["panel"]["second_judges"]
    command = [word for word in command if word != "${panel}"] + (["--second_judges", *beside] if beside and "${panel}" in command else [])
    words = [re.sub(r"\$\{(\w+)\}", lambda match: str(chosen[match.group(1)]), word) for word in command]
    log = project.folder.parent / f"{stage}.opened"
    project.run("python", "-c", HOOK, str(log), stage, *words)
    paths = {Path(line) for line in log.read_text().splitlines()}
    assert paths, "the hook saw nothing: the test would prove nothing"
    own = (p for p in paths if p.is_relative_to(project.folder) and p.is_file() and p.parent.name != "__pycache__")  # compiled sources
    return sorted(p.relative_to(project.folder).as_posix() for p in own)


def declared(project, stage):
    chosen = yaml.safe_load(project.read("params.yaml"))
    entry = STAGES[stage]
    outs = [out if isinstance(out, str) else next(iter(out)) for out in [*entry.get("outs", []), *entry.get("metrics", [])]]
    files = (
        [
            "params.yaml" if isinstance(param, str) else re.sub(r"\$\{(\w+)\}", lambda m: chosen[m.group(1)], next(iter(param)))
            for param in entry["params"]
        ]
        if "params" in entry
        else []
    )
    return [*entry["deps"], *outs, *files]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_opens_nothing_beyond_what_it_declares(recorded, stage):
    project, _ = recorded
    allowed = declared(project, stage)
    found = opened(project, stage)
    stray = [name for name in found if not any(name == place or name.startswith(place + "/") for place in allowed)]
    assert stray == []


def test_the_judge_opens_no_file_that_names_a_contestant(recorded):
    project, _ = recorded
    for name in opened(project, "judge"):
        if not name.startswith("stages/"):
            text = project.read(name).decode("utf-8")
            assert not [c for c in CONTESTANTS if re.search(rf"\b{c}\b", text)], name


def test_no_judge_request_names_a_contestant_a_model_a_provider_or_a_file(recorded):
    _project, server = recorded
    names = [word for c in CONTESTANTS for word in (c, f"model-{c}", f"loopback/{c}", f"family-{c}", f"system prompt of {c}")]
    judged = [request.body.decode() for request in server.received if "response_format" in request.json]
    assert len(judged) == 6
    assert [name for body in judged for name in names if name in body] == []


def test_a_presentation_holds_a_matter_and_two_texts_and_nothing_else(recorded):
    project, _ = recorded
    rows = [json.loads(line) for line in project.read("data/work/presentations.jsonl").splitlines()]
    assert {frozenset(row) for row in rows} == {frozenset({"presentation_id", "matter_id", "answer_a", "answer_b"})}
    assert [row["presentation_id"] for row in rows] == sorted(row["presentation_id"] for row in rows)


def test_every_contestant_gets_the_matter_alone_in_a_fresh_context(recorded):
    _, server = recorded
    for request in (r.json for r in server.received if "response_format" not in r.json):
        assert [message["role"] for message in request["messages"]] == ["system", "user"]
        assert "tools" not in request


def test_no_request_holds_an_authors_key_or_a_solution(recorded):
    _, server = recorded
    keys = [path.read_text("utf-8") for path in (ROOT / "data/keys").glob("*.md")]
    lines = {line for key in keys for line in key.split("\n") if len(line) > 60}
    assert lines
    for request in server.received:
        sent = "\n".join(message["content"] for message in request.json["messages"])
        assert not [line for line in lines if line in sent]
