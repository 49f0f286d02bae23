"""Rows in files: only a line feed ends a row, and a file that is not whole is refused with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.schema.jsonl import load_json, read_rows, rows_text, write_rows

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ROWS = st.lists(st.dictionaries(TEXT, TEXT | st.integers() | st.none(), max_size=4), max_size=6)


@given(rows=ROWS)
def test_rows_come_back_as_they_were(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_rows(path, rows)
    assert read_rows(path) == rows
    assert path.read_bytes() == rows_text(rows).encode()


@pytest.mark.parametrize("text", ["a\u2028b", "a\u2029b", "a\x85b", "a\x0bb", "a\rb", "{{x}} {0} ${y}", "\u202eabc", "😀"])
def test_no_character_inside_a_text_ends_a_row(tmp_path, text):
    write_rows(tmp_path / "r", [{"text": text}, {"text": "next"}])
    assert [row["text"] for row in read_rows(tmp_path / "r")] == [text, "next"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"a":1}\n{"a":', "line 2 is cut off"),
        (b'{"a":1}', "line 1 is cut off"),
        (b'{"a":1}\n{"a":1,"a":2}\n', "line 2: a key stands twice"),
        (b"[1]\n", "line 1: the row is not a JSON object"),
        (b'{"a":NaN}\n', "line 1: NaN is not JSON"),
        (b"\n", "line 1: "),
        (b'{"a":"\xff"}\n', "byte 6 is not UTF-8"),
        (b'{"a":' + b"[" * 100_000 + b"\n", "nested too deeply"),
    ],
)
def test_a_file_that_is_not_whole_is_refused_with_its_line(tmp_path, content, sentence):
    (tmp_path / "r").write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_rows(tmp_path / "r")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_and_nothing_else_happens(text):
    try:
        load_json(text)
    except ValueError as error:
        assert str(error)
