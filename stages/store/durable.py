"""Writing so that a crash, a kill or a power cut leaves either the old file or the new one."""

import os
import tempfile
from pathlib import Path

PART = ".part"  # the ending of every file that is still being written


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable: a file's own fsync does not cover its name."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def private_folder(folder: Path) -> None:
    """Create ``folder`` and the parents that it lacks, each with mode 0700. Raises OSError when that cannot be."""
    if folder.is_dir():
        return
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)  # exist_ok: another process may make it in this moment
            sync_folder(each.parent)
    if not folder.is_dir():
        raise NotADirectoryError(20, os.strerror(20), str(folder))


def write_part(folder: Path, name: str, data: bytes) -> Path:
    """Write ``data`` durably under a name of its own, ``<name>.<random>.part``, mode 0600. The caller gives it its real name."""
    descriptor, written = tempfile.mkstemp(prefix=f"{name}.", suffix=PART, dir=folder)
    part = Path(written)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink()  # half a reply is of no use, and on a full disk its room is
        raise
    return part


def append(path: Path, data: bytes) -> None:
    """Add ``data`` to the end of ``path`` durably; where that fails, the file is as it was. One writer at a time."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        before = os.fstat(descriptor).st_size
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, before)  # on a full disk the room of half a reply is needed for whole ones
            raise
    finally:
        os.close(descriptor)
    sync_folder(path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of ``path`` in one step. One writer at a time: the caller holds a lock.

    The temporary name is always the same, so that a kill leaves at most one stray file, which the next writer overwrites.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}{PART}")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)  # on a full disk its room is needed
        raise
    sync_folder(path.parent)
