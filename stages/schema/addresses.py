"""What may stand as an endpoint's address: http or https, a host, perhaps a port and a path, and nothing that could be a secret."""

import re
from urllib.parse import urlsplit

_OF_THIS_MACHINE = ("localhost", "127.", "[::1]")  # spoken to without TLS
_SCHEME = re.compile(r"^(https?:)?/*")


def address(text: str) -> str:
    """``text`` as it is, when it is an address that can be asked.

    Raises ValueError that says what is wrong and what would be right, without what stands in the place of a password or a query.
    """
    fault = _fault(text)
    if not fault:
        return text
    nearest = _nearest(text)
    raise ValueError(f"{fault}; the nearest is {nearest!r}" if nearest and nearest != text else fault)


def _fault(text: str) -> str:
    """What is wrong with ``text``; empty when nothing is."""
    scheme, marked, rest = text.partition("://")
    if "@" in (rest if marked else text).partition("/")[0]:
        return "a user or a password stands in it; a key belongs in the environment, under the name that key_env gives"
    if any(char.isspace() or not char.isprintable() for char in text):
        return "a blank stands in it"
    if scheme.lower() not in ("http", "https"):
        return "it begins with neither http:// nor https://"
    if "?" in text or "#" in text:
        return "a query or a fragment stands in it, and the path of a call is put behind it"
    if not _has_host(text):
        return "its host or its port is none"
    return "a slash stands at its end, and the path of a call is put behind it" if text.endswith("/") else ""


def _has_host(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and parts.port != 0 and not parts.netloc.endswith(":")
    except ValueError:  # half a bracket, or a port that is no number up to 65535
        return False


def _nearest(text: str) -> str:
    """The right address that ``text`` may mean; empty when it is not clear, or when it might repeat a secret."""
    plain = "".join(char for char in text if char.isprintable() and not char.isspace()).partition("?")[0].partition("#")[0]
    scheme, marked, rest = plain.partition("://")
    if not marked:
        scheme, rest = "http" if plain.startswith((*_OF_THIS_MACHINE, "http:")) else "https", _SCHEME.sub("", plain)
    found = f"{scheme if scheme in ('http', 'https') else 'https'}://{rest.rstrip('/')}"
    return "" if "@" in found or _fault(found) else found
