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


class Fetching:
    """One run of a stage. However many rounds it asks in, all of them together are held to the runner's limits.

    label: what the replies are called. path: the recording. board: makes the board for one round; its connections last that long.
    """

    def __init__(self, label: str, path: Path, runner: Runner, board: Callable[[], Board]) -> None:
        self._label = label
        self._path = path
        self._runner = runner
        self._board = board
        prices = board()
        self._guard = Guard(runner, prices.worst_case_usd, prices.bill)

    def replies_to(self, requests: list[Request], abandoned: Callable[[Request], bool] = lambda _: False) -> dict[str, list[Row]]:
        """One round: the recorded replies to the requests, by request digest, the one that counts first.

        Looks in the recording, then in the journal, and buys what is in neither. What is abandoned and not recorded is left out.
        Raises what ``obtain`` raises.
        """
        recording = Recording(self._path)
        missing = {request.sha256 for request in not_recorded(requests, recording)}
        wanted = [request for request in requests if not (request.sha256 in missing and abandoned(request))]
        board = self._board()
        board.permit = self._guard.permit
        with Progress(self._label, len(missing.intersection(request.sha256 for request in wanted))) as progress:

            def landed(row: Row, bought: bool) -> None:
                if bought:
                    self._guard.settle(row)
                progress.landed(*board.bill(row), bought=bought)

            shop = self._shop(board, progress)
            journal = Journal.of_this_machine()
            purchase = obtain(wanted, recording, journal, lambda _: shop, on_landed=landed, say=progress.say)
        return purchase.replies

    def _shop(self, board: Board, progress: Progress) -> Shop:
        def why_not(requests: list[Request]) -> str | None:
            cannot = board.why_not(dict.fromkeys(request.asked for request in requests))
            return cannot or self._guard.forbids(requests) or self._consent(len(requests), progress)

        return Shop(
            board.ask, why_not, board.lanes, board.width, board.gap, self._runner.stop_after_failures,
            permit=self._guard.permit, drain=board.drain, within=board,
        )  # fmt: skip

    def _consent(self, more: int, progress: Progress) -> str | None:
        """A sentence when nobody says yes to so many calls more. What counts is how many this run then comes to."""
        whole = self._guard.calls + more
        after = f" after {self._guard.calls} in this run" if self._guard.calls else ""
        if not needs_consent(whole, self._runner) or progress.confirmed(f"Buy {more} replies{after}?"):
            return None
        limit = f"confirm_above ({self._runner.confirm_above})"
        return f"{more} calls{after} are more than {limit}; say yes on a terminal, or set MOOT_YES=1"
