"""What a metrics file may hold."""

import pytest

from stages.metrics.leaves import bounds, estimate, metric_text, present, rounded, significant
from stages.stats.proportions import Estimate, Interval


def test_a_metrics_file_reads_well():
    assert metric_text({"b": 1, "a": {"d": 0.5, "c": "x"}}) == '{\n  "a": {\n    "c": "x",\n    "d": 0.5\n  },\n  "b": 1\n}\n'


def test_true_and_false_are_kept():
    assert metric_text({"a": True}) == '{\n  "a": true\n}\n'


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ({"a": {"b": [1]}}, r"metric a\.b is \[1\], and a metric is a number, a text, or true or false"),
        ({"a": None}, "metric a is None"),
        ({"a": {"b": {"c": float("nan")}}}, r"metric a\.b\.c is nan"),
        ({"a": float("inf")}, "metric a is inf"),
        ({"a": (1, 2)}, r"metric a is \(1, 2\)"),
    ],
)
def test_what_dvc_would_drop_is_refused(tree, sentence):
    with pytest.raises(ValueError, match=sentence):
        metric_text(tree)


def test_a_number_has_six_decimals_at_most():
    assert [rounded(value) for value in (1 / 3, 1.0, 2e-7, None)] == [0.333333, 1.0, 0.0, None]


def test_what_does_not_exist_is_left_out_and_nothing_else():
    assert present({"a": None, "b": 0, "c": 0.0, "d": {}, "e": ""}) == {"b": 0, "c": 0.0, "d": {}, "e": ""}


def test_a_p_value_has_six_digits_however_small_it_is():
    assert [significant(p) for p in (1.0, 0.75390625, 0.02246093750001, 1.23456789e-17, 0.0)] == [
        1.0,
        0.753906,
        0.0224609,
        1.23457e-17,
        0.0,
    ]


def test_zero_has_no_sign():
    assert str(rounded(-0.0)) == str(rounded(-1e-9)) == "0.0"


def test_an_estimate_carries_its_n_its_interval_and_how_it_was_made():
    exact, score = Interval(0.1, 0.9, "exact", 0.95), Interval(0.2, 0.8, "score", 0.95)
    assert estimate(Estimate(1 / 3, 12, exact), score) == {
        "value": 0.333333, "n": 12, "interval": {"lo": 0.1, "hi": 0.9}, "method": "exact", "level": 0.95, "score": {"lo": 0.2, "hi": 0.8},
    }  # fmt: skip
    assert estimate(None) is bounds(None) is None
