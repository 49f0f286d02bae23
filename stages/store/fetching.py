"""What a stage calls: every reply it needs, with progress, from whatever board of models it hands in."""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from stages.runtime.progress import Progress
from stages.schema.calls import Exchange, Request, Row
from stages.store.buyer import not_recorded, obtain
from stages.store.journal import Journal
from stages.store.lanes import Shop
from stages.store.recordings import Recording


class Board(AbstractAsyncContextManager[object], Protocol):
    """Models by name, as the provider shelf offers them. bill: US dollars and tokens of a reply, None where unknown."""

    @property
    def gap(self) -> type[Exception]: ...
    async def ask(self, request: Request) -> Exchange: ...
    def why_not(self, names: Iterable[str]) -> str | None: ...
    def lanes(self, request: Request) -> str: ...
    def width(self, lane: str) -> int: ...
    def bill(self, row: Row) -> tuple[float | None, int | None]: ...


def _shop(board: Board, stop_after_failures: int) -> Shop:
    def why_not(requests: list[Request]) -> str | None:
        return board.why_not(dict.fromkeys(request.asked for request in requests))

    return Shop(board.ask, why_not, board.lanes, board.width, board.gap, stop_after_failures, within=board)


def replies_to(label: str, requests: list[Request], path: Path, board: Board, stop_after_failures: int) -> dict[str, list[Row]]:
    """The recorded replies to every request, by request digest, the one that counts first.

    Looks in the recording at ``path``, then in the journal, and buys from ``board`` what is in neither. Raises what ``obtain`` raises.
    """
    recording = Recording(path)
    missing = len(not_recorded(requests, recording))
    with Progress(label, missing) as progress:

        def landed(row: Row, bought: bool) -> None:
            progress.landed(*board.bill(row), bought=bought)

        shop = _shop(board, stop_after_failures)
        purchase = obtain(requests, recording, Journal.of_this_machine(), lambda _: shop, on_landed=landed, say=progress.say)
    return purchase.replies
