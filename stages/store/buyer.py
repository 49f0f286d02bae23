"""The buyer: what the recordings have is taken, then what the journal has, and only what is left is bought.

Whatever ends a run, what landed is in the recordings before the buyer leaves, and the same command goes on from there.
"""

import asyncio
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stages.runtime.errors import Gaps, JournalFailed, NothingBought, Refusal, Stopped
from stages.runtime.streams import say as say_on_stderr
from stages.schema.calls import Request, Row
from stages.store.halt import Halt
from stages.store.journal import Journal
from stages.store.lanes import OnLanded, Outcome, Run, Say, Shop, check_stated, fulfil, in_journal, tell_of_found
from stages.store.recordings import Recording

_FILES = 8192  # a call in flight opens its claim, its connection and its entry; the usual limit of 1024 ends at about 340 calls
_NOTES = 3  # 32 calls in flight are refused with the same words at once


@dataclass(frozen=True)
class Purchase:
    """What ``obtain`` came to. recorded + from_journal + bought = len(rows) = the requests, each counted once.

    replies: every reply to each request, the one that counts first. may_repeat: calls in flight when an earlier run died.
    """

    replies: dict[str, list[Row]]
    recorded: int
    from_journal: int
    bought: int
    may_repeat: int

    @property
    def rows(self) -> dict[str, Row]:
        """The reply that counts, by request."""
        return {sha256: replies[0] for sha256, replies in self.replies.items()}


def _quiet(row: Row, bought: bool) -> None:
    """The listener where nobody listens."""


def not_recorded(requests: Sequence[Request], recording: Recording) -> list[Request]:
    """The requests that the recording has no reply to, each once, in the order given."""
    known = recording.by_request()
    return [request for sha256, request in {each.sha256: each for each in requests}.items() if sha256 not in known]


def obtain(
    requests: Sequence[Request],
    recording: Recording,
    journal: Journal,
    shop: Callable[[list[Request]], Shop],
    *,
    on_landed: OnLanded = _quiet,
    say: Say = say_on_stderr,
) -> Purchase:
    """A reply to every request, from the recording, the journal or, for what is missing in both, from ``shop``.

    shop is called with what is missing, and only if something is: no key is read and no provider loaded before that.
    on_landed hears of each reply that the recording lacked, and whether it was bought. say hears sentences for the user.
    Raises NothingBought, with the recording as it was, when why_not gives a reason. Otherwise what landed is saved, and then
    JournalFailed, the first fatal error, Stopped or Gaps is raised, in this order. BadRecord for a recording that is not sound.
    """
    known = recording.by_request()
    wanted = list({request.sha256: request for request in requests}.values())
    for request in wanted:
        for row in known.get(request.sha256, []):
            check_stated(request, row, str(recording.path))
    missing = [request for request in wanted if request.sha256 not in known]
    errand = _Errand(recording, journal, on_landed, say)
    if missing:
        errand.fill(missing, shop)
    else:
        recording.save()  # two merged branches leave the rows out of order
    known = recording.by_request()
    replies = {request.sha256: known[request.sha256] for request in wanted}
    return Purchase(replies, len(wanted) - len(missing), errand.outcome.found, errand.outcome.bought, errand.may_repeat)


