"""The journal: durable, private, one buyer a request, and nothing torn is ever trusted."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stages.runtime.errors import BadInput, BadRecord, JournalFailed
from stages.schema.calls import Exchange, body_of, call_row, seal
from stages.schema.jsonl import rows_text
from stages.store.journal import Journal, journal_folder
from tests.disks import small_disk
from tests.store.shopkeeper import STARTED, request, row, until

SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "kept")


def entry_of(journal, stored):
    sha256 = stored["request_sha256"]
    return journal.folder / "entries" / sha256[:2] / f"{sha256}.json"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class Taken(Exception):
    """Stands for whatever ends a claim badly."""


async def hold(journal, sha256, body=lambda: None, given_up=lambda: False):
    async with journal.claim(sha256, given_up) as held:
        if held:
            body()
        return held


def died_in_flight(journal, sha256):
    """What a kill leaves: the mark of a claim, held by nobody."""

    def die():
        raise Taken

    with pytest.raises(Taken):
        asyncio.run(hold(journal, sha256, die))


# Where it is


def test_the_environment_names_the_journal(tmp_path):
    assert journal_folder({"MOOT_JOURNAL": str(tmp_path)}) == tmp_path
    assert journal_folder({"MOOT_JOURNAL": "~/j"}) == Path.home() / "j"


def test_else_it_is_in_the_users_state_directory():
    assert journal_folder({}).parts[-2:] == ("moot", "journal")


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ("journal", "MOOT_JOURNAL is 'journal': give the journal's absolute path"),
        ("./journal", "MOOT_JOURNAL is './journal': give the journal's absolute path"),
        ("~no-such-user/x", "MOOT_JOURNAL is '~no-such-user/x', and no user is called 'no-such-user': give an absolute path"),
        ("", "MOOT_JOURNAL is empty: give the journal's absolute path, or unset it"),
        (" ", "MOOT_JOURNAL is empty: give the journal's absolute path, or unset it"),
    ],
)
def test_a_journal_that_would_be_another_one_here_and_there_is_refused(chosen, sentence):
    with pytest.raises(BadInput) as refused:
        journal_folder({"MOOT_JOURNAL": chosen})
    assert str(refused.value) == sentence


def test_a_journal_without_a_home_is_refused_only_when_it_is_used():
    journal = Journal(Path("~/state/moot/journal"))
    for use in (lambda: journal.get("0" * 64), journal.check_writable, lambda: journal.put(row(1)), journal.left_in_flight):
        with pytest.raises(JournalFailed, match="set MOOT_JOURNAL to an absolute path"):
            use()
    assert not Path("~").exists()


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to(path.name)])
def test_a_journal_that_is_no_folder_is_refused_before_anything_is_bought(tmp_path, make):
    make(tmp_path / "file")
    journal = Journal(tmp_path / "file")
    with pytest.raises(JournalFailed, match=r"the journal .*/file cannot be written: "):
        journal.check_writable()


@pytest.mark.parametrize("change", [{"http_status": "200"}, {"attempt": 0}, {"started_at": "noon"}, {"kind": "letter"}, {"more": 1}])
def test_a_sealed_entry_that_is_no_row_of_a_call_is_neither_used_nor_bought_again(journal, change):
    stored = row(1)
    odd = seal({key: value for key, value in {**stored, **change}.items() if key != "row_sha256"})
    entry = entry_of(journal, stored)
    entry.parent.mkdir(parents=True, mode=0o700)
    entry.write_text(rows_text([odd]))
    with pytest.raises(BadRecord) as refused:
        journal.get(stored["request_sha256"])
    assert str(refused.value).startswith(f"journal entry {entry}: ")
    assert next(iter(change)) in str(refused.value)
    assert entry.exists()


def test_the_journal_of_this_machine_is_the_one_that_is_named(journal_of_its_own):
    assert Journal.of_this_machine().folder == journal_of_its_own


# Storing and finding


def test_what_was_put_is_found_again(journal):
    stored = row(1)
    journal.put(stored)
    assert journal.get(stored["request_sha256"]) == stored
    assert entry_of(journal, stored).read_text() == rows_text([stored])
    assert Journal(journal.folder).get(stored["request_sha256"]) == stored


@SAME_FOLDER
@given(st.binary(max_size=300), st.integers(0, 9999))
def test_any_body_comes_back_byte_for_byte(journal, body, number):
    stored = call_row(request(number), Exchange(200, body, STARTED, 1))
    journal.put(stored)
    first = journal.get(stored["request_sha256"])
    assert first["request_sha256"] == stored["request_sha256"]
    entry_of(journal, stored).unlink()
    journal.put(stored)
    assert body_of(journal.get(stored["request_sha256"])) == body


def test_what_was_not_put_is_not_found_and_looking_creates_nothing(journal):
    assert journal.get(request(1).sha256) is None
    assert journal.left_in_flight() == []
    assert not journal.folder.exists()


def test_the_first_reply_stays(journal):
    first, second = row(1, "one"), row(1, "two")
    journal.put(first)
    journal.put(second)
    assert journal.get(first["request_sha256"]) == first
    assert [path.name for path in entry_of(journal, first).parent.iterdir()] == [entry_of(journal, first).name]


def test_a_row_that_is_not_sealed_is_not_stored(journal):
    with pytest.raises(ValueError, match="row_sha256"):
        journal.put({**row(1), "model": "other"})
    assert not journal.folder.exists()


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_only_a_digest_names_an_entry(journal, digest):
    with pytest.raises(ValueError, match="not a request digest"):
        journal.get(digest)
    with pytest.raises(ValueError, match="not a request digest"):
        asyncio.run(hold(journal, digest))
    with pytest.raises(ValueError, match="not a request digest"):
        journal.put(seal({"format": 1, "request_sha256": digest}))


def test_everything_in_it_is_for_the_user_alone(journal):
    umask = os.umask(0)
    try:
        journal.put(row(1))
        died_in_flight(journal, request(2).sha256)
    finally:
        os.umask(umask)
    for path in [journal.folder, *journal.folder.rglob("*")]:
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path


def test_a_journal_that_others_can_read_is_closed_to_them(journal):
    journal.put(row(1))
    journal.folder.chmod(0o755)
    assert Journal(journal.folder).get(row(1)["request_sha256"]) == row(1)
    assert mode(journal.folder) == 0o700


def test_an_empty_folder_becomes_a_private_journal(journal):
    journal.folder.mkdir(mode=0o755)
    journal.check_writable()
    assert mode(journal.folder) == 0o700


def test_a_folder_of_other_files_is_not_taken_for_a_journal(journal):
    journal.folder.mkdir(mode=0o755)
    (journal.folder / "letter.txt").touch()
    for use in (journal.check_writable, lambda: journal.put(row(1)), lambda: journal.get(request(1).sha256)):
        with pytest.raises(JournalFailed, match="holds other files"):
            use()
    assert mode(journal.folder) == 0o755


# Torn and altered


def spoiled(text):
    """Every way in which an entry goes bad, by name."""
    whole = json.loads(text)
    return {
        "empty": "",
        "cut": text[: len(text) // 2],
        "without its line feed": text[:-1],
        "zeros": "\0" * len(text),
        "another reply": text.replace("yes", "no!"),
        "other model": json.dumps({**whole, "model": "other"}) + "\n",
        "another request's reply": rows_text([row(2)]),
        "twice": text * 2,
        "no object": "[]\n",
        "no seal": json.dumps({"request_sha256": whole["request_sha256"]}) + "\n",
    }


@pytest.mark.parametrize("way", spoiled(rows_text([row(1)])))
def test_a_spoiled_entry_is_set_aside_reported_and_never_trusted(journal, way):
    journal.put(row(1))
    entry = entry_of(journal, row(1))
    text = spoiled(entry.read_text())[way]
    entry.write_text(text)
    assert journal.get(row(1)["request_sha256"]) is None
    assert not entry.exists()
    [kept] = (journal.folder / "set-aside").iterdir()
    assert kept.read_text() == text
    [sentence] = journal.set_aside
    assert row(1)["request_sha256"][:12] in sentence
    assert str(kept) in sentence
    journal.put(row(1, "again"))
    assert journal.get(row(1)["request_sha256"]) == row(1, "again")
    assert len(journal.set_aside) == 1


@SAME_FOLDER
@given(st.data())
def test_no_beginning_of_an_entry_is_trusted(journal, data):
    journal.put(row(1))
    entry = entry_of(journal, row(1))
    whole = entry.read_bytes()
    entry.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert journal.get(row(1)["request_sha256"]) is None


@SAME_FOLDER
@given(st.integers(0), st.integers(1, 255))
def test_no_changed_byte_is_trusted(journal, where, by):
    journal.put(row(1))
    entry = entry_of(journal, row(1))
    whole = bytearray(entry.read_bytes())
    whole[where % len(whole)] ^= by
    entry.write_bytes(bytes(whole))
    found = journal.get(row(1)["request_sha256"])
    assert found in (None, row(1)), "only a spelling that means the same row may pass"


def test_a_torn_entry_does_not_keep_the_new_reply_out(journal):
    journal.put(row(1))
    entry_of(journal, row(1)).write_text("{")
    journal.put(row(1, "again"))
    assert journal.get(row(1)["request_sha256"]) == row(1, "again")
    assert len(journal.set_aside) == 1


def test_other_entries_are_untouched_by_a_torn_one(journal):
    rows = [row(number) for number in range(1, 20)]
    for each in rows:
        journal.put(each)
    entry_of(journal, rows[3]).write_text("")
    assert [journal.get(each["request_sha256"]) for each in rows] == [*rows[:3], None, *rows[4:]]


# Claims


def test_a_claim_leaves_nothing_when_it_ends_well(journal):
    sha256 = request(1).sha256
    seen = []
    assert asyncio.run(hold(journal, sha256, lambda: seen.extend((journal.folder / "claims").iterdir()))) is True
    assert [path.name for path in seen] == [sha256], "the mark is there while the call is in flight"
    assert list((journal.folder / "claims").iterdir()) == []
    assert journal.left_in_flight() == []


def test_a_claim_that_ends_badly_leaves_its_mark(journal):
    died_in_flight(journal, request(1).sha256)
    assert journal.left_in_flight() == [request(1).sha256]
    assert asyncio.run(hold(journal, request(1).sha256)) is True, "and can be claimed again"
    assert journal.left_in_flight() == []


def test_a_mark_whose_reply_is_there_means_nothing(journal):
    died_in_flight(journal, request(1).sha256)
    journal.put(row(1))
    assert journal.left_in_flight() == []


def test_a_held_claim_is_not_left_over_and_strangers_in_the_folder_are_no_marks(journal):
    seen = []
    journal.check_writable()
    (journal.folder / "claims" / "note.txt").touch()
    asyncio.run(hold(journal, request(1).sha256, lambda: seen.append(journal.left_in_flight())))
    assert seen == [[]]


def test_claims_on_one_request_take_turns_and_on_two_do_not(journal):
    async def busy(number, log):
        async with journal.claim(request(number).sha256):
            log.append("in")
            await asyncio.sleep(0.05)
            log.append("out")

    async def both(*numbers):
        log = []
        await asyncio.wait([asyncio.create_task(busy(number, log)) for number in numbers])
        return log

    assert asyncio.run(both(1, 1, 1)) == ["in", "out"] * 3
    assert asyncio.run(both(1, 2)) == ["in", "in", "out", "out"]
    assert journal.left_in_flight() == []


def test_many_take_turns_without_ever_two_at_once(journal):
    inside, most = 0, 0

    async def turn():
        nonlocal inside, most
        async with journal.claim(request(1).sha256):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    async def all_of_them():
        await asyncio.wait([asyncio.create_task(turn()) for _ in range(12)])

    asyncio.run(all_of_them())
    assert most == 1


def test_a_waiter_gives_up_when_it_is_told_to(journal):
    async def waiting():
        async with journal.claim(request(1).sha256):
            return await hold(journal, request(1).sha256, given_up=lambda: True)

    assert asyncio.run(waiting()) is False
    assert journal.left_in_flight() == []


@contextmanager
def holder(journal, sha256):
    """Another process that holds a claim until it is killed."""
    code = (
        "import asyncio, sys; from pathlib import Path; from stages.store.journal import Journal\n"
        "async def hold():\n"
        f"    async with Journal(Path({str(journal.folder)!r})).claim({sha256!r}):\n"
        "        print(flush=True); await asyncio.sleep(600)\n"
        "asyncio.run(hold())"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_killed_process_frees_its_claim_and_is_counted(journal):
    sha256 = request(1).sha256
    with holder(journal, sha256) as process:
        assert asyncio.run(hold(journal, sha256, given_up=lambda: True)) is False
        assert journal.left_in_flight() == []
        process.kill()
        until(lambda: journal.left_in_flight() == [sha256], "the mark of the killed process")
        assert asyncio.run(hold(journal, sha256)) is True


# A reply that was written whole when its process died


def part_of(journal, stored, text):
    entry = entry_of(journal, stored)
    entry.parent.mkdir(parents=True, exist_ok=True)
    part = entry.with_name(f"{stored['request_sha256']}.x7.part")
    part.write_text(text)
    return part


def test_a_whole_reply_without_its_name_is_taken_when_its_process_is_dead(journal):
    journal.check_writable()
    died_in_flight(journal, row(1)["request_sha256"])
    part = part_of(journal, row(1), rows_text([row(1)]))
    assert journal.get(row(1)["request_sha256"]) == row(1)
    assert not part.exists()
    assert entry_of(journal, row(1)).exists()
    assert journal.left_in_flight() == []


def test_one_who_waited_for_the_dead_process_takes_it_too(journal):
    journal.check_writable()
    died_in_flight(journal, row(1)["request_sha256"])
    part = part_of(journal, row(1), rows_text([row(1)]))
    taken = []
    asyncio.run(hold(journal, row(1)["request_sha256"], lambda: taken.append(journal.get(row(1)["request_sha256"]))))
    assert taken == [row(1)]
    assert not part.exists()
    assert journal.left_in_flight() == []


def test_half_a_reply_is_not(journal):
    journal.check_writable()
    died_in_flight(journal, row(1)["request_sha256"])
    part_of(journal, row(1), rows_text([row(1)])[:-9])
    assert journal.get(row(1)["request_sha256"]) is None
    assert journal.left_in_flight() == [row(1)["request_sha256"]]


def test_nor_is_one_that_may_still_be_written(journal):
    journal.check_writable()
    with holder(journal, row(1)["request_sha256"]):
        part = part_of(journal, row(1), rows_text([row(1)]))
        assert journal.get(row(1)["request_sha256"]) is None
        assert part.exists()


# When it cannot be written


def test_a_writable_journal_says_nothing_and_keeps_no_probe(journal):
    journal.check_writable()
    assert [path for path in journal.folder.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", ["", "entries", "claims", "set-aside"])
def test_a_file_in_the_place_of_a_folder_is_one_sentence(journal, name):
    if name:
        journal.folder.mkdir(mode=0o700)
    (journal.folder / name).touch()
    with pytest.raises(JournalFailed, match="cannot be written: Not a directory") as failed:
        journal.check_writable()
    assert str(journal.folder) in str(failed.value)
    with pytest.raises(JournalFailed):
        journal.put(row(1))
    with pytest.raises(JournalFailed):
        asyncio.run(hold(journal, request(1).sha256))


def test_an_entry_that_cannot_be_read_is_not_taken_for_absent(journal):
    journal.put(row(1))
    entry_of(journal, row(1)).unlink()
    entry_of(journal, row(1)).mkdir()
    with pytest.raises(JournalFailed, match="cannot be read"):
        journal.get(row(1)["request_sha256"])


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("nowhere")], ids=["pipe", "folder", "link"])
@pytest.mark.parametrize("place", ["entry", "tries"])
def test_what_stands_in_the_place_of_a_file_is_one_sentence_and_nobody_waits_for_it(journal, place, make):
    journal.check_writable()
    sha256 = row(1)["request_sha256"]
    path = entry_of(journal, row(1)) if place == "entry" else journal.tries_file(sha256)
    path.parent.mkdir(exist_ok=True)
    make(path)
    with pytest.raises(JournalFailed, match=r"cannot be read: it is "):
        journal.get(sha256) if place == "entry" else journal.tries(sha256)
    assert path.exists() or path.is_symlink()


def test_a_full_disk_is_one_sentence_before_and_during(journal):
    code = (
        "import resource; from pathlib import Path\n"
        "from stages.store.journal import Journal; from stages.runtime.errors import JournalFailed\n"
        "from tests.store.shopkeeper import row\n"
        f"journal = Journal(Path({str(journal.folder)!r})); journal.check_writable()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "for step in (journal.check_writable, lambda: journal.put(row(1))):\n"
        "    try: step()\n"
        "    except JournalFailed as failed: print(failed)\n"
        "assert journal.get(row(1)['request_sha256']) is None and not journal.set_aside"
    )
    root = Path(__file__).parents[2]
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert ended.stdout == f"the journal {journal.folder} cannot be written: File too large\n" * 2
    assert [path for path in journal.folder.rglob("*") if path.is_file()] == []


@pytest.fixture
def disk(tmp_path):
    """A file system of 512 KiB. Where mounting is not allowed, the file-size limit above stands for a full disk."""
    with small_disk(tmp_path / "disk", "512k") as folder:
        yield folder


def fill(journal):
    """Put replies until the disk is full; how many it took."""
    for number in range(100):
        try:
            journal.put(row(number, "x" * 20_000))
        except JournalFailed:
            return number
    raise AssertionError("a disk of 512 KiB took 2 MB")


def test_a_really_full_disk_keeps_what_it_has(disk):
    journal = Journal(disk / "journal")
    journal.check_writable()
    stored = fill(journal)
    assert stored > 5
    with pytest.raises(JournalFailed, match="cannot be written: No space left on device"):
        journal.put(row(stored, "x" * 20_000))
    for number in range(stored):
        assert journal.get(request(number).sha256) == row(number, "x" * 20_000)
    assert journal.get(request(stored).sha256) is None
    with pytest.raises(JournalFailed, match="No space left on device"):
        journal.check_writable()


def test_a_really_read_only_disk_can_be_read_and_refuses_to_be_written(disk):
    journal = Journal(disk / "journal")
    journal.put(row(1))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert journal.get(row(1)["request_sha256"]) == row(1)
    for step in (journal.check_writable, lambda: journal.put(row(2)), lambda: asyncio.run(hold(journal, request(2).sha256))):
        with pytest.raises(JournalFailed, match="cannot be written: Read-only file system"):
            step()
