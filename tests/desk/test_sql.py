"""moot sql, on the small record: it reads the tables, and nothing but the tables."""

import json
import os
import subprocess
import sys

import pytest

from stages.desk.sql_tables import opened, selected
from stages.runtime.errors import BadInput, BadRecord
from stages.schema.tables import TABLES


def rows(query):
    return selected(opened(), query).rows


def test_counts_come_out_as_the_record_was_built(project):
    winners = rows("SELECT winner, count(*) FROM verdicts GROUP BY winner ORDER BY winner")
    assert winners == [["alder", 2], ["both_inadequate", 1], ["cedar", 1], ["tie", 1], [None, 1]]


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_there_with_its_columns(project, table):
    assert selected(opened(), f'SELECT * FROM "{table}"').columns == TABLES[table].names


def test_times_and_days_are_spelled_as_the_tables_spell_them(project):
    ((started_at, published),) = rows("SELECT min(started_at), min(published) FROM verdicts, matters")
    assert started_at.endswith("Z")
    assert "T" in started_at
    assert len(published) == len("2026-11-30")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1.50::DECIMAL(4,2)", 1.5),
        ("2::DECIMAL(4,0)", 2),
        ("sum(1)", 1),
        ("'nan'::DOUBLE", "nan"),
        ("[1, NULL]", [1, None]),
        ("{'a': DATE '2026-11-30'}", {"a": "2026-11-30"}),
        ("INTERVAL 1 DAY", "1 day, 0:00:00"),
        ("'\u2028\U0001f600'", "\u2028\U0001f600"),
    ],
)
def test_every_value_is_one_that_json_holds(project, expression, value):
    ((found,),) = rows(f"SELECT {expression}")
    assert found == value
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('params.yaml')",
        "SELECT * FROM 'data/recordings/assignments.jsonl'",
        "SELECT * FROM read_parquet('../other.parquet')",
        "SELECT * FROM glob('*')",
        "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
        "SELECT * FROM query('SELECT * FROM read_text(''params.yaml'')')",
    ],
)
def test_no_other_file_and_no_network_is_in_reach(project, query):
    with pytest.raises(BadInput, match="disabled by configuration"):
        rows(query)


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("COPY verdicts TO 'stolen.csv'", "COPY"),
        ("COPY (SELECT 1) TO 'data/tables/verdicts.parquet'", "COPY"),
        ("EXPLAIN ANALYZE COPY (SELECT 1) TO 'data/tables/verdicts.parquet' (FORMAT parquet, USE_TMP_FILE false)", "EXPLAIN"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
        ("DROP VIEW verdicts", "DROP"),
        ("CREATE TABLE mine AS SELECT 1", "CREATE"),
        ("ATTACH 'mine.db'", "ATTACH"),
        ("SET enable_external_access = true", "SET"),
        ("INSTALL httpfs", "LOAD"),
        ("SELECT 1; SELECT 2", "SELECT, SELECT"),
        ("", "nothing"),
        ("-- only a comment", "nothing"),
    ],
)
def test_whatever_is_not_one_select_is_refused_and_changes_nothing(project, query, kind):
    before = sorted((p, p.read_bytes()) for p in project.rglob("*") if p.is_file())
    with pytest.raises(BadInput, match=f"one SELECT is taken, and here stands {kind}"):
        rows(query)
    assert sorted((p, p.read_bytes()) for p in project.rglob("*") if p.is_file()) == before


@pytest.mark.parametrize(
    ("query", "said"),
    [("SELEC 1", "syntax error"), ("SELECT winer FROM verdicts", "winner"), ("SELECT * FROM verdict", "verdicts"), ("SELECT 1/'x'", "x")],
)
def test_a_query_that_cannot_be_read_is_one_sentence(project, query, said):
    with pytest.raises(BadInput) as refused:
        rows(query)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_tables_a_sentence_says_what_makes_them(tmp_path):
    with pytest.raises(BadInput, match="holds no tables; `uv run dvc repro` makes them"):
        opened(tmp_path)


def test_a_torn_table_is_named(project):
    (project / "data/tables/verdicts.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadRecord, match=r"data/tables/verdicts\.parquet: it is no Parquet file, or a torn one"):
        opened()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("nowhere", path)], ids=["pipe", "folder", "link"])
def test_what_is_no_file_is_refused_and_not_waited_for(project, make):
    make("data/tables/odd.parquet")
    with pytest.raises(BadRecord, match=r"^data/tables/odd\.parquet: it is "):
        opened()


def test_a_folder_with_a_quote_in_its_name_is_read_all_the_same(project):
    (project / "data/tables").rename(project / "it's here")
    assert selected(opened(project / "it's here"), "SELECT count(*) FROM verdicts").rows == [[6]]


def test_the_command_prints_a_table_and_json(moot):
    code, out, _ = moot("sql", "SELECT contestant AS who, 1 AS n FROM contestants ORDER BY who")
    assert (code, out) == (0, "who    n\n─────  ─\nalder  1\nbirch  1\ncedar  1\n3 rows\n")
    code, out, _ = moot("sql", "SELECT 1 AS n, 'x' AS n", "--json")
    assert json.loads(out) == {"columns": ["n", "n"], "rows": [[1, "x"]]}


def test_text_of_a_model_moves_no_cursor(moot):
    _, out, _ = moot("sql", "SELECT chr(27) || '[2J' AS text")
    assert "\\x1b[2J" in out
    assert "\x1b" not in out


def test_the_help_holds_the_schema(moot):
    code, out, _ = moot("sql", "--help")
    assert code == 0
    for table in TABLES.values():
        for column in table.columns:
            assert f"{column.name} {column.kind}{'?' if column.optional else ''}" in out


def test_a_query_comes_from_standard_input_too(project):
    words = [sys.executable, "-c", "from stages.__main__ import main; main(['sql', '-'])"]
    done = subprocess.run(words, input="SELECT 7 AS n", capture_output=True, text=True, check=True)
    assert done.stdout == "n\n─\n7\n1 row\n"
    refused = subprocess.run(words, input=b"SELECT '\xff'", capture_output=True, check=False)
    assert (refused.returncode, refused.stderr) == (2, b"moot sql: standard input: byte 8 is not UTF-8\n")


def test_a_query_that_is_no_text_is_one_sentence(moot):
    code, _, err = moot("sql", "SELECT '\udcff'")
    assert (code, err) == (2, "moot sql: the query is not UTF-8 at its character 9\n")
