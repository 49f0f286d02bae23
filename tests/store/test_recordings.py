"""Recordings: append-only, sorted, refused when touched, and the same bytes whatever the order."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stages.runtime.errors import BadRecord, Refusal
from stages.schema.calls import seal
from stages.schema.jsonl import rows_text
from stages.store.recordings import Recording
from stages.store.sealed import place
from tests.store.shopkeeper import row

SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
ROOT = Path(__file__).parents[2]


def assignment(matter, one="alder", two="birch", first="alder", ordinal=0, rule="coin-1"):
    sides = {"answer_a_was": first, "answer_b_was": two if first == one else one, "ordinal": ordinal, "rule": rule, "seed": 7}
    return seal({"format": 1, "kind": "assignment", "matter_id": matter, "contestant_1": one, "contestant_2": two, **sides})


ROWS = [row(number, contestant=name) for number in range(1, 4) for name in ("alder", "birch")]
ROWS += [row(1, "later", "2026-12-01T00:00:00.000Z")]
ROWS += [assignment(f"Q00{number}", first=first) for number, first in ((1, "alder"), (2, "birch"))]
ROWS += [assignment("Q003", ordinal=ordinal) for ordinal in (2, 10)]


@pytest.fixture
def path(tmp_path):
    """A recording of every kind: its name is that of none."""
    return tmp_path / "recordings" / "rows.jsonl"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def save(path, rows):
    recording = Recording(path)
    recording.add(rows)
    recording.save()
    return path.read_bytes()


# Reading and writing


def test_an_absent_file_is_an_empty_recording(path):
    assert Recording(path).load() == []
    assert Recording(path).by_request() == {}
    assert not path.exists()


def test_saving_an_empty_recording_makes_the_file_that_dvc_wants_to_see(path):
    assert Recording(path).save() is True
    assert path.read_bytes() == b""
    assert Recording(path).save() is False


def test_what_was_saved_is_loaded_in_order(path):
    save(path, reversed(ROWS))
    assert Recording(path).load() == sorted(ROWS, key=place)
    assert [each["ordinal"] for each in Recording(path).rows if each["matter_id"] == "Q003" and each["kind"] == "assignment"] == [2, 10]


def test_the_file_is_canonical_json_a_line(path):
    assert save(path, ROWS) == rows_text(sorted(ROWS, key=place)).encode()


def test_nothing_new_means_nothing_written(path):
    save(path, ROWS)
    os.utime(path, ns=(1, 1))
    recording = Recording(path)
    recording.add(ROWS)
    assert recording.save() is False
    assert path.stat().st_mtime_ns == 1
    path.chmod(0o400)
    assert Recording(path).save() is False


def test_a_row_that_is_added_twice_stands_once(path):
    assert save(path, [*ROWS, *ROWS]) == save(path, [])


def test_by_request_leaves_out_what_is_no_call(path):
    save(path, ROWS)
    found = Recording(path).by_request()
    assert len(found) == 6
    assert all(replies[0]["kind"] == "answer" for replies in found.values())


def test_text_survives_to_the_byte(path):
    odd = 'a\u2028b\u2029c\x00d\u202e"e\\ 🦉 {{x}} {0} ${y} \r\n'
    save(path, [row(1, odd), assignment("Q001", rule=odd)])
    assert {each.get("rule", odd) for each in Recording(path).load()} == {odd}
    before = path.read_bytes()
    assert save(path, [row(2)]).startswith(before[:10])
    assert set(before.split(b"\n")) <= set(path.read_bytes().split(b"\n"))


def test_a_link_to_the_file_stays_a_link(path, tmp_path):
    save(path, ROWS[:2])
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    save(link, ROWS)
    assert link.is_symlink()
    assert len(Recording(path).load()) == len(ROWS)


# Two replies to one request


EARLY, LATE = "2026-11-30T08:00:00.000Z", "2026-11-30T08:00:00.500Z"


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_replies_both_stay_and_the_earlier_counts(path, order):
    early, late = row(1, "early", EARLY), row(1, "late", LATE)
    save(path, [early, late][::order])
    assert Recording(path).by_request()[early["request_sha256"]] == [early, late]


def test_of_two_replies_at_one_moment_the_lower_digest_counts(path):
    rows = sorted([row(1, "one", EARLY), row(1, "two", EARLY)], key=lambda each: each["row_sha256"])
    save(path, rows)
    assert next(iter(Recording(path).by_request().values())) == rows


# Refusals


def edited(rows):
    """Every way in which a recording is touched: its text, and what the refusal says after the file's name."""
    lines = [rows_text([each]) for each in rows]
    second = json.loads(lines[1])
    again = json.dumps(second, indent=None) + "\n"
    return {
        "a word in a reply": (lines[0] + lines[1].replace("yes", "no!"), "line 2 (answer Q001 birch 1): row_sha256 does not match"),
        "a key": (lines[0] + rows_text([{**second, "model": "x"}]), "line 2 (answer Q001 birch 1): row_sha256 does not match"),
        "a key more": (lines[0] + rows_text([{**second, "note": "x"}]), "line 2 (answer Q001 birch 1): row_sha256 does not match"),
        "a new seal over another body": (
            rows_text([seal({key: value for key, value in {**second, "body": "{}"}.items() if key != "row_sha256"})]),
            "line 1 (answer Q001 birch 1): response_sha256 does not match",
        ),
        "a format": (rows_text([{**second, "format": 2}]), "line 1 (answer Q001 birch 1): row format 2 is not 1"),
        "no seal": (rows_text([{"kind": "answer"}]), "line 1 (answer): row format None is not 1"),
        "a cut-off last line": (lines[0] + lines[1][:-20], "line 2 is cut off"),
        "a last line without its line feed": (lines[0] + lines[1][:-1], "line 2 is cut off"),
        "another spelling": (lines[0] + again, "line 2 (answer Q001 birch 1): the row is sealed but not in its canonical spelling"),
        "a row twice in two spellings": ("".join(lines) + again, f"line {len(lines) + 1} (answer Q001 birch 1): the row is sealed but"),
        "a conflict": ("<<<<<<< HEAD\n" + lines[0], "line 1: "),
        "an empty line": (lines[0] + "\n" + lines[1], "line 2: "),
        "a list": (lines[0] + "[]\n", "line 2: the row is not a JSON object"),
        "a key twice": ('{"a":1,"a":2}\n', "line 1: a key stands twice"),
        "not a number": ('{"a":NaN}\n', "line 1: NaN is not JSON"),
        "a lone surrogate": ('{"format":1,"a":"\\ud800"}\n', "line 1 (a row without a kind): "),
        "a deep nest": ("[" * 100_000 + "\n", "line 1: nested too deeply"),
    }


