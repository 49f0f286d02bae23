"""A real HTTP server on 127.0.0.1 that speaks chat completions for tests. Its replies are constructed: no model wrote them.

By default the reply's text is a function of the request alone, so equal requests get equal replies; a request with a response_format
gets a verdict, drawn from a digest of its messages. Every request is kept. Faults are scripted, one a request in the order of arrival,
or chosen by a function of the request:

    with Loopback([status(429, headers={"Retry-After": "1"}), reset()]) as server:
        ...  # server.base_url is http://127.0.0.1:<port>/v1; server.received holds what came

For subprocesses the server's address is enough; ``python tests/loopback.py`` also runs it alone until its stdin ends.
"""

import gzip
import hashlib
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

VERDICTS = ("A", "B", "tie", "both_inadequate")


@dataclass(frozen=True)
class Received:
    """One request as it came in; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Fault:
    """What to do instead of, or around, the constructed reply. body None: the constructed one. delay_s: seconds before anything."""

    code: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay_s: float = 0.0
    act: Literal["send", "reset", "close", "short", "endless", "echo"] = "send"


def status(code: int, words: str = "constructed failure", headers: dict[str, str] | None = None, **error: Any) -> Fault:
    """An HTTP status with an error object; further keywords go into that object."""
    body = json.dumps({"error": {"message": words, "code": code, **error}}).encode()
    return Fault(code, headers or {}, body)


def raw(body: bytes, code: int = 200, headers: dict[str, str] | None = None) -> Fault:
    """Exactly these bytes as the body."""
    return Fault(code, headers or {}, body)


def slow(seconds: float) -> Fault:
    """The constructed reply, late."""
    return Fault(delay_s=seconds)


def reset() -> Fault:
    """The connection is reset (RST) instead of a reply."""
    return Fault(act="reset")


def close_early() -> Fault:
    """The connection closes instead of a reply."""
    return Fault(act="close")


def short_body() -> Fault:
    """Content-Length promises more than comes."""
    return Fault(act="short")


def endless(words: bytes = b" ") -> Fault:
    """A body of blanks, or of these words over and over, that never ends."""
    return Fault(body=words, act="endless")


def redirect(location: str, code: int = 307) -> Fault:
    return Fault(code, {"Location": location}, b"")


def gzipped(body: bytes | None = None) -> Fault:
    """The constructed reply compressed, asked for or not; or ``body`` that only claims to be."""
    return Fault(headers={"Content-Encoding": "gzip"}, body=body)


def echo_key(code: int = 200) -> Fault:
    """The Authorization header stands in the body: in an error's words, or at 200 in the answer."""
    return Fault(code, act="echo")


def completion(text: str | None, finish_reason: str | None = "stop", model: str = "constructed", **message: Any) -> dict[str, Any]:
    """A chat completion around ``text``; further keywords go into its message."""
    return {
        "id": "chatcmpl-" + hashlib.sha256(repr(text).encode()).hexdigest()[:12],
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 11, "completion_tokens": len((text or "").split()), "total_tokens": 11 + len((text or "").split())},
    }


