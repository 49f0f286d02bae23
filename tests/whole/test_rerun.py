"""An answer that was cut off, ordered again: what is bought, what is kept, what is scored, what is told, and what is refused.

Stages and commands run in this process, in copies of one project; what a process makes of a refusal is tests/whole/test_refusals.py.
"""

import io
import json
from contextlib import redirect_stderr
from dataclasses import dataclass

import pytest

from stages import conceal, generate, judge, matters, measure, pair, qualify, record
from stages.__main__ import parser
from stages.runtime.errors import BadRecord, Refusal
from stages.schema.calls import seal
from stages.schema.jsonl import rows_text
from stages.schema.matter import parse_matter
from stages.schema.orders import RerunOrder
from stages.schema.tables import read_table
from tests.loopback import Loopback, completion, raw
from tests.whole.kept import audited, compared, verified
from tests.whole.project import CONTESTANTS, Project, Till

SEAT = {"judge": "owl", "instrument": "material_outcome", "runner": "default"}
WHY = ["--reason", "the reply was cut off after a line", "--by", "A. Author"]
Q01 = ["--contestant", "alder", "--matter", "Q01"]


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    """A project whose first answer of alder to Q01 was cut off, with results; any further one would be complete."""
    seen = set()

    def faults(request):
        if "model-alder" not in request.json["model"] or "response_format" in request.json or seen:
            return None
        seen.add(request.body)
        return raw(json.dumps(completion("The appeal must", "length", model="model-alder")).encode())

    with Loopback(faults) as server:
        project = Project(tmp_path_factory.mktemp("cut") / "project", server.base_url)
        project.change("runner", "default", concurrency=1)  # so that the first request is that of alder to Q01
        till = Till(server)
        with pytest.MonkeyPatch.context() as patch:
            enter(project, patch)
            flow(project)
        assert till.sold() == (6, 6)
        project.commit("Three contestants, one answer cut off")
        yield project, till


def enter(project, patch):
    patch.chdir(project.folder)
    patch.setenv("MOOT_JOURNAL", str(project.journal))


@pytest.fixture
def project(cut, tmp_path, monkeypatch):
    cut[1].sold()
    copy = cut[0].copy(tmp_path / "project")
    enter(copy, monkeypatch)
    return copy


@pytest.fixture
def till(cut):
    return cut[1]


def flow(project):
    """All stages but the pages, in the project that this process is in."""
    for stage in (matters.matters, generate.generate, pair.pair, conceal.conceal):
        stage()
    judge.judge(SEAT)
    qualify.qualify(SEAT)
    for stage in (record.record, measure.measure):
        stage()


@dataclass
class Done:
    returncode: int
    stdout: str = ""
    stderr: str = ""


def moot(project, *words, ok=True):
    """A command, and what it would print and leave with."""
    with redirect_stderr(io.StringIO()) as said:
        try:
            given = parser(words).parse_args(words)
            result = given.module.run(given)
        except SystemExit as left:
            done = Done(left.code, "", said.getvalue())
        except Refusal as refused:
            done = Done(refused.exit_code, "", "\n".join([str(refused), *getattr(refused, "__notes__", [])]))
        else:
            done = Done(0, json.dumps(result) if given.json else given.module.told(result), "")
    assert not ok or done.returncode == 0, done
    return done


def rerun(project, *words, ok=True):
    return moot(project, "rerun", *words, ok=ok)


def ruled(project, rule):
    project.change("study", "first", attempt_rules={"1": rule})


def table(project, name):
    return read_table(name, project.folder / "data/tables")


def rows_of(project):
    return {name: set(data.splitlines()) for name, data in project.recordings().items()}


def orders(project):
    return sorted(path.name for path in (project.folder / "data/orders/reruns").glob("*.json"))


def attempts(project):
    kept = ("attempt", "status", "scored", "attempt_rule", "ordered_by", "reason")
    return [
        tuple(row[key] for key in kept) for row in table(project, "attempts") if (row["matter_id"], row["contestant"]) == ("Q01", "alder")
    ]


