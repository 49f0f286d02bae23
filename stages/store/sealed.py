"""A sealed row as the store sees it: whether it is whole, what messages call it, and where it stands in a file."""

from stages.schema.calls import Row, check_row

_NAME = ("kind", "matter_id", "contestant", "judge", "contestant_1", "contestant_2", "attempt", "ordinal", "presentation_id")
_PLACE = (*_NAME, "repeat", "request_sha256", "row_sha256")  # row_sha256 last: two different rows never share a place

Place = tuple[tuple[int, int | float, str], ...]


def check(row: Row) -> None:
    """Raise ValueError, and nothing else, unless the row's digests are those of its content."""
    for key in ("body", "body_encoding") if "body" in row else ():
        if not isinstance(row.get(key), str):
            raise ValueError(f"{key} is not text")
    for key in _PLACE:
        if not isinstance(row.get(key, ""), str | int | float):
            raise ValueError(f"{key} is neither text nor a number")
    try:
        check_row(row)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def row_name(row: Row) -> str:
    """How messages call a row, such as ``answer Q01 qwen-500m 1``."""
    return " ".join(str(row[key])[:40] for key in _NAME if key in row) or "a row without a kind"


def _ordered(value: object) -> tuple[int, int | float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value, ""
    return 1, 0, str(value)


def place(row: Row) -> Place:
    """The sort key of a row: numbers as numbers, text by code point, a missing key as empty text."""
    return tuple(_ordered(row.get(key, "")) for key in _PLACE)
