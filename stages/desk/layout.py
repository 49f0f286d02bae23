"""How commands set out what they found on a terminal. Text from a model or a file moves no cursor and forges no line."""

import unicodedata
from collections.abc import Iterable, Sequence

_WIDE = 48  # characters of one cell: two such columns and some narrow ones fit a terminal
_HIDDEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}  # control and format characters, lone surrogates, line and paragraph separators


def visible(text: str, lines: bool = False) -> str:
    """The text with every character that a terminal obeys spelled out, such as \\x1b; with ``lines``, line feeds and tabs stay."""
    kept = "\n\t" if lines else ""
    return "".join(c if c in kept or unicodedata.category(c) not in _HIDDEN else c.encode("unicode_escape").decode("ascii") for c in text)


def short(value: object, width: int = _WIDE) -> str:
    """One cell: on one line, cut with an ellipsis; nothing for None."""
    if value is None:
        return ""
    text = visible(" ".join(str(value).split()))
    return text if len(text) <= width else f"{text[: width - 1]}…"


def set_out(head: Sequence[str], rows: Iterable[Sequence[object]], width: int = _WIDE) -> str:
    """Rows under a head, in columns as wide as what stands in them; numbers stand to the right."""
    rows = list(rows)
    cells = [[short(value, width) for value in row] for row in rows]
    widths = [max(len(row[n]) for row in [list(head), *cells]) for n in range(len(head))]
    right = [bool(rows) and all(isinstance(row[n], (int, float)) or row[n] is None for row in rows) for n in range(len(head))]
    lines = [list(head), ["─" * width for width in widths], *cells]
    set_lines = ("  ".join(_padded(*cell) for cell in zip(line, widths, right, strict=True)).rstrip() for line in lines)
    return "".join(f"{line}\n" for line in set_lines)


def _padded(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 call``, ``2 calls``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
