"""What stages use: hands each request to the model it is for, wherever that model is served."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from stages.providers.arriving import Raw
from stages.providers.asking import GaveUp, Keep, Post, TransportFault, ask, nowhere
from stages.providers.local import LocalServer, why_not
from stages.providers.pace import Pace
from stages.providers.reading import about_tokens, cost_usd, recorded_reply, worst_case_usd
from stages.runtime.errors import NothingBought
from stages.schema.calls import Exchange, Request, Row
from stages.schema.settings import HostedModel, LocalModel, Runner

Model = LocalModel | HostedModel

if TYPE_CHECKING:
    from stages.providers.client import Client

LOCAL_LANE = "local"


class Switchboard:
    """Models by name, asked over one client. No network, key or server is touched before the first ``ask``.

    Local models share one lane: one server at a time and one request at a time in it, because two models at once do not fit a small
    machine and a second slot would change replies. A buyer should ask local models one after another: each switch loads weights.
    """

    gap = GaveUp

    def __init__(self, models: dict[str, LocalModel | HostedModel], runner: Runner) -> None:
        self._models = models
        self._runner = runner
        self._client: Client | None = None
        self._client_open = AsyncExitStack()
        self._server: LocalServer | None = None
        self._server_open = AsyncExitStack()
        self._server_at = ("", "")
        self._turn = asyncio.Lock()
        self._draining = asyncio.Event()
        self._paces: dict[str, Pace] = {}
        self.permit: Callable[[Request], None] = lambda _: None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server, self._client = None, None
        try:
            await self._server_open.aclose()
        finally:
            await self._client_open.aclose()

    def why_not(self, names: Iterable[str]) -> str | None:
        """One sentence about the first of ``names`` that cannot be bought from; None when all can. Touches no network."""
        for name in names:
            reason = self._why_not(name)
            if reason:
                return f"{name}: {reason}"
        return None

    def lanes(self, request: Request) -> str:
        """The endpoint's lane that ``request`` drives in."""
        model = self._models[request.asked]
        return LOCAL_LANE if isinstance(model, LocalModel) else model.route

    def width(self, lane: str) -> int:
        """How many requests a lane takes side by side."""
        return 1 if lane == LOCAL_LANE else self._pace(lane).width

    def _pace(self, lane: str) -> Pace:
        most, requests, tokens = self._runner.concurrency, self._runner.requests_per_minute, self._runner.tokens_per_minute
        return self._paces.setdefault(lane, Pace(most, requests, tokens))

    def worst_case_usd(self, request: Request) -> float | None:
        """The most that one call can cost; None when the price is unknown."""
        return worst_case_usd(self._models[request.asked], len(request.body_bytes))

    def bill(self, row: Row) -> tuple[float | None, int | None]:
        """US dollars and tokens of one recorded reply; None for what is unknown."""
        reply = recorded_reply(row)
        counted = [count for count in (reply.prompt_tokens, reply.completion_tokens) if count is not None]
        return cost_usd(self._models[row["contestant" if row["kind"] == "answer" else "judge"]], reply), sum(counted) if counted else None

    def drain(self) -> None:
        """Let what is in flight land, and try nothing a second time: waits between tries end in GaveUp."""
        self._draining.set()

    async def ask(self, request: Request, keep: Keep = nowhere) -> Exchange:
        """Ask the model that ``request`` is for. keep: takes each try that delivered nothing, at once.

        Raises NothingBought (no key, no weights, no runtime, no start), ProviderRefused (a no that stays) and
        stages.providers.asking.GaveUp (nothing delivered within the tries).
        """
        name = request.asked
        model = self._models[name]
        if isinstance(model, LocalModel):
            async with self._turn:
                base_url, key = await self._serving(model)
                return await ask(request, partial(self._http().post, _chat(base_url)), key, self._runner, self._draining, keep)
        reason = self._why_not(name)
        if reason:
            raise NothingBought(f"{name}: {reason}")
        post = self._paced(request, partial(self._http().post, _chat(model.base_url)), model)
        post = self._permitted(request, post)
        return await ask(request, post, _key(model), self._runner, self._draining, keep)

    def _permitted(self, request: Request, post: Post) -> Post:
        """``post`` that asks for leave before every further try: each may be paid for. The first has its leave already."""
        tried = False

        async def permitted(body: bytes, key: str | None) -> Raw:
            nonlocal tried
            if tried:
                self.permit(request)
            tried = True
            return await post(body, key)

        return permitted

    def _paced(self, request: Request, post: Post, model: HostedModel) -> Post:
        """``post`` at the lane's pace: every try waits for the caps, and what it comes back with sets the width."""
        pace = self._pace(model.route)

        async def paced(body: bytes, key: str | None) -> Raw:
            call = await self._admitted(request, pace.admit(about_tokens(len(body)) + model.decoding.max_tokens))
            try:
                raw = await post(body, key)
            except TransportFault:
                pace.lost()
                raise
            pace.landed(call, raw.status)
            return raw

        return paced

    async def _admitted(self, request: Request, admission: Coroutine[Any, Any, int]) -> int:
        """What ``admission`` gives. Raises GaveUp when the run drains while the caps still hold the call back: it is not in flight,
        and after a stop nothing new is bought, however soon its turn would come."""
        admitted, drained = asyncio.ensure_future(admission), asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait((admitted, drained), return_when=asyncio.FIRST_COMPLETED)
            if admitted.done():
                return admitted.result()
            raise GaveUp(f"{request.name} ({request.sha256[:12]}): not asked, because the run is stopping", ())
        finally:
            admitted.cancel()
            drained.cancel()

    def _why_not(self, name: str) -> str | None:
        model = self._models[name]
        if isinstance(model, LocalModel):
            return why_not(model)
        key = _key(model)
        if model.key_env and not key:
            return f"the environment variable {model.key_env}, which holds its key, is not set"
        if key and not (key.isascii() and key.isprintable()):
            return f"the environment variable {model.key_env} holds a character that no key can hold"
        return None

    def _http(self) -> "Client":
        """The one client, made when something is really asked: a run that buys nothing does not even load httpx."""
        if self._client is None:
            from stages.providers.client import Client  # noqa: PLC0415  see the docstring

            self._client = Client(self._runner)
            self._client_open.push_async_exit(self._client)
        return self._client

    async def _serving(self, model: LocalModel) -> tuple[str, str]:
        """Address and key of the server for ``model``, in place of any other server."""
        current = self._server
        same = current is not None and (current.model.weights, current.model.server) == (model.weights, model.server)
        if current is not None and same and current.alive:
            return self._server_at
        self._server = None
        await self._server_open.aclose()
        server = LocalServer(model)
        self._server_at = await self._server_open.enter_async_context(server)
        self._server = server
        return self._server_at


def _chat(base_url: str) -> str:
    return f"{base_url}/chat/completions"


def _key(model: HostedModel) -> str | None:
    """The model's key, from the environment and nowhere else."""
    return os.environ.get(model.key_env, "").strip() or None if model.key_env else None
