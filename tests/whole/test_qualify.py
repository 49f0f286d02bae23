"""The judge is tested over the same code that judges, on a recording of its own, and nothing of it is ever counted as a verdict."""

import json
import shutil

import pytest

from stages.schema.controls import KINDS
from tests.loopback import Loopback
from tests.whole.project import ROOT, Project

CONTROLS = len(KINDS) * 2
TEXTS = ROOT / "tests/golden/controls/Q01.md"


def leaning(asked):
    """A judge that always says A; a contestant that says something."""
    if "response_format" not in asked:
        return f"Constructed answer of {asked['model']}."
    return json.dumps({"material_difference": True, "rationale": "Constructed.", "rejected_points": [], "verdict": "A"})


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    with Loopback(reply=leaning) as server:
        project = Project(tmp_path_factory.mktemp("qualify") / "project", server.base_url, matters=1)
        shutil.copy(TEXTS, project.folder / "data/controls")
        project.edit("data/controls/Q01.md", "use: settling", "use: testing")
        project.change("judge", "owl", qualifies={"passing_rate": 0.5, "order_consistency": 0.5, "matters": 1})
        project.flow(pages=True)
        yield project, server, server.received  # what came until here: the tests below buy more, in any order


def test_every_control_is_asked_in_both_orders_and_apart_from_the_verdicts(tested):
    project, *_ = tested
    rows = [json.loads(line) for line in project.read("data/recordings/qualification.jsonl").splitlines()]
    assert {row["kind"] for row in rows} == {"control"}
    assert len(rows) == CONTROLS
    verdicts = [json.loads(line) for line in project.read("data/recordings/verdicts.jsonl").splitlines()]
    assert {row["kind"] for row in verdicts} == {"verdict"}
    assert len(verdicts) == 3
    pair = project.metrics("pairs")["alder~birch"]
    assert pair["planned"] == 1


def test_a_control_is_asked_in_the_very_words_of_a_verdict(tested):
    *_, received = tested
    asked = [request.json for request in received if "response_format" in request.json]
    assert len(asked) == 3 + CONTROLS
    assert len({json.dumps([request["messages"][0], request["response_format"]]) for request in asked}) == 1
    assert not [request for request in asked if "control" in json.dumps(request["messages"]).lower()]


def test_a_judge_that_always_says_a_does_not_qualify_and_the_counts_stay(tested):
    project, *_ = tested
    found = project.metrics("qualification")
    assert found["qualifies"] is False
    kinds = found["testing"]["kinds"]
    assert {name: kinds[name]["passed"] for name in kinds} == dict.fromkeys(sorted(KINDS), 0)
    assert kinds["alike_length"]["right"] == 1, "right in one order, as the side would have it"
    assert found["testing"]["order_consistency"]["value"] == 0
    pair = project.metrics("pairs")["alder~birch"]
    assert pair["wins_1"] + pair["wins_2"] == pair["n"] == 1
    page = project.read("data/site/index.html").decode()
    assert "does not qualify" in page


def test_thresholds_are_read_again_and_buy_nothing(tested, tmp_path):
    project, server, _ = tested
    copy = project.copy(tmp_path / "copy")
    seen = server.count
    copy.change("judge", "owl", qualifies={"passing_rate": 0.5, "order_consistency": 0.5, "matters": 2})
    copy.flow()
    assert server.count == seen
    assert "controls of 1 matters, and 2 are wanted" in copy.metrics("qualification")["because"]


def test_a_judge_without_thresholds_is_asked_no_control(tested, tmp_path):
    project, server, _ = tested
    copy = project.copy(tmp_path / "copy")
    (copy.folder / "data/recordings/qualification.jsonl").write_text("")
    shutil.rmtree(copy.journal)
    copy.change("judge", "owl", qualifies=None)
    seen = server.count
    said = copy.stage("matters").stderr + copy.stage("qualify").stderr
    assert "conf/judge/owl.yaml sets no thresholds (key qualifies), so the judge stays untested" in said
    assert server.count == seen
    for stage in ("record", "measure"):
        copy.stage(stage)
    assert copy.metrics("qualification")["because"] == "conf/judge/owl.yaml sets no thresholds (key qualifies), so the judge is untested"
    copy.run("python", "-m", "stages", "verify")


def test_a_changed_control_is_bought_again_alone(tested, tmp_path):
    project, server, _ = tested
    copy = project.copy(tmp_path / "copy")
    seen = server.count
    copy.edit("data/controls/Q01.md", "## right_reworded\n", "## right_reworded\n\nIn short. ")
    copy.flow()
    assert server.count == seen + 2
    before = set(project.read("data/recordings/qualification.jsonl").splitlines())
    assert before < set(copy.read("data/recordings/qualification.jsonl").splitlines())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("use: testing", "use: tested", "data/controls/Q01.md: use 'tested' is neither settling nor testing; the nearest is 'testing'"),
        ("id: Q01", "id: Q77", "data/controls/Q01.md: there is no matter 'Q77'"),
        ("## wrong_long", "## wrong-long", "unknown section 'wrong-long'; the nearest is 'wrong_long'"),
    ],
)
def test_a_wrong_control_file_is_refused_in_one_sentence(tested, tmp_path, old, new, says):
    project, server, _ = tested
    copy = project.copy(tmp_path / "copy")
    copy.edit("data/controls/Q01.md", old, new)
    seen, recordings = server.count, copy.recordings()
    done = copy.stage("qualify", ok=False)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (server.count, copy.recordings()) == (seen, recordings)


def test_verify_looks_at_the_controls_too(tested, tmp_path):
    project, *_ = tested
    copy = project.copy(tmp_path / "copy")
    copy.run("python", "-m", "stages", "verify")
    path = copy.folder / "data/recordings/qualification.jsonl"
    path.write_text(path.read_text().replace('"model":"model-owl"', '"model":"model-elk"', 1))
    done = copy.run("python", "-m", "stages", "verify", ok=False)
    assert done.returncode == 9
    assert "qualification.jsonl: line 1" in done.stderr
