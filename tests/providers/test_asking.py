import asyncio
import gzip
import json
import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stages.providers.arriving import Raw
from stages.providers.asking import GaveUp, ask
from stages.providers.client import Client
from stages.providers.openai import read_reply
from stages.runtime.errors import JournalFailed, ProviderRefused
from stages.schema.calls import Exchange, Request, body_of, call_row, check_row
from stages.schema.canonical import canonical
from stages.schema.settings import Runner
from tests.loopback import (
    Fault,
    Loopback,
    close_early,
    completion,
    echo_key,
    endless,
    gzipped,
    raw,
    redirect,
    reset,
    short_body,
    slow,
    status,
)

KEY = "sk-planted/key+4f1d=AbC"
SUBJECT = {"contestant": "maker-large", "matter_id": "Q01", "attempt": 1}
REQUEST = Request(
    "answer", SUBJECT, {}, "openai-chat", "route.example", "m", None, {"model": "m", "messages": [{"role": "user", "content": "Who wins?"}]}
)
STARTED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def runner(**values) -> Runner:
    base = {"concurrency": 8, "connect_timeout_s": 240.0, "read_timeout_s": 240.0, "tries": 4, "wait_max_s": 0.001, "budget_s": 600.0}
    return Runner(**base | {"stop_after_failures": 3} | values)


def asked(server: Loopback, key: str | None = KEY, run: Runner | None = None, **limits) -> Exchange:
    async def one() -> Exchange:
        async with Client(run or runner(), **limits) as client:
            return await ask(REQUEST, partial(client.post, f"{server.base_url}/chat/completions"), key, run or runner())

    return asyncio.run(one())


def given_up(server: Loopback, **options) -> GaveUp:
    with pytest.raises(GaveUp) as caught:
        asked(server, **options)
    assert str(caught.value).startswith(f"answer of maker-large to Q01 (attempt 1) ({REQUEST.sha256[:12]}): nothing delivered in ")
    return caught.value


def refused(server: Loopback, **options) -> str:
    with pytest.raises(ProviderRefused) as caught:
        asked(server, **options)
    assert str(caught.value).startswith(f"answer of maker-large to Q01 (attempt 1) ({REQUEST.sha256[:12]}): HTTP ")
    return str(caught.value)


class TestDelivered:
    def test_the_exchange_is_a_row_that_can_be_read(self):
        with Loopback(key=KEY) as server:
            exchange = asked(server)
        assert exchange.http_status == 200
        assert exchange.tries == ()
        assert exchange.elapsed_ms >= 0
        assert STARTED.fullmatch(exchange.started_at)
        assert read_reply(call_row(REQUEST, exchange)).status == "complete"

    def test_equal_requests_get_equal_bytes_from_the_constructed_server(self):
        with Loopback() as server:
            assert asked(server).body == asked(server).body
        assert server.received[0].body == server.received[1].body == REQUEST.body_bytes

    def test_a_blocked_request_is_delivered_at_once(self):
        flagged = status(403, "flagged", metadata={"reasons": ["violence"], "flagged_input": "Who"})
        with Loopback(lambda _: flagged) as server:
            exchange = asked(server)
        assert server.count == 1
        assert read_reply(call_row(REQUEST, exchange)).status == "blocked"

    def test_a_reply_that_was_compressed_is_kept_plain(self):
        with Loopback([gzipped()]) as server:
            assert json.loads(asked(server).body)["object"] == "chat.completion"


