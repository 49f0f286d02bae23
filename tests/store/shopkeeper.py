"""A loopback HTTP server that sells constructed replies, counts every sale, and can hold replies back.

Also what the tests of this folder share: requests, rows, and a shop without a network.
"""

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from stages.schema.calls import Exchange, Request, call_row
from stages.store.lanes import Shop

STARTED = "2026-11-30T08:15:11.123Z"


def request(number, contestant="alder", route="loopback/alder"):
    """The request of one answer; its message says which."""
    body = {"model": "m", "messages": [{"role": "user", "content": f"{contestant} {number}"}], "max_tokens": 8}
    subject = {"contestant": contestant, "matter_id": f"Q{number:03}", "attempt": 1}
    return Request("answer", subject, {"matter_sha256": "0" * 64}, "openai-chat", route, "m", None, body)


def requests(count, **change):
    return [request(number, **change) for number in range(1, count + 1)]


def exchange(words="yes", started_at=STARTED):
    return Exchange(200, json.dumps({"says": words}).encode(), started_at, 12)


def row(number, words="yes", started_at=STARTED, **change):
    return call_row(request(number, **change), exchange(words, started_at))


class Gave(Exception):
    """What the provider shelf raises when one request delivered nothing."""


def shop(ask, width=4, gap=Gave, stop_after_failures=3, why_not=None, lane=None, keeping=None, **more):
    """A shop that asks ``ask``, and says ``why_not``. A lane is a route. keeping: an ask that hands over what delivered nothing."""
    widths = width if callable(width) else lambda lane: width
    return Shop(
        keeping or (lambda request, keep: ask(request)),
        lambda missing: why_not,
        lane or (lambda each: each.route),
        widths,
        gap,
        stop_after_failures,
        **more,
    )


class Counter200:
    """An ``ask`` without a network that remembers what it was asked and how many at once."""

    def __init__(self):
        self.asked = []
        self.at_once = Counter()
        self.most = Counter()

    async def __call__(self, request):
        self.asked.append(request.sha256)
        self.at_once[request.route] += 1
        self.most[request.route] = max(self.most[request.route], self.at_once[request.route])
        await asyncio.sleep(0.001)
        self.at_once[request.route] -= 1
        return exchange(request.name)


def until(fact: Callable[[], object], what: str):
    """Wait for ``fact``. Ten minutes are no measure of speed, only the end of patience with a test that hangs."""
    end = time.monotonic() + 600
    while not fact():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.01)


class _Server(ThreadingHTTPServer):
    """Two processes knock at once; the queue is made when the server is, and five places of it would turn some away on a busy machine."""

    daemon_threads = True
    request_queue_size = 1024


class Shopkeeper:
    """The server. It delivers ``free`` replies at once and holds the later ones until ``gate`` is set."""

    def __init__(self, free=10**9):
        self.free = free
        self.gate = threading.Event()
        self.lock = threading.Lock()
        self.came = Counter()

    def __enter__(self):
        keeper = self

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self):
                keeper.sell(self)

            def log_message(self, *words):
                """Quiet: the counts are what is wanted."""

        self.server = _Server(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.port = self.server.server_address[1]
        return self

    def __exit__(self, *error):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def sold(self):
        """How many requests came, repeated ones counted each time."""
        with self.lock:
            return self.came.total()

    def repeated(self):
        """The requests that came more than once."""
        with self.lock:
            return {name for name, times in self.came.items() if times > 1}

    def sell(self, handler):
        asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))["messages"][0]["content"]
        with self.lock:
            self.came[asked] += 1
            held = self.came.total() > self.free
        if held:
            self.gate.wait()
        data = json.dumps({"says": f"reply to {asked}"}).encode()
        try:
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            handler.close_connection = True  # the buyer was killed
