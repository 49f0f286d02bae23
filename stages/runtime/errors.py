"""Every refusal of Moot's on one screen: a tree, a sentence each, an exit code each.

The code that knows what is wrong raises ValueError with half a sentence; the edge that knows the file wraps it with ``refusing``.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class Refusal(Exception):
    """Moot declines, in one sentence, and leaves everything as it was."""

    exit_code = 1


class BadInput(Refusal):
    """A file, a setting or an argument is wrong."""

    exit_code = 2


class BadRecord(Refusal):
    """A recording, journal entry, order or file of an earlier stage is not what it was, or contradicts another."""

    exit_code = 3


class NothingBought(Refusal):
    """Something is missing and cannot be bought: no key, no weights, no runtime, no consent."""

    exit_code = 4


class ProviderRefused(Refusal):
    """A provider said no in a way that will not get better: wrong key, no credit, unknown model, bad request."""

    exit_code = 5


class Gaps(Refusal):
    """Some requests delivered nothing within their tries; what landed is stored."""

    exit_code = 6


class JournalFailed(Refusal):
    """The journal cannot be read or written: nothing more is bought."""

    exit_code = 7


class SpendingStopped(Refusal):
    """A limit on calls or money would be broken by the next call; what landed is stored, and the same command goes on."""

    exit_code = 8


class VerifyFailed(Refusal):
    """A check of the record does not hold."""

    exit_code = 9


class Stopped(Refusal):
    """SIGINT, SIGTERM or the parent's death: what was in flight landed and is stored."""

    exit_code = 130


@contextmanager
def refusing(place: str = "", kind: type[Refusal] = BadInput) -> Iterator[None]:
    """Turn ValueError and OSError raised inside into one sentence that opens with ``place``; without one, with the file's name."""
    opening = f"{place}: " if place else ""
    try:
        yield
    except OSError as error:
        raise kind(f"{opening or named(error)}{words_of(error)}") from None
    except ValueError as error:
        raise kind(f"{opening}{error}") from None


def named(error: OSError) -> str:
    """The opening of a sentence about a file, if the error names one."""
    return f"{error.filename}: " if error.filename else ""


def words_of(error: OSError) -> str:
    """What the system says of a file, in one line."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return error.strerror or " ".join(str(error).split()) or type(error).__name__
