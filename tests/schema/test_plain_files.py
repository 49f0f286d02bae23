"""Plain files: what is none is said to be what it is, and a pipe is never waited on."""

import os
import sys

import pytest

from stages.runtime.errors import BadInput, refusing
from stages.schema.plain_files import plain_file, read_text


def test_a_plain_file_is_read_and_a_link_to_one_too(tmp_path):
    (tmp_path / "file").write_bytes("a\u2028b\r\n".encode())
    (tmp_path / "link").symlink_to("file")
    assert read_text(tmp_path / "file") == read_text(tmp_path / "link") == "a\u2028b\r\n"


def make(path, kind):
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to nothing":
        path.symlink_to("gone")
    elif kind == "link to itself":
        path.symlink_to(path.name)
    elif kind == "UTF-16":
        path.write_bytes("id: Q01".encode("utf-16"))
    elif kind == "Latin-1":
        path.write_bytes(b"caf\xe9")


ODD = {
    "folder": "it is a folder, and a file belongs here",
    "pipe": "it is no plain file (a pipe, a socket or a device)",
    "link to nothing": "it is a link that leads to no file",
    "link to itself": "it is a link that leads to no file",
    "UTF-16": "it is UTF-16: save it as UTF-8",
    "Latin-1": "byte 3 is not UTF-8",
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_text_file_is_said_to_be_what_it_is(tmp_path, kind):
    make(tmp_path / "x", kind)
    with pytest.raises(BadInput) as refused, refusing():
        read_text(tmp_path / "x")
    named = "" if kind in ("UTF-16", "Latin-1") else f"{tmp_path}/x: "
    assert str(refused.value) == f"{named}{ODD[kind]}"


def test_what_is_not_there_and_what_cannot_be_read_are_the_systems_no(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        plain_file(tmp_path / "gone")
    assert missing.value.filename == str(tmp_path / "gone")
    with pytest.raises(OSError):
        read_text(tmp_path / ("n" * 300))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/mem is a plain file that nobody can read from its beginning")
def test_an_error_while_reading_is_the_systems_no(tmp_path):
    (tmp_path / "torn").symlink_to("/proc/self/mem")
    with pytest.raises(OSError) as failed:
        read_text(tmp_path / "torn")
    assert failed.value.filename == str(tmp_path / "torn")
