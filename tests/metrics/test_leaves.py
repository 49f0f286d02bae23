"""What a metrics file may hold."""

import pytest

from stages.metrics.leaves import metric_text, present, rounded


def test_a_metrics_file_reads_well():
    assert metric_text({"b": 1, "a": {"d": 0.5, "c": "x"}}) == '{\n  "a": {\n    "c": "x",\n    "d": 0.5\n  },\n  "b": 1\n}\n'


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ({"a": {"b": [1]}}, r"metric a\.b is \[1\], and a metric is a number or a text"),
        ({"a": None}, "metric a is None"),
        ({"a": {"b": {"c": float("nan")}}}, r"metric a\.b\.c is nan"),
        ({"a": float("inf")}, "metric a is inf"),
        ({"a": True}, "metric a is True"),
    ],
)
def test_what_dvc_would_drop_is_refused(tree, sentence):
    with pytest.raises(ValueError, match=sentence):
        metric_text(tree)


def test_a_number_has_six_decimals_at_most():
    assert [rounded(value) for value in (1 / 3, 1.0, 2e-7, None)] == [0.333333, 1.0, 0.0, None]


def test_what_does_not_exist_is_left_out_and_nothing_else():
    assert present({"a": None, "b": 0, "c": 0.0, "d": {}, "e": ""}) == {"b": 0, "c": 0.0, "d": {}, "e": ""}
