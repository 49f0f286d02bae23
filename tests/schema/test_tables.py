"""The published tables: columns, order, bytes, refusals. All rows here are made up by hand or drawn by Hypothesis."""

import hashlib
import re
from datetime import UTC, date, datetime, timedelta

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.schema import tables
from stages.schema.tables import TABLES, columns, logical_digest, ordered, read_frame, read_table, write_table

PROMISED = {  # the contract with whoever queries the tables: these names may never go
    "matters": "matter_id series title area published facts law assignment matter_sha256 source_path",
    "contestants": "contestant provider model settings config_sha256 trained_until",
    "attempts": "attempt_id matter_id contestant attempt status finish_reason text text_sha256 served_model served_by prompt_tokens"
    " completion_tokens cost_usd started_at elapsed_ms request_sha256 response_sha256 ordered_by reason source_path",
    "answers": "answer_id matter_id contestant attempt status finish_reason text text_sha256 names_itself source_path",
    "assignments": "pairing_id matter_id contestant_1 contestant_2 answer_a_was answer_b_was drawn_by rederivable",
    "verdicts": "verdict_id pairing_id matter_id contestant_1 contestant_2 answer_a_was answer_b_was verdict winner material_difference"
    " rationale judge instrument instrument_sha256 request_sha256 response_sha256 started_at source_path",
    "scenarios": "scenario rule matters reason",
    "rejected_points": "verdict_id matter_id contestant point why changes_course",
    "calls": "request_sha256 response_sha256 kind endpoint model started_at elapsed_ms tries prompt_tokens completion_tokens cost_usd",
    "judges": "judge provider model family settings config_sha256",
    "controls": "control_id matter_id kind use order_number expected verdict passed rationale judge instrument_sha256 request_sha256"
    " response_sha256 source_path",
    "second_judges": "judge provider model family settings config_sha256",
    "second_verdicts": "verdict_id pairing_id matter_id contestant_1 contestant_2 answer_a_was answer_b_was turned verdict winner judge"
    " instrument instrument_sha256 request_sha256 response_sha256 started_at source_path",
    "second_controls": "control_id matter_id kind use order_number expected verdict passed rationale judge instrument_sha256"
    " request_sha256 response_sha256 source_path",
    "orders": "order_sha256 order matter_id contestant pairing_id reason ordered_by ordered_at source_path",
}


def value_of(kind: str) -> st.SearchStrategy:
    """Any value that a column of this kind can hold, in JSON's spelling."""
    moments = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1))
    return {
        "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        "int": st.integers(-(2**63), 2**63 - 1),
        "real": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**50), 2**50),
        "bool": st.booleans(),
        "time": moments.map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z"),
        "day": st.dates(date(1, 1, 1)).map(date.isoformat),
    }[kind]


def rows_of(name: str, min_size: int = 0) -> st.SearchStrategy:
    """Rows of a table with distinct keys."""
    table = TABLES[name]
    row = st.fixed_dictionaries({c.name: st.none() | value_of(c.kind) if c.optional else value_of(c.kind) for c in table.columns})
    return st.lists(row, min_size=min_size, max_size=4, unique_by=lambda row: tuple(row[column] for column in table.key))


any_table = st.sampled_from(sorted(TABLES)).flatmap(lambda name: st.tuples(st.just(name), rows_of(name)))

CALL = {
    "request_sha256": "11", "response_sha256": "22", "settings_sha256": "33", "kind": "answer", "endpoint": "route", "model": "m",
    "served_model": None, "served_by": None, "finish_reason": "stop", "started_at": "2026-11-30T08:15:11.123Z", "elapsed_ms": 40,
    "tries": 1, "replies": 1, "prompt_tokens": 7, "completion_tokens": None, "cost_usd": 0.25,
}  # fmt: skip
POINT = {
    "verdict_id": "Q01:a~b@j", "matter_id": "Q01", "contestant": "a", "point_number": 1,
    "point": "p", "why": "w", "changes_course": True,
}  # fmt: skip


