"""When to stop: SIGINT, SIGTERM, a closed terminal, or the death of the process that started this one."""

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Halt:
    """While it is entered, a signal is noted and nothing is interrupted. The former handlers come back on leaving.

    reason: None, or what asked to stop first. times: how often it was asked.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.times = 0
        self._parent = os.getppid()
        self._former: dict[signal.Signals, signal._HANDLER] = {}

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()  # Python gives signals to no other
        for number in _SIGNALS if main else ():
            # SIGHUP that is ignored stays so: that is how nohup keeps a run alive when the terminal closes
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: it was set outside Python, and cannot be set again

    def look(self) -> None:
        """Note the parent's death. The kernel sends no signal for it, but gives an orphan another parent."""
        if self.reason is None and os.getppid() != self._parent:
            self._ask("the process that started this one is gone")

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._ask(signal.Signals(number).name)

    def _ask(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.times += 1
