"""The rows of the recordings, kind by kind: what keys each has and what may stand in them.

A new kind of row is a class here, its line in KINDS, and the file that holds rows of this kind and of no other.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from stages.schema.names import nearest
from stages.schema.rows import VerdictWord
from stages.schema.shapes import Count, Format, MatterId, Moment, Number, PlainWord, Sha256, Shape, Text, Whole, checked

Row = dict[str, Any]
_NAME = ("kind", "matter_id", "contestant", "judge", "contestant_1", "contestant_2", "attempt", "ordinal", "presentation_id")


class _Sealed(Shape):
    """What every sealed row has."""

    format: Format
    matter_id: MatterId
    row_sha256: Sha256


class _Call(_Sealed):
    """What every row has that holds a reply as it came over the wire."""

    attempt: Number
    matter_sha256: Sha256
    settings_sha256: Sha256
    request_sha256: Sha256
    response_sha256: Sha256
    wire: Text
    route: Text
    model: Text
    http_status: Annotated[int, Field(ge=100, le=599)]
    body: str
    body_encoding: Literal["utf-8", "base64"]
    started_at: Moment
    elapsed_ms: Count
    tries: list[dict[str, Any]]  # notes on what delivered nothing: whatever stands in them, it must not spoil a reply that was paid for


class AnswerRow(_Call):
    """A contestant's reply."""

    kind: Literal["answer"]
    contestant: PlainWord


class _Judged(_Call):
    """A judge's reply on one presentation."""

    judge: Text
    presentation_id: Sha256
    instrument_sha256: Sha256
    answer_a_sha256: Sha256
    answer_b_sha256: Sha256


class VerdictRow(_Judged):
    """A judge's reply on a pairing."""

    kind: Literal["verdict"]


class ControlRow(_Judged):
    """A judge's reply on a control."""

    kind: Literal["control"]


class AssignmentRow(_Sealed):
    """Which answer was A and which was B."""

    kind: Literal["assignment"]
    contestant_1: PlainWord
    contestant_2: PlainWord
    answer_a_was: PlainWord
    answer_b_was: PlainWord
    ordinal: Count
    rule: Text
    seed: Whole


class ReadingRow(_Sealed):
    """What one version of the reader made of one reply."""

    kind: Literal["reading"]
    attempt: Number
    judge: Text
    presentation_id: Sha256
    instrument_sha256: Sha256
    reader: Text
    request_sha256: Sha256
    response_sha256: Sha256
    verdict: VerdictWord


KINDS: dict[str, type[_Sealed]] = {
    "answer": AnswerRow, "verdict": VerdictRow, "control": ControlRow, "assignment": AssignmentRow, "reading": ReadingRow,
}  # fmt: skip
_FILES = {
    "answer": "answers.jsonl", "verdict": "verdicts.jsonl", "control": "qualification.jsonl", "assignment": "assignments.jsonl",
    "reading": "readings.jsonl",
}  # fmt: skip


def row_name(row: Row) -> str:
    """How messages call a row, such as ``answer Q01 qwen-500m 1``."""
    return " ".join(str(row[key])[:40] for key in _NAME if key in row) or "a row without a kind"


def kind_in(file_name: str) -> str | None:
    """The kind of the rows in a recording of this name; None for a file that is no recording of the flow."""
    return next((kind for kind, name in _FILES.items() if name == file_name), None)


def file_of(kind: str) -> str:
    """The name of the recording that holds rows of this kind."""
    return _FILES[kind]


def check_form(row: Row, kind: str | None = None) -> None:
    """Raise ValueError, naming the key, unless a row has the keys, types and values of its kind, which is ``kind`` where one is given."""
    found = row.get("kind")
    shape = KINDS.get(found) if isinstance(found, str) else None
    if kind is not None and found != kind:
        where = f", and belongs in {file_of(str(found))}" if shape else ""
        raise ValueError(f"the row is of kind {found!r:.40}{where}; here stand rows of kind {kind!r}")
    if shape is None:
        raise ValueError(f"no row is of kind {found!r:.40}; {nearest(str(found), KINDS)}")
    checked(shape, row)
