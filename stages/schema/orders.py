"""Orders: dated decisions of named people that the stages obey, in git-tracked files under data/orders/, one file each.

Example, data/orders/answers/Q03-alder.json (one under verdicts/, which the judge stage reads, names a presentation only):
    {"by":"A. Author","contestant":"alder","format":1,"kind":"abandon","matter_id":"Q03","ordered_at":"2026-11-30T08:15:11.000Z",
     "reason":"the provider withdrew the model","row_sha256":"…"}
"""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, Self, TypeVar

from stages.schema.calls import FORMAT, Row, check_row, seal
from stages.schema.jsonl import read_rows


@dataclass(frozen=True)
class _Order:
    kind: Literal["abandon"]
    reason: str
    by: str
    ordered_at: str

    def row(self) -> Row:
        """The sealed row. Raises ValueError for an order without a reason or a named author."""
        if not self.reason.strip():
            raise ValueError("an order needs a reason (--reason)")
        if not self.by.strip():
            raise ValueError("an order needs a named author (--by)")
        return seal({"format": FORMAT, **asdict(self)})

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """The order in a row. Raises ValueError for a row that was changed, or is no such order."""
        check_row(row)
        wanted = {field.name for field in fields(cls)} | {"format", "row_sha256"}
        if row.keys() != wanted or row["kind"] != "abandon":
            raise ValueError("the row is no order of this kind")
        return cls(**{field.name: row[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class AnswerOrder(_Order):
    """abandon: this answer is bought no more; its pairings count as missing."""

    contestant: str
    matter_id: str

    @property
    def file_name(self) -> str:
        return f"{self.matter_id}-{self.contestant}.json"


@dataclass(frozen=True)
class VerdictOrder(_Order):
    """abandon: this verdict is bought no more; its pairing counts as missing."""

    presentation_id: str

    @property
    def file_name(self) -> str:
        return f"{self.presentation_id[:16]}.json"


Kind = TypeVar("Kind", bound=_Order)


def orders_in(folder: Path, kind: type[Kind]) -> list[Kind]:
    """Every order of a folder. Raises ValueError that names the file which holds none."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            (row,) = read_rows(path)
            found.append(kind.from_row(row))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    return found
