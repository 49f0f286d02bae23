"""Buying at full width and draining: every call that was started lands and is stored, whatever happens to the others."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from stages.runtime.errors import BadRecord, JournalFailed, Refusal
from stages.schema.calls import Exchange, Request, Row, call_row
from stages.schema.recorded import row_name
from stages.store.halt import Halt
from stages.store.journal import Journal

LOOK_S = 0.2  # how soon a signal is answered with a sentence, and the parent's death is seen

Keep = Callable[[Row], Awaitable[None]]
Ask = Callable[[Request, Keep], Awaitable[Exchange]]
OnLanded = Callable[[Row, bool], None]
Say = Callable[[str], None]


def _free(request: Request) -> None:
    """The permit where nothing guards the spending."""


def _nothing() -> None:
    """The drain where nothing waits."""


@dataclass(frozen=True)
class Shop:
    """How to buy, as a provider shelf hands it in.

    ask: one call. It raises ``gap`` or a Refusal, or returns what was delivered. It hands each of its exchanges that delivered
    nothing to the keep that it is given (a stages.schema.calls.try_row), at once: it is durable when that returns.
    why_not: a sentence when nothing can be bought (no key, no weights, no consent), else None.
    lane, width: which requests share a limit, and how many of a lane may be in flight now; asked again at every landing.
    gap: the exception by which ask says that this one request delivered nothing within its tries.
    stop_after_failures: so many gaps in a row, and a lane starts nothing new.
    permit: called before each call; a Refusal from it stops the run as one from ask does.
    drain: called once when nothing new is to start: what waits between two tries should give up.
    A gap with a true ``closes`` says that its endpoint wants to be left alone for long: its lane starts nothing new.
    within: a context that is entered before the first call and left after the last: connections, a local server.
    """

    ask: Ask
    why_not: Callable[[list[Request]], str | None]
    lane: Callable[[Request], str]
    width: Callable[[str], int]
    gap: type[Exception]
    stop_after_failures: int
    permit: Callable[[Request], None] = _free
    drain: Callable[[], None] = _nothing
    within: AbstractAsyncContextManager[object] = field(default_factory=nullcontext)


@dataclass
class Outcome:
    """What a run came to, filled while it goes on, so that it is there however the run ends.

    rows: every reply that arrived or was found, by request, whether or not the journal could store it.
    found, bought: how many landed, from the journal and from a provider. gaps: the requests that delivered nothing.
    spoiled: where the journal keeps what came and cannot be read, by request. failures: what stopped the run, first things first.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    found: int = 0
    bought: int = 0
    gaps: list[tuple[Request, Exception]] = field(default_factory=list)
    spoiled: dict[str, Path] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """What all lanes of one run share. on_landed hears of each reply and whether it was bought, say of what a user should know."""

    journal: Journal
    shop: Shop
    halt: Halt
    outcome: Outcome
    on_landed: OnLanded
    say: Say

    def stopped(self) -> bool:
        return self.halt.reason is not None or bool(self.outcome.failures)


def check_stated(request: Request, row: Row, place: str) -> None:
    """Raise BadRecord for a row that was made for another request than the one whose digest it bears."""
    if wrong := request.differences(row):
        raise BadRecord(f"{place}: {row_name(row)}: it states another {', '.join(wrong)} than the request whose digest it bears")


def in_journal(request: Request, journal: Journal) -> Row | None:
    """The journal's reply to this request, or None. Raises JournalFailed, and BadRecord for a row of another request."""
    row = journal.get(request.sha256)
    if row is not None:
        check_stated(request, row, f"the journal {journal.folder}")
    return row


def tell_of_found(row: Row, journal: Journal, on_landed: OnLanded) -> None:
    """Let the listener hear of a row that the journal had. Raises BadRecord for one that it cannot read: such a row is left in the
    journal, because what is recorded once can never be taken back."""
    try:
        on_landed(row, False)
    except BadRecord as refusal:
        raise BadRecord(f"{refusal}; it is not taken out of the journal {journal.folder}") from None


