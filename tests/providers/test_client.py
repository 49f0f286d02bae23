import asyncio
import gzip
import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stages.providers.arriving import Raw
from stages.providers.asking import TransportFault
from stages.providers.client import BODY_MAX, KEEP_ALIVE_S, Client
from stages.providers.redaction import clean
from stages.schema.settings import Runner
from tests.loopback import Fault, Loopback, close_early, completion, endless, gzipped, raw, redirect, reset, short_body, slow, status

KEY = "sk-planted-key-4f1d"
BODY = b'{"model":"m","messages":[{"role":"user","content":"Who wins?"}]}'


def runner(**values) -> Runner:
    base = {"concurrency": 8, "connect_timeout_s": 240.0, "read_timeout_s": 240.0, "tries": 1, "wait_max_s": 0.0, "budget_s": 600.0}
    return Runner(**base | {"stop_after_failures": 3} | values)


def post(url: str, key: str | None = KEY, body: bytes = BODY, run: Runner | None = None, **limits) -> Raw:
    async def one() -> Raw:
        async with Client(run or runner(), **limits) as client:
            return await client.post(url, body, key)

    return asyncio.run(one())


def fault(url: str, **values) -> str:
    with pytest.raises(TransportFault) as caught:
        post(url, **values)
    sentence = str(caught.value)
    assert KEY not in sentence
    assert "Bearer" not in sentence
    assert "\n" not in sentence
    assert caught.value.__cause__ is None  # the library's error holds the request, and so the key
    return sentence


@pytest.fixture
def chat():
    """Starts a server with faults and gives its chat address."""
    running = []

    def start(*faults, **options) -> str:
        server = Loopback(faults, **options)
        running.append(server.__enter__())
        start.server = server
        return f"{server.base_url}/chat/completions"

    yield start
    for server in running:
        server.__exit__()


class TestWhatGoesOut:
    def test_the_body_goes_out_byte_for_byte(self, chat):
        url = chat()
        body = '{"model":"m","messages":[{"role":"user","content":"§ 7 ⚖ 😀"}]}'.encode()
        post(url, body=body)
        assert chat.server.received[0].body == body
        assert chat.server.received[0].method == "POST"
        assert chat.server.received[0].path == "/v1/chat/completions"

    def test_the_headers_say_json_and_no_compression(self, chat):
        url = chat()
        post(url)
        headers = chat.server.received[0].headers
        assert headers["content-type"] == "application/json"
        assert headers["accept-encoding"] == "identity"
        assert headers["authorization"] == f"Bearer {KEY}"
        assert "cookie" not in headers

    def test_no_key_no_authorization(self, chat):
        url = chat()
        post(url, key=None)
        assert "authorization" not in chat.server.received[0].headers

    def test_no_cookie_ties_one_call_to_the_next(self, chat):
        url = chat(raw(b"{}", headers={"Set-Cookie": "who=you; Path=/"}))

        async def twice() -> None:
            async with Client(runner()) as client:
                named = url.replace("127.0.0.1", "localhost")  # a jar keeps no cookies of bare addresses anyway
                await client.post(named, BODY, None)
                await client.post(named, BODY, None)

        asyncio.run(twice())
        assert ["cookie" in request.headers for request in chat.server.received] == [False, False]


class TestWhatComesBack:
    def test_a_reply_comes_back_whole(self, chat):
        reply = post(chat(raw(b'{"a": 1}', 201, {"X-Thing": "yes"})))
        assert (reply.status, reply.body, reply.headers["x-thing"]) == (201, b'{"a": 1}', "yes")

    @pytest.mark.parametrize("code", [400, 401, 404, 429, 500, 529])
    def test_a_failing_status_is_a_reply_too(self, chat, code):
        reply = post(chat(status(code, "words", {"Retry-After": "3"})))
        assert (reply.status, reply.headers["retry-after"]) == (code, "3")
        assert b"words" in reply.body

    @pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
    def test_a_redirect_is_not_followed(self, chat, code):
        target = chat()
        asked_there = chat.server
        reply = post(chat(redirect(target, code)))
        assert (reply.status, reply.headers["location"]) == (code, target)
        assert asked_there.count == 0
        assert chat.server.count == 1

    def test_compression_that_nobody_asked_for_is_undone(self, chat):
        plain, packed = post(chat(None, gzipped())), None
        url = chat(gzipped())
        packed = post(url)
        assert packed.body == plain.body
        assert json.loads(packed.body)["object"] == "chat.completion"

    def test_many_at_once_do_not_wait_for_each_other(self, chat):
        together = threading.Barrier(24, timeout=600)

        def meet(_: dict) -> str:
            together.wait()
            return "met"

        url = chat(reply=meet)

        async def crowd() -> list[Raw]:
            async with Client(runner(concurrency=1)) as client:
                return await asyncio.gather(*(client.post(url, BODY, None) for _ in range(24)))

        assert {reply.status for reply in asyncio.run(crowd())} == {200}
        assert chat.server.peak == 24

    def test_a_large_body_within_the_limit_comes_back(self, chat):
        body = json.dumps(completion("word " * 400_000)).encode()
        assert post(chat(raw(body))).body == body
        assert len(body) < BODY_MAX


