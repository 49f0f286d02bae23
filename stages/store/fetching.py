"""What a stage calls: every reply it needs, with progress and within its limits, from whatever board of models it hands in."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from stages.runtime.progress import Progress
from stages.schema.calls import Exchange, Request, Row
from stages.schema.settings import Runner
from stages.store.buyer import not_recorded, obtain
from stages.store.journal import Journal
from stages.store.lanes import Keep, Shop
from stages.store.recordings import Recording
from stages.store.spending import Guard, needs_consent


class Board(Protocol):
    """Models by name, as the provider shelf offers them. bill: US dollars and tokens of a reply, None where unknown."""

    @property
    def gap(self) -> type[Exception]: ...

    permit: Callable[[Request], None]

    async def __aenter__(self) -> Any: ...
    async def __aexit__(self, kind: Any, error: Any, trace: Any, /) -> Any: ...
    async def ask(self, request: Request, keep: Keep, /) -> Exchange: ...
    def drain(self) -> None: ...
    def why_not(self, names: Iterable[str]) -> str | None: ...
    def lanes(self, request: Request) -> str: ...
    def width(self, lane: str) -> int: ...
    def bill(self, row: Row) -> tuple[float | None, int | None]: ...
    def worst_case_usd(self, request: Request) -> float | None: ...


def _shop(board: Board, runner: Runner, guard: Guard, progress: Progress) -> Shop:
    def consent(requests: list[Request]) -> str | None:
        if not needs_consent(len(requests), runner) or progress.confirmed(f"Buy {len(requests)} replies?"):
            return None
        return f"{len(requests)} calls are more than confirm_above ({runner.confirm_above}); say yes on a terminal, or set MOOT_YES=1"

    def why_not(requests: list[Request]) -> str | None:
        cannot = board.why_not(dict.fromkeys(request.asked for request in requests))
        return cannot or guard.forbids(requests) or consent(requests)

    return Shop(
        board.ask, why_not, board.lanes, board.width, board.gap, runner.stop_after_failures,
        permit=guard.permit, drain=board.drain, within=board,
    )  # fmt: skip


def replies_to(
    label: str, requests: list[Request], path: Path, board: Board, runner: Runner, abandoned: Callable[[Request], bool] = lambda _: False
) -> dict[str, list[Row]]:
    """The recorded replies to the requests, by request digest, the one that counts first.

    Looks in the recording at ``path``, then in the journal, and buys from ``board`` what is in neither. What is abandoned and not
    recorded is left out. Raises what ``obtain`` raises.
    """
    recording = Recording(path)
    missing = {request.sha256 for request in not_recorded(requests, recording)}
    wanted = [request for request in requests if not (request.sha256 in missing and abandoned(request))]
    guard = Guard(runner, board.worst_case_usd, board.bill)
    board.permit = guard.permit
    with Progress(label, len(missing.intersection(request.sha256 for request in wanted))) as progress:

        def landed(row: Row, bought: bool) -> None:
            if bought:
                guard.settle(row)
            progress.landed(*board.bill(row), bought=bought)

        shop = _shop(board, runner, guard, progress)
        purchase = obtain(wanted, recording, Journal.of_this_machine(), lambda _: shop, on_landed=landed, say=progress.say)
    return purchase.replies
