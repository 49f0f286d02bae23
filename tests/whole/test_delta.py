"""Exactly the delta is bought: counted at the loopback server, for M = 2 matters and three contestants unless said otherwise."""

import re
import shutil
import time

import pytest
import yaml

from stages.runtime.errors import BadInput
from tests.loopback import Loopback
from tests.whole.at_the_desk import asked
from tests.whole.project import CONTESTANTS, Project, Till

M = 2
FOUR = [*CONTESTANTS, "dogwood"]


def plan(project, *words):
    return asked(project, "plan", *words)


def to_buy(found):
    """Answers and verdicts that a plan says are bought, each from its fewest to its most."""
    return tuple((found[kind]["to_buy"], found[kind]["to_buy"] + found[kind]["perhaps"]) for kind in ("answers", "verdicts"))


def sold_as_planned(project, sales):
    """What a run sells, after checking that it is what the plan said, call for call, and that the plan's parts add up."""
    before = plan(project)
    sales.sold()
    said = project.repro().stdout
    sold = sales.sold()
    assert all(least <= count <= most for count, (least, most) in zip(sold, to_buy(before), strict=True)), (sold, to_buy(before))
    assert before["calls"] == {"at_least": sum(least for least, _ in to_buy(before)), "at_most": len(before["missing"])}
    for kind in ("answers", "verdicts", "controls"):
        assert sum(count for name, count in before[kind].items() if name != "planned") == before[kind]["planned"]
    after = plan(project)
    assert after["calls"] == {"at_least": 0, "at_most": 0}
    assert {row["runs"] for row in after["stages"]} == {"no"}
    runs = {word: {row["stage"] for row in before["stages"] if row["runs"] == word} for word in ("yes", "perhaps")}
    ran = set(re.findall(r"(?:Running stage '|Stage ')(\w+)'(?:| is cached - skipping run.*):?$", said, re.MULTILINE))
    assert runs["yes"] <= ran <= runs["yes"] | runs["perhaps"]
    return sold if all(least == most for least, most in to_buy(before)) else (*sold, "at most", *(most for _, most in to_buy(before)))


def flow_as_planned(project, sales):
    """As ``sold_as_planned``, without DVC: for what decides a call, not a stage. It costs a quarter of the time."""
    before = plan(project)
    sales.sold()
    project.flow()
    sold = sales.sold()
    assert plan(project)["calls"] == {"at_least": 0, "at_most": 0}
    return (*sold, "planned", *to_buy(before))


def rows(recordings):
    return {name: set(data.splitlines()) for name, data in recordings.items()}


def test_a_fourth_contestant_buys_its_answers_and_its_pairings_and_moves_no_earlier_byte(bought, sales):
    before = rows(bought.recordings())
    assert to_buy(plan(bought, "--add", "contestant=dogwood")) == ((M, M), (3 * M, 3 * M))
    bought.choose(contestants=FOUR)
    assert {row["because"] for row in plan(bought)["missing"]} == {
        "new contestant: nothing of dogwood is recorded",
        "an answer that it judges is still to come",
    }
    assert sold_as_planned(bought, sales) == (M, 3 * M)
    after = rows(bought.recordings())
    assert before["qualification.jsonl"] == after["qualification.jsonl"], "the judge is tested whoever contends"
    assert all(before[name] < after[name] for name in before if name != "qualification.jsonl")
    bought.choose(contestants=CONTESTANTS)
    bought.flow()
    assert rows(bought.recordings()) == after
    assert to_buy(plan(bought, "--add", "contestant=dogwood")) == ((0, 0), (0, 0))
    bought.choose(contestants=FOUR)
    assert flow_as_planned(bought, sales) == (0, 0, "planned", (0, 0), (0, 0))