@contextmanager
def served(said: bytes) -> Iterator[str]:
    """The address of a server that says these bytes, once, and closes the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def talk() -> None:
            connection, _ = listening.accept()
            asked = b""
            with connection:
                while not asked.endswith(BODY):  # closing before all has come would reset the connection
                    asked += connection.recv(65536)
                connection.sendall(said)

        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        thread.join()


class TestTransportFaults:
    def test_nobody_listens(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            assert fault(f"http://127.0.0.1:{port}/v1") == f"127.0.0.1:{port}: the connection was refused"

    def test_no_such_host(self):
        assert fault("http://no-such-host.invalid/v1").startswith("no-such-host.invalid: ")

    @pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificate with openssl")
    def test_a_certificate_that_nobody_vouches_for(self, chat, tmp_path):
        """The key must not go to whoever answers: the handshake fails before anything is sent."""
        words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"]
        subprocess.run([*words, "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
        url = chat().replace("http:", "https:")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
        inner = chat.server._http
        inner.socket = context.wrap_socket(inner.socket, server_side=True, do_handshake_on_connect=False)
        inner.handle_error = lambda *_: None  # the refused handshake, which the server would print
        assert "certificate" in fault(url) or "TLS" in fault(url)
        assert chat.server.count == 0

    def test_no_tls_there(self, chat):
        assert fault(chat().replace("http:", "https:")).endswith("no secure connection (TLS)")

    def test_reset(self, chat):
        assert fault(chat(reset())).endswith("the connection was reset")

    def test_closed_before_a_reply(self, chat):
        assert fault(chat(close_early())).endswith("the connection closed before a reply came")

    def test_broken_off(self, chat):
        assert fault(chat(short_body())).endswith("the reply broke off before its end")

    def test_silence(self, chat):
        assert fault(chat(slow(600)), run=runner(read_timeout_s=0.05)).endswith("no reply within the time")

    def test_a_body_that_never_ends_is_ended(self, chat):
        assert fault(chat(endless()), wall_s=0.2).endswith("no reply within the time")

    def test_the_wall_follows_from_the_runners_times(self, chat):
        assert fault(chat(endless()), run=runner(connect_timeout_s=0.1, read_timeout_s=0.1)).endswith("within the time")

    def test_a_body_beyond_the_limit_is_not_taken(self, chat):
        assert fault(chat(endless()), body_max=50_000).endswith("the reply is longer than 50000 bytes")

    def test_a_compressed_body_counts_unpacked(self, chat):
        url = chat(gzipped(), reply=lambda _: "a" * 200_000)
        assert fault(url, body_max=100_000).endswith("the reply is longer than 100000 bytes")

    def test_broken_compression(self, chat):
        assert fault(chat(gzipped(b'{"choices": []}'))).endswith("the reply's compression is broken")

    def test_packed_twice(self, chat):
        twice = raw(gzip.compress(gzip.compress(b"{}")), headers={"Content-Encoding": "gzip, gzip"})
        assert fault(chat(twice)).endswith("the reply is packed 2 times over, which nobody asked for")

    @pytest.mark.parametrize(
        ("came", "code", "received", "spoiled"),
        [
            (short_body(), 200, True, False),
            (gzipped(b"no gzip"), 200, False, True),
            (gzipped(gzip.compress(b'{"choices": []}')[:-3]), 200, True, True),
            (Fault(429, {"Content-Encoding": "gzip"}, b"no gzip"), 429, False, False),
            (Fault(500, {"Content-Encoding": "gzip"}, gzip.compress(b"words")[:-3]), 500, False, False),
            (reset(), None, False, False),
        ],
        ids=["broken off", "broken", "cut", "a failure that is broken", "a failure that is cut", "reset"],
    )
    def test_what_came_of_a_success_is_handed_over_and_nothing_else(self, chat, came, code, received, spoiled):
        with pytest.raises(TransportFault) as caught:
            post(chat(came))
        assert caught.value.spoiled is spoiled
        assert bool(caught.value.received) is received
        if received:
            assert caught.value.received.status == code
            assert b'"choices"' in caught.value.received.body

    def test_what_trickled_in_before_the_wall_is_handed_over(self, chat):
        for wall_s in (0.5, 2.0, 8.0, 32.0, 128.0):  # a slow machine has not even begun to read when half a second is over
            with pytest.raises(TransportFault, match="no reply within the time") as caught:
                post(chat(endless(b"word ")), wall_s=wall_s)
            if caught.value.received:
                break
        assert caught.value.received.body.startswith(b"word word ")

    @pytest.mark.parametrize(
        "said",
        [
            b"SSH-2.0-OpenSSH_9.2\r\n",
            b"HTTP/1.1 200 OK\r\nbroken header\r\n\r\n",
            b"\x00" * 64,
            b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        ],
        ids=["ssh", "header", "zeros", "long header", "two lengths", "length and chunks", "size of a chunk"],
    )
    def test_a_server_that_speaks_no_http(self, said):
        with served(said) as url, pytest.raises(TransportFault, match=r"the reply is no HTTP$") as caught:
            post(url)
        assert caught.value.spoiled, "something came, and may be paid for: it is asked for once more at most"
        assert caught.value.__cause__ is None

    @pytest.mark.parametrize(
        "said",
        [
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;more=x\r\n{}\r\n0\r\nX-Checked: yes\r\n\r\n",
            b"HTTP/1.0 200 OK\r\n\r\n{}",
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            b"HTTP/1.1 200\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 2\r\n\r\n{}",
            b"HTTP/1.1 200 \xff\r\nX: \xff\xfe\r\nContent-Length: 2\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 500 Smuggled\r\n\r\n",
        ],
        ids=["chunks and trailers", "HTTP/1.0", "continue", "hints", "cookies", "no UTF-8", "more than was promised"],
    )
    def test_an_odd_reply_that_is_whole_is_taken(self, said):
        with served(said) as url:
            came = post(url)
        assert (came.status, came.body) == (200, b"{}")
        assert clean(KEY, came).headers.keys() == came.headers.keys()

    @pytest.mark.parametrize("url", ["http://", "http://127.0.0.1:99999/v1", "http://[::1/v1", "ftp://127.0.0.1/v1"])
    def test_an_address_that_is_none(self, url):
        assert fault(url)

    def test_a_password_in_an_address_is_not_told(self):
        assert "hidden" not in fault("http://someone:hidden@127.0.0.1:1/v1")


class TestProxies:
    def test_this_machine_is_never_asked_by_proxy(self, chat, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
        assert post(chat()).status == 200

    def test_other_machines_are(self, chat, monkeypatch):
        chat()
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("HTTP_PROXY", chat.server.base_url.removesuffix("/v1"))
        assert post("http://provider.invalid/v1/chat/completions").status == 200
        assert chat.server.received[0].path == "http://provider.invalid/v1/chat/completions"

    def test_a_proxy_that_is_away(self, monkeypatch):
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        assert fault("http://provider.invalid/v1").startswith("provider.invalid: ")


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the kernel's table of connections is read")
def test_the_kernel_keeps_a_silent_connection_alive(chat):
    """While the model is silent, the one timer on the connection is that of keep-alive (02), and it rings within a minute."""
    url = chat(slow(600))

    def timers() -> list[tuple[str, int]]:
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        ours = [line for line in lines if int(line[2].split(":")[1], 16) == chat.server.port and line[3] == "01"]
        return [(kind, int(left, 16) / 100) for kind, left in (line[5].split(":") for line in ours)]

    async def silent() -> list[tuple[str, int]]:
        async with Client(runner()) as client:
            task = asyncio.create_task(client.post(url, BODY, KEY))
            while not chat.server.count or [kind for kind, _ in timers()] == ["01"]:  # noqa: ASYNC110  01: not yet acknowledged
                await asyncio.sleep(0.01)
            found = timers()
            task.cancel()
            await asyncio.wait([task])
            return found

    [(kind, seconds)] = asyncio.run(silent())
    assert kind == "02"
    assert 0 <= seconds <= KEEP_ALIVE_S


def test_a_cancelled_call_stays_cancelled(chat):
    url = chat(slow(600))

    async def cancelled() -> bool:
        async with Client(runner()) as client:
            task = asyncio.create_task(client.post(url, BODY, KEY))
            while not chat.server.count:  # noqa: ASYNC110  the server counts in another thread
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait([task])
            return task.cancelled()

    assert asyncio.run(cancelled())