def with_(row, **changes):
    return {**row, **changes}


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_every_promised_column_is_there(name):
    assert set(PROMISED[name].split()) <= set(columns(name))


def test_the_tables_are_those_promised():
    assert sorted(TABLES) == sorted(PROMISED)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_key_is_made_of_columns_that_are_never_missing(name):
    kinds = {column.name: column for column in TABLES[name].columns}
    assert not [column for column in TABLES[name].key if kinds[column].optional]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_an_empty_table_keeps_its_columns(name, tmp_path):
    write_table(name, [], tmp_path)
    assert read_table(name, tmp_path) == []
    assert list(read_frame(name, tmp_path).columns) == columns(name)


@given(any_table)
@settings(max_examples=40)
def test_what_is_read_is_what_was_written(tmp_path_factory, drawn):
    name, rows = drawn
    folder = tmp_path_factory.mktemp("tables")
    write_table(name, rows, folder)
    assert read_table(name, folder) == ordered(name, rows)


@given(any_table, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_rows_and_of_their_keys_changes_no_byte(tmp_path_factory, drawn, chance):
    name, rows = drawn
    shuffled = [dict(chance.sample(sorted(row.items()), len(row))) for row in chance.sample(rows, len(rows))]
    folder, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two")
    assert write_table(name, rows, folder).read_bytes() == write_table(name, shuffled, other).read_bytes()
    assert logical_digest(name, rows) == logical_digest(name, shuffled)


@given(any_table)
@settings(max_examples=40)
def test_rows_are_sorted_by_key_and_none_is_lost(drawn):
    name, rows = drawn
    keys = [tuple(row[column] for column in TABLES[name].key) for row in ordered(name, rows)]
    assert keys == sorted(keys)
    assert len(keys) == len(rows)


@given(any_table)
@settings(max_examples=40)
def test_the_digest_survives_the_way_through_the_file(tmp_path_factory, drawn):
    name, rows = drawn
    folder = tmp_path_factory.mktemp("tables")
    write_table(name, rows, folder)
    assert logical_digest(name, read_table(name, folder)) == logical_digest(name, rows)


def test_the_logical_digest_is_the_sha256_of_the_rows_as_canonical_json():
    second = with_(POINT, point_number=2, point="größer\u2028\U0001f600")
    lines = (
        '{"changes_course":true,"contestant":"a","matter_id":"Q01","point":"p","point_number":1,"verdict_id":"Q01:a~b@j","why":"w"}\n'
        '{"changes_course":true,"contestant":"a","matter_id":"Q01","point":"größer\u2028\U0001f600","point_number":2,'
        '"verdict_id":"Q01:a~b@j","why":"w"}\n'
    )
    assert logical_digest("rejected_points", [second, POINT]) == hashlib.sha256(lines.encode()).hexdigest()


def test_the_logical_digest_is_what_it_was_in_the_first_version():
    assert logical_digest("calls", [CALL]) == "10e7cd6425ad981e2ddcd51e85484d254f8167a756b7bb23dbd2b91001f005c9"


@pytest.mark.parametrize("column", ["endpoint", "cost_usd", "replies", "started_at", "completion_tokens"])
def test_every_change_of_a_value_changes_the_digest(column):
    other = {"endpoint": "elsewhere", "cost_usd": 0.26, "replies": 2, "started_at": "2026-11-30T08:15:11.124Z", "completion_tokens": 0}
    assert logical_digest("calls", [CALL]) != logical_digest("calls", [with_(CALL, **{column: other[column]})])


def test_minus_zero_is_zero(tmp_path):
    minus = write_table("calls", [with_(CALL, cost_usd=-0.0)], tmp_path / "a")
    zero = write_table("calls", [with_(CALL, cost_usd=0.0)], tmp_path / "b")
    assert minus.read_bytes() == zero.read_bytes()
    assert logical_digest("calls", [with_(CALL, cost_usd=-0.0)]) == logical_digest("calls", [with_(CALL, cost_usd=0.0)])
    assert str(read_table("calls", tmp_path / "a")[0]["cost_usd"]) == "0.0"


def test_a_whole_number_of_dollars_is_the_same_amount():
    assert logical_digest("calls", [with_(CALL, cost_usd=2)]) == logical_digest("calls", [with_(CALL, cost_usd=2.0)])


def test_a_second_write_replaces_the_first(tmp_path):
    write_table("calls", [CALL, with_(CALL, kind="verdict")], tmp_path)
    write_table("calls", [CALL], tmp_path)
    assert read_table("calls", tmp_path) == [CALL]


def test_the_file_is_written_as_promised(tmp_path):
    file = pq.ParquetFile(write_table("calls", [CALL], tmp_path))
    column = file.metadata.row_group(0).column(0)
    assert (column.compression, file.metadata.format_version, file.metadata.num_row_groups) == ("ZSTD", "2.6", 1)
    assert file.schema_arrow.metadata is None
    assert str(file.schema_arrow.field("started_at").type) == "timestamp[ms, tz=UTC]"
    assert [field.name for field in file.schema_arrow if field.nullable] == [
        "served_model", "served_by", "finish_reason", "prompt_tokens", "completion_tokens", "cost_usd",
    ]  # fmt: skip


def test_row_groups_are_of_a_fixed_size(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROW_GROUP", 2)
    file = pq.ParquetFile(write_table("rejected_points", [with_(POINT, point_number=n) for n in range(5)], tmp_path))
    assert [file.metadata.row_group(group).num_rows for group in range(3)] == [2, 2, 1]


def test_duckdb_reads_what_is_written(tmp_path):
    path = write_table("calls", [CALL, with_(CALL, kind="verdict", cost_usd=None)], tmp_path)
    query = f"select kind, cost_usd, completion_tokens, epoch_ms(started_at) from '{path}' order by kind"
    moment = int((datetime(2026, 11, 30, 8, 15, 11, 123000, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))
    assert duckdb.sql(query).fetchall() == [("answer", 0.25, None, moment), ("verdict", None, None, moment)]


def test_a_frame_keeps_whole_numbers_whole_and_times_in_utc(tmp_path):
    write_table("calls", [CALL, with_(CALL, kind="verdict", prompt_tokens=None)], tmp_path)
    frame = read_frame("calls", tmp_path)
    assert str(frame["prompt_tokens"].dtype) == "Int64"
    assert frame["prompt_tokens"].sum() == 7
    assert frame["cost_usd"].dtype == float
    assert frame["started_at"][0] == pd.Timestamp("2026-11-30T08:15:11.123Z")


def test_a_frame_tells_yes_from_no_from_nothing(tmp_path):
    write_table("rejected_points", [POINT, with_(POINT, point_number=2, changes_course=False)], tmp_path)
    flags = read_frame("rejected_points", tmp_path)["changes_course"]
    assert str(flags.dtype) == "boolean"
    assert flags.tolist() == [True, False]


REFUSED = {
    "a column is missing": (
        {k: v for k, v in CALL.items() if k != "tries"},
        "kind answer, request_sha256 11: column 'tries' is missing",
    ),
    "an unknown column": (with_(CALL, trys=1), "unknown column 'trys'; the nearest is 'tries'"),
    "nothing where something must be": (with_(CALL, model=None), "model is None, which is no text"),
    "a number for a text": (with_(CALL, model=3), "model is 3, which is no text"),
    "a text for a number": (with_(CALL, tries="1"), "tries is '1', which is no int"),
    "a fraction for a whole number": (with_(CALL, tries=1.0), "tries is 1.0, which is no int"),
    "a truth value for a number": (with_(CALL, tries=True), "tries is True, which is no int"),
    "a number of more than 64 bits": (with_(CALL, tries=2**63), "tries is 9223372036854775808, which takes more than 64 bits"),
    "no number": (with_(CALL, cost_usd=float("nan")), "cost_usd is nan, which is no finite number"),
    "an infinity": (with_(CALL, cost_usd=float("-inf")), "cost_usd is -inf, which is no finite number"),
    "a lone surrogate": (with_(CALL, model="\ud800"), "model is '\\ud800', a lone surrogate, which UTF-8 cannot spell"),
    "a time without a zone": (with_(CALL, started_at="2026-11-30T08:15:11.123"), "not a time such as 2026-11-30T08:15:11.123Z"),
    "a time of another zone": (with_(CALL, started_at="2026-11-30T08:15:11.123+01:00"), "not a time such as"),
    "a time with microseconds": (with_(CALL, started_at="2026-11-30T08:15:11.123456Z"), "not a time such as"),
    "a time without milliseconds": (with_(CALL, started_at="2026-11-30T08:15:11Z"), "not a time such as"),
    "words for a time": (with_(CALL, started_at="yesterday"), "started_at is 'yesterday', not a time such as"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_a_row_that_does_not_fit_is_refused_in_one_sentence(case, tmp_path):
    row, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        write_table("calls", [row], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("day", ["30 November 2026", "2026-11-31", "20261130", ""])
def test_a_day_that_is_none_is_refused(day):
    row = dict.fromkeys(columns("matters"), "x")
    with pytest.raises(ValueError, match=r"published is .*, not a day such as 2026-11-30"):
        ordered("matters", [{**row, "published": day}])


@given(st.sampled_from(sorted(TABLES)).flatmap(lambda name: st.tuples(st.just(name), rows_of(name, min_size=1))))
@settings(max_examples=40)
def test_a_key_that_stands_twice_is_refused(drawn):
    name, rows = drawn
    with pytest.raises(ValueError, match=f"table {name}: two rows have the key {TABLES[name].key[0]}"):
        ordered(name, [*rows, rows[0]])


def test_the_refusal_names_the_key_that_stands_twice(tmp_path):
    with pytest.raises(
        ValueError, match="table rejected_points: two rows have the key matter_id Q01, verdict_id Q01:a~b@j, point_number 1"
    ):
        write_table("rejected_points", [POINT, with_(POINT, point="another")], tmp_path)


def test_an_unknown_table_is_refused_with_the_nearest_name(tmp_path):
    for ask in (columns, lambda name: read_table(name, tmp_path), lambda name: logical_digest(name, [])):
        with pytest.raises(ValueError, match="no table is called 'verdict'; the nearest is 'verdicts'"):
            ask("verdict")


def test_a_file_with_other_columns_is_refused(tmp_path):
    write_table("rejected_points", [POINT], tmp_path).rename(tmp_path / "calls.parquet")
    with pytest.raises(ValueError, match="it has no column 'request_sha256'"):
        read_table("calls", tmp_path)


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "calls.parquet").write_text("no table")
    with pytest.raises(ValueError, match=r"^it is no Parquet file, or a torn one$"):
        read_table("calls", tmp_path)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_frame("calls", tmp_path)


@pytest.mark.parametrize("kind", ["text", "int", "real", "bool", "time", "day"])
@given(st.data())
def test_a_column_made_of_bytes_is_the_one_that_arrow_makes_of_the_values(kind, data):
    values = data.draw(st.lists(st.none() | value_of(kind), max_size=20))
    parse = {"time": datetime.fromisoformat, "day": date.fromisoformat, "real": float}.get(kind, lambda value: value)
    made = tables._chunks(kind, values)
    made.validate(full=True)
    assert made.to_pylist() == [value if value is None else parse(value) for value in values]
    assert made.combine_chunks().equals(pa.array(made.to_pylist(), type=made.type))


def test_a_long_column_comes_in_pieces_of_a_row_group(monkeypatch):
    monkeypatch.setattr(tables, "ROW_GROUP", 3)
    made = tables._chunks("text", ["a", None, "ccc", "d", "", "f", "g"])
    assert [len(piece) for piece in made.chunks] == [3, 3, 1]
    assert made.to_pylist() == ["a", None, "ccc", "d", "", "f", "g"]
    assert tables._chunks("text", []).to_pylist() == []
