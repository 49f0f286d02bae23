"""The journal: every paid reply of this machine, outside git and DVC, for ever.

    <journal>/entries/ab/<request_sha256>.json   one sealed call row, one canonical JSON line
    <journal>/claims/<request_sha256>            a call in flight, locked by the process that makes it
    <journal>/tries/<request_sha256>.jsonl       exchanges that delivered nothing, with what came of them that may have been paid for
    <journal>/set-aside/                         entries that did not stand up to their digests

A file for each reply: 1,000 durable writes took 0.25 to 3.5 s that way and replies take far longer, a torn write can hurt
no other reply, and a file is looked at, copied and checked with the tools that everybody has.
"""

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self

import platformdirs

from stages.runtime.errors import BadInput, BadRecord, JournalFailed, refusing
from stages.schema.calls import Row
from stages.schema.canonical import canonical
from stages.schema.jsonl import load_json, read_rows, rows_text
from stages.schema.plain_files import plain_file
from stages.schema.recorded import check_form, row_name
from stages.store.durable import PART, append, private_folder, sync_folder, write_part
from stages.store.locks import is_left_over, try_lock
from stages.store.sealed import check

VARIABLE = "MOOT_JOURNAL"
POLL_S = 0.05  # twenty looks a second cost nothing beside a reply, and a waiter loses at most this much
PROBE_BYTES = 256 * 1024  # room for 32 replies in flight of 8 KB each
_DIGEST = re.compile(r"[0-9a-f]{64}")


