"""The three standard streams, in whatever state the caller left them: nobody need be listening, and no exit code hangs on it."""

import os
import sys
from typing import TextIO

from stages.runtime.errors import Refusal


def open_streams() -> None:
    """Put the null device where a standard stream is closed. Otherwise the next file that is opened, a recording perhaps, would get
    the number of the stream, and whatever writes to standard error would write into it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of their numbers: the lowest free one is given
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8", errors="replace")  # noqa: SIM115  it stays open as long as the process lives
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def say(sentence: str) -> None:
    """One line on standard error. When nobody reads it any more it is lost, and the work goes on."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
    except OSError:
        _close(sys.stderr)


def tell(text: str) -> None:
    """What a command found, on standard output, in UTF-8 whatever the locale. A reader that has left (``| head``) has read enough.

    Raises Refusal when it cannot be written, such as on a full disk.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        _close(sys.stdout)
    except OSError as error:
        _close(sys.stdout)
        raise Refusal(f"what was found cannot be written: {error.strerror or error}") from None


def close_streams() -> None:
    """Write what is still held back. What cannot be written is lost: it must not turn a result into a failure at the very end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            _close(stream)


def _close(stream: TextIO) -> None:
    """Let a stream end in the null device, with all that it holds back."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, stream.fileno())
    finally:
        os.close(null)
