"""report: writes the evidence pages, from the tables, the metrics and the instrument alone.

Writes data/site/: static pages that open from file://, one for each matter, pairing, contestant and judge. A line of index.html:
    <tr><th scope="row"><a href="contestants/alder.html">alder</a></th>…
No commit, clock, host or version of the run stands in them: the same record gives the same bytes.
"""

import shutil
from pathlib import Path
from typing import Any

from stages.instrument.asking import messages
from stages.render import pictures
from stages.render.evidence import TABLES, Evidence
from stages.render.site import site
from stages.runtime.compose import choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import ANSWERS_RECORDING, KEYS_FOLDER, METRICS, PROVENANCE, SITE, SPECIFICATIONS, VERDICTS_RECORDING
from stages.schema.jsonl import Row, load_json, read_rows
from stages.schema.metrics import FILES, check_metrics, check_names
from stages.schema.plain_files import read_text
from stages.schema.settings import Choices, Instrument, Study, settings
from stages.schema.tables import FOLDER, logical_digest, read_table


def read_metrics(contestants: list[str], folder: Path = METRICS) -> dict[str, Any]:
    """The metrics files by name, each with all that the pages say of these contestants. Raises BadRecord that names file and key."""

    def read(path: Path) -> Any:
        tree = load_json(read_text(path))
        check_metrics(path.stem, tree)
        check_names(path.stem, tree, contestants)
        return tree

    return {name: handed(folder / f"{name}.json", read) for name in FILES}


def read_tables(folder: Path = FOLDER) -> dict[str, list[Row]]:
    """The published tables by name. Raises BadRecord that names the file."""
    return {name: handed(folder / f"{name}.parquet", lambda path: read_table(path.stem, folder)) for name in TABLES}


def check_counted(rows: dict[str, list[Row]], digests: dict[str, str], folder: Path = FOLDER) -> None:
    """Raise BadRecord for a table that is not the one that the metrics count: pages of both would say what no record says, and a row
    whose answer or matter is not there would have no page."""
    for name, own in rows.items():
        if (own or name in digests) and logical_digest(name, own) != digests.get(name):
            raise BadRecord(f"{folder / name}.parquet: it is not the table that {PROVENANCE} counts: `uv run dvc repro` makes both again")


def read_specifications(folder: Path = SPECIFICATIONS) -> dict[str, Any]:
    """The Vega-Lite specification of each picture, by name. Raises BadInput that names the file."""
    found = {}
    for name in pictures.NAMES:
        path = folder / f"{name}.json"
        with refusing(path.as_posix()):
            found[name] = load_json(read_text(path))
    return found


def reply_lines() -> dict[tuple[str, str], int]:
    """The line of every recorded answer and verdict, by response and request digest: where a reader of the recordings finds it."""
    found = {}
    for path in (ANSWERS_RECORDING, VERDICTS_RECORDING):
        with refusing(path.as_posix(), BadRecord):
            for number, row in enumerate(read_rows(path), start=1):
                found[row.get("response_sha256"), row.get("request_sha256")] = number
    return {(str(response), str(request)): number for (response, request), number in found.items()}


def author_keys(study: Study, matters: list[Row]) -> dict[str, str]:
    """The author's key of each matter that has one, where the study shows keys; otherwise none is opened. Raises BadInput."""
    found = {}
    for name in [row["matter_id"] for row in matters] if study.show_keys else []:
        path = KEYS_FOLDER / f"{name}.md"
        with refusing(path.as_posix()):
            if path.exists():
                found[name] = read_text(path).split("---\n", 2)[-1].strip()
    return found


def evidence() -> Evidence:
    """What the pages are made of, as it lies in this checkout."""
    chosen: Choices = choices(settings)
    study: Study = setting("study", chosen.study, settings)
    instrument: Instrument = setting("instrument", chosen.instrument, settings)
    rows = read_tables()
    metrics = read_metrics([row["contestant"] for row in rows["contestants"]])
    check_counted(rows, metrics["provenance"]["tables"])
    return Evidence(
        study=study,
        instrument_name=chosen.instrument,
        instrument=instrument,
        rows=rows,
        metrics=metrics,
        prompt=lambda matter, a, b: messages(instrument, matter, a, b),
        specifications=read_specifications(),
        keys=author_keys(study, rows["matters"]),
        lines=reply_lines(),
    )


def report() -> None:
    write_site(evidence(), SITE)


def write_site(found: Evidence, folder: Path) -> None:
    """Write every page, and put the whole in the place of what stood there: no page of an earlier study stays, and none is half there."""
    new = folder.with_name(f"{folder.name}.partial")
    take_away(new)
    for page in site(found):
        path = new / page.address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.data)
    take_away(folder)
    new.rename(folder)


def take_away(path: Path) -> None:
    """Remove what stands there: a folder with all in it, a file, or a link and not what it leads to. Raises BadInput that names it."""
    with refusing(f"{path.as_posix()} cannot be taken away"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def main() -> None:
    run_stage("report", report, __doc__)


if __name__ == "__main__":
    main()
