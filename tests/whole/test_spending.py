"""Spending is guarded at the level of the stage: limits stop before the call that would break them, and the same command goes on."""

import json
import os
import pty
import subprocess

import pytest

from tests.loopback import Loopback, status
from tests.whole.project import Project

PRICE = {"prompt_per_million": 100.0, "completion_per_million": 1000.0, "source": "constructed", "read_on": "2026-11-30"}


def limited(project, **limits):
    project.change("runner", "default", concurrency=1, **limits)
    project.stage("matters")
    return project.stage("generate", ok=False)


def recorded(project):
    path = project.folder / "data/recordings/answers.jsonl"
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def test_max_calls_stops_a_run_and_the_next_goes_on(project, till):
    for expected in (4, 6):
        done = limited(project, max_calls=4)
        assert recorded(project) == expected
        assert done.returncode == (8 if expected == 4 else 0)
    assert "max_calls of 4" not in done.stderr
    assert till.sold() == (6, 0)


def test_max_cost_reserves_the_worst_case_and_counts_what_was_paid(project, till):
    for name in ("alder", "birch", "cedar"):
        project.change("contestant", name, price=PRICE)
    done = limited(project, max_cost_usd=0.5)
    assert done.returncode == 8
    assert "max_cost_usd of $0.5000 could be broken by the answer of" in done.stderr
    first = recorded(project)
    assert 0 < first < 6
    assert till.sold() == (first, 0)
    assert limited(project, max_cost_usd=50.0).returncode == 0
    assert till.sold() == (6 - first, 0)


def test_an_unknown_price_is_not_bought_where_money_is_limited(project, till):
    done = limited(project, max_cost_usd=10.0)
    assert done.returncode == 4
    assert "the price of the answer of alder to Q01 (attempt 1) is unknown" in done.stderr
    assert till.sold() == (0, 0)


def test_a_call_that_may_take_too_many_tokens_is_not_bought(project, till):
    done = limited(project, max_tokens_per_call=63)
    assert done.returncode == 4
    assert "may take 64 tokens, and max_tokens_per_call is 63" in done.stderr
    assert till.sold() == (0, 0)


def test_many_calls_without_a_terminal_are_refused_unless_someone_said_yes(project, till):
    done = limited(project, confirm_above=5)
    assert done.returncode == 4
    assert "6 calls are more than confirm_above (5); say yes on a terminal, or set MOOT_YES=1" in done.stderr
    assert till.sold() == (0, 0)
    assert project.stage("generate", MOOT_YES="1").returncode == 0
    assert till.sold() == (6, 0)


@pytest.mark.parametrize(("answer", "code", "sold"), [("y", 0, (6, 0)), ("n", 4, (0, 0)), ("", 4, (0, 0))])
def test_on_a_terminal_a_person_is_asked(project, till, answer, code, sold):
    project.change("runner", "default", confirm_above=5)
    project.stage("matters")
    main, end = pty.openpty()
    words = ["python", "-m", "stages.generate"]
    process = subprocess.Popen(words, cwd=project.folder, env=project.environment(TERM="dumb"), stdin=end, stdout=end, stderr=end)
    os.close(end)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(main, 1024)
    os.write(main, answer.encode() + b"\n")
    assert process.wait(600) == code
    assert b"Buy 6 replies?" in said
    assert till.sold() == sold


class Stubborn:
    """A judge behind a server of its own, none of whose replies can be read: with ask_again, each presentation is asked for twice."""

    def __init__(self, project, **limits):
        self.project = project
        self.server = Loopback(reply=lambda _: "Undecided. " * 240)
        self.limits = limits

    def __enter__(self):
        self.server.__enter__()
        self.project.change("judge", "owl", base_url=self.server.base_url, model="stubborn", ask_again=1)
        self.project.change("runner", "default", concurrency=1, **self.limits)
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)

    def verdicts(self):
        """How many of its replies are recorded."""
        rows = map(json.loads, self.project.read("data/recordings/verdicts.jsonl").splitlines())
        return sum(row["model"] == "stubborn" for row in rows)


def test_max_calls_holds_over_all_rounds_of_asking_again(bought):
    with Stubborn(bought, max_calls=8) as judge:
        refused = bought.stage("judge", ok=False)
        assert refused.returncode == 8
        assert "max_calls of 8 is reached before the verdict of owl" in refused.stderr
        assert (judge.server.count, judge.verdicts()) == (8, 8)
        bought.stage("judge")
        assert (judge.server.count, judge.verdicts()) == (12, 12)


def test_max_cost_holds_over_all_rounds_of_asking_again(bought):
    """A reply has 240 tokens at $0.001, and may have 256: $0.24 and $0.256. Nine calls come to $2.16, a tenth might to $2.416."""
    bought.change("judge", "owl", price={**PRICE, "prompt_per_million": 0.0})
    with Stubborn(bought, max_cost_usd=2.2) as judge:
        refused = bought.stage("judge", ok=False)
        assert refused.returncode == 8
        assert "max_cost_usd of $2.2000 could be broken by the verdict of owl" in refused.stderr
        assert "$2.1600 is spent or reserved, and it may cost $0.2560" in refused.stderr
        assert judge.server.count == judge.verdicts() == 9


def test_consent_counts_all_rounds_and_is_asked_for_what_a_round_adds(bought):
    with Stubborn(bought, confirm_above=8) as judge:
        refused = bought.stage("judge", ok=False)
        assert refused.returncode == 4
        assert "6 calls after 6 in this run are more than confirm_above (8); say yes on a terminal, or set MOOT_YES=1" in refused.stderr
        assert judge.server.count == judge.verdicts() == 6
        bought.stage("judge")  # the first round is recorded: what is left is six calls, and within what needs no yes
        assert judge.server.count == judge.verdicts() == 12


def test_money_is_counted_once_and_never_for_a_replay(project):
    for name in ("alder", "birch", "cedar"):
        project.change("contestant", name, price=PRICE)
    project.change("judge", "owl", price=PRICE)
    project.flow()
    first = project.metrics("coverage")
    project.flow()
    assert project.metrics("coverage") == first
    usage = [json.loads(json.loads(line)["body"])["usage"] for line in project.read("data/recordings/answers.jsonl").splitlines()]
    usage += [json.loads(json.loads(line)["body"])["usage"] for line in project.read("data/recordings/verdicts.jsonl").splitlines()]
    paid = sum(100.0 * one["prompt_tokens"] + 1000.0 * one["completion_tokens"] for one in usage) / 1_000_000
    assert first["cost_usd"] == pytest.approx(paid, abs=1e-6)
    assert first["cost_unknown_calls"] == 0


def test_a_try_that_delivers_nothing_counts_against_the_limit(tmp_path):
    with Loopback(lambda _: status(503, "overloaded")) as server:
        project = Project(tmp_path / "project", server.base_url)
        project.change("runner", "default", concurrency=1, tries=6, max_calls=4)
        project.stage("matters")
        refused = project.stage("generate", ok=False)
        assert refused.returncode == 8
        assert "max_calls of 4 is reached" in refused.stderr
        assert server.count == 4