class TestTriesAgain:
    @pytest.mark.parametrize(
        ("fault", "outcome"),
        [
            (status(429, "slow down"), "HTTP 429: slow down"),
            (status(408), "HTTP 408: constructed failure"),
            (status(409), "HTTP 409: constructed failure"),
            (status(425), "HTTP 425: constructed failure"),
            (status(500), "HTTP 500: constructed failure"),
            (status(503), "HTTP 503: constructed failure"),
            (status(529, "overloaded"), "HTTP 529: overloaded"),
            (raw(b"<html><title>Bad Gateway</title></html>", 502), "HTTP 502: Bad Gateway"),
            (raw(b'{"error": {"code": 502, "message": "upstream"}}'), "HTTP 200, but it names error 502: upstream"),
            (reset(), "the connection was reset"),
            (close_early(), "the connection closed before a reply came"),
            (short_body(), "the reply broke off before its end"),
            (Fault(503, {"Content-Encoding": "gzip"}, b"no gzip"), "the reply's compression is broken"),
        ],
    )
    def test_what_may_pass_is_tried_again_and_counted(self, fault, outcome):
        with Loopback([fault, fault]) as server:
            exchange = asked(server)
        assert server.count == 3
        assert [try_["outcome"].endswith(outcome) for try_ in exchange.tries] == [True, True]
        assert all(
            set(try_) - {"http_status", "body", "body_encoding"} == {"started_at", "elapsed_ms", "outcome"} for try_ in exchange.tries
        )
        assert all(STARTED.fullmatch(try_["started_at"]) for try_ in exchange.tries)
        assert exchange.tries[0]["started_at"] <= exchange.tries[1]["started_at"] <= exchange.started_at
        assert json.loads(exchange.body)["object"] == "chat.completion"

    def test_silence_is_tried_again(self):
        run = runner(read_timeout_s=0.1, tries=1000)  # a slow machine may be late with the constructed reply, too
        with Loopback([slow(600)]) as server:
            assert asked(server, run=run).tries[0]["outcome"].endswith("no reply within the time")

    @pytest.mark.parametrize("limits", [{"wall_s": 0.2}, {"body_max": 10_000}])
    def test_a_body_without_end_is_tried_again(self, limits):
        with Loopback([endless()]) as server:
            assert len(asked(server, run=runner(tries=1000), **limits).tries) >= 1  # a slow machine may need more than 0.2 s for any reply

    def test_every_try_sends_the_same_bytes(self):
        with Loopback([status(500), reset(), status(429)]) as server:
            asked(server)
        assert {request.body for request in server.received} == {REQUEST.body_bytes}

    def test_tries_can_be_stored(self):
        with Loopback([status(500, "half a pair \ud83d and a line\nbreak")]) as server:
            exchange = asked(server)
        assert canonical(call_row(REQUEST, exchange))
        assert "\n" not in exchange.tries[0]["outcome"]


HALF = json.dumps(completion("The buyer wi")).encode()[:120]
SPOILED = [
    (raw(b"<html><title>Welcome</title></html>"), "HTTP 200, but the body is no JSON object: Welcome"),
    (raw(HALF), 'HTTP 200, but the body is no JSON object: {"id": "chatcmpl-'),
    (raw(b'{"choices": []}'), 'HTTP 200, but the body holds no choices: {"choices": []}'),
    (raw(b'{"choices": null}'), 'HTTP 200, but the body holds no choices: {"choices": null}'),
    (raw(b'{"id": "x"}'), 'HTTP 200, but the body holds no choices: {"id": "x"}'),
    (raw("é".encode("latin-1") * 9), "HTTP 200, but the body is no JSON object: "),
    (raw(json.dumps(completion("The buyer wi", None)).encode(), 201), "HTTP 201, but finish_reason None does not end an answer: "),
]


