"""The key stays inside: what comes back is searched for it before it is looked at, stored or shown."""

import base64
import re

from stages.providers.arriving import Raw
from stages.providers.openai import shortened

# Shorter "keys" are placeholders that an endpoint without keys is given ("none", "EMPTY", "ollama"). They are no secret, and an
# answer that happens to hold such a word must not be changed.
SECRET_MIN = 8
_TELLS = 4  # so many first characters of a key tell nothing ("sk-p"); more of them, at the end of what broke off, are taken out
_IN_BASE64 = {"+": r"(?:[-+]|%2[bB]|\\u002[bB])", "/": r"(?:\\?[/_]|%2[fF]|\\u002[fF])"}  # as itself, as in addresses, as escaped
_ESCAPE = re.compile(rb"(?:\\(?:u[0-9a-fA-F]{0,3})?|%[0-9a-fA-F]?)\Z")  # one that broke off


def clean(key: str | None, raw: Raw, cut: bool = False) -> Raw:
    """What came without the key, before anything looks at it: words are cut, and half a key is too much. cut: it broke off somewhere."""
    if not key or len(key) < SECRET_MIN:
        return raw
    form = re.compile(b"|".join([_form_of(key), *_recoded(key)]))
    headers = {name: form.sub(b"[key]", value.encode()).decode() for name, value in raw.headers.items()}
    body = raw.body
    bare = body.replace(b"\x00", b"")  # no JSON holds a NUL; UTF-16 and UTF-32 put them between the characters of a key
    if len(bare) < len(body) and (form.search(bare) or _half_key_at(key, bare) is not None):
        body = bare
    body = form.sub(b"[key]", body)
    at = _half_key_at(key, body) if cut else None
    return Raw(raw.status, headers, body if at is None else body[:at] + b"[key]")


def _half_key_at(key: str, body: bytes) -> int | None:
    """Where the beginning of a key stands that ``body`` breaks off in: where the rest of the key, put behind it, makes a whole one."""
    tail = body[-6 * len(key) :]  # six bytes are the longest form of a character
    if not re.search(_form_of(key[: _TELLS + 1]), tail):
        return None
    whole = re.compile(_form_of(key) + rb"\Z")
    for begun in (tail, _ESCAPE.sub(b"", tail)):
        for present in range(len(key) - 1, _TELLS, -1):
            half = whole.search(begun + key[present:].encode())
            if half:
                return len(body) - len(tail) + half.start()
    return None


def _form_of(key: str) -> bytes:
    """The key as it may stand in a body: each character as itself, as JSON escapes it, or as a URL does."""
    forms = []
    for char in key:
        plain = re.escape(char) if char.isalnum() else rf"\\?{re.escape(char)}"
        forms.append(rf"(?:{plain}|\\u(?i:{ord(char):04x})|%(?i:{ord(char):02x}))")
    return "".join(forms).encode("utf-8")


def _recoded(key: str) -> list[bytes]:
    """The key in hex and in base64, whatever stands before it: of three places it may begin at within a group of three bytes, each
    has its own letters, and all that hold something of the key alone are looked for."""
    forms = [rf"(?i:{key.encode().hex()})"]
    for before, mixed in enumerate((0, 2, 3)):  # mixed: letters at the beginning that hold something of what stands before, too
        whole = base64.b64encode(b"\0" * before + key.encode()).decode().rstrip("=")
        own = whole[mixed : len(whole) - bool((before + len(key.encode())) % 3)]
        forms.append("".join(_IN_BASE64.get(char, char) for char in own))
    return [form.encode() for form in forms]


def without(key: str | None, words: str) -> str:
    """``words`` on one line, cut to what a message may hold, without the key."""
    return shortened(words.replace(key, "[key]")) if key else shortened(words)
