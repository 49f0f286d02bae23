"""What calls may take and cost: the reckoning on figures that can be checked by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.desk.estimates import estimate
from stages.providers.openai import Reply
from stages.schema.settings import settings

HOSTED = {
    "provider": "openai", "family": "f", "model": "m", "route": "r", "base_url": "http://127.0.0.1:1/v1",
    "decoding": {"max_tokens": 100},
}  # fmt: skip
PRICE = {"prompt_per_million": 2.0, "completion_per_million": 10.0, "source": "the price list", "read_on": "2026-11-30"}
LOCAL = {
    "provider": "local", "family": "f", "weights": {"file": "w.gguf", "sha256": "a" * 64},
    "server": {"runtime": "xllamacpp==1.0", "context": 4096, "threads": 2}, "decoding": {"max_tokens": 100},
}  # fmt: skip
REPLY = Reply("complete", "stop", "text", None, None, None, 300, 50, None, None)


def model(values, **more):
    return settings("contestant", {**values, **more})


def test_from_history_it_is_the_mean_of_what_is_recorded():
    found = estimate(model(HOSTED), [1, 1, 1, 1], [REPLY, replace(REPLY, prompt_tokens=100, completion_tokens=0)])
    assert (found.prompt_tokens, found.completion_tokens) == (4 * 200, 4 * 25)
    assert found.tokens_from == "the mean of 2 replies in this record"


def test_without_history_it_is_the_length_of_the_text_and_the_limit():
    found = estimate(model(HOSTED), [400, 80], [replace(REPLY, prompt_tokens=None)])
    assert (found.prompt_tokens, found.completion_tokens) == (120, 200)
    assert found.tokens_from == "the length of the text at four bytes a token, and replies at their limit of 100 tokens"


def test_a_price_says_where_it_stands_and_when_it_was_read():
    found = estimate(model(HOSTED, price=PRICE), [0, 0], [REPLY])
    assert found.cost_usd == pytest.approx((600 * 2 + 100 * 10) / 1e6)
    assert found.cost_from == "the price list, read on 2026-11-30"


def test_without_a_price_what_the_provider_charged_is_the_measure():
    found = estimate(model(HOSTED), [0, 0, 0], [replace(REPLY, cost_usd=0.01), replace(REPLY, cost_usd=0.03), REPLY])
    assert found.cost_usd == pytest.approx(0.06)
    assert found.cost_from == "what the provider charged for 2 replies in this record"


def test_an_unknown_cost_is_unknown_and_never_nothing():
    found = estimate(model(HOSTED), [0], [REPLY])
    assert found.cost_usd is None
    assert found.cost_from.startswith("unknown")


def test_local_weights_cost_nothing():
    found = estimate(model(LOCAL), [10], [])
    assert (found.cost_usd, found.cost_from) == (0.0, "local weights: nobody is paid")


@given(st.lists(st.integers(0, 10**6), min_size=1), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_history_of_equal_calls_is_taken_at_its_word(bodies, prompt, completion):
    found = estimate(model(HOSTED), bodies, [replace(REPLY, prompt_tokens=prompt, completion_tokens=completion)])
    assert (found.prompt_tokens, found.completion_tokens) == (len(bodies) * prompt, len(bodies) * completion)
