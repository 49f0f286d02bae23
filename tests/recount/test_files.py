"""Every number of five records, made a second time; and that a number which is not what it was is seen."""

import shutil

import duckdb
import pytest

from stages.recount.files import FILES
from stages.recount.opened import TABLE_NAMES, opened, rows, touched
from stages.recount.rules import agrees, matched, numbers_in, recounted, split
from stages.schema.tables import TABLES
from tests.recount.conftest import RECORDS


def numbers(tree, file):
    return {path: value for path, value in numbers_in(tree, FILES[file]).items() if isinstance(value, int | float)}


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("file", [name for name in FILES if name != "provenance"])
def test_every_number_is_made_again(made, name, file):
    folder, metrics = made(name)
    connection = opened(folder / "data/tables")
    again, published = recounted(connection, FILES[file]), numbers(metrics[file], file)
    connection.close()
    assert {path: (published.get(path), number) for path, number in again.items() if not agrees(published.get(path), number)} == {}
    held = {path for path in published for pattern, _ in FILES[file].held if matched(pattern, path) is not None}
    assert published.keys() - again.keys() - held == set()


def test_a_record_without_its_tables_is_refused(tmp_path):
    with pytest.raises(ValueError, match="IO Error"):
        opened(tmp_path)


def test_every_published_table_is_opened():
    assert set(TABLE_NAMES) == set(TABLES)


@pytest.mark.parametrize(("matter", "contestant"), [("Q01", "alder"), ("Q02", "cedar")])
def test_without_an_answer_the_rest_is_counted_as_if_it_had_not_come(made, matter, contestant):
    folder, _ = made("small")
    whole, rest = opened(folder / "data/tables"), opened(folder / "data/tables", (matter, contestant))
    before, after = (recounted(each, FILES["coverage"]) for each in (whole, rest))
    pairs = [recounted(each, FILES["pairs"]) for each in (whole, rest)]
    whole.close()
    rest.close()
    assert after[f"contestants.{contestant}.answers"] == before[f"contestants.{contestant}.answers"] - 1
    assert after["answers.planned"] == before["answers.planned"]
    touched = {
        path for path in pairs[0] if pairs[0][path] != pairs[1].get(path) and split(path)[-1] in ("wins_1", "wins_2", "ties", "missing")
    }
    assert touched
    assert all(contestant in split(path)[0].split("~") for path in touched)


def test_a_name_with_a_quote_cannot_reach_the_query(made):
    folder, _ = made("small")
    connection = opened(folder / "data/tables", ("Q01' or true --", "x'); drop view verdicts; --"))
    assert recounted(connection, FILES["coverage"])["answers.recorded"] == 8
    connection.close()


def test_a_view_is_made_when_it_is_asked_for_after_those_below_it(made):
    folder, _ = made("small")
    connection = opened(folder / "data/tables")
    assert {"pairings", "seats", "turns"} <= connection.unmade.keys()
    rows(connection, "select count(*) from seats")
    assert not {"pairings", "seats", "verdicts", "orders"} & connection.unmade.keys()
    assert {"turns", "second_controls"} <= connection.unmade.keys()
    connection.close()


def test_a_table_without_a_column_is_refused_where_a_view_wants_it(made, tmp_path):
    folder, _ = made("small")
    shutil.copytree(folder / "data/tables", tmp_path / "tables")
    duckdb.sql(f"copy (select * exclude (verdict) from '{folder}/data/tables/verdicts.parquet') to '{tmp_path}/tables/verdicts.parquet'")
    connection = opened(tmp_path / "tables")
    with pytest.raises(ValueError, match="verdict"):
        recounted(connection, FILES["pairs"])
    connection.close()


def test_large_tables_are_read_where_they_lie_and_count_the_same(made, monkeypatch):
    folder, _ = made("designed")
    small, large = opened(folder / "data/tables"), None
    monkeypatch.setattr("stages.recount.opened._LARGE", 0)
    large = opened(folder / "data/tables")
    assert [recounted(small, file) for file in FILES.values()] == [recounted(large, file) for file in FILES.values()]
    small.close()
    large.close()


def test_views_that_no_answer_touches_are_known(made):
    """Every view is the same without an answer, or is one that may be another."""
    folder, _ = made("designed")
    whole, rest = opened(folder / "data/tables"), opened(folder / "data/tables", ("Q01", "alder"))
    views = sorted({rule.view for file in FILES.values() for rule in file.rules})
    for view in views:
        query = f"select * from {view} order by all"
        assert touched(view) or rows(whole, query) == rows(rest, query), view
    assert [view for view in views if not touched(view)] != []
    whole.close()
    rest.close()