def test_one_edited_matter_buys_three_and_three(bought, sales):
    before = rows(bought.recordings())
    assert to_buy(plan(bought, "--edit", "matter=Q01")) == ((3, 3), (3, 3))
    bought.edit("data/matters/Q01.md", "## Law\n\n", "## Law\n\nOne more rule stands here. ")
    assert "edited matter: what is recorded answers another text" in {row["because"] for row in plan(bought)["missing"]}
    assert sold_as_planned(bought, sales) == (3, 3)
    after = rows(bought.recordings())
    assert all(before[name] <= after[name] for name in before)
    bought.git("checkout", "data/matters/Q01.md")
    assert flow_as_planned(bought, sales) == (0, 0, "planned", (0, 0), (0, 0))


def test_a_new_instrument_with_its_study_buys_every_verdict_and_no_answer_and_going_back_none(bought, sales):
    values = yaml.safe_load(bought.read("conf/instrument/material_outcome.yaml"))
    bought.conf("instrument", "stricter", {**values, "system": values["system"] + " Be strict."})
    bought.choose(instrument="stricter")
    with pytest.raises(BadInput, match="instrument_sha256 pins"):
        plan(bought)
    refused = bought.repro(ok=False)
    assert refused.returncode != 0
    assert "instrument_sha256 pins" in refused.stderr
    assert sales.sold() == (0, 0)
    bought.pin("stricter", "second")
    bought.choose(study="second")
    assert {row["because"] for row in plan(bought)["missing"]} == {"new instrument"}
    assert sold_as_planned(bought, sales) == (0, 3 * M)
    bought.choose(study="first", instrument="material_outcome")
    assert flow_as_planned(bought, sales) == (0, 0, "planned", (0, 0), (0, 0))
    assert bought.metrics("pairs") == yaml.safe_load(bought.git("show", "HEAD:metrics/pairs.json"))


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"decoding": {"max_tokens": 64, "temperature": 0.5}}, "changed setting decoding.temperature from 0.0 to 0.5"),
        ({"route": "loopback/elsewhere"}, "changed setting route from loopback/alder to loopback/elsewhere"),
    ],
    ids=["temperature", "route"],
)
def test_other_settings_with_the_same_texts_buy_the_answers_only(bought, sales, change, because):
    bought.change("contestant", "alder", **change)
    assert {row["because"] for row in plan(bought)["missing"] if row["kind"] == "answer"} == {because}
    assert flow_as_planned(bought, sales) == (M, 0, "planned", (M, M), (0, 2 * M))


def test_other_settings_buy_the_pairings_whose_texts_changed(tmp_path):
    def reply(asked):
        return f"{asked['model']} at {asked.get('temperature')} on {asked['messages'][-1]['content'][:40]}"

    with Loopback(reply=lambda asked: '{"broken"' if "response_format" in asked else reply(asked)) as server:
        project, till = Project(tmp_path / "project", server.base_url), Till(server)
        assert flow_as_planned(project, till) == (3 * M, 3 * M, "planned", (3 * M, 3 * M), (3 * M, 3 * M))
        assert project.metrics("pairs")["alder~birch"]["unreadable"] == M
        project.change("contestant", "alder", decoding={"max_tokens": 64, "temperature": 0.5})
        assert sold_as_planned(project, till) == (M, 2 * M, "at most", M, 2 * M)


DECIDES_NOTHING = [
    ("contestant", "alder", {"decoding": {"max_tokens": 64, "temperature": 0}}),
    ("contestant", "birch", {"known_as": ["Birch"], "trained_until": "2026-01-01", "family": "other"}),
    ("contestant", "cedar", {"price": {"prompt_per_million": 1.0, "completion_per_million": 2.0, "source": "s", "read_on": "2026-11-30"}}),
    ("runner", "default", {"concurrency": 2, "tries": 3}),
]


def test_what_decides_no_reply_buys_none(bought, sales):
    for group, name, change in DECIDES_NOTHING:
        bought.change(group, name, **change)
        assert to_buy(plan(bought)) == ((0, 0), (0, 0)), change
    bought.edit("data/matters/Q01.md", "title: ", "title: A new view of ")
    assert sold_as_planned(bought, sales) == (0, 0)


def test_the_same_server_at_another_port_buys_nothing(bought):
    with Loopback() as elsewhere:
        for name in CONTESTANTS:
            bought.change("contestant", name, base_url=elsewhere.base_url)
        bought.flow()
        assert elsewhere.count == 0