def constructed_text(asked: dict[str, Any]) -> str:
    """The default reply to a request's body."""
    drawn = hashlib.sha256(json.dumps([asked.get("model"), asked.get("messages")], sort_keys=True).encode()).hexdigest()
    if "response_format" not in asked:
        return f"Constructed answer {drawn[:16]}. The claim stands or falls with point {int(drawn[16:20], 16) % 9 + 1} of the record."
    number = int(hashlib.sha256(json.dumps(asked.get("messages"), sort_keys=True).encode()).hexdigest(), 16)
    verdict = {
        "material_difference": number % 2 == 0,
        "rationale": f"Constructed rationale {drawn[:12]}.",
        "rejected_points": [],
        "verdict": VERDICTS[number // 2 % 4],
    }
    return json.dumps(verdict)


class Loopback:
    """The server, in a thread. key: the bearer key it demands, or None. reply: the text for a request's body."""

    def __init__(
        self,
        faults: Iterable[Fault | None] | Callable[[Received], Fault | None] = (),
        key: str | None = None,
        reply: Callable[[dict[str, Any]], str] = constructed_text,
    ) -> None:
        self.key, self.reply = key, reply
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._received: list[Received] = []
        self._in_flight = self._peak = 0
        self._script: Iterator[Fault | None] = iter(()) if callable(faults) else iter(faults)
        self._choose = faults if callable(faults) else None
        self._open = threading.Event()
        self._free: int | None = None
        self._http = _Server(("127.0.0.1", 0), _Talk)
        self._http.loopback = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def received(self) -> list[Received]:
        """A copy of every request so far, in the order of arrival."""
        with self._lock:
            return list(self._received)

    @property
    def count(self) -> int:
        return len(self.received)

    @property
    def peak(self) -> int:
        """The most requests that were ever in flight at once."""
        with self._lock:
            return self._peak

    @property
    def in_flight(self) -> int:
        """How many requests are being answered now. Without the lock, for a fault that asks while it holds its own."""
        return self._in_flight

    def hold_after(self, served: int) -> None:
        """From the request after the first ``served`` ones, replies wait until ``let_go``: what is in flight stays in flight."""
        self._free = served

    def let_go(self) -> None:
        """Send what was held, and hold nothing from now on."""
        self._free = None
        self._open.set()

    def wait_turn(self, number: int) -> None:
        """Wait while the reply to request ``number`` (from 1) is held, in steps, so that a stopping server waits for no one."""
        while self._free is not None and number > self._free and not self.stopping.is_set():
            self._open.wait(0.05)

    def arrive(self, request: Received) -> tuple[int, Fault | None]:
        """Keep a request; its number, from 1, and what befalls it."""
        with self._lock:
            self._received.append(request)
            number = len(self._received)
            self._in_flight += 1
            self._peak = max(self._peak, self._in_flight)
            fault = next(self._script, None)
        return number, self._choose(request) if self._choose else fault

    def leave(self) -> None:
        with self._lock:
            self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 1024
    loopback: Loopback

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests; anything else is a defect of this server and must show."""
        if not isinstance(sys.exception() if sys.version_info >= (3, 12) else sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *_: object) -> None:
        """Tests read ``received``."""

    def do_GET(self) -> None:
        self._one()

    def do_POST(self) -> None:
        self._one()

    def _one(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.command, self.path, headers, self.rfile.read(length))
        loopback = self.server.loopback
        number, fault = loopback.arrive(request)
        try:
            loopback.wait_turn(number)
            self._answer(request, fault or self._refusal(request) or Fault())
        finally:
            loopback.leave()

    def _refusal(self, request: Received) -> Fault | None:
        key = self.server.loopback.key
        if key is not None and request.headers.get("authorization") != f"Bearer {key}":
            return status(401, "constructed: no such key")
        if request.method != "POST":
            return status(405, "constructed: POST it")
        if not request.path.endswith("/v1/chat/completions"):
            return status(404, "constructed: no such path")
        return None

    def _answer(self, request: Received, fault: Fault) -> None:
        if fault.delay_s:
            self.server.loopback.stopping.wait(fault.delay_s)
        if fault.act == "reset":
            self._reset()
        elif fault.act == "close":
            self.close_connection = True
        elif fault.act == "endless":
            self._endless(fault)
        else:
            self._send(fault, self._body(request, fault))

    def _body(self, request: Received, fault: Fault) -> bytes:
        if fault.act == "echo":
            said = f"you sent {request.headers.get('authorization')}"
            return json.dumps(completion(said) if fault.code == 200 else {"error": {"message": said}}).encode()
        if fault.body is not None:
            return fault.body
        asked = request.json
        body = json.dumps(completion(self.server.loopback.reply(asked), model=str(asked.get("model")))).encode()
        return gzip.compress(body, mtime=0) if fault.headers.get("Content-Encoding") == "gzip" else body

    def _send(self, fault: Fault, body: bytes) -> None:
        promised = len(body) + (100 if fault.act == "short" else 0)
        self.send_response(fault.code)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(promised), **fault.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.close_connection or fault.act == "short"

    def _reset(self) -> None:
        """Close with SO_LINGER 0, which sends RST. The reader goes first: it holds the socket open."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.connection.close()

    def _endless(self, fault: Fault) -> None:
        self.close_connection = True
        self.send_response(fault.code)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        with suppress(OSError):  # the client hung up, as it should
            while not self.server.loopback.stopping.is_set():
                self.wfile.write((fault.body or b" ") * 4096)
                time.sleep(0.005)


def main() -> None:
    """Print the base URL and serve until stdin ends."""
    with Loopback() as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
