"""A sealed row as the store sees it: whether it is whole, and where it stands in a file."""

from stages.schema.calls import Row, check_row

_PLACE = (
    "kind", "matter_id", "contestant", "judge", "contestant_1", "contestant_2", "attempt", "ordinal", "presentation_id", "repeat",
    "request_sha256", "row_sha256",  # row_sha256 last: two different rows never share a place
)  # fmt: skip

Place = tuple[tuple[int, int | float, str], ...]


def check(row: Row) -> None:
    """Raise ValueError, and nothing else, unless the row's digests are those of its content."""
    for key in _PLACE:
        if not isinstance(row.get(key, ""), str | int | float):
            raise ValueError(f"{key} is neither text nor a number")
    check_row(row)


def _ordered(value: object) -> tuple[int, int | float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value, ""
    return 1, 0, str(value)


def place(row: Row) -> Place:
    """The sort key of a row: numbers as numbers, text by code point, a missing key as empty text."""
    return tuple(_ordered(row.get(key, "")) for key in _PLACE)