class TestSpoiled:
    """What comes under a success status and cannot be read may have been paid for: it is kept whole, and repeated once at most."""

    @pytest.mark.parametrize(("fault", "outcome"), SPOILED)
    def test_it_is_repeated_once_and_kept_whole(self, fault, outcome):
        with Loopback([fault]) as server:
            exchange = asked(server)
        assert server.count == 2
        (tried,) = exchange.tries
        assert tried["outcome"].startswith(outcome)
        assert (tried["http_status"], body_of(tried)) == (fault.code, fault.body)
        row = call_row(REQUEST, exchange)
        check_row(row)
        assert body_of(row["tries"][0]) == fault.body
        assert read_reply(row).status == "complete"

    @pytest.mark.parametrize(("fault", "outcome"), [*SPOILED, (raw(b""), "HTTP 200, but the body is no JSON object: no words")])
    def test_a_second_one_ends_the_request_and_both_are_kept(self, fault, outcome):
        with Loopback(lambda _: fault) as server:
            failure = given_up(server, run=runner(tries=6))
        assert server.count == 2
        assert f"nothing delivered in 2 tries; the last: {outcome}" in str(failure)
        assert (
            [body_of(tried) for tried in failure.tries] == [fault.body] * 2 if fault.body else all("body" not in t for t in failure.tries)
        )

    def test_other_failures_between_do_not_begin_the_count_again(self):
        page = raw(b"<html></html>")
        with Loopback([status(503), page, status(503), page, status(503)]) as server:
            failure = given_up(server, run=runner(tries=6))
        assert server.count == 4
        assert ["body" in tried for tried in failure.tries] == [False, True, False, True]

    def test_one_try_is_one_try(self):
        with Loopback(lambda _: raw(b"<html></html>")) as server:
            given_up(server, run=runner(tries=1))
        assert server.count == 1

    @pytest.mark.parametrize(
        ("fault", "limits", "kept"),
        [
            (raw(gzip.compress(b"words " * 900)[:-9], headers={"Content-Encoding": "gzip"}), {}, b"words " * 900),
            (raw(gzip.compress(gzip.compress(b"{}")), headers={"Content-Encoding": "gzip, gzip"}), {}, None),
            (raw(b"\x1b\x0f\x00\xf8", headers={"Content-Encoding": "br"}), {}, None),
            (endless(b"word "), {"body_max": 50_000}, b"word " * 10_000),
        ],
        ids=["cut", "packed twice", "brotli", "too long"],
    )
    def test_what_cannot_be_taken_as_it_is_sent_counts_the_same(self, fault, limits, kept):
        with Loopback(lambda _: fault) as server:
            failure = given_up(server, run=runner(tries=6), **limits)
        assert server.count == 2
        if kept is None:
            assert all("body" not in tried for tried in failure.tries)
        else:
            assert all(body_of(tried).startswith(kept[:4000]) for tried in failure.tries)

    def test_a_reply_that_broke_off_is_kept_as_far_as_it_came_and_tried_again(self):
        with Loopback([short_body()] * 3) as server:
            exchange = asked(server)
        assert server.count == 4
        assert {body_of(tried) for tried in exchange.tries} == {exchange.body}

    def test_the_words_of_a_failure_are_enough(self):
        with Loopback([status(500, "x" * 900)]) as server:
            assert set(asked(server).tries[0]) == {"started_at", "elapsed_ms", "outcome"}

    def test_each_is_handed_over_before_the_next_try(self):
        kept = []

        async def keep(tried: dict) -> None:
            kept.append((server.count, tried))

        async def one() -> Exchange:
            async with Client(runner()) as client:
                return await ask(REQUEST, partial(client.post, f"{server.base_url}/chat/completions"), KEY, runner(), keep=keep)

        with Loopback([status(503), raw(b"<html></html>")]) as server:
            exchange = asyncio.run(one())
        assert [count for count, _ in kept] == [1, 2]
        assert tuple(tried for _, tried in kept) == exchange.tries

    def test_what_the_keeper_raises_ends_the_asking(self):
        async def keep(tried: dict) -> None:
            raise JournalFailed("no room")

        async def one() -> None:
            async with Client(runner()) as client:
                await ask(REQUEST, partial(client.post, f"{server.base_url}/chat/completions"), KEY, runner(), keep=keep)

        with Loopback(lambda _: raw(b"<html></html>")) as server:
            with pytest.raises(JournalFailed, match="no room"):
                asyncio.run(one())
            assert server.count == 1


