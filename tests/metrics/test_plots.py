"""The rows behind the pictures, and the specifications that draw them."""

import json
from pathlib import Path

import pytest
import yaml

from stages.metrics.plots import OUTCOMES, plot_text, plots

ROOT = Path(__file__).parents[2]
COUNTS = {"wins_1": 2, "ties": 3, "both_inadequate": 0, "wins_2": 4, "unreadable": 1, "missing": 0, "n": 9, "planned": 10}
PAIRS = {
    "alder~cedar": COUNTS,
    "alder~birch": {**COUNTS, "net_difference": {"value": -0.2, "n": 9, "interval": {"lo": -0.5, "hi": 0.1}, "level": 0.95}},
}


def test_a_pair_has_a_difference_only_where_something_is_scored():
    assert plots(PAIRS)["net_difference"] == [{"pair": "alder~birch", "net_difference": -0.2, "lo": -0.5, "hi": 0.1, "n": 9}]


def test_the_outcomes_of_a_pair_add_up_to_what_is_planned():
    rows = [row for row in plots(PAIRS)["outcomes"] if row["pair"] == "alder~cedar"]
    assert [row["outcome"] for row in rows] == list(OUTCOMES)
    assert [row["place"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert sum(row["verdicts"] for row in rows) == COUNTS["planned"]


@pytest.mark.parametrize("rows", [[], [{"b": 1, "a": 2}], [{"a": 1}, {"a": 2}]])
def test_a_file_is_json_with_a_row_a_line(rows):
    text = plot_text(rows)
    assert json.loads(text) == rows
    assert text.endswith("]\n")
    assert len(text.splitlines()) == (len(rows) + 2 if rows else 1)


def fields(spec, key="field"):
    """Every field that a specification draws; with the key "as", those that it makes itself."""
    if isinstance(spec, dict):
        yield from ([spec[key]] if key in spec else [])
        spec = list(spec.values())
    for inner in spec if isinstance(spec, list) else []:
        yield from fields(inner, key)


@pytest.mark.parametrize("name", ["net_difference", "outcomes"])
def test_each_file_has_its_specification_and_its_line_in_dvc_yaml(name):
    spec = json.loads((ROOT / f".dvc/plots/{name}.json").read_text("utf-8"))
    assert spec["data"] == {"values": "<DVC_METRIC_DATA>"}
    assert set(fields(spec)) - set(fields(spec, "as")) <= {*plots(PAIRS)[name][0], "rev"}
    declared = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]["measure"]["plots"]
    (line,) = [each[f"metrics/plots/{name}.json"] for each in declared if f"metrics/plots/{name}.json" in each]
    assert (line["cache"], line["template"]) == (False, name)
