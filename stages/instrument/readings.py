"""Readings: what each version of the reader made of each recorded reply, kept for ever, so that a better reader hides no change.

Example, a row of data/recordings/readings.jsonl:
    {"attempt":1,"format":1,"instrument_sha256":"…","judge":"qwen-1500m","kind":"reading","matter_id":"Q01","presentation_id":"4be0…",
     "reader":"reader-1","request_sha256":"…","response_sha256":"…","row_sha256":"…","verdict":"A"}
"""

from collections.abc import Iterable

from stages.schema.calls import FORMAT, Row, seal
from stages.schema.rows import Verdict

_SAME_REPLY = ("request_sha256", "response_sha256", "instrument_sha256")


def reading_row(verdict: Verdict) -> Row:
    """The sealed row of one reading."""
    kept = (
        "attempt", "instrument_sha256", "judge", "matter_id", "presentation_id", "reader", "request_sha256", "response_sha256", "verdict",
    )  # fmt: skip
    row = verdict.row()
    return seal({"format": FORMAT, "kind": "reading", **{key: row[key] for key in kept}})


def changes(recorded: Iterable[Row], now: Iterable[Row]) -> list[str]:
    """A sentence for each reply that an earlier reader read differently from today's.

    Raises ValueError when the same version of the reader read the same reply differently: it was changed without a new version.
    """
    earlier: dict[tuple[str, ...], list[Row]] = {}
    for row in recorded:
        earlier.setdefault(_reply(row), []).append(row)
    told = []
    for row in now:
        for before in earlier.get(_reply(row), []):
            name = f"{row['matter_id']}, presentation {row['presentation_id'][:12]}"
            if before["verdict"] == row["verdict"]:
                continue
            if before["reader"] == row["reader"]:
                raise ValueError(
                    f"{name}: {row['reader']} read {before['verdict']} and now reads {row['verdict']} from the same reply:"
                    " a changed reader needs a new version (READER in stages/instrument/reader.py)"
                )
            told.append(f"{name}: {before['reader']} read {before['verdict']}, {row['reader']} reads {row['verdict']}")
    return told


def _reply(row: Row) -> tuple[str, ...]:
    return tuple(row[key] for key in _SAME_REPLY)
