import pytest

from stages.providers.openai import Reply
from stages.providers.reading import call_fields, cost_usd
from stages.schema.settings import HostedModel, LocalModel, settings

PRICE = {"prompt_per_million": 3.0, "completion_per_million": 15.0, "source": "price list", "read_on": "2026-11-30"}


def hosted(**values) -> HostedModel:
    base = {"provider": "openai", "family": "maker", "model": "maker/large", "route": "r", "base_url": "http://127.0.0.1:1/v1"}
    return settings("contestant", base | {"decoding": {"max_tokens": 50}} | values)


def local() -> LocalModel:
    server = {"runtime": "xllamacpp==2026.10.11549", "context": 512, "threads": 1}
    weights = {"file": "tiny.gguf", "sha256": "0" * 64}
    return settings("contestant", {"provider": "local", "family": "m", "weights": weights, "server": server, "decoding": {"max_tokens": 8}})


def reply(**values) -> Reply:
    base = {"status": "complete", "finish_reason": "stop", "text": "Yes.", "reasoning": None, "served_model": "m-1", "served_by": "host"}
    return Reply(**base | {"prompt_tokens": 1000, "completion_tokens": 200, "cost_usd": None, "provider_code": None} | values)


class TestCost:
    @pytest.mark.parametrize("cost", [0.5, 0.0])
    def test_what_the_provider_says_goes_first(self, cost):
        assert cost_usd(hosted(price=PRICE), reply(cost_usd=cost)) == cost

    def test_then_price_times_tokens(self):
        assert cost_usd(hosted(price=PRICE), reply()) == pytest.approx((1000 * 3 + 200 * 15) / 1e6)

    @pytest.mark.parametrize("missing", ["prompt_tokens", "completion_tokens"])
    def test_what_is_unknown_stays_unknown(self, missing):
        assert cost_usd(hosted(price=PRICE), reply(**{missing: None})) is None

    def test_without_a_price_nothing_is_known(self):
        assert cost_usd(hosted(), reply()) is None

    def test_nobody_is_paid_for_a_local_model(self):
        assert cost_usd(local(), reply(prompt_tokens=None)) == 0.0


def test_the_fields_of_a_call_come_from_the_row_that_counts():
    row = {
        "request_sha256": "1", "response_sha256": "2", "settings_sha256": "3", "route": "r", "model": "m",
        "started_at": "2026-11-30T08:15:11.123Z", "elapsed_ms": 7, "tries": [{"outcome": "HTTP 503"}],
    }  # fmt: skip
    later = row | {"response_sha256": "other", "tries": []}
    fields = call_fields([row, later], reply(cost_usd=0.25), hosted())
    assert fields["response_sha256"] == "2"
    assert (fields["tries"], fields["replies"], fields["cost_usd"]) == (2, 2, 0.25)
    assert (fields["served_model"], fields["served_by"], fields["finish_reason"]) == ("m-1", "host", "stop")
    assert (fields["prompt_tokens"], fields["completion_tokens"], fields["elapsed_ms"]) == (1000, 200, 7)
