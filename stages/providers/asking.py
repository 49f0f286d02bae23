"""One request, asked until it delivers something: full jitter, a cap, a number of tries and a budget. The key stays inside.

Every try that delivers nothing is handed over before the next one begins, with what came where that may have been paid for.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    stop_any,
    stop_before_delay,
    wait_random_exponential,
)
from tenacity.stop import stop_base

from stages.providers.arriving import Raw
from stages.providers.openai import Again, Delivered, No, Spoiled, classify
from stages.providers.redaction import clean, without
from stages.runtime.errors import ProviderRefused
from stages.schema.calls import Exchange, Request, Row, try_row
from stages.schema.settings import Runner

SPOILED_MAX = 2  # replies that cannot be read and may be paid for: one more is worth its price, a third would be the same again


class TransportFault(Exception):
    """No whole reply came back. Its sentence holds neither the key nor a header.

    received: what came under a success status, as far as it may be kept. spoiled: it all came, and cannot be taken as it is sent.
    """

    def __init__(self, sentence: str, received: Raw | None = None, spoiled: bool = False) -> None:
        super().__init__(sentence)
        self.received = received
        self.spoiled = spoiled


class GaveUp(Exception):
    """A request delivered nothing within its tries. ``tries`` holds each, as stages.schema.calls.try_row makes them.

    closes: the endpoint asks to be left alone for longer than a request may wait, so there is no use in asking it for others.
    """

    def __init__(self, sentence: str, tries: tuple[Row, ...], closes: bool = False) -> None:
        super().__init__(sentence)
        self.tries = tries
        self.closes = closes


class SaidNo(ProviderRefused):
    """A provider's no, with what became of every exchange: ``tries``."""

    def __init__(self, sentence: str, tries: tuple[Row, ...]) -> None:
        super().__init__(sentence)
        self.tries = tries


class _NotYet(Exception):
    """One try delivered nothing. after_s: seconds to wait at least. spoiled: something came, and may be paid for."""

    def __init__(self, reason: str, after_s: float | None = None, spoiled: bool = False) -> None:
        super().__init__(reason)
        self.after_s = after_s
        self.spoiled = spoiled


Post = Callable[[bytes, str | None], Awaitable[Raw]]
Keep = Callable[[Row], Awaitable[None]]


async def nowhere(tried: Row) -> None:
    """The keep where nobody keeps."""


async def ask(
    request: Request, post: Post, key: str | None, runner: Runner, draining: asyncio.Event | None = None, keep: Keep = nowhere
) -> Exchange:
    """Ask until something is delivered. ``post`` sends a body with a key to the one place that this request goes to.

    draining: once it is set, a try in flight still lands, but none follows it. keep: takes each try that delivered nothing, before
    the next one; what it raises ends the asking.
    Raises GaveUp when the tries or the budget are used up, or too much came that cannot be read, and ProviderRefused when the
    provider says no for good; both name the request and hold the provider's words.
    """
    tries: list[Row] = []
    retrying = AsyncRetrying(
        sleep=_pausing(draining or asyncio.Event(), tries),
        retry=retry_if_exception_type(_NotYet),
        stop=stop_any(_SpoiledEnough(), stop_after_attempt(runner.tries), stop_before_delay(runner.budget_s)),
        wait=_waiting(runner.wait_max_s),
        reraise=True,
    )

    async def noted(tried: Row) -> None:
        tries.append(tried)
        await keep(tried)

    label = f"{request.name} ({request.sha256[:12]})"
    try:
        exchange: Exchange = await retrying(_once, request.body_bytes, post, key, noted)
    except _NotYet as failure:
        later = _come_back(failure, len(tries), runner)
        sentence = f"{label}: nothing delivered in {_times(len(tries))}; the last: {failure}{later}"
        raise GaveUp(sentence, tuple(tries), closes=bool(later)) from None
    except ProviderRefused as refusal:
        raise SaidNo(f"{label}: {refusal}", tuple(tries)) from None
    return replace(exchange, tries=tuple(tries))


