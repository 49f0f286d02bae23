"""moot plan on a recorded project: what it says, what it refuses, and that it touches nothing. Its counts are held in test_delta.py."""

import json

import pytest
import yaml

from stages.desk.plan import told
from stages.runtime.errors import BadInput
from tests.loopback import Loopback, status
from tests.whole.at_the_desk import asked
from tests.whole.project import CONTESTANTS, Project, Till


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A project with results, without DVC, and the server that it bought from."""
    with Loopback() as server:
        project = Project(tmp_path_factory.mktemp("plan") / "project", server.base_url)
        project.flow()
        project.commit("Results")
        yield project, Till(server)


@pytest.fixture
def project(recorded, tmp_path):
    return recorded[0].copy(tmp_path / "copy")


def plan(project, *words, ok=True, **environment):
    return project.run("python", "-m", "stages", "plan", *words, ok=ok, **environment)


def planned(project, *words):
    return asked(project, "plan", *words)


def counts(found):
    return {kind: {name: n for name, n in found[kind].items() if n} for kind in ("answers", "verdicts")}


def test_where_everything_is_recorded_nothing_is_bought(project):
    assert counts(planned(project)) == {"answers": {"planned": 6, "recorded": 6}, "verdicts": {"planned": 6, "recorded": 6}}
    said = plan(project).stdout
    assert "would buy nothing: every reply that it asks for is there." in said
    assert "matters   yes   it never ran" in said


def test_suppositions_touch_no_file_and_need_no_journal(project):
    before = {p: p.read_bytes() for p in project.folder.rglob("*") if p.is_file() and "__pycache__" not in str(p)}
    absent = str(project.folder.parent / "absent")
    found = json.loads(
        plan(project, "--add", "contestant=dogwood", "--edit", "matter=Q01", "--json", MOOT_JOURNAL=absent, LOOPBACK_KEY="").stdout
    )
    # four answers to the edited matter and one to the other; six pairings of the edited matter and three of the newcomer's
    assert (found["answers"]["to_buy"], found["verdicts"]["to_buy"]) == (5, 9)
    assert found["what_if"] == ["contestant dogwood added", "matter Q01 edited"]
    assert {p: p.read_bytes() for p in project.folder.rglob("*") if p.is_file() and "__pycache__" not in str(p)} == before
    assert not (project.folder.parent / "absent").exists()


def test_a_supposed_change_of_a_contestant_buys_what_a_real_one_does(project):
    supposed = planned(project, "--edit", "contestant=alder")
    project.change("contestant", "alder", system="Another prompt.")
    real = planned(project)
    assert (supposed["answers"], supposed["verdicts"]) == (real["answers"], real["verdicts"])
    assert real["answers"]["to_buy"] == 2
    assert real["verdicts"]["perhaps"] == 4, "a new answer may come word for word as the one that was judged"
    assert real["calls"] == {"at_least": 2, "at_most": 6}
    assert "would buy from 2 to 6 calls" in told(real)
    (because,) = {row["because"] for row in real["missing"] if row["kind"] == "answer"}
    assert because == "changed setting system from Constructed system prompt of alder. to Another prompt."


def test_tokens_and_costs_say_where_they_come_from(project):
    found = planned(project, "--add", "contestant=dogwood")
    buyers = {buyer["name"]: buyer for buyer in found["buyers"]}
    assert buyers["dogwood"]["tokens_from"].startswith("the length of the text")
    assert buyers["dogwood"]["completion_tokens"] == 2 * 64
    assert buyers["owl"]["tokens_from"] == "the mean of 6 replies in this record"
    assert buyers["owl"]["prompt_tokens"] == 6 * 11, "the loopback server counts 11 for every prompt"
    assert found["cost_usd"] is None
    price = {"prompt_per_million": 1.0, "completion_per_million": 2.0, "source": "a list", "read_on": "2026-11-30"}
    for group, name in (("contestant", "dogwood"), ("judge", "owl")):
        project.change(group, name, price=price)
    found = planned(project, "--add", "contestant=dogwood")
    assert found["cost_usd"] == pytest.approx(sum(b["prompt_tokens"] + 2 * b["completion_tokens"] for b in found["buyers"]) / 1e6)
    assert {buyer["cost_from"] for buyer in found["buyers"]} == {"a list, read on 2026-11-30"}


def test_a_changed_judge_setting_is_named_with_both_values(project):
    project.change("judge", "owl", decoding={"max_tokens": 256, "temperature": 0.25, "seed": 1})
    found = planned(project)
    assert counts(found)["verdicts"] == {"planned": 6, "to_buy": 6}
    assert {row["because"] for row in found["missing"]} == {"changed setting decoding.temperature from 0.0 to 0.25"}
    assert found["missing"][0]["changes"] == {"decoding.temperature": {"recorded": 0.0, "wanted": 0.25}}


def test_settings_that_no_commit_holds_are_said_to_be_so(project):
    project.git("checkout", "-q", "--orphan", "anew")
    project.change("judge", "owl", decoding={"max_tokens": 256, "temperature": 0.25, "seed": 1})
    project.commit("Without a past")
    assert {row["because"] for row in planned(project)["missing"]} == {
        "changed settings; those that were recorded stand in none of the last commits"
    }


def test_what_the_journal_holds_is_not_bought(recorded, project):
    for path in (project.folder / "data/recordings").glob("*.jsonl"):
        path.unlink()
    found = planned(project)
    assert counts(found)["answers"] == {"planned": 6, "in_journal": 6}
    assert found["calls"]["at_most"] == 0
    recorded[1].sold()
    project.flow()
    assert recorded[1].sold() == (0, 0)


def test_a_judge_that_asks_again_may_buy_more(project):
    project.change("judge", "owl", ask_again=2, decoding={"max_tokens": 128, "temperature": 0.0})
    found = planned(project)
    assert (found["calls"]["at_most"], found["asked_again_at_most"]) == (6, 12)
    assert "and 12 more at most for replies that cannot be read" in told(found)


def test_an_unreadable_verdict_that_is_recorded_is_asked_for_again(tmp_path):
    with Loopback(reply=lambda asked: "no verdict" if "response_format" in asked else f"Answer of {asked['model']}.") as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        project.flow()
        till.sold()
        project.change("judge", "owl", ask_again=1)
        found = planned(project)
        assert {row["because"] for row in found["missing"]} == {"the reply before it was unreadable, and is asked for again"}
        project.flow()
        assert till.sold() == (0, found["verdicts"]["to_buy"]) == (0, 3)


def test_what_is_abandoned_is_not_bought_and_its_pairings_are_unanswered(tmp_path):
    with Loopback(lambda request: status(503, "overloaded") if "model-birch" in request.json["model"] else None) as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        project.flow(ok=False)
        words = ["--contestant", "birch", "--matter", "Q01", "--reason", "gone", "--by", "A"]
        project.run("python", "-m", "stages", "abandon", *words)
        found = planned(project)
        assert counts(found) == {
            "answers": {"planned": 3, "recorded": 2, "abandoned": 1},
            "verdicts": {"planned": 3, "unanswered": 2, "to_buy": 1},
        }
        till.sold()
        project.flow()
        assert till.sold() == (0, 1)


def test_the_runners_limits_are_told(project):
    runner = yaml.safe_load(project.read("conf/runner/default.yaml"))
    project.conf("runner", "default", {**runner, "confirm_above": 1, "max_calls": 2, "max_cost_usd": 0.5})
    said = told(planned(project, "--edit", "matter=Q01"))
    assert "a stage that buys more than confirm_above (1) calls asks first" in said
    assert "max_calls of 2 may stop a stage" in said
    assert "max_cost_usd of $0.5000 holds for each stage" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--add", "contestant=dogwod"], "--add: there is no 'dogwod'; the nearest is 'dogwood'"),
        (["--add", "contestant=alder"], "alder is a contestant already"),
        (["--add", "matter=Q01"], "the study asks about Q01 already"),
        (["--add", "matter=Q99"], "--add: there is no 'Q99'"),
        (["--add", "judge=owl"], "--add 'judge=owl' is neither contestant=NAME nor matter=ID"),
        (["--add", "dogwood"], "--add 'dogwood' is neither contestant=NAME nor matter=ID"),
        (["--edit", "matter=Q09"], "--edit: there is no 'Q09'"),
        (["--edit", "contestant=dogwood"], "--edit: there is no 'dogwood'; known: alder, birch, cedar"),
    ],
)
def test_a_supposition_about_nothing_is_one_sentence(recorded, words, said):
    with pytest.raises(BadInput) as refused:
        planned(recorded[0], *words)
    assert said in str(refused.value)


def test_a_matter_that_the_study_does_not_ask_about_costs_nothing_until_it_joins(project):
    project.choose(matters=["Q01"])
    assert planned(project, "--edit", "matter=Q02")["calls"]["at_most"] == 0
    assert planned(project, "--add", "matter=Q02")["calls"]["at_most"] == 0, "it is recorded already"
    assert planned(project, "--add", "matter=Q02", "--edit", "matter=Q02")["calls"] == {"at_least": 6, "at_most": 6}


def test_a_new_contestant_is_called_one(project):
    project.choose(contestants=[*CONTESTANTS, "dogwood"])
    reasons = {row["because"] for row in planned(project)["missing"]}
    assert reasons == {"new contestant: nothing of dogwood is recorded", "an answer that it judges is still to come"}