def test_another_seed_redraws_nothing(bought, sales):
    before = bought.recordings()
    bought.choose(seed=8)
    assert flow_as_planned(bought, sales) == (0, 0, "planned", (0, 0), (0, 0))
    assert bought.recordings() == before


def test_a_branch_switch_buys_nothing_twice(bought, sales):
    bought.git("checkout", "-qb", "fourth")
    bought.choose(contestants=FOUR)
    bought.repro()
    bought.commit("Four contestants")
    sales.sold()
    for branch in ("main", "fourth"):
        bought.git("checkout", "-q", branch)
        bought.repro()
        assert bought.clean()
    assert sales.sold() == (0, 0)


def test_two_branches_that_each_added_a_contestant_merge_and_buy_the_missing_pairing(bought, sales):
    bought.conf(
        "contestant", "elm", {**yaml.safe_load(bought.read("conf/contestant/dogwood.yaml")), "model": "model-elm", "route": "loopback/elm"}
    )
    bought.commit("A fifth contestant's settings")
    for branch, newcomer in (("one", "dogwood"), ("two", "elm")):
        bought.git("checkout", "-qb", branch, "main")
        bought.choose(contestants=[*CONTESTANTS, newcomer])
        assert flow_as_planned(bought, sales)[:2] == (M, 3 * M)
        bought.commit(f"With {newcomer}")
    bought.git("merge", "one", ok=False)
    assert b"<<<<" not in b"".join(bought.recordings().values())
    bought.git("checkout", "--ours", "--", "dvc.lock", "params.yaml", "metrics")
    bought.choose(contestants=[*FOUR, "elm"])
    assert {row["because"] for row in plan(bought)["missing"]} == {"new pairing: never judged"}
    assert sold_as_planned(bought, sales) == (0, M)
    assert bought.metrics("pairs")["dogwood~elm"]["n"] + bought.metrics("pairs")["dogwood~elm"]["unreadable"] == M


def test_an_experiment_in_a_temporary_folder_buys_once(bought, sales):
    assert to_buy(plan(bought, "--add", "contestant=dogwood")) == ((M, M), (3 * M, 3 * M))
    for _ in range(2):
        bought.dvc("exp", "run", "--temp", "-S", "contestants=[alder,birch,cedar,dogwood]")
    assert sales.sold() == (M, 3 * M)
    assert to_buy(plan(bought, "--add", "contestant=dogwood")) == ((0, 0), (0, 0)), "the journal holds what the experiment bought"


def test_a_queue_with_two_workers_buys_nothing_twice(bought, sales):
    for order in ("[alder,birch,cedar,dogwood]", "[dogwood,cedar,birch,alder]"):
        bought.dvc("exp", "run", "--queue", "-S", f"contestants={order}")
    bought.dvc("queue", "start", "-j", "2")
    for _ in range(240):
        status = bought.dvc("queue", "status").stdout
        if not re.search("Queued|Running", status):
            break
        time.sleep(0.5)
    assert status.count("Success") == 2, status
    assert sales.sold() == (M, 3 * M)


def test_two_pairings_with_identical_requests_are_two_calls(tmp_path):
    verdict = '{"material_difference":false,"rationale":"Same.","rejected_points":[],"verdict":"tie"}'
    with Loopback(reply=lambda asked: verdict if "response_format" in asked else "The very same answer.") as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        assert flow_as_planned(project, till) == (3, 3, "planned", (3, 3), (3, 3))
        bodies = [request.body for request in server.received if "response_format" in request.json]
        assert len(bodies) == 3
        assert len(set(bodies)) == 1
        assert project.metrics("pairs")["alder~birch"]["ties"] == 1


def test_a_lost_table_is_made_again_and_bought_never(bought, sales):
    shutil.rmtree(bought.folder / "data/tables")
    shutil.rmtree(bought.folder / "data/work")
    assert sold_as_planned(bought, sales) == (0, 0)
    assert bought.clean()
