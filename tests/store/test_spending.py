"""The guard of the money: a limit stops a run before the call that would break it, and an unknown price is never zero."""

from pathlib import Path

import pytest
import yaml

from stages.runtime.errors import SpendingStopped
from stages.schema.calls import Request
from stages.schema.settings import Runner, settings
from stages.store.spending import Guard, most_tokens, needs_consent

BASE = yaml.safe_load((Path(__file__).parents[2] / "conf/runner/default.yaml").read_text())


def runner(**change) -> Runner:
    return settings("runner", {**BASE, **change})


def request(number, tokens=100):
    subject = {"contestant": "alder", "matter_id": f"Q{number:02}", "attempt": 1}
    return Request("answer", subject, {}, "openai-chat", "r", "m", None, {"model": "m", "messages": [], "max_tokens": tokens})


def guard(limits, worst=0.1, cost=0.01):
    return Guard(limits, lambda _: worst, lambda _: (cost, 5))


def row(asked):
    return {"request_sha256": asked.sha256}


def test_without_limits_everything_is_permitted():
    free = guard(runner(), worst=None, cost=None)
    assert free.forbids([request(n) for n in range(5)]) is None
    for n in range(1000):
        free.permit(request(n))
    assert free.calls == 1000


def test_max_calls_stops_before_the_call_that_would_break_it():
    two = guard(runner(max_calls=2))
    two.permit(request(1))
    two.permit(request(2))
    with pytest.raises(SpendingStopped, match="max_calls of 2 is reached before the answer of alder to Q03"):
        two.permit(request(3))
    assert two.calls == 2


def test_what_is_in_flight_is_reserved_at_its_worst_and_settled_at_its_cost():
    money = guard(runner(max_cost_usd=0.25), worst=0.1, cost=0.01)
    money.permit(request(1))
    money.permit(request(2))
    with pytest.raises(
        SpendingStopped, match=r"max_cost_usd of \$0.2500 could be broken .* \$0.2000 is spent or reserved, and it may cost \$0.1000"
    ):
        money.permit(request(3))
    money.settle(row(request(1)))
    money.permit(request(3))
    assert money.spent_usd == pytest.approx(0.01)


def test_a_further_try_counts_because_the_one_before_may_have_been_paid_for():
    money = guard(runner(max_cost_usd=0.25), worst=0.1)
    money.permit(request(1))
    money.permit(request(1))
    with pytest.raises(SpendingStopped):
        money.permit(request(1))
    assert money.calls == 2


def test_a_cost_that_nobody_says_counts_as_the_worst_case():
    money = guard(runner(max_cost_usd=1.0), worst=0.1, cost=None)
    money.permit(request(1))
    money.settle(row(request(1)))
    assert money.spent_usd == pytest.approx(0.1)


def test_an_unknown_price_is_refused_where_money_is_limited():
    said = guard(runner(max_cost_usd=1.0), worst=None).forbids([request(1)])
    assert (
        said == "the price of the answer of alder to Q01 (attempt 1) is unknown, and with max_cost_usd set an unknown price is not bought"
    )


def test_a_call_that_may_take_too_many_tokens_is_refused():
    said = guard(runner(max_tokens_per_call=99)).forbids([request(1, 99), request(2, 100)])
    assert said == "the answer of alder to Q02 (attempt 1) may take 100 tokens, and max_tokens_per_call is 99"


@pytest.mark.parametrize(
    ("calls", "above", "yes", "needed"),
    [
        (100, 100, None, False),
        (101, 100, None, True),
        (101, 100, "1", False),
        (101, 100, "yes", True),
        (10**6, None, None, False),
        (1, 0, None, True),
    ],
)
def test_many_calls_need_a_yes(calls, above, yes, needed):
    assert needs_consent(calls, runner(confirm_above=above), {"MOOT_YES": yes} if yes else {}) is needed


def test_the_limit_that_is_sent_is_the_limit_that_counts():
    assert most_tokens(request(1, 7)) == 7
    assert most_tokens(Request("answer", {}, {}, "w", "r", "m", None, {"max_completion_tokens": 9})) == 9
