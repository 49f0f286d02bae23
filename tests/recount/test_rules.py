"""Paths, stars and digits: how a rule finds its number, and when a published number is the one that was made."""

import duckdb
import pytest

from stages.recount.arithmetic import Chance
from stages.recount.opened import Connection, repeats
from stages.recount.rules import File, Formula, Rule, agrees, all_leaves, filled, matched, recounted


@pytest.mark.parametrize(
    ("pattern", "path", "names"),
    [
        ("*.wins_1", "a~b.wins_1", ("a~b",)),
        ("*.wins_1", "a~b.wins_2", None),
        ("*.wins_1", "a~b.c.wins_1", None),
        ("contestants.*.status.complete", "contestants.alder.status.complete", ("alder",)),
        ("calls", "calls", ()),
        ("*.*.n", "all.a~b.n", ("all", "a~b")),
    ],
)
def test_a_star_stands_for_one_name(pattern, path, names):
    assert matched(pattern, path) == names
    assert names is None or filled(pattern, names) == path


@pytest.mark.parametrize(
    ("published", "made", "same"),
    [
        (3, 3, True), (3, 4, False), (3.0, 3, True), ("3", 3, False), (None, 3, False), (True, True, True), (True, 1, False), (1, True, False),
        (0.333333, 1 / 3, True), (0.333334, 1 / 3, False), (0.333332, 1 / 3, False), (-0.25, -0.25, True),
        (1.90735e-06, Chance(1.9073486328125e-06), True), (1.90734e-06, Chance(1.9073486328125e-06), False), (0.6875, Chance(0.6875), True),
        (0.0, Chance(0.0), True), (2e-06, Chance(1.9073486328125e-06), False),
    ],
)  # fmt: skip
def test_a_number_agrees_to_its_last_published_digit(published, made, same):
    assert agrees(published, made) is same


@pytest.fixture
def rows():
    connection = duckdb.connect()
    connection.execute(
        "create view said as select * from (values ('Q1', 'a', 'win'), ('Q2', 'a', 'tie'), ('Q3', 'b', 'tie'), (null, 'c', null))"
    )
    connection.execute("create view told as select col0 as row_id, col1 as who, col2 as outcome, col2 as why from said")
    yield Connection(connection)
    connection.close()


def test_a_rule_counts_under_each_name_also_nothing(rows):
    file = File(rules=(Rule("*.ties", "told", "outcome = 'tie'", ("who",)), Rule("n", "told")))
    assert recounted(rows, file) == {"a.ties": 1, "b.ties": 1, "c.ties": 0, "n": 3}


def test_what_is_optional_is_absent_where_nothing_enters(rows):
    file = File(rules=(Rule("*.wins", "told", "outcome = 'win'", ("who",), optional=True),))
    assert recounted(rows, file) == {"a.wins": 1}


def test_a_formula_takes_its_own_counts_and_those_of_all(rows):
    rules = (Rule("*.ties", "told", "outcome = 'tie'", ("who",)), Rule("*.~all", "told", keys=("who",)))
    share = Formula(
        "*.share", ("*.ties", "*.~all"), lambda own, every: {"of": own["~all"], "family": len(every)} if own["~all"] else None, ""
    )
    assert recounted(rows, File(rules, (share,))) == {
        "a.ties": 1, "b.ties": 1, "c.ties": 0, "a.share.of": 2, "a.share.family": 3, "b.share.of": 1, "b.share.family": 3,
    }  # fmt: skip


def test_all_leaves_are_the_paths_that_dvc_shows():
    assert all_leaves({"a": {"b": 1, "c": "x"}, "d": True}) == {"a.b": 1, "a.c": "x", "d": True}


@pytest.mark.parametrize(
    ("rationale", "points", "found"),
    [
        ("It rests on the ten days that nobody granted.", ["The ten days that nobody granted."], True),
        ("It rests on THE  TEN\ndays that nobody granted", ["the ten days that nobody granted"], True),
        ("the deadline", ["the deadline"], False),
        ("another ten days that nobody granted", ["an other ten days that nobody granted"], False),
        ("", ["four words or more"], False),
        ("anything", None, False),
    ],
)
def test_a_point_is_repeated_word_for_word_or_not(rationale, points, found):
    assert repeats(rationale, points) is found
