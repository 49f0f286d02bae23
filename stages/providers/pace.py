"""How fast an endpoint is asked: a limit on calls in flight that finds its own level, and caps per minute.

Additive increase, multiplicative decrease (Chiu and Jain, 1989), as TCP does it: a call that lands while the lane was full makes room
for 1/limit more, a 429 halves the limit, once for all the calls that were started under the old one. Time plays no part: one slow reply
says nothing about the others.
"""

from dataclasses import dataclass, field

from aiolimiter import AsyncLimiter

START = 4  # modest: four calls at once trouble no endpoint, and doubling what lands reaches 64 in a few round trips
_MINUTE_S = 60.0


@dataclass
class Pace:
    """One lane's pace. most: the highest limit. requests, tokens: caps per minute, None for none."""

    most: int
    requests: int | None = None
    tokens: int | None = None
    limit: float = field(init=False)
    throttled: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.limit = float(min(START, self.most))
        self._in_flight = 0
        self._cut_at = 0  # calls started before the last cut say nothing about the limit after it
        self._started = 0
        self._slow_start = True
        self._by_requests = AsyncLimiter(self.requests, _MINUTE_S) if self.requests else None
        self._by_tokens = AsyncLimiter(self.tokens, _MINUTE_S) if self.tokens else None

    @property
    def width(self) -> int:
        """Calls that may be in flight now."""
        return max(1, int(self.limit))

    async def admit(self, tokens: int) -> int:
        """Wait for the caps, then count a call of about ``tokens`` in. Returns its number, for ``landed`` or ``lost``."""
        if self._by_requests:
            await self._by_requests.acquire()
        if self._by_tokens and self.tokens:
            await self._by_tokens.acquire(min(tokens, self.tokens))  # a call larger than a minute's cap takes the whole minute
        self._started += 1
        self._in_flight += 1
        return self._started

    def landed(self, call: int, status: int) -> None:
        """A call came back with an HTTP status: 429 narrows the lane, a success on a full lane widens it."""
        full = self._in_flight >= self.width
        self._in_flight -= 1
        if status == 429:
            self._narrow(call)
        elif status < 400 and full:
            self.limit = min(float(self.most), self.limit + (1 if self._slow_start else 1 / self.limit))

    def lost(self) -> None:
        """A call ended without a reply: that says nothing about the endpoint's capacity."""
        self._in_flight -= 1

    def _narrow(self, call: int) -> None:
        self.throttled += 1
        if call > self._cut_at:
            self.limit = max(1.0, self.limit / 2)
            self._cut_at = self._started
            self._slow_start = False
