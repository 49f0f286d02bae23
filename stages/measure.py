"""measure: counts the published tables into metrics. Everything here is a function of data/tables alone: no chance, no clock.

Writes metrics/{agreement,pairs,scores,judge,coverage,provenance,qualification,scenarios,timing,disclosures}.json, each by its own module
of stages/metrics, and the rows behind the pictures, metrics/plots/*.json.
An entry of pairs.json:
    "qwen-1500m~qwen-500m": {"both_inadequate": 0, "missing": 0, "n": 8, "planned": 8, "ties": 5, "unreadable": 0, "wins_1": 2, "wins_2": 1}
A value that does not exist, such as the share of A where no verdict is decisive, is left out: DVC would drop a null without a word.
"""

from pathlib import Path

from stages.metrics import agreement, coverage, disclosures, judge, pairs, plots, provenance, qualification, scenarios, scores, timing
from stages.metrics.leaves import Frames, Tree, metric_text
from stages.metrics.provenance import Rows
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import METRICS, PLOTS
from stages.schema.tables import FOLDER, TABLES, read_frame, read_table


def metrics(rows: Rows, frames: Frames) -> dict[str, Tree]:
    """Every metrics file's content by name."""
    counts, qualified, timed = pairs.counted(frames), qualification.tree(frames), timing.tree(frames)
    return {
        "pairs": pairs.tree(counts),
        "scores": scores.tree(frames, counts, qualification.withheld(qualified)),
        "judge": judge.tree(frames),
        "coverage": coverage.tree(frames, counts),
        "provenance": provenance.tree(rows),
        "qualification": qualified,
        "scenarios": scenarios.tree(frames),
        "timing": timed,
        "disclosures": disclosures.tree(frames, timed, qualified),
        "agreement": agreement.tree(frames, qualified),
    }


def read_tables(folder: Path) -> tuple[Rows, Frames]:
    """Every table as rows and as a frame. Raises BadRecord that names the file."""
    rows, frames = {}, {}
    for name in TABLES:
        path = folder / f"{name}.parquet"
        rows[name], frames[name] = handed(path, lambda path: (read_table(path.stem, folder), read_frame(path.stem, folder)))
    return rows, frames


def measure() -> None:
    rows, frames = read_tables(FOLDER)
    with refusing(FOLDER.as_posix(), BadRecord):
        trees = metrics(rows, frames)
    METRICS.mkdir(parents=True, exist_ok=True)
    for name, tree in trees.items():
        (METRICS / f"{name}.json").write_bytes(metric_text(tree).encode("utf-8"))
    PLOTS.mkdir(exist_ok=True)
    for name, drawn in plots.plots(trees["pairs"]).items():
        (PLOTS / f"{name}.json").write_bytes(plots.plot_text(drawn).encode("utf-8"))


def main() -> None:
    run_stage("measure", measure, __doc__)


if __name__ == "__main__":
    main()