class _Errand:
    """One filling of one recording."""

    def __init__(self, recording: Recording, journal: Journal, on_landed: OnLanded, say: Say) -> None:
        self.recording = recording
        self.journal = journal
        self.on_landed = on_landed
        self.say = say
        self.outcome = Outcome()
        self.may_repeat = 0
        self.saved = False
        self._told = len(journal.set_aside)

    def fill(self, missing: list[Request], shop: Callable[[list[Request]], Shop]) -> None:
        """Bring every reply into the recording, or raise why not all are there."""
        found: dict[str, Row] = {}
        self._noting(lambda: self._look_up(missing, found))
        self._tell_set_aside()
        still = [request for request in missing if request.sha256 not in found]
        terms = shop(still) if still and not self.outcome.failures else None
        if terms and (why_not := terms.why_not(still)):
            raise _nothing_bought(still, why_not, len(found))
        with Halt() as halt:
            self._noting(lambda: self._land(found))
            if terms:
                self._noting(lambda: self._buy(still, terms, halt))
            self._noting(self._save)
        self._tell_set_aside()
        error = _error(self.outcome, halt, missing, self.saved)
        if error:
            raise error

    def _noting(self, step: Callable[[], None]) -> None:
        """Do one step; what it raises waits until the steps after it are done, because they keep what is paid for."""
        try:
            step()
        except BaseException as error:  # noqa: BLE001  raised by ``fill`` when the replies are safe
            self.outcome.failures.append(error)

    def _look_up(self, missing: list[Request], found: dict[str, Row]) -> None:
        for request in missing:
            row = in_journal(request, self.journal)
            if row is not None:
                found[request.sha256] = row

    def _tell_set_aside(self) -> None:
        for sentence in self.journal.set_aside[self._told :]:
            self.say(sentence)
        self._told = len(self.journal.set_aside)

    def _land(self, found: dict[str, Row]) -> None:
        for sha256, row in found.items():
            tell_of_found(row, self.journal, self.on_landed)
            self.outcome.rows[sha256] = row
            self.outcome.found += 1

    def _buy(self, still: list[Request], shop: Shop, halt: Halt) -> None:
        self.journal.check_writable()
        self.may_repeat = len({request.sha256 for request in still}.intersection(self.journal.left_in_flight()))
        if self.may_repeat:
            calls, they = ("1 call was", "it") if self.may_repeat == 1 else (f"{self.may_repeat} calls were", "they")
            self.say(f"{calls} in flight when an earlier run died; {they} may be bought again")
        _make_room_for_files()
        asyncio.run(fulfil(still, Run(self.journal, shop, halt, self.outcome, self.on_landed, self.say)))

    def _save(self) -> None:
        if self.outcome.rows:
            self.recording.add(self.outcome.rows.values())
            self.recording.save()
        self.saved = True


def _make_room_for_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _nothing_bought(still: list[Request], why_not: str, found: int) -> NothingBought:
    replies = "1 reply is" if len(still) == 1 else f"{len(still)} replies are"
    error = NothingBought(f"{replies} missing, the first is the {still[0].name}, and nothing was bought: {why_not}")
    if found:
        error.add_note(f"{found} more are in the journal and will be taken with them")
    return error


def _gaps(outcome: Outcome, missing: int) -> Gaps:
    request, first = outcome.gaps[0]
    words = str(first) if request.name in str(first) else f"{request.name}: {first}"
    untried = missing - len(outcome.rows) - len(outcome.gaps)
    tail = f"; {untried} more were not tried" if untried else ""
    return Gaps(f"{len(outcome.gaps)} of {missing} requests delivered nothing, the first is the {words}{tail}")


def _stored(outcome: Outcome, missing: int, saved: bool) -> str:
    landed = len(outcome.rows)
    if saved:
        return f"{landed} landed and are stored, {missing - landed} remain; the same command goes on from here"
    safe = outcome.found + outcome.bought
    lost = f", {landed - safe} could be stored nowhere" if landed > safe else ""
    return f"{safe} landed and are in the journal, but not in the recording{lost}; the same command goes on from here"


def _spoiled(outcome: Outcome) -> list[str]:
    """Where the bytes are of requests that never landed although something came: whoever paid for them shall find them."""
    files = [path for sha256, path in outcome.spoiled.items() if sha256 not in outcome.rows]
    if not files:
        return []
    requests, it = ("1 request", "") if len(files) == 1 else (f"{len(files)} requests", ", the first")
    return [f"what came for {requests} cannot be read and may be paid for; it is kept{it} in {files[0]}"]


def _error(outcome: Outcome, halt: Halt, missing: list[Request], saved: bool) -> BaseException | None:
    """What a run that did not get everything raises: the gravest, with the others and what is stored as its notes."""
    stored = _stored(outcome, len(missing), saved)
    errors = sorted(outcome.failures, key=lambda error: not isinstance(error, JournalFailed))
    errors += [Stopped(f"{halt.reason}: {stored}")] if halt.reason else []
    errors += [_gaps(outcome, len(missing))] if outcome.gaps else []
    if not errors:
        return None
    first, *others = errors
    told = list(dict.fromkeys(_sentence(error) for error in others if str(error) != str(first)))
    for sentence in told[:_NOTES] + [f"and {len(told) - _NOTES} more"] * (len(told) > _NOTES):
        first.add_note(sentence)
    for sentence in _spoiled(outcome):
        first.add_note(sentence)
    if not halt.reason:
        first.add_note(stored)
    return first


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, Refusal) else f"{type(error).__name__}: {error}"
