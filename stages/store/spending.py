"""The guard of the money: it stops a run before the call that would break a limit, and the same command goes on later."""

import os
from collections.abc import Callable, Mapping

from stages.runtime.errors import SpendingStopped
from stages.schema.calls import Request, Row
from stages.schema.settings import Runner

Worst = Callable[[Request], float | None]
Bill = Callable[[Row], tuple[float | None, int | None]]


class Guard:
    """Holds one run to its runner's limits.

    Counts calls and money. What is in flight counts with its worst case; what came back, with its cost, or with its worst
    case where nobody says what it cost. A call that delivered nothing keeps its reservation: it may have been paid for.
    """

    def __init__(self, limits: Runner, worst: Worst, bill: Bill) -> None:
        self.limits = limits
        self.calls = 0
        self.spent_usd = 0.0
        self._worst = worst
        self._bill = bill
        self._reserved: dict[str, float] = {}

    def forbids(self, requests: list[Request]) -> str | None:
        """A sentence when these requests must not be bought at all, whatever is spent so far; else None."""
        for request in requests:
            asked = most_tokens(request)
            if self.limits.max_tokens_per_call is not None and asked > self.limits.max_tokens_per_call:
                return f"the {request.name} may take {asked} tokens, and max_tokens_per_call is {self.limits.max_tokens_per_call}"
            if self.limits.max_cost_usd is not None and self._worst(request) is None:
                return f"the price of the {request.name} is unknown, and with max_cost_usd set an unknown price is not bought"
        return None

    def permit(self, request: Request) -> None:
        """Count a call in before it is made. Raises SpendingStopped when it would break a limit."""
        if self.limits.max_calls is not None and self.calls >= self.limits.max_calls:
            raise SpendingStopped(f"max_calls of {self.limits.max_calls} is reached before the {request.name}")
        self.spent_usd += self._reserved.pop(request.sha256, 0.0)  # a further try: the one before may have been paid for
        worst = self._worst(request) or 0.0
        committed = self.spent_usd + sum(self._reserved.values())
        if self.limits.max_cost_usd is not None and committed + worst > self.limits.max_cost_usd:
            raise SpendingStopped(
                f"max_cost_usd of ${self.limits.max_cost_usd:.4f} could be broken by the {request.name}:"
                f" ${committed:.4f} is spent or reserved, and it may cost ${worst:.4f}"
            )
        self.calls += 1
        self._reserved[request.sha256] = worst

    def settle(self, row: Row) -> None:
        """Put the cost of a bought reply in the place of its reservation."""
        reserved = self._reserved.pop(row["request_sha256"], 0.0)
        cost, _ = self._bill(row)
        self.spent_usd += reserved if cost is None else cost


def most_tokens(request: Request) -> int:
    """How many tokens a reply may take, by the limit that is sent with the request."""
    return int(request.body.get("max_tokens") or request.body.get("max_completion_tokens") or 0)


def needs_consent(calls: int, limits: Runner, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether buying so many calls needs a person's yes: more than confirm_above, and MOOT_YES is not 1."""
    return limits.confirm_above is not None and calls > limits.confirm_above and environment.get("MOOT_YES") != "1"
