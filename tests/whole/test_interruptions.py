"""Interruptions over a real wire: each delivered attempt is scored as delivered, with its status, and told."""

import json

import pytest

from stages.schema.matter import read_battery
from stages.schema.tables import read_table
from tests.loopback import Loopback, completion, raw
from tests.whole.project import ROOT, Project, Till

SECRET = "Constructed reasoning: the holiday decides."


def delivered(text, finish, native=None, provider=None, model=None, **message):
    body = completion(text, finish, model=model or "constructed", **message)
    body["choices"][0] |= {"native_finish_reason": native} if native else {}
    body |= {"provider": provider} if provider else {}
    return raw(json.dumps(body).encode())


def blocked():
    return raw(json.dumps({"error": {"message": "Rejected.", "code": "content_policy_violation"}}).encode(), 400)


# matter and contestant: what comes, and the status, finish reason, further word and text that stand in the table
ENDINGS = {
    ("Q01", "alder"): (
        delivered("The appeal is", "content_filter", native="SAFETY", provider="host-a", model="model-alder"),
        ("filtered", "content_filter", "SAFETY", "The appeal is"),
    ),
    ("Q01", "birch"): (delivered(None, "content_filter", model="model-birch"), ("filtered", "content_filter", None, "")),
    ("Q01", "cedar"): (
        delivered(None, "length", model="model-cedar", reasoning=SECRET),
        ("truncated", "length", None, ""),
    ),
    ("Q02", "alder"): (delivered("", "stop", provider="host-b", model="model-alder-mini"), ("empty", "stop", None, "")),
    ("Q02", "birch"): (
        delivered(None, "stop", model="model-birch", refusal="I cannot advise on this."),
        ("refused", "stop", None, "I cannot advise on this."),
    ),
    ("Q02", "cedar"): (blocked(), ("blocked", None, "content_policy_violation", "")),
}  # fmt: skip


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    briefs = {matter.brief: matter.matter_id for matter in read_battery(ROOT / "data/matters")}

    def faults(request):
        if "response_format" in request.json:
            return None
        key = (briefs[request.json["messages"][-1]["content"]], request.json["model"].removeprefix("model-"))
        return ENDINGS[key][0]

    with Loopback(faults) as server:
        project, till = Project(tmp_path_factory.mktemp("interrupted") / "project", server.base_url), Till(server)
        project.flow()
        assert till.sold() == (6, 6), "each was delivered once, and every pair of them was judged"
        yield project, server


def table(project, name):
    return {(row["matter_id"], row["contestant"]): row for row in read_table(name, project.folder / "data/tables")}


@pytest.mark.parametrize("key", ENDINGS, ids=":".join)
def test_an_interrupted_attempt_stands_as_it_was_delivered_and_is_scored(interrupted, key):
    project, _ = interrupted
    attempt, answer = table(project, "attempts")[key], table(project, "answers")[key]
    assert tuple(attempt[name] for name in ("status", "finish_reason", "provider_code", "text")) == ENDINGS[key][1]
    assert attempt["scored"]
    assert (answer["attempt"], answer["attempt_rule"], answer["status"]) == (1, "recorded_attempt", ENDINGS[key][1][0])


def test_reasoning_stands_apart_and_no_judge_ever_sees_it(interrupted):
    project, server = interrupted
    assert table(project, "attempts")["Q01", "cedar"]["reasoning"] == SECRET
    assert table(project, "answers")["Q01", "cedar"]["text"] == ""
    judged = [request for request in server.received if "response_format" in request.json]
    assert len(judged) == 6
    assert not [request for request in judged if SECRET.encode() in request.body]
    assert SECRET not in project.read("data/work/presentations.jsonl").decode()


def test_every_interruption_is_told_and_no_layer_is_named_that_the_reply_does_not_name(interrupted):
    told = interrupted[0].metrics("disclosures")["interruptions"]
    assert told == {
        "alder:empty": "No text stands in 1 answer of alder (finish reason stop; which layer kept it back is unknown); scored as delivered: Q02.",
        "alder:filtered": "A content filter stopped 1 answer of alder (finish reason content_filter; the model's own provider says SAFETY);"
        " scored as delivered: Q01.",
        "birch:filtered": "A content filter stopped 1 answer of birch before any text (finish reason content_filter; which layer did is unknown);"
        " scored as delivered: Q01.",
        "birch:refused": "A field of the reply marks 1 answer of birch as a refusal (finish reason stop); scored as delivered: Q02.",
        "cedar:blocked": "Moderation refused the request for 1 answer of cedar, as the endpoint's error says (code content_policy_violation);"
        " scored as delivered: Q02.",
        "cedar:truncated": "The token limit cut off 1 answer of cedar before any text (finish reason length); scored as delivered: Q01.",
    }


def test_a_silent_reroute_and_mixed_hosts_are_told(interrupted):
    served = interrupted[0].metrics("disclosures")["served"]
    assert served["alder:models"] == "Replies of alder say that they come from 2 models: model-alder (1) and model-alder-mini (1)."
    assert served["alder:hosts"] == "Replies of alder say that they come from 2 hosts: host-a (1) and host-b (1)."
    assert served["alder:other"] == "1 reply of alder to a request for model-alder came from model-alder-mini."
    assert not [key for key in served if key.startswith(("birch", "cedar", "judge"))]


def test_the_scenarios_leave_out_what_was_kept_back_and_what_was_cut_off(interrupted):
    found = interrupted[0].metrics("scenarios")
    assert {name: each["left_out"] for name, each in found.items()} == {
        "as_delivered": 0, "without_blocked": 3 + 2, "without_truncated": 2, "without_reruns": 0, "without_self_naming": 0,
    }  # fmt: skip
    for each in found.values():
        for pair in each["pairs"].values():
            assert pair["n"] + pair["unreadable"] + pair["missing"] + pair["left_out"] == pair["planned"] == 2


def test_what_was_refused_or_is_whole_is_not_ordered_again_and_the_rest_may_be(interrupted, tmp_path):
    project = interrupted[0].copy(tmp_path / "copy")
    for (matter, contestant), (_, stands) in ENDINGS.items():
        words = ["--contestant", contestant, "--matter", matter, "--reason", "cut off", "--by", "A. Author"]
        done = project.run("python", "-m", "stages", "rerun", *words, ok=False)
        assert done.returncode == (2 if stands[0] == "refused" else 0), done.stderr
    assert len(list((project.folder / "data/orders/reruns").glob("*.json"))) == 5