def test_a_rerun_is_ordered_bought_once_scored_by_its_rule_told_and_taken_back_by_another_rule(project, till):
    before, pairs = rows_of(project), project.metrics("pairs")
    ruled(project, "completed_rerun")
    flow(project)
    assert till.sold() == (0, 0), "a rule asks for nothing by itself"
    assert "so it is scored if it comes complete" in rerun(project, *Q01, *WHY).stdout
    assert len(orders(project)) == 1
    assert till.sold() == (0, 0), "the order is written before the call, and is no call"
    flow(project)
    assert till.sold() == (1, 2)
    after = rows_of(project)
    assert all(before[name] <= after[name] for name in before)
    assert [len(after[name] - before[name]) for name in ("answers.jsonl", "assignments.jsonl", "verdicts.jsonl")] == [1, 0, 2]
    assert attempts(project) == [
        (1, "truncated", False, "completed_rerun", None, None),
        (2, "complete", True, "completed_rerun", "A. Author", "the reply was cut off after a line"),
    ]
    answer = next(row for row in table(project, "answers") if row["answer_id"] == "Q01:alder")
    assert (answer["attempt"], answer["attempt_rule"], answer["status"]) == (2, "completed_rerun", "complete")
    told = project.metrics("disclosures")
    assert "after attempt 1 was truncated. Reason: the reply was cut off after a line. It came complete" in told["reruns"]["Q01:alder:2"]
    assert "interruptions" not in told
    assert project.metrics("scenarios")["without_reruns"]["left_out"] == 2
    verified = moot(project, "verify").stdout
    assert "     1  further attempts at answers were ordered; 0 orders not in use today" in verified
    flow(project)
    assert till.sold() == (0, 0)
    ruled(project, "recorded_attempt")
    flow(project)
    assert till.sold() == (0, 0)
    assert rows_of(project) == after
    assert [row[2] for row in attempts(project)] == [True, False]
    assert project.metrics("pairs") == pairs
    assert "It came complete and is not scored" in project.metrics("disclosures")["reruns"]["Q01:alder:2"]
    assert "0 failed" in moot(project, "verify").stdout


def test_under_recorded_attempt_a_rerun_is_kept_beside_the_first_which_stays_scored(project, till):
    assert "so the first attempt stays the one that is scored" in rerun(project, *Q01, *WHY).stdout
    flow(project)
    assert till.sold() == (1, 0)
    assert [(row[0], row[2]) for row in attempts(project)] == [(1, True), (2, False)]
    assert (
        "The token limit cut off 1 answer of alder (finish reason length); scored as delivered: Q01."
        in project.metrics("disclosures")["interruptions"]["alder:truncated"]
    )


def test_audit_walks_to_either_attempt(project):
    ruled(project, "completed_rerun")
    rerun(project, *Q01, *WHY)
    assert "Q01:alder:2: nearest recorded call" in moot(project, "explain-miss").stdout
    missing = moot(project, "verify", ok=False)
    assert missing.returncode == 9
    assert "Q01:alder:2: no recorded reply" in missing.stderr
    flow(project)
    shown = {name: json.loads(moot(project, "audit", name, "--json").stdout) for name in ("Q01:alder", "Q01:alder:1", "Q01:alder:2")}
    assert shown["Q01:alder"] == {**shown["Q01:alder:2"], "id": "Q01:alder"}
    assert (shown["Q01:alder:1"]["status"], shown["Q01:alder"]["status"]) == ("truncated", "complete")
    assert (shown["Q01:alder:1"]["scored"], shown["Q01:alder"]["scored"]) == (False, True)
    assert shown["Q01:alder"]["other_attempts"] == ["Q01:alder:1"]
    assert shown["Q01:alder"]["ordered"]["by"] == "A. Author"
    order = f"data/orders/reruns/{orders(project)[0]}"
    assert shown["Q01:alder"]["ordered"]["file"] == order
    assert audited(project, order)["kind"] == "rerun"
    assert audited(project, "scenarios:without_reruns.left_out")["enter"].keys() == {"Q01:alder~birch", "Q01:alder~cedar"}
    assert audited(project, "disclosures:reruns.Q01:alder:2")["counts"]["reruns.Q01:alder:2.attempt"]["counted"] == 2


def test_diff_knows_an_order_and_a_rule_and_which_of_them_chose_another_answer(project):
    ruled(project, "completed_rerun")
    rerun(project, *Q01, *WHY)
    flow(project)
    order = f"data/orders/reruns/{orders(project)[0]}"
    found, _ = compared(project, "HEAD")
    assert found["changed"]["exclusion rules"] == [
        "attempt_rules.1 was recorded_attempt, is completed_rerun",
        f"{order} is obeyed now",
    ]
    assert found["changed"]["answers"] == ["1 another reply: Q01:alder"]
    assert {each["cause"] for each in found["pairings"]} <= {"reruns"}
    project.commit("A rerun")
    ruled(project, "recorded_attempt")
    flow(project)
    found, _ = compared(project, "HEAD")
    assert found["changed"]["answers"] == ["1 another reply: Q01:alder"]
    assert {each["cause"] for each in found["pairings"]} <= {"attempt_rules"}


def test_an_order_in_anothers_name_is_seen_however_well_it_is_sealed(project):
    rerun(project, *Q01, *WHY)
    flow(project)
    assert verified(project) == []
    path = project.folder / "data/orders/reruns" / orders(project)[0]
    row = {key: value for key, value in json.loads(path.read_text("utf-8")).items() if key != "row_sha256"}
    path.write_text(rows_text([seal({**row, "by": "B. Other"})]), "utf-8")
    failures = verified(project)
    assert any("tables.orders is" in failure for failure in failures)
    assert any("metrics/provenance.json: record is" in failure for failure in failures)


