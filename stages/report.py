"""report: writes the page that says what was compared and what came out, from the metrics and the tables alone.

Writes data/site/index.html, one plain page that opens from file://. A line of it:
    <p>Record <code>5f0c…</code></p>
"""

from pathlib import Path
from typing import Any

from stages.render.page import Page, page_html
from stages.runtime.compose import choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.schema.jsonl import Row, load_json
from stages.schema.settings import Choices, Study, settings
from stages.schema.tables import FOLDER, read_table

METRICS = Path("metrics")
SITE = Path("data/site")


def read_metrics(folder: Path = METRICS) -> dict[str, Any]:
    """The metrics files by name. Raises BadRecord that names the file."""
    found = {}
    for name in ("coverage", "judge", "pairs", "provenance", "qualification", "scores"):
        path = folder / f"{name}.json"
        with refusing(path.as_posix(), BadRecord):
            found[name] = load_json(path.read_bytes().decode("utf-8"))
    return found


def read_rows(folder: Path = FOLDER) -> dict[str, list[Row]]:
    """The tables that the page shows, by name. Raises BadRecord that names the file."""
    found = {}
    for name in ("matters", "contestants", "verdicts", "rejected_points"):
        with refusing((folder / f"{name}.parquet").as_posix(), BadRecord):
            found[name] = read_table(name, folder)
    return found


def report() -> None:
    chosen: Choices = choices(settings)
    study: Study = setting("study", chosen.study, settings)
    page = Page(title=study.title, metrics=read_metrics(), **read_rows())
    SITE.mkdir(parents=True, exist_ok=True)
    (SITE / "index.html").write_bytes(page_html(page).encode("utf-8"))


def main() -> None:
    run_stage("report", report, __doc__)


if __name__ == "__main__":
    main()
