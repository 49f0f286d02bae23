"""Writing in one step."""

import stat
import subprocess
import sys

import pytest

from stages.store.durable import append, private_folder, replace_file, write_part


def test_a_private_folder_is_for_its_owner_alone_and_so_are_the_parents_it_lacked(tmp_path):
    private_folder(tmp_path / "a" / "b")
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b")] == [0o700, 0o700]
    private_folder(tmp_path / "a" / "b")


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path):
    (tmp_path / "a").write_text("")
    for folder in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(OSError, match="Not a directory"):
            private_folder(folder)


def test_a_part_is_private_and_has_a_name_of_its_own(tmp_path):
    one, two = (write_part(tmp_path, "name", b"data") for _ in range(2))
    assert one != two
    assert one.name.startswith("name.")
    assert one.suffix == ".part"
    assert one.read_bytes() == b"data"
    assert stat.S_IMODE(one.stat().st_mode) == 0o600


def test_a_part_that_cannot_be_written_leaves_nothing(tmp_path):
    code = (
        "import resource; from pathlib import Path; from stages.store.durable import write_part\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        f"write_part(Path({str(tmp_path)!r}), 'name', b'x' * 5000)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "File too large" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def limited(path, function):
    """What comes of writing 5,000 bytes in a process that may write 1,000."""
    code = (
        f"import resource; from pathlib import Path; from stages.store.durable import {function}\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        f"{function}(Path({str(path)!r}), b'x' * 5000)"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr


def test_appending_adds_and_keeps_what_is_there(tmp_path):
    path = tmp_path / "lines"
    append(path, b"one\n")
    append(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_cannot_be_appended_leaves_the_file_as_it_was(tmp_path):
    append(tmp_path / "lines", b"one\n")
    assert "File too large" in limited(tmp_path / "lines", "append")
    assert (tmp_path / "lines").read_bytes() == b"one\n"


def test_a_file_that_cannot_be_replaced_stays_and_the_room_of_the_new_one_is_free_again(tmp_path):
    replace_file(tmp_path / "file", b"one")
    assert "File too large" in limited(tmp_path / "file", "replace_file")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"file": b"one"}


def test_replacing_a_file_leaves_no_trace_of_the_way(tmp_path):
    path = tmp_path / "new" / "file"
    replace_file(path, b"one")
    (path.parent / ".file.part").write_bytes(b"left by a kill, and longer")
    replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["file"]