def journal_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the journal is: $MOOT_JOURNAL, or a folder in the user's state directory. Raises BadInput for a relative path, which would
    mean another journal in every working directory (DVC's temporary runs have their own), and for an empty one, which would silently
    be another journal than the one that somebody meant to name."""
    chosen = environment.get(VARIABLE)
    if chosen is None:
        return platformdirs.user_state_path("moot") / "journal"
    if not chosen.strip():
        raise BadInput(f"{VARIABLE} is empty: give the journal's absolute path, or unset it")
    try:
        folder = Path(chosen).expanduser()
    except RuntimeError:
        raise BadInput(f"{VARIABLE} is {chosen!r}, and no user is called {chosen[1:].split('/')[0]!r}: give an absolute path") from None
    if not folder.is_absolute():
        raise BadInput(f"{VARIABLE} is {chosen!r}: give the journal's absolute path")
    return folder


def _entry_row(path: Path, request_sha256: str) -> Row:
    """The row in one file. Raises ValueError unless it is one whole row that answers this request, and BadRecord for one that is whole
    and has another form than a call's: it was not torn, so it is neither used nor, which might pay twice, taken for absent."""
    rows = read_rows(path)
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows where one belongs")
    check(rows[0])
    if rows[0].get("request_sha256") != request_sha256:
        raise ValueError("the reply belongs to another request")
    with refusing(f"journal entry {path}: {row_name(rows[0])}", BadRecord):
        check_form(rows[0])
    return rows[0]


def _object(line: bytes) -> Row | None:
    """The JSON object on one line, or None where none stands whole."""
    try:
        found = load_json(line.decode("utf-8"))
        return found if isinstance(found, dict) and canonical(found) else None
    except (ValueError, RecursionError):
        return None


class Journal:
    """The journal in one folder. Nothing is created before the first write; reading an absent journal finds nothing.

    set_aside: a sentence for each entry that was found torn or altered.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.set_aside: list[str] = []
        self._held: set[str] = set()

    @classmethod
    def of_this_machine(cls) -> Self:
        """The journal that $MOOT_JOURNAL or the user's state directory names."""
        return cls(journal_folder())

    def get(self, request_sha256: str) -> Row | None:
        """The reply to this request, or None. What is torn or altered is set aside, never trusted, and counts as absent.

        Raises JournalFailed when an entry cannot be read at all, and BadRecord when it is whole and no call's: buying it again would
        pay twice.
        """
        entry = self._entry(request_sha256)
        with self._failing("read"):
            self._close_to_others()
            row = self._checked(entry, request_sha256)
            return row or self._unfinished(entry, request_sha256)

    def put(self, row: Row) -> None:
        """Store one sealed call row; it is durable when this returns. A reply that is there already is kept, and this one is not.

        Raises JournalFailed when it cannot be stored, ValueError for a row that is not sealed.
        """
        check(row)
        request_sha256 = row["request_sha256"]
        entry = self._entry(request_sha256)
        with self._failing("written"):
            self._prepare()
            private_folder(entry.parent)
            part = write_part(entry.parent, request_sha256, rows_text([row]).encode("utf-8"))
            self._name(part, entry, request_sha256)
            sync_folder(entry.parent)
            part.unlink(missing_ok=True)

    def put_tries(self, request_sha256: str, tries: Iterable[Row]) -> None:
        """Keep exchanges that delivered nothing. Raises JournalFailed when they cannot be stored."""
        with self._failing("written"):
            self._prepare()
            private_folder(self.folder / "tries")
            lines = "\n" + rows_text(tries)  # a run that died in a line does not spoil the next one
            append(self.tries_file(request_sha256), lines.encode("utf-8"))

    def tries(self, request_sha256: str) -> list[Row]:
        """The exchanges of earlier runs that delivered nothing for this request.

        A line that a dying run cut off is passed over: it records no reply, and must not stand in the way of one.
        """
        path = self.tries_file(request_sha256)
        with self._failing("read"):
            data = plain_file(path).read_bytes() if path.exists() or path.is_symlink() else b""
        return [row for line in data.split(b"\n") if (row := _object(line)) is not None]

    def tries_file(self, request_sha256: str) -> Path:
        """Where the exchanges stand that delivered nothing for this request."""
        return self.folder / "tries" / f"{self._named(request_sha256)}.jsonl"

    @asynccontextmanager
    async def claim(self, request_sha256: str, given_up: Callable[[], bool] = lambda: False) -> AsyncIterator[bool]:
        """Hold one request, so that one process on this machine buys it at a time. Yields False when ``given_up`` said so first.

        The claim's file is the mark of a call in flight. It goes when the block ends well; after an exception or a kill it stays,
        and ``left_in_flight`` names it. Not synced: after a power cut a mark may be lost, a reply never. Raises JournalFailed.
        """
        path = self.folder / "claims" / self._named(request_sha256)
        while (descriptor := self._try_claim(path)) is None:
            if given_up():
                yield False
                return
            await asyncio.sleep(POLL_S)
        self._held.add(request_sha256)
        try:
            yield True
            with self._failing("written"):
                path.unlink(missing_ok=True)  # while it is held: a waiter that opened it sees that the name is gone
        finally:
            self._held.discard(request_sha256)
            os.close(descriptor)

    def left_in_flight(self) -> list[str]:
        """The requests that were in flight when an earlier process died, and whose reply is not here."""
        with self._failing("read"):
            marks = sorted(path for path in (self.folder / "claims").glob("*") if _DIGEST.fullmatch(path.name))
            return [path.name for path in marks if is_left_over(path) and not self._entry(path.name).exists()]

    def check_writable(self) -> None:
        """Do once all that storing a reply takes. Raises JournalFailed with one sentence, so that nothing is bought in vain."""
        with self._failing("written"):
            self._prepare()
            probe = self.folder / "claims" / f"probe-{os.getpid()}"
            probe.unlink(missing_ok=True)  # a killed process may have had this number
            part = write_part(self.folder / "entries", "probe", os.urandom(PROBE_BYTES))
            try:
                os.link(part, probe)
            finally:
                part.unlink()
            descriptor = try_lock(probe)
            probe.unlink()
            if descriptor is not None:
                os.close(descriptor)

    def _named(self, request_sha256: str) -> str:
        if not _DIGEST.fullmatch(request_sha256):
            raise ValueError(f"{request_sha256!r} is not a request digest")
        return request_sha256

    def _entry(self, request_sha256: str) -> Path:
        return self.folder / "entries" / self._named(request_sha256)[:2] / f"{request_sha256}.json"

    @contextmanager
    def _failing(self, verb: str) -> Iterator[None]:
        if not self.folder.is_absolute():  # where a machine does not know the user's home, ``~`` stays ``~``
            raise JournalFailed(f"the journal {self.folder} cannot be {verb}: set {VARIABLE} to an absolute path")
        try:
            yield
        except OSError as error:
            raise JournalFailed(f"the journal {self.folder} cannot be {verb}: {error.strerror or error}") from error

    def _prepare(self) -> None:
        self._close_to_others()
        for name in ("entries", "claims", "set-aside"):
            private_folder(self.folder / name)

    def _close_to_others(self) -> None:
        """Replies may hold what others must not read, and what others could write must not be trusted."""
        if not self.folder.is_dir() or not self.folder.stat().st_mode & 0o077:
            return
        if not (self.folder / "entries").is_dir() and any(self.folder.iterdir()):
            raise JournalFailed(f"the journal {self.folder} is open to other users and holds other files: give it a folder of its own")
        self.folder.chmod(0o700)

    def _try_claim(self, path: Path) -> int | None:
        with self._failing("written"):
            self._prepare()
            return try_lock(path)

    def _name(self, part: Path, entry: Path, request_sha256: str) -> None:
        """Give a finished part its name. A link, not a rename: a rename would overwrite a reply that is there."""
        try:
            os.link(part, entry)
        except FileExistsError:
            if self._checked(entry, request_sha256) is None:  # it was torn, and is set aside now
                os.link(part, entry)

    def _checked(self, entry: Path, request_sha256: str) -> Row | None:
        try:
            return _entry_row(entry, request_sha256)
        except FileNotFoundError:
            return None
        except ValueError as error:
            return self._move_aside(entry, request_sha256, str(error))

    def _move_aside(self, entry: Path, request_sha256: str, why: str) -> Row | None:
        aside = self.folder / "set-aside" / f"{request_sha256}.{time.time_ns()}.{os.getpid()}.json"
        private_folder(aside.parent)
        try:
            entry.rename(aside)
        except FileNotFoundError:
            return None  # another process set it aside in this moment, and reports it
        try:
            row = _entry_row(aside, request_sha256)
        except ValueError:
            self.set_aside.append(f"journal entry {request_sha256[:12]} is not trusted ({why}); it is kept as {aside}")
            return None
        self._name(aside, entry, request_sha256)  # another process had set it aside and bought it again: this one is whole
        return row

    def _unfinished(self, entry: Path, request_sha256: str) -> Row | None:
        """A reply whose process died after writing it whole and before naming it: paid for, sealed, and so taken.

        Only where nobody can be writing it now: its mark is left over, or this journal itself holds it.
        """
        if request_sha256 not in self._held and not is_left_over(self.folder / "claims" / request_sha256):
            return None
        for part in sorted(entry.parent.glob(f"{request_sha256}.*{PART}")):
            try:
                row = _entry_row(part, request_sha256)
            except (ValueError, FileNotFoundError):
                continue  # cut off while it was written, or taken by another process: either way no reply
            self.put(row)
            part.unlink(missing_ok=True)
            return row
        return None
