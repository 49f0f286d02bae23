"""Writing in one step."""

import stat
import subprocess
import sys

import pytest

from stages.store.durable import private_folder, replace_file, write_part


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


def test_replacing_a_file_leaves_no_trace_of_the_way(tmp_path):
    path = tmp_path / "new" / "file"
    replace_file(path, b"one")
    (path.parent / ".file.part").write_bytes(b"left by a kill, and longer")
    replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["file"]
