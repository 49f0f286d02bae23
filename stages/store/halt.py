"""When to stop: SIGINT, SIGTERM, a closed terminal, or the death of the process that started this one."""

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OF_DVC = "DVC_STAGE"  # DVC gives this variable to what it starts, and has it not itself


def _parent_of(number: int) -> int | None:
    """The parent of the process with this number; None when it is gone."""
    import psutil  # noqa: PLC0415  only under DVC, which has it loaded anyway

    try:
        return int(psutil.Process(number).ppid())
    except psutil.Error:
        return None


def _dvc_above(shell: int) -> int | None:
    """The number of the DVC that stands above ``shell``; None where DVC is the parent itself, or did not start this process.

    DVC runs a stage by ``$SHELL -c``: bash steps aside for the one command, dash stays and outlives DVC.
    """
    if _OF_DVC not in os.environ:
        return None
    import psutil  # noqa: PLC0415  as above

    try:
        return _parent_of(shell) if _OF_DVC in psutil.Process(shell).environ() else None
    except psutil.Error:
        return None  # it is gone, which ``look`` sees, or not ours to look at


class Halt:
    """While it is entered, a signal is noted and nothing is interrupted. The former handlers come back on leaving.

    reason: None, or what asked to stop first. times: how often it was asked.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.times = 0
        self._parent = os.getppid()
        self._dvc = _dvc_above(self._parent)
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
        if self.reason is None and (os.getppid() != self._parent or self._without_dvc()):
            self._ask("the process that started this one is gone")

    def _without_dvc(self) -> bool:
        """Whether DVC has died above the shell that it started this process by."""
        return self._dvc is not None and _parent_of(self._parent) != self._dvc

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._ask(signal.Signals(number).name)

    def _ask(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.times += 1