class TestGivesUp:
    def test_after_as_many_tries_as_the_runner_allows(self):
        with Loopback(lambda _: status(503, "down for repairs")) as server:
            failure = given_up(server, run=runner(tries=3))
        assert server.count == 3
        assert len(failure.tries) == 3
        assert str(failure).endswith("nothing delivered in 3 tries; the last: HTTP 503: down for repairs")

    def test_after_one_try_when_one_is_allowed(self):
        with Loopback(lambda _: reset()) as server:
            assert "in one try; " in str(given_up(server, run=runner(tries=1)))
        assert server.count == 1

    def test_before_a_wait_that_would_break_the_budget(self):
        with Loopback(lambda _: status(503)) as server:
            given_up(server, run=runner(tries=50, wait_max_s=0.0, budget_s=1e-6))  # no exchange takes less
            assert server.count == 1
            given_up(server, run=runner(tries=50, wait_max_s=0.0))
            assert server.count == 1 + 50

    def test_it_is_no_refusal(self):
        with Loopback(lambda _: close_early()) as server:
            assert not isinstance(given_up(server), ProviderRefused)


class TestRetryAfter:
    def test_it_is_waited_for_in_seconds(self):
        with Loopback([status(429, headers={"Retry-After": "1"})]) as server:
            exchange = asked(server)
        assert self.gap(exchange) >= 0.99

    def test_it_is_waited_for_until_a_date(self):
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        with Loopback([status(503, headers={"Retry-After": date})]) as server:
            exchange = asked(server)
        assert datetime.fromisoformat(exchange.started_at).replace(microsecond=0) >= datetime.strptime(
            date, "%a, %d %b %Y %H:%M:%S GMT"
        ).replace(tzinfo=UTC) - timedelta(seconds=1)
        assert len(exchange.tries) == 1

    def test_it_is_a_minimum_above_the_cap(self):
        with Loopback([status(429, headers={"retry-after-ms": "300"})]) as server:
            assert self.gap(asked(server, run=runner(wait_max_s=0.0))) >= 0.29

    @pytest.mark.parametrize("form", ["seconds", "date"])
    def test_beyond_the_budget_it_ends_at_once_and_says_when(self, form):
        back = datetime.now(UTC) + timedelta(hours=1)
        value = "3600" if form == "seconds" else format_datetime(back, usegmt=True)
        with Loopback(lambda _: status(429, "daily limit", {"Retry-After": value})) as server:
            failure = given_up(server)
        assert server.count == 1
        assert len(failure.tries) == 1
        assert "HTTP 429: daily limit; it asks to come back after " in str(failure)
        said = datetime.fromisoformat(re.search(r"come back after (\S+)", str(failure))[1])
        assert abs(said - back) < timedelta(minutes=5)
        assert "and a request has 600 s" in str(failure)

    def test_never_is_survived(self):
        with Loopback(lambda _: status(429, headers={"Retry-After": "9" * 400})) as server:
            assert "come back after" in str(given_up(server))

    @pytest.mark.parametrize("value", ["soon", "-5", "nan", ""])
    def test_nonsense_is_no_reason_to_wait(self, value):
        with Loopback([status(429, headers={"Retry-After": value})]) as server:
            assert len(asked(server).tries) == 1

    @staticmethod
    def gap(exchange: Exchange) -> float:
        """Seconds between the two tries; a floor on waiting, never a bound on speed."""
        first, second = (datetime.fromisoformat(moment) for moment in (exchange.tries[0]["started_at"], exchange.started_at))
        return (second - first).total_seconds()


class TestRefused:
    @pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 405, 413, 422])
    def test_a_no_is_taken_at_once(self, code):
        with Loopback(lambda _: status(code, "constructed no")) as server:
            assert refused(server).endswith(f"HTTP {code}: constructed no")
        assert server.count == 1

    def test_a_no_after_failures_is_still_a_no(self):
        with Loopback([status(500), status(402, "no credit")]) as server:
            assert refused(server).endswith("HTTP 402: no credit")
        assert server.count == 2

    def test_a_redirect_is_a_no_and_its_target_is_never_asked(self):
        with Loopback() as elsewhere, Loopback(lambda _: redirect(f"{elsewhere.base_url}/chat/completions")) as server:
            assert elsewhere.base_url in refused(server)
        assert (server.count, elsewhere.count) == (1, 0)

    def test_a_wrong_key_is_a_no(self):
        with Loopback(key="another-key") as server:
            assert refused(server).endswith("HTTP 401: constructed: no such key")


