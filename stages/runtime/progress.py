"""Progress of long work on stderr: a bar on a terminal, plain lines elsewhere; count, rate, remaining time and money spent."""

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stages.runtime.streams import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar  # loaded only where a terminal shows it

LINE_EVERY_S = 5.0


def _unheard() -> suppress:
    """A closed terminal or a dead parent: paid replies are still to be stored, and this was the only place to complain."""
    return suppress(OSError)


@dataclass
class Tally:
    """What has landed. Money and tokens are those of bought replies: a reply from the journal was paid for before."""

    total: int
    done: int = 0
    bought: int = 0
    dollars: float = 0.0
    unpriced: int = 0
    tokens: int = 0

    def add(self, cost_usd: float | None, tokens: int | None, bought: bool) -> None:
        """Count one reply. cost_usd None: the price is unknown, which is not zero."""
        self.done += 1
        if bought:
            self.bought += 1
            self.dollars += cost_usd or 0.0
            self.unpriced += cost_usd is None
            self.tokens += tokens or 0

    @property
    def money(self) -> str:
        """Such as ``$0.0123, 2 unknown``."""
        known = f"${self.dollars:.4f}"
        return f"{known}, {self.unpriced} unknown" if self.unpriced else known

    def words(self, seconds: float) -> str:
        """All of it in one line, ``seconds`` after the start."""
        parts = [f"{self.done}/{self.total}", f"{self.bought} bought"]
        if self.bought and seconds > 0:
            rate = self.bought / seconds  # of bought replies only: those from the journal come all at once
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
            if self.done < self.total:
                parts.append(f"{_clock((self.total - self.done) / rate)} left")
        return ", ".join([*parts, f"{self.tokens:,} tokens", self.money])


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Progress:
    """Shows work while it is entered. Nothing is shown of no work (total 0).

    The bar is for a terminal; elsewhere a line every five seconds at most, and one at the end.
    """

    def __init__(self, label: str, total: int) -> None:
        self.label = label
        self.tally = Tally(total)
        self._start = self._shown = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        self._start = self._shown = time.monotonic()
        if self.tally.total and sys.stderr and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._bar = _bar(self.label, self.tally)
            with _unheard():
                self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar:
            with _unheard():
                self._bar.stop()
        elif self.tally.total:
            say(self._line())

    def landed(self, cost_usd: float | None, tokens: int | None, bought: bool) -> None:
        """One reply more: what it cost (None: unknown), its tokens, and whether it was bought now."""
        self.tally.add(cost_usd, tokens, bought)
        now = time.monotonic()
        if self._bar:
            with _unheard():
                self._bar.update(self._bar.task_ids[0], completed=self.tally.done, words=self.tally.words(now - self._start))
        elif now - self._shown >= LINE_EVERY_S:
            self._shown = now
            say(self._line())

    def say(self, sentence: str) -> None:
        """A sentence for the user, above the bar."""
        if self._bar:
            with _unheard():
                self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            say(sentence)

    def confirmed(self, question: str) -> bool:
        """Ask a person on the terminal. Nobody there to ask is a no."""
        if not (sys.stdin and sys.stderr and sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        if self._bar:
            self._bar.stop()
        try:
            return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
        except (EOFError, KeyboardInterrupt):
            return False  # who leaves without a word has not said yes
        finally:
            if self._bar:
                self._bar.start()

    def _line(self) -> str:
        return f"{self.label}: {self.tally.words(time.monotonic() - self._start)}"


def _bar(label: str, tally: Tally) -> "Bar":
    from rich.console import Console  # noqa: PLC0415  where no terminal shows a bar, rich is not loaded
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415  the same
    from rich.progress import Progress as Bar  # noqa: PLC0415  the same

    text = TextColumn("{task.description} {task.fields[words]}", markup=False)
    bar = Bar(text, BarColumn(bar_width=None), TimeElapsedColumn(), console=Console(stderr=True), redirect_stdout=False)
    bar.add_task(label, total=tally.total, words=tally.words(0))
    return bar