class _Lane:
    """The requests of one lane. Tasks share one iterator, and each that ends starts the next: nothing is ever cancelled."""

    def __init__(self, name: str, requests: list[Request], run: Run) -> None:
        self.name = name
        self.run = run
        self.waiting: Iterator[Request] = iter(requests)
        self.in_flight: dict[str, asyncio.Task[None]] = {}  # the loop itself keeps no task alive
        self.failed_in_a_row = 0
        self.given_up = False  # for good: a straggler that lands does not open the lane again
        self.empty = asyncio.Event()

    def fill(self) -> None:
        """Start as many as the lane's width allows now."""
        try:
            while not self._closed() and len(self.in_flight) < max(1, self.run.shop.width(self.name)):
                request = next(self.waiting)
                self.in_flight[request.sha256] = asyncio.create_task(self._go(request))
        except StopIteration:
            pass  # all are under way
        except Exception as error:  # noqa: BLE001  a mistake in width must not leave the others unawaited; it is raised after them
            self.run.outcome.failures.append(error)
        if not self.in_flight:
            self.empty.set()

    def _closed(self) -> bool:
        return self.given_up or self.run.stopped()

    async def _go(self, request: Request) -> None:
        try:
            async with self.run.journal.claim(request.sha256, self._closed) as held:
                if held:
                    await self._settle(request)
        except BaseException as error:  # noqa: BLE001  whatever it is, the siblings are paid for; it is raised after them
            self.run.outcome.failures.append(error)
        del self.in_flight[request.sha256]
        self.fill()

    async def _settle(self, request: Request) -> None:
        """Under the claim: take what another process bought meanwhile, else buy, unless the run is stopping."""
        row = in_journal(request, self.run.journal)
        if row is not None:
            tell_of_found(row, self.run.journal, self.run.on_landed)
            self.failed_in_a_row = 0
            self.run.outcome.rows[request.sha256] = row
            self.run.outcome.found += 1
        elif not self._closed():
            await self._buy(request)

    async def _buy(self, request: Request) -> None:
        """One call. An orderly end of ask is noted here, so that the claim's mark goes: nothing is in flight any more."""
        earlier = self.run.journal.tries(request.sha256)  # before the call: nothing may fail between a reply and its keeping
        try:
            self.run.shop.permit(request)
            exchange = await self.run.shop.ask(request, partial(self._keep, request))
        except self.run.shop.gap as gap:
            self.run.outcome.gaps.append((request, gap))
            self.failed_in_a_row += 1
            self.given_up |= self.failed_in_a_row >= self.run.shop.stop_after_failures or getattr(gap, "closes", False)
        except Refusal as refusal:
            self.run.outcome.failures.append(refusal)
        else:
            row = call_row(request, replace(exchange, tries=(*earlier, *exchange.tries)))
            self.run.outcome.rows[request.sha256] = row  # before the journal: if that fails, the recording still gets the reply
            await asyncio.to_thread(self.run.journal.put, row)
            self.failed_in_a_row = 0
            self.run.outcome.bought += 1
            self.run.on_landed(row, True)

    async def _keep(self, request: Request, tried: Row) -> None:
        """What became of an exchange that delivered nothing goes into the journal, and later into the row of what is delivered."""
        try:
            await asyncio.to_thread(self.run.journal.put_tries, request.sha256, [tried])
        except JournalFailed as failed:
            if "body" in tried:
                failed.add_note(f"what came for the {request.name} cannot be read, may be paid for, and could be kept nowhere")
            raise
        if "body" in tried:
            self.run.outcome.spoiled[request.sha256] = self.run.journal.tries_file(request.sha256)


async def _watch(run: Run, lanes: list[_Lane]) -> None:
    """Look for the parent's death, and tell a person who asks to stop what is waited for."""
    told = 0
    drained = False
    while True:
        await asyncio.sleep(LOOK_S)
        run.halt.look()
        if run.stopped() and not drained:
            drained = True
            _noting(run, run.shop.drain)
        if run.halt.times == told:
            continue
        what = "still waiting for" if told else "nothing new starts, but first comes"
        flying = sum(len(lane.in_flight) for lane in lanes)
        told = run.halt.times
        sentence = f"{run.halt.reason}: {what} what is in flight ({flying}), because it is paid for"
        _noting(run, partial(run.say, sentence))


def _noting(run: Run, step: Callable[[], None]) -> None:
    """Do what another shelf handed in. Its mistake must not end the watch; it is raised when all has landed."""
    try:
        step()
    except Exception as error:  # noqa: BLE001  see above
        run.outcome.failures.append(error)


async def fulfil(missing: list[Request], run: Run) -> None:
    """Buy what is missing, lane by lane, and return when nothing is in flight.

    Fills ``run.outcome``, also with what failed; raises only what ``within`` and ``lane`` raise, when nothing is in flight.
    """
    lanes: list[_Lane] = []
    watch = asyncio.create_task(_watch(run, lanes))
    try:
        async with run.shop.within:
            by_lane: dict[str, list[Request]] = {}
            for request in missing:
                by_lane.setdefault(run.shop.lane(request), []).append(request)
            lanes.extend(_Lane(name, requests, run) for name, requests in by_lane.items())
            for lane in lanes:
                lane.fill()
            for lane in lanes:
                await lane.empty.wait()
    finally:
        watch.cancel()