@pytest.mark.parametrize("way", edited(ROWS[:2]))
def test_a_touched_recording_is_refused_in_one_sentence_and_left_as_it_is(path, way):
    text, sentence = edited(ROWS[:2])[way]
    write(path, text)
    for use in (Recording(path).load, Recording(path).by_request, Recording(path).save, lambda: save(path, ROWS)):
        with pytest.raises(BadRecord) as refused:
            use()
        assert str(refused.value).startswith(f"{path}: {sentence}")
        assert "\n" not in str(refused.value)
    assert path.read_bytes() == text.encode()


def test_bytes_that_are_no_text_are_refused(path):
    write(path, "")
    path.write_bytes(b'{"a":"\xff"}\n')
    with pytest.raises(BadRecord, match="byte 6 is not UTF-8"):
        Recording(path).load()


def test_a_folder_is_no_recording(path):
    path.mkdir(parents=True)
    with pytest.raises(BadRecord, match="it is a folder, and a file belongs here"):
        Recording(path).load()


def test_a_row_that_is_not_sealed_is_not_added(path):
    recording = Recording(path)
    with pytest.raises(BadRecord, match=r"new row \(answer Q001 alder 1\): row_sha256"):
        recording.add([{**row(1), "model": "x"}])


def test_a_place_that_cannot_be_written_is_one_sentence(path):
    write(path.parent, "a file where the folder should be")
    with pytest.raises(Refusal, match=r"rows\.jsonl cannot be written: "):
        save(path, ROWS)