class TestTheKeyStaysInside:
    """A provider may echo the key anywhere, in any spelling; it may be stored or shown nowhere."""

    SPELLINGS = (
        KEY,
        KEY.replace("/", "\\/"),
        "".join(f"\\u{ord(char):04x}" for char in KEY),
        "".join(f"\\u{ord(char):04X}" for char in KEY),
        KEY.replace("/", "%2F").replace("+", "%2B").replace("=", "%3d"),
    )

    @staticmethod
    def clean(*texts: object) -> None:
        for text in map(str, texts):
            assert KEY not in text
            assert KEY[4:14] not in text
            assert "planted" not in text

    @pytest.mark.parametrize("spelling", SPELLINGS)
    @pytest.mark.parametrize("code", [200, 401, 403, 500])
    def test_in_an_error(self, spelling, code):
        body = b'{"error": {"message": "no such key: %s", "code": %d}}' % (spelling.encode(), 500 if code == 200 else code)
        with Loopback(lambda _: raw(body, code)) as server, pytest.raises((GaveUp, ProviderRefused)) as caught:
            asked(server)
        self.clean(caught.value, caught.value.__cause__, getattr(caught.value, "tries", ""))
        assert "[key]" in str(caught.value)

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_in_an_answer(self, spelling):
        body = json.dumps(completion("Your key is @@.")).replace("@@", spelling).encode()
        with Loopback([raw(body)]) as server:
            exchange = asked(server)
        self.clean(exchange.body.decode(), json.loads(exchange.body))
        assert read_reply(call_row(REQUEST, exchange)).text == "Your key is [key]."

    @pytest.mark.parametrize("code", [200, 400, 429, 503])
    def test_in_an_echo_of_the_header(self, code):
        with Loopback(lambda _: echo_key(code)) as server:
            try:
                self.clean(asked(server).body, "kept")
            except (GaveUp, ProviderRefused) as failure:
                self.clean(failure, getattr(failure, "tries", ""))
        assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.received)

    def test_at_the_edge_where_words_are_cut(self):
        widths = iter(range(250, 305))
        with Loopback(lambda _: raw(b'{"error": "%s %s"}' % (b"x" * next(widths), KEY.encode()), 500)) as server:
            failure = given_up(server, run=runner(tries=55))
        assert len(failure.tries) == 55
        self.clean(failure, failure.tries)

    def test_in_a_redirects_target(self):
        with Loopback(lambda _: redirect(f"https://elsewhere.example/?key={KEY}")) as server:
            assert "?key=[key]" in refused(server)

    def test_in_a_redirects_target_at_the_edge(self):
        widths = iter(range(250, 300))
        with Loopback(lambda _: redirect(f"https://elsewhere.example/{'x' * next(widths)}{KEY.replace('/', '%2f')}")) as server:
            self.clean(*(refused(server) for _ in range(50)))
        assert server.count == 50

    def test_in_every_kind_of_failure_at_once(self):
        page = b"<html><title>%s</title></html>" % KEY.encode()
        faults = [echo_key(500), raw(page), raw(page, 503), reset(), close_early(), short_body()]
        with Loopback(faults) as server:
            exchange = asked(server, run=runner(tries=20))
        assert len(exchange.tries) == len(faults)
        self.clean(call_row(REQUEST, exchange))

    @pytest.mark.parametrize("spelling", SPELLINGS)
    @pytest.mark.parametrize("written", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"])
    def test_in_what_is_kept_although_it_cannot_be_read(self, spelling, written):
        page = f"<html><title>é {spelling}</title>{spelling} and {spelling}</html>".encode(written)
        packed = raw(gzip.compress(page)[:-3], headers={"Content-Encoding": "gzip"})
        for fault in (raw(page), packed):
            with Loopback(lambda _, fault=fault: fault) as server:
                failure = given_up(server, run=runner(tries=2))
            for tried in failure.tries:
                kept = body_of(tried)
                self.clean(tried, kept, kept.replace(b"\0", b""), kept.decode(written, "replace"))
                assert kept.count(b"[key]") == 3

    def test_cut_in_two_at_the_end_of_what_is_kept(self):
        ends = iter(range(1, len(KEY)))
        with Loopback(lambda _: raw(f"<html>{KEY}".encode()[: -next(ends)])) as server:
            failures = [given_up(server, run=runner(tries=2)) for _ in range(len(KEY) // 2)]
        assert len({body_of(tried) for failure in failures for tried in failure.tries}) == 5
        self.clean(*(text for failure in failures for tried in failure.tries for text in (failure, body_of(tried), tried)))
        assert not [failure for failure in failures if KEY[:5] in f"{failure} {failure.tries}"]

    def test_a_placeholder_is_no_secret_and_changes_no_answer(self):
        with Loopback([raw(json.dumps(completion("The drawer was EMPTY.")).encode())]) as server:
            assert b"The drawer was EMPTY." in asked(server, key="EMPTY").body

    def test_a_placeholder_is_still_not_shown_in_a_refusal(self):
        with Loopback(lambda _: status(401, "no such key: EMPTY")) as server:
            assert "EMPTY" not in refused(server, key="EMPTY")

    @given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40), st.booleans())
    def test_any_key_in_any_json(self, key, slashes):
        around = {"choices": [{"message": {"content": "<@@>"}, "finish_reason": "stop"}]}
        assume(key not in json.dumps(around))  # a key such as "finish_reason" would leave no reply around it
        said = json.dumps(around).replace("@@", json.dumps(key)[1:-1])

        async def post(_: bytes, __: str | None) -> Raw:
            return Raw(200, {}, (said.replace("/", "\\/") if slashes else said).encode())

        exchange = asyncio.run(ask(REQUEST, post, key, runner()))
        assert json.loads(exchange.body)["choices"][0]["message"]["content"] == "<[key]>"


def test_a_defect_of_ours_is_no_failure_of_the_provider():
    async def post(_: bytes, __: str | None) -> Raw:
        raise KeyError("defect")

    with pytest.raises(KeyError, match="defect"):
        asyncio.run(ask(REQUEST, post, None, runner()))


def test_stopping_in_a_wait_stops():
    async def stopped() -> bool:
        with Loopback(lambda _: Fault(503, {"Retry-After": "30"}, b"")) as server:
            async with Client(runner()) as client:
                task = asyncio.create_task(ask(REQUEST, partial(client.post, f"{server.base_url}/chat/completions"), KEY, runner()))
                while not server.count:  # noqa: ASYNC110  the server counts in another thread
                    await asyncio.sleep(0.01)
                task.cancel()
                await asyncio.wait([task])
                return task.cancelled()

    assert asyncio.run(stopped())


@pytest.mark.parametrize("wait", ["30", "0"])
def test_a_draining_run_tries_nothing_a_second_time(wait):
    async def drained() -> GaveUp:
        draining = asyncio.Event()

        def last(_: object) -> Fault:
            loop.call_soon_threadsafe(draining.set)
            return Fault(503, {"Retry-After": wait}, b"", delay_s=0.1)

        loop = asyncio.get_running_loop()
        with Loopback(last) as server:
            async with Client(runner()) as client:
                post = partial(client.post, f"{server.base_url}/chat/completions")
                with pytest.raises(GaveUp, match="HTTP 503: no words; the run is stopping") as caught:
                    await ask(REQUEST, post, KEY, runner(wait_max_s=0.0), draining)
            assert server.count == 1
        return caught.value

    assert len(asyncio.run(drained()).tries) == 1


def test_what_is_in_flight_lands_in_a_draining_run():
    async def landed() -> Exchange:
        draining = asyncio.Event()
        draining.set()
        with Loopback() as server:
            async with Client(runner()) as client:
                return await ask(REQUEST, partial(client.post, f"{server.base_url}/chat/completions"), KEY, runner(), draining)

    assert asyncio.run(landed()).http_status == 200
