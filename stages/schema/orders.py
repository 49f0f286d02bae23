"""Orders: dated decisions of named people that the stages obey, in git-tracked files under data/orders/, one file each.

Example, data/orders/answers/Q03-alder.json (one under verdicts/, which the judge stage reads, names a presentation only):
    {"by":"A. Author","contestant":"alder","format":1,"kind":"abandon","matter_id":"Q03","ordered_at":"2026-11-30T08:15:11.000Z",
     "reason":"the provider withdrew the model","row_sha256":"…"}
An order to make a further attempt (reruns/) also names the attempt and, by its request digest, the one that it comes after.
"""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self, TypeVar

from pydantic import Field

from stages.schema.calls import FORMAT, Row, check_row, seal
from stages.schema.jsonl import read_rows
from stages.schema.names import nearest
from stages.schema.shapes import Format, MatterId, Moment, PlainWord, Sha256, Words, can_be_seen, checked, shape_of

_BESIDE = "README.md"  # what may stand in a folder of orders beside them


@dataclass(frozen=True)
class _Order(ABC):
    about: ClassVar[str]

    kind: str
    reason: Words
    by: Words
    ordered_at: Moment

    def row(self) -> Row:
        """The sealed row. Raises ValueError for an order without a reason or a named author."""
        if not can_be_seen(self.reason):
            raise ValueError("an order needs a reason (--reason)")
        if not can_be_seen(self.by):
            raise ValueError("an order needs a named author (--by)")
        return seal({"format": FORMAT, **asdict(self)})

    @property
    @abstractmethod
    def file_name(self) -> str:
        """The one name that the order's file may have, so that nothing is ordered twice."""

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """The order in a row. Raises ValueError for a row that was changed, has other keys or types, or is an order of another folder."""
        content = {key: value for key, value in row.items() if key not in ("format", "row_sha256")}
        for other in _Order.__subclasses__():
            if other is not cls and content.keys() == {field.name for field in fields(other)}:
                raise ValueError(f"it is an order about {other.about}, and belongs in data/orders/{other.about}")
        if "row_sha256" in row:
            check_row(row)
        checked(shape_of(cls, format=Format, row_sha256=Sha256), row)
        return cls(**content)


@dataclass(frozen=True)
class AnswerOrder(_Order):
    """abandon: this answer is bought no more; its pairings count as missing."""

    about: ClassVar[str] = "answers"

    kind: Literal["abandon"]
    contestant: PlainWord
    matter_id: MatterId

    @property
    def file_name(self) -> str:
        return f"{self.matter_id}-{self.contestant}.json"


@dataclass(frozen=True)
class VerdictOrder(_Order):
    """abandon: no verdict on this presentation is bought any more, by any judge; what is not recorded counts as missing."""

    about: ClassVar[str] = "verdicts"

    kind: Literal["abandon"]
    presentation_id: Sha256

    @property
    def file_name(self) -> str:
        return f"{self.presentation_id[:16]}.json"


@dataclass(frozen=True)
class RerunOrder(_Order):
    """rerun: make attempt number ``attempt``, because the one before it, whose request digest is ``after_sha256``, was not complete.

    The digest binds the order to the matter's text and to the settings of that day: an answer to another text is not meant by it.
    """

    about: ClassVar[str] = "reruns"

    kind: Literal["rerun"]
    contestant: PlainWord
    matter_id: MatterId
    attempt: Annotated[int, Field(ge=2, lt=2**63)]
    after_sha256: Sha256

    @property
    def file_name(self) -> str:
        return f"{self.matter_id}-{self.contestant}-{self.attempt}-{self.after_sha256[:8]}.json"


Kind = TypeVar("Kind", bound=_Order)


def order_in(path: Path, kind: type[Kind]) -> Kind:
    """The order in one file. Raises ValueError that names the file, unless it holds one order of this kind under its own name."""
    try:
        if path.suffix != ".json":
            raise ValueError(f"it is no order: a file here ends in .json, and only {_BESIDE} may stand beside")
        rows = read_rows(path)
        if len(rows) != 1:
            raise ValueError(f"it holds {len(rows) or 'no'} rows, and an order is one")
        order = kind.from_row(rows[0])
        if path.name != order.file_name:
            raise ValueError(f"by its content its name must be {order.file_name}")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return order


def orders_in(folder: Path, kind: type[Kind]) -> list[Kind]:
    """Every order of a folder; none where there is no folder. Raises ValueError that names the file which holds none."""
    if not folder.exists():
        return []
    return [order_in(path, kind) for path in sorted(folder.iterdir()) if not _is_beside(path)]


def check_folders(orders: Path, known: list[Path]) -> None:
    """Raise ValueError for what stands among the folders of orders: nobody would obey it."""
    for path in sorted(orders.iterdir()) if orders.exists() else []:
        if path not in known and not _is_beside(path):
            raise ValueError(f"{path}: nobody obeys what stands here; {nearest(path.stem, [folder.name for folder in known])}")


def _is_beside(path: Path) -> bool:
    return path.name == _BESIDE or path.name.startswith(".")
