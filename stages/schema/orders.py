"""Orders: dated decisions of named people that the stages obey, in git-tracked files under data/orders/.

Example, a row of data/orders/answers.jsonl (and one of verdicts.jsonl, which the judge stage reads, names a presentation only):
    {"by":"A. Author","contestant":"alder","format":1,"kind":"abandon","matter_id":"Q03","ordered_at":"2026-11-30T08:15:11.000Z",
     "reason":"the provider withdrew the model","row_sha256":"…"}
"""

from dataclasses import asdict, dataclass, fields
from typing import Literal, Self

from stages.schema.calls import FORMAT, Row, check_row, seal


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


@dataclass(frozen=True)
class VerdictOrder(_Order):
    """abandon: this verdict is bought no more; its pairing counts as missing."""

    presentation_id: str
