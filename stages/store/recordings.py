"""A recording: an append-only archive in git of calls or assignments, as sorted canonical JSONL.

Example, two rows of data/recordings/assignments.jsonl, shortened:
    {"answer_a_was":"qwen-500m","contestant_1":"qwen-500m","contestant_2":"smol-135m","format":1,"kind":"assignment",…}
    {"answer_a_was":"smol-135m","contestant_1":"qwen-500m","contestant_2":"smol-135m","format":1,"kind":"assignment",…}
"""

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from stages.runtime.errors import BadRecord, Refusal, refusing
from stages.schema.calls import Row
from stages.schema.canonical import canonical, text_digest
from stages.schema.jsonl import read_rows, rows_text
from stages.schema.plain_files import plain_file
from stages.schema.recorded import check_form, kind_in, row_name
from stages.store.durable import replace_file
from stages.store.locks import held
from stages.store.sealed import check, place


def _lock_of(path: Path) -> Path:
    """The lock of a recording: outside the repository, where git, DVC and `git clean` do not meet it; one for each user."""
    return Path(tempfile.gettempdir()) / f"moot-{os.getuid()}-{text_digest(str(path))[:16]}.lock"


def _steady(path: Path) -> tuple[bytes, list[Row]]:
    """The bytes of a file and the rows in just these bytes, also while another process replaces it. An absent file is empty."""
    while path.exists() or path.is_symlink():
        before = plain_file(path).read_bytes()
        rows = read_rows(path)
        if path.read_bytes() == before:
            return before, rows
    return b"", []


def check_line(line: bytes, row: Row, kind: str | None) -> None:
    """Raise ValueError unless a line holds one whole row of ``kind`` (None: of any kind), in its one spelling.

    Another spelling was typed, and two spellings would let one row stand twice. CR is git's on Windows.
    """
    check(row)
    if line.removesuffix(b"\r") != canonical(row).encode("utf-8"):
        raise ValueError("the row is sealed but not in its canonical spelling: it was rewritten by hand or by another tool")
    check_form(row, kind)


def _started(row: Row) -> tuple[str, str]:
    """When a call began, in the one spelling of times, in which text sorts as time does."""
    return row["started_at"], row["row_sha256"]


class Recording:
    """The archive in one file. Rows are added and never taken away; nothing is written before ``save``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[str, Row] = {}
        self._loaded = False
        self._in_order = False  # the file holds these rows and no others, each in its place
        self._sorted = False  # the rows in hand stand in the order of their places

    def load(self) -> list[Row]:
        """Read the file and return every row, sorted. An absent file is an empty recording; rows out of order and a line that
        stands twice (both come from a merge of two branches) are accepted, and put right by the next ``save``.

        Raises BadRecord, naming file, line and row, for a row that was edited, a cut-off last line, a row in a second spelling, and
        for one that is of another kind than this file holds, or has other keys, types or values than its kind has.
        """
        self._take()
        return self.rows

    @property
    def rows(self) -> list[Row]:
        """Every row, in the order of the file."""
        known = self._known()
        return list(known) if self._sorted else sorted(known, key=place)

    def by_request(self) -> dict[str, list[Row]]:
        """The rows of every request. Two replies to one request both stay; the earlier one comes first, and counts."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self._known():
            if "request_sha256" in row:
                found[row["request_sha256"]].append(row)
        for replies in found.values():
            replies.sort(key=_started)
        return dict(found)

    def add(self, rows: Iterable[Row]) -> None:
        """Take in sealed rows; those that are there already change nothing. Raises BadRecord for a row that is not sealed."""
        for row in rows:
            with refusing(f"{self.path}: new row ({row_name(row)})", BadRecord):
                check(row)
            if self._rows.setdefault(row["row_sha256"], row) is row:
                self._in_order = self._sorted = False

    def save(self) -> bool:
        """Write the sorted union of the file as it is now and the rows in hand, in one step; says whether the bytes changed.

        Raises BadRecord when the file no longer stands up to its digests, Refusal when it cannot be written.
        """
        if self._in_order and self.path.exists():
            return False
        path = self.path.resolve()  # the file itself, should the path be a link to it
        try:
            with held(_lock_of(path)):
                return self._write(path, before=self._take())
        except OSError as error:
            raise Refusal(f"{self.path} cannot be written: {error.strerror or error}") from error

    def _write(self, path: Path, before: bytes) -> bool:
        data = rows_text(self.rows).encode("utf-8")
        self._in_order = True
        if data == before and path.exists():
            return False
        replace_file(path, data)
        return True

    def _known(self) -> Iterable[Row]:
        if not self._loaded:
            self._take()
        return self._rows.values()

    def _take(self) -> bytes:
        """Take in what the file holds now, and return its bytes."""
        with refusing(str(self.path), BadRecord):
            data, rows = _steady(self.path)
        kind = kind_in(self.path.name)
        for number, (line, row) in enumerate(zip(data.split(b"\n"), rows, strict=False), start=1):
            try:
                check_line(line, row, kind)
            except ValueError as error:
                raise BadRecord(f"{self.path}: line {number} ({row_name(row)}): {error}") from None
        known = len(self._rows)
        self._rows |= {row["row_sha256"]: row for row in rows}
        self._loaded = True
        rising = all(one < two for one, two in pairwise(map(place, rows)))  # and so no row stands twice
        self._sorted = rising and not known
        self._in_order = rising and len(rows) == len(self._rows) and b"\r" not in data
        return data
