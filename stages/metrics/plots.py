"""metrics/plots/*.json: the rows behind the pictures, for `dvc plots` and for anybody's own tool. A row of each:

    net_difference.json  {"pair": "qwen-1500m~qwen-500m", "net_difference": -0.25, "lo": -0.683249, "hi": 0.328069, "n": 8}
    outcomes.json        {"pair": "qwen-1500m~qwen-500m", "outcome": "ties", "place": 2, "verdicts": 2}

The Vega-Lite specifications that draw them stand in .dvc/plots; the pages draw the same rows.
"""

import json
from typing import Any

from stages.metrics.leaves import Tree

OUTCOMES = ("wins_1", "ties", "both_inadequate", "wins_2", "unreadable", "missing")
Rows = list[dict[str, Any]]


def plots(pairs: Tree) -> dict[str, Rows]:
    """The rows by file, from the tree of metrics/pairs.json. A pair without a scored verdict has no net difference."""
    return {"net_difference": differences(pairs), "outcomes": outcomes(pairs)}


def differences(pairs: Tree) -> Rows:
    return [
        {"pair": name, "net_difference": found["value"], **found["interval"], "n": found["n"]}
        for name, pair in sorted(pairs.items())
        if (found := pair.get("net_difference"))
    ]


def outcomes(pairs: Tree) -> Rows:
    """Of each pair its outcomes in the order of the bar; they add up to what is planned. An outcome that did not occur is there as 0."""
    return [
        {"pair": name, "outcome": outcome, "place": place, "verdicts": pair[outcome]}
        for name, pair in sorted(pairs.items())
        for place, outcome in enumerate(OUTCOMES, start=1)
    ]


def plot_text(rows: Rows) -> str:
    """The file of some rows: a row a line, in the order given."""
    return "[\n" + ",\n".join(f"  {json.dumps(row, sort_keys=True, allow_nan=False)}" for row in rows) + "\n]\n" if rows else "[]\n"