async def _once(body: bytes, post: Post, key: str | None, noted: Keep) -> Exchange:
    """One try: the exchange, or _NotYet or ProviderRefused when what became of it is noted."""
    started_at, clock = _stamp(datetime.now(UTC)), time.monotonic()
    came = await _came(body, post, key)
    elapsed_ms = _since(clock)
    if came.fault is None:
        return Exchange(came.raw.status, came.raw.body, started_at, elapsed_ms)
    kept = came.raw if came.raw.success else _NOTHING
    await noted(try_row(str(came.fault), started_at, elapsed_ms, kept.status, kept.body))
    raise came.fault


_NOTHING = Raw(0, {}, b"")


@dataclass(frozen=True)
class _Came:
    """What one try brought, without the key, and why it is no delivery; fault None: it is one."""

    raw: Raw
    fault: _NotYet | ProviderRefused | None


async def _came(body: bytes, post: Post, key: str | None) -> _Came:
    try:
        raw = await post(body, key)
    except TransportFault as fault:
        return _Came(clean(key, fault.received or _NOTHING, cut=True), _NotYet(without(key, str(fault)), spoiled=fault.spoiled))
    whole = clean(key, raw)
    found = classify(whole.status, whole.headers, whole.body)
    if isinstance(found, Delivered):
        return _Came(whole, None)
    broken = clean(key, raw, cut=True)
    match classify(broken.status, broken.headers, broken.body):
        case Again(reason, after_s) as again:
            return _Came(broken, _NotYet(without(key, reason), after_s, isinstance(again, Spoiled)))
        case No(reason):
            return _Came(broken, ProviderRefused(without(key, reason)))
    raise RuntimeError("what was no delivery became one without the key")


def _waiting(cap_s: float) -> Callable[[RetryCallState], float]:
    """Seconds before the next try: what the provider asked for, and behind it full jitter, so that a crowd does not return as one."""
    jitter = wait_random_exponential(max=cap_s)

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        return (getattr(failure, "after_s", None) or 0.0) + jitter(state)

    return wait


class _SpoiledEnough(stop_base):
    """The tries end because too much came that cannot be read. Made for one request, and asked once after each of its tries."""

    def __init__(self) -> None:
        self._spoiled = 0

    def __call__(self, retry_state: RetryCallState) -> bool:
        failure = retry_state.outcome.exception() if retry_state.outcome else None
        self._spoiled += isinstance(failure, _NotYet) and failure.spoiled
        return self._spoiled >= SPOILED_MAX


def _pausing(draining: asyncio.Event, tries: list[Row]) -> Callable[[float], Awaitable[None]]:
    """The pause between two tries, which ends in _NotYet as soon as the run drains: a new try would be a new purchase."""

    async def pause(seconds: float) -> None:
        try:
            await asyncio.wait_for(draining.wait(), seconds)
        except TimeoutError:
            if not draining.is_set():
                return
        raise _NotYet(f"{tries[-1]['outcome']}; the run is stopping")

    return pause


def _come_back(failure: _NotYet, tried: int, runner: Runner) -> str:
    """When the provider wants to be asked again, where that is what ended the tries."""
    if failure.after_s is None or tried >= runner.tries:
        return ""
    at = datetime.now(UTC) + timedelta(seconds=failure.after_s)
    return f"; it asks to come back after {at:%Y-%m-%dT%H:%M:%SZ} (in {failure.after_s:.0f} s), and a request has {runner.budget_s:g} s"


def _times(number: int) -> str:
    return "one try" if number == 1 else f"{number} tries"


def _since(clock: float) -> int:
    """Whole milliseconds since ``clock``, a time.monotonic() in seconds."""
    return round((time.monotonic() - clock) * 1000)


def _stamp(moment: datetime) -> str:
    """UTC in the form 2026-11-30T08:15:11.123Z."""
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
