"""The metrics files as their readers want them: what measure writes passes, and what lacks a key is named."""

import pytest

from stages.measure import metrics
from stages.record import tables
from stages.schema.metrics import FILES, check_metrics, check_names
from stages.schema.tables import TABLES, read_frame, read_table, write_table
from tests.published import changed
from tests.small_record import NAMES, small_record


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, rows in tables(small_record()).items():
        write_table(name, rows, folder)
    return metrics({name: read_table(name, folder) for name in TABLES}, {name: read_frame(name, folder) for name in TABLES})


def places(tree, front=()):
    """The path of every key in a tree."""
    for key, value in tree.items() if isinstance(tree, dict) else ():
        yield (*front, key)
        yield from places(value, (*front, key))


@pytest.mark.parametrize("name", FILES)
def test_what_measure_writes_is_what_its_readers_want(trees, name):
    check_metrics(name, trees[name])
    check_names(name, trees[name], NAMES)
    assert trees.keys() == FILES.keys()


@pytest.mark.parametrize("name", FILES)
def test_more_keys_are_welcome(trees, name):
    more = {"more": next(iter(trees[name].values())) if name in ("disclosures", "pairs", "scenarios", "scores") else {"of": 1}}
    check_metrics(name, {**trees[name], **more})
    assert "more" not in trees[name]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("tree", [[], None, 3, "text", {"a": 1}, {"a": []}, {"a": {"b": "c"}}])
def test_a_foreign_file_is_refused(name, tree):
    with pytest.raises(ValueError) as refused:
        check_metrics(name, tree)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("value", ["text", None, [], -1, 0.5])
def test_another_value_at_any_place_is_refused_with_its_key_or_means_nothing_to_the_reader(trees, name, value):
    for path in places(trees[name]):
        tree = changed(trees[name], path, value)
        try:
            check_metrics(name, tree)
        except ValueError as refused:
            assert ".".join(path) in str(refused)


@pytest.mark.parametrize(
    ("name", "path", "sentence"),
    [
        ("scores", ["alder"], "key 'alder' is missing, and the tables hold alder"),
        ("pairs", ["alder~cedar"], "key 'alder~cedar' is missing"),
        ("judge", ["balance", "birch"], "key 'balance.birch' is missing"),
        ("judge", ["rejected_points", "birch"], "key 'rejected_points.birch' is missing"),
        ("coverage", ["contestants", "cedar"], "key 'contestants.cedar' is missing"),
        ("timing", ["contestants", "birch"], "key 'contestants.birch' is missing"),
        ("scenarios", ["without_reruns", "pairs", "alder~cedar"], "key 'without_reruns.pairs.alder~cedar' is missing"),
    ],
)
def test_metrics_of_other_contestants_are_refused(trees, name, path, sentence):
    tree = changed(trees[name], path, ...)
    check_metrics(name, tree)
    with pytest.raises(ValueError, match=sentence):
        check_names(name, tree, NAMES)


def test_a_share_may_be_missing_only_where_nothing_is_decisive(trees):
    judge = changed(trees["judge"], ["a_share", "share"], ...)
    with pytest.raises(ValueError, match=r"key 'a_share' lacks a_share\.share, though verdicts are decisive"):
        check_metrics("judge", judge)
    check_metrics("judge", changed(judge, ["a_share", "decisive"], 0))
    assert trees["judge"]["a_share"]["decisive"] > 0