def test_an_order_that_is_taken_away_leaves_an_attempt_that_verify_names(project, till):
    rerun(project, *Q01, *WHY)
    flow(project)
    till.sold()
    (project.folder / "data/orders/reruns" / orders(project)[0]).unlink()
    flow(project)
    assert till.sold() == (0, 0)
    assert len(attempts(project)) == 1
    failed = moot(project, "verify", ok=False)
    assert failed.returncode == 9
    assert "attempt Q01:alder:2 is recorded, and data/orders/reruns holds no order for it" in failed.stderr


def test_what_leaves_the_study_stays_recorded_and_comes_back_for_nothing(project, till):
    ruled(project, "completed_rerun")
    rerun(project, *Q01, *WHY)
    flow(project)
    till.sold()
    recordings, metrics = project.recordings(), {name: project.metrics(name) for name in ("pairs", "disclosures", "provenance")}
    for change in ({"contestants": ["birch", "cedar"]}, {"matters": ["Q02"]}):
        project.choose(**change)
        flow(project)
        assert project.recordings() == recordings
        assert "reruns" not in project.metrics("disclosures")
        assert "0 failed" in moot(project, "verify").stdout
        project.choose(contestants=CONTESTANTS, matters="all")
        flow(project)
        assert till.sold() == (0, 0)
        assert project.recordings() == recordings
        assert {name: project.metrics(name) for name in metrics} == metrics


REFUSED = {
    "a complete attempt": (["--contestant", "birch", "--matter", "Q01", *WHY], "attempt Q01:birch:1 is complete; only one that is blocked"),
    "a contestant that is not there": (["--contestant", "aldr", "--matter", "Q01", *WHY], "'aldr' is not in params.yaml; the nearest is 'alder'"),
    "a matter that is not there": (["--contestant", "alder", "--matter", "Q03", *WHY], "'Q03' is not in the battery; the nearest is 'Q0"),
    "no reason": ([*Q01, "--by", "A. Author"], "the following arguments are required: --reason"),
    "an empty reason": ([*Q01, "--reason", " ", "--by", "A. Author"], "an order needs a reason (--reason)"),
    "no author": ([*Q01, "--reason", "cut off"], "the following arguments are required: --by"),
    "an empty author": ([*Q01, "--reason", "cut off", "--by", ""], "an order needs a named author (--by)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_an_order_that_may_not_be_is_refused_and_nothing_is_written(project, case):
    words, sentence = REFUSED[case]
    refused = rerun(project, *words, ok=False)
    assert refused.returncode == 2
    assert sentence in refused.stderr
    assert orders(project) == []
    assert project.clean()


def test_an_attempt_that_is_ordered_already_is_not_ordered_twice(project):
    rerun(project, *Q01, *WHY)
    refused = rerun(project, *Q01, *WHY, ok=False)
    assert refused.returncode == 2
    assert "attempt Q01:alder:2 is ordered already, by A. Author on 20" in refused.stderr
    assert len(orders(project)) == 1


def test_an_answer_that_was_never_asked_for_is_not_ordered_again(project):
    project.choose(contestants=[*CONTESTANTS, "dogwood"])
    refused = rerun(project, "--contestant", "dogwood", "--matter", "Q01", *WHY, ok=False)
    assert refused.returncode == 2
    assert "dogwood has no recorded attempt at Q01: `uv run dvc repro` asks for the first one, without an order" in refused.stderr


def test_an_order_written_by_hand_after_a_complete_attempt_is_refused_by_the_stage(project, till):
    after = next(row for row in table(project, "attempts") if row["attempt_id"] == "Q02:alder:1")["request_sha256"]
    order = RerunOrder("rerun", "I want another", "A. Author", "2026-11-30T08:15:11.000Z", "alder", "Q02", 2, after)
    path = project.folder / "data/orders/reruns" / order.file_name
    path.write_text(json.dumps(order.row(), ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n", "utf-8")
    before = project.recordings()
    with pytest.raises(BadRecord) as refused:
        generate.generate()
    words = f"data/orders/reruns/{order.file_name}: attempt Q02:alder:1 is complete; only one that is"
    assert str(refused.value).startswith(words)
    assert project.recordings() == before
    assert till.sold() == (0, 0)


def test_an_order_about_an_earlier_text_of_the_matter_orders_nothing(project, till):
    rerun(project, *Q01, *WHY)
    text = (project.folder / "data/matters/Q01.md").read_text("utf-8")
    project.edit("data/matters/Q01.md", "## Law\n\n", "## Law\n\nOne more rule stands here. ")
    assert parse_matter(text, "x").matter_sha256 != parse_matter(project.read("data/matters/Q01.md").decode(), "x").matter_sha256
    flow(project)
    assert till.sold() == (3, 3)
    assert len(attempts(project)) == 1
    assert "     0  further attempts at answers were ordered; 1 orders not in use today" in moot(project, "verify").stdout
