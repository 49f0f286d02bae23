"""Reading one file whole: a plain file in UTF-8, or a sentence that says what stands there instead."""

import errno
from pathlib import Path

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def plain_file(path: Path) -> Path:
    """``path``, if a plain file stands there. Raises OSError, which names it, for a folder, a link to nothing, and a pipe, on which a
    reader would wait for ever; FileNotFoundError where nothing stands."""
    if path.is_file():
        return path
    if path.is_dir():
        raise OSError(errno.EISDIR, "it is a folder, and a file belongs here", str(path))
    if path.exists():
        raise OSError(errno.EINVAL, "it is no plain file (a pipe, a socket or a device)", str(path))
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link that leads to no file", str(path))
    raise FileNotFoundError(errno.ENOENT, "no such file", str(path))


def text_of(data: bytes) -> str:
    """``data`` read as UTF-8. Raises ValueError that says where it is none."""
    if data.startswith(_UTF_16):
        raise ValueError("it is UTF-16: save it as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None


def read_text(path: Path) -> str:
    """The text of a plain file. Raises OSError that names it when it is none or cannot be read, ValueError when it is not UTF-8."""
    try:
        return text_of(plain_file(path).read_bytes())
    except OSError as error:
        error.filename = str(path)  # an error while reading, unlike one while opening, does not know
        raise
