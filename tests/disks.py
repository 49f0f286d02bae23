"""Small real disks: a file system in memory, of a size that is soon full. Only root may mount one; elsewhere the test is skipped."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mount(folder: Path, options: str) -> bool:
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk of ``size`` (such as 512k) at ``folder``."""
    folder.mkdir()
    if not mount(folder, f"size={size}"):
        pytest.skip("mounting is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def enlarge(folder: Path, size: str) -> None:
    """Make room."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)
