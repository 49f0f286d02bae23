"""A reply while it arrives: unpacked piece by piece in bounded memory, and kept as far as it came should it never be whole.

No more than the limit is ever held, whatever a few packed bytes would unpack to: 1.2 MB of gzip can be 1.2 GB, and packed twice it
is 3 kB.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Raw:
    """What came back over HTTP, unpacked; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def success(self) -> bool:
        """Whether the status says that all went well, so that what came may have been paid for."""
        return 200 <= self.status < 300


class Unusable(Exception):
    """A reply that cannot be taken as it is sent. Its sentence repeats no header: a key might be echoed there."""


# zlib's windows for what it can unpack. 31: gzip; 15: deflate as RFC 9110 has it; -15: deflate without its header, as some servers send.
_GZIP, _ZLIB, _BARE = 31, 15, -15
_PACKED = ("gzip", "x-gzip", "deflate")
_NAMED = (*_PACKED, "br", "zstd", "compress", "x-compress")  # what a sentence may repeat
BEGINNING = 1024 * 1024  # bytes that are kept of a reply that is too long: the longest real answers are under 1 MiB


class Arriving:
    """Takes a reply as it comes. most: bytes, both as sent and as unpacked."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._head = Raw(0, {}, b"")
        self._coding = ""
        self._found = bytearray()
        self._sent = 0
        self._stream: zlib._Decompress | None = None

    @property
    def success(self) -> bool:
        """Whether a head has come whose status says that all went well."""
        return self._head.success

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Take the reply's head. Raises Unusable when it is packed more than once."""
        self._head = Raw(status, headers, b"")
        named = (each.strip().lower() for each in headers.get("content-encoding", "").split(","))
        codings = [coding for coding in named if coding not in ("", "identity")]
        if len(codings) > 1:
            raise Unusable(f"the reply is packed {len(codings)} times over, which nobody asked for")
        self._coding = codings[0] if codings else ""

    def take(self, piece: bytes) -> None:
        """Take the next bytes as they were sent. Raises Unusable for a broken compression, and beyond the limit."""
        self._sent += len(piece)
        if self._coding in _PACKED:
            self._unpack(piece)
        else:
            self._found += piece
        if max(self._sent, len(self._found)) > self._most:
            raise Unusable(f"the reply is longer than {self._most} bytes")

    def whole(self) -> Raw:
        """The whole reply, after its last byte. Raises Unusable when its compression broke off or is one that cannot be undone."""
        if self._stream is not None:
            raise Unusable("the reply's compression is broken")
        if not self._legible:
            named = f"as {self._coding} " if self._coding in _NAMED else ""
            raise Unusable(f"the reply is packed {named}in a way that nobody asked for")
        return Raw(self._head.status, self._head.headers, bytes(self._found))

    def so_far(self) -> Raw | None:
        """What may have been paid for although it is not whole: all of it, or of one that is too long its beginning.

        None when nothing came, when the status is no success, and for what cannot be unpacked: that cannot be searched for the key,
        and so must not be kept.
        """
        body = bytes(self._found[:BEGINNING] if len(self._found) > self._most else self._found)
        return Raw(self._head.status, self._head.headers, body) if self._head.success and body.strip() and self._legible else None

    @property
    def _legible(self) -> bool:
        """Whether what is held is what was meant. A coding that nobody knows may be a mere word ("utf-8") before plain text."""
        if not self._coding or self._coding in _PACKED:
            return True
        try:
            self._found.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def _unpack(self, piece: bytes) -> None:
        while piece:
            if self._stream is None:  # the first, or another member of the same file (RFC 1952, section 2.2)
                self._stream = zlib.decompressobj(self._window(piece[0]))
            try:
                self._found += self._stream.decompress(piece, self._most + 1 - len(self._found))
            except zlib.error:
                raise Unusable("the reply's compression is broken") from None
            if len(self._found) > self._most:
                return
            piece = self._stream.unused_data
            if self._stream.eof:
                self._stream = None

    def _window(self, first: int) -> int:
        """How to unpack: for deflate the first byte tells, whose lower half is 8 in zlib's header only (RFC 1950, section 2.2)."""
        if self._coding != "deflate":
            return _GZIP
        return _ZLIB if first & 15 == 8 else _BARE
