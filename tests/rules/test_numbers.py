"""Every number that this record publishes arises by a rule, follows by a formula, or is named as one that is not made again."""

import json

import pytest

from stages.recount.files import FILES
from stages.recount.rules import matched, numbers_in, split
from tests.rules.test_architecture import ROOT, closure, shelf, short

METRICS = sorted((ROOT / "metrics").glob("*.json"))


def arises(file, path: str) -> bool:
    parts = split(path)
    beginnings = [".".join(parts[:size]) for size in range(1, len(parts) + 1)]
    follows = any(matched(formula.under, beginning) is not None for formula in file.formulas for beginning in beginnings)
    return follows or any(
        matched(pattern, path) is not None for pattern in [*(rule.path for rule in file.rules), *(held for held, _ in file.held)]
    )


@pytest.mark.parametrize("path", METRICS, ids=short)
def test_every_number_of_a_metrics_file_resolves(path):
    assert path.stem in FILES, f"stages/recount/files.py has no line for {path.name}"
    leaves = numbers_in(json.loads(path.read_text("utf-8")), FILES[path.stem])
    assert [leaf for leaf, value in leaves.items() if isinstance(value, int | float) and not arises(FILES[path.stem], leaf)] == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "stages/recount").glob("*.py")) + sorted((ROOT / "stages/desk/checks").glob("*.py")), ids=short
)
def test_the_second_count_knows_nothing_of_the_first(path):
    assert [short(p) for p in closure(path) if shelf(p) in ("stats", "metrics")] == []


@pytest.mark.parametrize("file", FILES)
def test_a_formula_rests_on_counts_of_its_own_file(file):
    counted = {rule.path for rule in FILES[file].rules}
    assert [path for formula in FILES[file].formulas for path in formula.of if path not in counted] == []
