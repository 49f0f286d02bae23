"""The one door to the network: posts a body, hands back what came, whole. The only module that knows httpx.

httpx is the interface and aiohttp the transport: httpx's own pool took 17.6 s against 0.8 s for 2,000 calls at 256 in flight.
"""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any, Self

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport, HttpxAiohttpClient

from stages.providers.arriving import Arriving, Raw, Unusable
from stages.providers.asking import TransportFault
from stages.schema.settings import Runner

BODY_MAX = 64 * 1024 * 1024  # bytes; the longest real answers are under 1 MiB, and beyond this a machine would run out of memory

# A connection on which nothing is heard is forgotten on the way after four to six minutes (the gateways of the large clouds), and a model
# may think for ten: the kernel asks the other end every minute whether it is there, which no program sees.
KEEP_ALIVE_S = 60
_IDLE = getattr(socket, "TCP_KEEPIDLE", getattr(socket, "TCP_KEEPALIVE", None))  # as Linux and macOS call it

_NO_HTTP = "the reply is no HTTP"

# The first that fits anything in an error's chain of causes speaks for it: in own words, because a library's may quote a header, and
# from aiohttp's kinds before httpx's, because the transport between them calls every lost connection a ConnectTimeout.
_SENTENCES: list[tuple[tuple[type[BaseException], ...], str]] = [
    ((ssl.SSLError, aiohttp.ClientSSLError, aiohttp.ServerFingerprintMismatch), "no secure connection (TLS)"),
    ((aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError), "the proxy does not let it through"),
    ((socket.gaierror, aiohttp.ClientConnectorDNSError), "the host name does not resolve"),
    ((ConnectionRefusedError,), "the connection was refused"),
    ((ConnectionResetError, BrokenPipeError), "the connection was reset"),
    ((aiohttp.ServerDisconnectedError,), "the connection closed before a reply came"),
    ((aiohttp.ClientPayloadError,), "the reply broke off before its end"),
    ((aiohttp.ConnectionTimeoutError,), "no connection within the time"),
    ((TimeoutError, httpx.ReadTimeout), "no reply within the time"),
    ((aiohttp.ClientConnectorError,), "no connection"),
    ((aiohttp.ClientResponseError,), _NO_HTTP),
    ((httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError), "the address is none that can be asked"),
]


def _lasting(address: aiohttp.AddrInfoType) -> socket.socket:
    """A socket whose connection lasts through silence."""
    family, kind, protocol, *_ = address
    found = socket.socket(family, kind, protocol)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option in (_IDLE, getattr(socket, "TCP_KEEPINTVL", None)):
        if option is not None:
            found.setsockopt(socket.IPPROTO_TCP, option, KEEP_ALIVE_S)
    return found


class _Response(aiohttp.ClientResponse):
    """A response without the words that the server puts behind its status: nobody reads them, and the transport takes only UTF-8."""

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        await super().start(connection)
        self.reason = None
        return self


class _Transport(AiohttpTransport):
    """No limit of its own on connections (the buyer keeps the widths), and no cookie that would tie one call to another."""

    def get_client(self) -> aiohttp.ClientSession:
        kept_s = self.limits.keepalive_expiry
        connector = aiohttp.TCPConnector(limit=0, ssl=self.ssl_context, keepalive_timeout=kept_s, socket_factory=_lasting)
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), response_class=_Response)


class _Http(HttpxAiohttpClient):
    """httpx over the transport above, with and without the proxy that the environment names."""

    def _init_transport(self, *args: Any, **kwargs: Any) -> httpx.AsyncBaseTransport:
        return _Transport(*args, **kwargs)

    def _init_proxy_transport(self, proxy: httpx.Proxy, *args: Any, **kwargs: Any) -> httpx.AsyncBaseTransport:
        return _Transport(*args, **kwargs | {"proxy": proxy})


class Client:
    """Asks endpoints. The environment's proxies and certificates are honoured, but this machine itself is never asked by proxy.

    wall_s: seconds after which a try is ended even if bytes still trickle in. By default the time to connect and twice the time
    to read: endpoints that send blanks while they think may use the first half up, and a body that never ends is ended.
    """

    def __init__(self, runner: Runner, body_max: int = BODY_MAX, wall_s: float | None = None) -> None:
        self._body_max = body_max
        self._wall_s = wall_s or runner.connect_timeout_s + 2 * runner.read_timeout_s
        self._http = _Http(
            timeout=httpx.Timeout(runner.read_timeout_s, connect=runner.connect_timeout_s, pool=runner.connect_timeout_s),
            headers={"User-Agent": "moot", "Accept": "application/json", "Accept-Encoding": "identity"},
            follow_redirects=False,  # a redirect would carry the key to a place nobody chose
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._http.aclose()

    async def post(self, url: str, body: bytes, key: str | None) -> Raw:
        """Send ``body`` as JSON and take the whole reply. Raises TransportFault, with what came of it, when no whole reply came."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        arriving = Arriving(self._body_max)
        try:
            async with (
                asyncio.timeout(self._wall_s),
                self._http.stream("POST", url, content=body, headers=headers) as response,
            ):
                arriving.begin(response.status_code, dict(response.headers))
                async for piece in response.aiter_raw():  # as sent: httpx itself would unpack without a limit
                    arriving.take(piece)
                return arriving.whole()
        except Unusable as reason:
            raise TransportFault(f"{_host(url)}: {reason}", arriving.so_far(), spoiled=arriving.success) from None
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError, ValueError) as error:
            said = _sentence(error)
            spoiled = said == _NO_HTTP  # something came, and nobody can read of it whether it was a success
            # from None: the chain holds the request, and so the key
            raise TransportFault(f"{_host(url)}: {said}", arriving.so_far(), spoiled) from None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _sentence(error: BaseException) -> str:
    chain = list(_chain(error))
    fitting = (sentence for kind, sentence in _SENTENCES if any(isinstance(link, kind) for link in chain))
    return next(fitting, f"no reply ({type(error).__name__})")


def _host(url: str) -> str:
    """Host and port of ``url``; nothing else of it, for a password may stand there."""
    try:
        return httpx.URL(url).netloc.decode("ascii", "replace")
    except httpx.InvalidURL:
        return "an address that cannot be read"
