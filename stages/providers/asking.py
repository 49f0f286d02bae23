"""One request, asked until it delivers something: full jitter, a cap, a number of tries and a budget. The key stays inside."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, stop_before_delay, wait_random_exponential

from stages.providers.openai import Again, No, classify, shortened
from stages.runtime.errors import ProviderRefused
from stages.schema.calls import Exchange, Request, Row
from stages.schema.settings import Runner

# Shorter "keys" are placeholders that an endpoint without keys is given ("none", "EMPTY", "ollama"). They are no secret, and an
# answer that happens to hold such a word must not be changed.
SECRET_MIN = 8


@dataclass(frozen=True)
class Raw:
    """What came back over HTTP, whole; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TransportFault(Exception):
    """No whole reply came back. Its sentence holds neither the key nor a header."""


class GaveUp(Exception):
    """A request delivered nothing within its tries. ``tries`` holds each: started_at, elapsed_ms, outcome.

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
    """One try delivered nothing. after_s: seconds to wait at least."""

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


Post = Callable[[bytes, str | None], Awaitable[Raw]]


async def ask(request: Request, post: Post, key: str | None, runner: Runner, draining: asyncio.Event | None = None) -> Exchange:
    """Ask until something is delivered. ``post`` sends a body with a key to the one place that this request goes to.

    draining: once it is set, a try in flight still lands, but none follows it.
    Raises GaveUp when the tries or the budget are used up, and ProviderRefused when the provider says no for good; both name the
    request and hold the provider's words.
    """
    tries: list[Row] = []
    retrying = AsyncRetrying(
        sleep=_pausing(draining or asyncio.Event(), tries),
        retry=retry_if_exception_type(_NotYet),
        stop=stop_after_attempt(runner.tries) | stop_before_delay(runner.budget_s),
        wait=_waiting(runner.wait_max_s),
        reraise=True,
    )
    label = f"{request.name} ({request.sha256[:12]})"
    try:
        exchange: Exchange = await retrying(_once, request.body_bytes, post, key, tries)
    except _NotYet as failure:
        later = _come_back(failure, len(tries), runner)
        sentence = f"{label}: nothing delivered in {_times(len(tries))}; the last: {failure}{later}"
        raise GaveUp(sentence, tuple(tries), closes=bool(later)) from None
    except ProviderRefused as refusal:
        raise SaidNo(f"{label}: {refusal}", tuple(tries)) from None
    return replace(exchange, tries=tuple(tries))


async def _once(body: bytes, post: Post, key: str | None, tries: list[Row]) -> Exchange:
    """One try: the exchange, or _NotYet with its line added to ``tries``."""
    started_at, clock = _stamp(datetime.now(UTC)), time.monotonic()
    try:
        raw = await _delivered(body, post, key)
    except _NotYet as failure:
        tries.append({"started_at": started_at, "elapsed_ms": _since(clock), "outcome": str(failure)})
        raise
    except ProviderRefused as refusal:
        tries.append({"started_at": started_at, "elapsed_ms": _since(clock), "outcome": str(refusal)})
        raise
    return Exchange(raw.status, raw.body, started_at, _since(clock))


async def _delivered(body: bytes, post: Post, key: str | None) -> Raw:
    """What was delivered, without the key. Raises _NotYet or ProviderRefused."""
    try:
        raw = await post(body, key)
    except TransportFault as fault:
        raise _NotYet(_without(key, str(fault))) from None
    if key and len(key) >= SECRET_MIN:  # before it is classified: words are cut, and half a key is too much
        form = _form_of(key)
        headers = {name: form.sub(b"[key]", value.encode()).decode() for name, value in raw.headers.items()}
        raw = Raw(raw.status, headers, form.sub(b"[key]", raw.body))
    match classify(raw.status, raw.headers, raw.body):
        case Again(reason, after_s):
            raise _NotYet(_without(key, reason), after_s)
        case No(reason):
            raise ProviderRefused(_without(key, reason))
    return raw


def _form_of(key: str) -> re.Pattern[bytes]:
    """The key as it may stand in a body: each character as itself, as JSON escapes it, or as a URL does."""
    forms = []
    for char in key:
        plain = re.escape(char) if char.isalnum() else rf"\\?{re.escape(char)}"
        forms.append(rf"(?:{plain}|\\u(?i:{ord(char):04x})|%(?i:{ord(char):02x}))")
    return re.compile("".join(forms).encode("utf-8"))


def _without(key: str | None, words: str) -> str:
    return shortened(words.replace(key, "[key]")) if key else shortened(words)


def _waiting(cap_s: float) -> Callable[[RetryCallState], float]:
    """Seconds before the next try: what the provider asked for, and behind it full jitter, so that a crowd does not return as one."""
    jitter = wait_random_exponential(max=cap_s)

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        return (getattr(failure, "after_s", None) or 0.0) + jitter(state)

    return wait


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
