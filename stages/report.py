"""report: writes the page that says what was compared and what came out, from the metrics and the tables alone.

Writes data/site/index.html, one plain page that opens from file://. A line of it:
    <p>Record <code>5f0c…</code></p>
"""

from pathlib import Path
from typing import Any

from stages.render.page import Page, page_html
from stages.runtime.compose import choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.handing import handed
from stages.runtime.paths import METRICS
from stages.schema.jsonl import Row, load_json
from stages.schema.metrics import FILES, check_metrics, check_names
from stages.schema.plain_files import read_text
from stages.schema.settings import Choices, Study, settings
from stages.schema.tables import FOLDER, read_table

SITE = Path("data/site")


def read_metrics(contestants: list[str], folder: Path = METRICS) -> dict[str, Any]:
    """The metrics files by name, each with all that the page says of these contestants. Raises BadRecord that names file and key."""

    def read(path: Path) -> Any:
        tree = load_json(read_text(path))
        check_metrics(path.stem, tree)
        check_names(path.stem, tree, contestants)
        return tree

    return {name: handed(folder / f"{name}.json", read) for name in FILES}


def read_rows(folder: Path = FOLDER) -> dict[str, list[Row]]:
    """The tables that the page shows, by name. Raises BadRecord that names the file."""
    shown = ("matters", "contestants", "verdicts", "rejected_points")
    return {name: handed(folder / f"{name}.parquet", lambda path: read_table(path.stem, folder)) for name in shown}


def report() -> None:
    chosen: Choices = choices(settings)
    study: Study = setting("study", chosen.study, settings)
    rows = read_rows()
    page = Page(title=study.title, metrics=read_metrics([row["contestant"] for row in rows["contestants"]]), **rows)
    SITE.mkdir(parents=True, exist_ok=True)
    (SITE / "index.html").write_bytes(page_html(page).encode("utf-8"))


def main() -> None:
    run_stage("report", report, __doc__)


if __name__ == "__main__":
    main()
