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


def replace_file(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of ``path`` in one step. One writer at a time: the caller holds a lock.

    The temporary name is always the same, so that a kill leaves at most one stray file, which the next writer overwrites.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}{PART}")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)
