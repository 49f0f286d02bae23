"""Locks between processes: flock on a file, which the kernel lets go of when its holder dies, however it dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether ``path`` still names the opened file: who held it before may have removed the name in between."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def _locked(path: Path, flags: int, operation: int) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
    try:
        fcntl.flock(descriptor, operation)
        if _is_still(descriptor, path):
            return descriptor
    except BlockingIOError:
        pass  # someone else holds it, and that is an answer
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def try_lock(path: Path) -> int | None:
    """An open descriptor that holds ``path`` (created when absent), or None when it cannot be had just now.

    Closing the descriptor lets go. Raises OSError when the file cannot be made or the file system knows no flock.
    """
    return _locked(path, os.O_CREAT, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_left_over(path: Path) -> bool:
    """Whether ``path`` exists and nobody holds it. A shared lock, so that two who look at once do not see each other."""
    try:
        descriptor = _locked(path, 0, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Wait for ``path`` and hold it. The file stays: removing it would let two processes hold two files of one name."""
    descriptor = None
    while descriptor is None:
        descriptor = _locked(path, os.O_CREAT | os.O_NOFOLLOW, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)
