"""One spelling for every value, so that a digest means the value and not its spelling."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def canonical(value: Any) -> str:
    """The one JSON text of ``value``: keys sorted, no spaces, real characters instead of escapes.

    Raises ValueError for what JSON or UTF-8 cannot hold: NaN, infinities, a lone surrogate.
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    text.encode("utf-8")  # a lone surrogate fails here, not when the row is already half written
    return text


def compact(value: Any) -> str:
    """JSON in the order given: for what goes over the wire, where the order of a schema's keys decides the reply."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text.encode("utf-8")
    return text


def bytes_digest(data: bytes) -> str:
    """Lower-case hex sha256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def text_digest(text: str) -> str:
    """Lower-case hex sha256 of ``text`` in UTF-8."""
    return bytes_digest(text.encode("utf-8"))


def digest(value: Any) -> str:
    """Lower-case hex sha256 of the canonical JSON of ``value``."""
    return text_digest(canonical(value))


def digest_of_all(digests: Iterable[str]) -> str:
    """One digest over many, whatever their order."""
    return digest(sorted(digests))
