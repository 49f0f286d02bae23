"""The one page: what was compared, what came out with its n, how the judge leaned, and the digests that the numbers stand on.

The page is plain HTML with its style inside: readable from file://, no script, nothing fetched. Every text is escaped.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from stages.schema.jsonl import Row
from stages.schema.names import pairs

HERE = Path(__file__).parent
LISTED = 500  # verdicts with their reasons are about 1 kB each: beyond half a megabyte a phone does better with the table

Tree = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """What the page says. The rows are those of the published tables, the trees those of the metrics files, by name."""

    title: str
    matters: list[Row]
    contestants: list[Row]
    verdicts: list[Row]
    rejected_points: list[Row]
    metrics: dict[str, Tree]


def page_html(page: Page) -> str:
    """The page as HTML, the same bytes for the same content."""
    style = (HERE / "page.css").read_text(encoding="utf-8")
    template = _environment().get_template("page.html.j2")
    return template.render(
        title=page.title,
        matters=page.matters,
        contestants=page.contestants,
        pairs=pairs(row["contestant"] for row in page.contestants),
        judges=sorted({(row["judge"], row["instrument"]) for row in page.verdicts}),
        verdicts=page.verdicts if len(page.verdicts) <= LISTED else [],
        points=points_by_verdict(page.rejected_points),
        style=style,
        policy=policy(style),
        metrics_pairs=page.metrics["pairs"],
        **{name: page.metrics[name] for name in ("scores", "judge", "coverage", "provenance", "qualification")},
    )


@cache
def _environment() -> Environment:
    """Jinja2 that escapes everything and refuses a name it does not know: a misspelt number must not come out as nothing."""
    loader = FileSystemLoader(HERE)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["percent"] = percent
    environment.filters["words"] = in_words
    environment.filters |= {"signed": signed, "bounds": bounds, "p_value": p_value}
    environment.globals["level_of"] = level_of
    return environment


def policy(style: str) -> str:
    """The page's Content-Security-Policy: nothing is fetched or run, and the one style is the one with this digest."""
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def points_by_verdict(rejected_points: list[Row]) -> dict[str, list[Row]]:
    """The rejected points of each verdict, in the order of the judge's reply."""
    found: dict[str, list[Row]] = {}
    for row in rejected_points:
        found.setdefault(row["verdict_id"], []).append(row)
    return found


def percent(share: float) -> str:
    """A share between 0 and 1 in per cent, with one decimal: 78.3 %."""
    return f"{100 * share:.1f} %"


def signed(difference: float) -> str:
    """A difference of shares with its sign and three decimals: +0.025. Zero has no sign."""
    return f"{difference:+.3f}" if round(difference, 3) else "0.000"


def bounds(interval: Tree) -> str:
    """An interval of a difference: -0.060 to +0.113."""
    return f"{signed(interval['lo'])} to {signed(interval['hi'])}"


def p_value(p: float) -> str:
    """A p-value with three decimals; what would read as zero reads as < 0.001."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def level_of(pairs_tree: Tree) -> str:
    """The confidence level that the net differences state: 95 %. Nothing where no pair has one."""
    levels = {pair["net_difference"]["level"] for pair in pairs_tree.values() if "net_difference" in pair}
    return " and ".join(f"{100 * level:g} %" for level in sorted(levels))


def in_words(name: str) -> str:
    """A column or verdict as it reads in a sentence: both_inadequate becomes ``both inadequate``."""
    return name.replace("_", " ")