@SAME_FOLDER
@given(st.binary(max_size=200))
def test_any_bytes_are_loaded_or_refused_with_the_files_name(path, data):
    write(path, "")
    path.write_bytes(data)
    try:
        found = Recording(path).load()
    except BadRecord as refused:
        found = str(refused)
    assert found.startswith(f"{path}: ") if isinstance(found, str) else found == [] == data.split()


# Merges


def test_a_union_merge_is_accepted_and_put_right_at_the_next_write(path):
    ours, theirs = ROWS[:7], ROWS[3:]
    write(path, rows_text(ours) + rows_text(theirs))
    recording = Recording(path)
    assert recording.load() == sorted(ROWS, key=place)
    assert recording.save() is True
    assert path.read_bytes() == rows_text(sorted(ROWS, key=place)).encode()
    assert recording.save() is False


def test_a_real_union_merge_of_two_branches_is_the_sorted_union(path):
    base, ours, theirs = (path.with_name(name) for name in ("base", "ours", "theirs"))
    save(base, ROWS[:3])
    save(ours, ROWS[:6])
    save(theirs, ROWS[:3] + ROWS[5:])
    merged = subprocess.run(["git", "merge-file", "-p", "--union", ours, base, theirs], capture_output=True, check=True)
    path.write_bytes(merged.stdout)
    assert save(path, []) == rows_text(sorted(ROWS, key=place)).encode()


def test_windows_line_ends_are_put_right_at_the_next_write(path):
    whole = save(path, ROWS)
    path.write_bytes(whole.replace(b"\n", b"\r\n"))
    recording = Recording(path)
    assert recording.load() == sorted(ROWS, key=place)
    assert recording.save() is True
    assert path.read_bytes() == whole


@SAME_FOLDER
@given(st.permutations(ROWS), st.lists(st.integers(0, len(ROWS)), max_size=4))
def test_the_bytes_do_not_depend_on_the_order_or_the_number_of_saves(path, rows, cuts):
    path.unlink(missing_ok=True)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(rows)], strict=True):
        save(path, rows[start:end])
    assert path.read_bytes() == rows_text(sorted(ROWS, key=place)).encode()


@SAME_FOLDER
@given(st.lists(st.sampled_from(ROWS)), st.lists(st.sampled_from(ROWS)))
def test_earlier_rows_never_change_and_never_go(path, before, after):
    path.unlink(missing_ok=True)
    first = save(path, before).split(b"\n")
    second = save(path, after).split(b"\n")
    assert [line for line in second if line in first] == first
    assert set(second) == set(first) | {rows_text([each]).strip().encode() for each in after}


# Two writers


def test_a_writer_loses_nothing_of_another(path):
    one, two = Recording(path), Recording(path)
    assert one.load() == two.load() == []
    one.add(ROWS[:5])
    two.add(ROWS[5:])
    one.save()
    two.save()
    assert path.read_bytes() == rows_text(sorted(ROWS, key=place)).encode()
    assert two.rows == sorted(ROWS, key=place)


def test_processes_that_write_one_recording_at_once_lose_nothing(path):
    code = (
        "import sys; from pathlib import Path\n"
        "from stages.store.recordings import Recording; from tests.store.shopkeeper import row\n"
        "for number in range(int(sys.argv[1]), 40, 4):\n"
        f"    recording = Recording(Path({str(path)!r})); recording.add([row(number)]); recording.save()"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(start)], cwd=ROOT) for start in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    assert Recording(path).load() == sorted((row(number) for number in range(40)), key=place)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_reader_never_sees_half_a_recording(path):
    save(path, [])
    code = (
        "from pathlib import Path; from stages.store.recordings import Recording; from tests.store.shopkeeper import row\n"
        "for number in range(60):\n"
        f"    recording = Recording(Path({str(path)!r})); recording.add([row(number)]); recording.save()"
    )
    writer = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    seen = [0]
    while writer.poll() is None:
        seen.append(len(Recording(path).load()))
    assert writer.returncode == 0
    assert seen == sorted(seen)


def test_what_changed_on_disk_is_looked_at_before_it_is_overwritten(path):
    save(path, ROWS[:2])
    recording = Recording(path)
    recording.load()
    write(path, "{}\n")
    recording.add(ROWS)
    with pytest.raises(BadRecord, match="line 1"):
        recording.save()
    assert path.read_text() == "{}\n"
