"""What was made of the recordings: every table rebuilt, every number counted again in SQL, the record digest."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stages.desk.checks.check import Check
from stages.desk.in_use import InUse
from stages.desk.rebuilt import Tables, rebuilt
from stages.runtime.errors import BadRecord, Refusal, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import METRICS, PROVENANCE, TABLES
from stages.schema.calls import Row
from stages.schema.canonical import digest
from stages.schema.jsonl import load_json
from stages.schema.metrics import check_metrics
from stages.schema.plain_files import read_text

_NO_TABLES = "data/tables is not there, `uv run dvc repro` makes it; the tables are rebuilt all the same"
_PARTS = {  # of the record digest: a part, its table, and the columns that it covers
    "battery": ("matters", ("matter_id", "published", "matter_sha256")),
    "contestants": ("contestants", ("contestant", "config_sha256")),
    "judge": ("judges", ("judge", "config_sha256")),
    "answers": ("attempts", ("matter_id", "contestant", "attempt", "text_sha256", "request_sha256", "response_sha256", "started_at")),
    "assignments": ("assignments", ("pairing_id", "answer_a_was", "answer_b_was")),
    "verdicts": ("verdicts", ("verdict_id", "presentation_id", "verdict", "request_sha256", "response_sha256", "started_at")),
    "controls": ("controls", ("control_id", "order_number", "verdict", "request_sha256", "response_sha256", "started_at")),
    "orders": ("orders", ("order_sha256",)),
}


def record_digest(study: InUse, tables: Tables) -> str:
    """The record digest of metrics/provenance.json, recomputed from sources and recordings: of attempts, those that are scored."""
    parts = {
        name: digest(sorted([row[column] for column in columns] for row in tables[table] if row.get("scored", True)))
        for name, (table, columns) in _PARTS.items()
    }
    return digest({**parts, "instrument": study.instrument_sha256} if tables["verdicts"] else parts)


def published_digest(study: InUse, tables: Tables) -> Check:
    """The record digest recomputed, and the one that metrics/provenance.json publishes."""
    check = Check("the record digest is the published one", 1, remark=record_digest(study, tables))
    published = handed(PROVENANCE, metrics)["record"]
    if published != check.remark:
        check.failures.append(f"{PROVENANCE}: record is {published}, recomputed {check.remark}")
    return check


def tables_stand(tables: Tables, folder: Path) -> Check:
    """Every rebuilt table has the published digest; and what stands under data/tables is the rebuilt one, row for row.

    folder: where the rebuilt tables were written. The same bytes are the same rows; only others are read.
    """
    from stages.schema.tables import SECOND, logical_digest, ordered, read_table  # noqa: PLC0415  pyarrow takes longer to load than all before

    check = Check("tables rebuilt are the published ones", remark="" if TABLES.exists() else _NO_TABLES)
    published = handed(PROVENANCE, metrics)["tables"]
    for name, rows in tables.items():
        path = TABLES / f"{name}.parquet"
        digested = logical_digest(name, rows) if rows or name not in SECOND else None  # an empty one of these has no digest
        check.looked_at += 1
        if digested != published.get(name):
            check.failures.append(f"{PROVENANCE}: tables.{name} is {published.get(name)}, rebuilt {digested}")
        if not TABLES.exists() or _same_bytes(path, folder / path.name):
            continue
        try:
            check.failures += _differences(path, handed(path, lambda path: read_table(path.stem, path.parent)), ordered(name, rows))
        except Refusal as refusal:
            check.failures.append(str(refusal))
    return check


def _same_bytes(one: Path, two: Path) -> bool:
    return one.is_file() and one.read_bytes() == two.read_bytes()


def _differences(path: Path, there: list[Row], made: list[Row]) -> list[str]:
    """A sentence for the first row in which a table is not the rebuilt one."""
    for number, (row, wanted) in enumerate(zip(there, made, strict=False), start=1):
        wrong = [key for key, value in wanted.items() if row[key] != value]
        if wrong:
            name = next(iter(wanted.values()))
            return [f"{path}: row {number} ({name}): {', '.join(wrong)} is not what recordings and settings say"]
    if len(there) != len(made):
        return [f"{path}: it has {len(there)} rows, and {len(made)} follow from recordings and settings"]
    return []


def numbers_hold(folder: Path) -> list[Check]:
    """Every number of every metrics file, made again by SQL over the rebuilt tables in ``folder``. A check for each file."""
    from stages.recount.files import FILES  # noqa: PLC0415  duckdb takes longer to load than all before
    from stages.recount.opened import opened  # noqa: PLC0415  see above

    unknown = sorted({path.stem for path in METRICS.glob("*.json")} - FILES.keys())
    found = [Check(f"numbers of metrics/{name}.json", 0, [f"{METRICS}/{name}.json: nobody says how its numbers arise"]) for name in unknown]
    connection = opened(folder)
    try:
        return [numbers_of(connection, name) for name in FILES if name != "provenance"] + found
    finally:
        connection.close()


def numbers_of(connection: Any, name: str) -> Check:
    """One file's numbers: each that is made again, each that nobody makes, and each that is not there."""
    from stages.recount.files import FILES  # noqa: PLC0415  see numbers_hold
    from stages.recount.rules import agrees, matched, numbers_in, recounted  # noqa: PLC0415  see numbers_hold

    path, file = METRICS / f"{name}.json", FILES[name]
    check = Check(f"numbers of {path.as_posix()} counted again in SQL")
    try:
        there = numbers_in(handed(path, metrics), file)
    except BadRecord as refusal:
        check.failures.append(str(refusal))
        return check
    made = recounted(connection, file)
    for place, number in made.items():
        check.looked_at += 1
        if place not in there:
            check.failures.append(f"{path}: {place} is not there, counted {number}")
        elif not agrees(there[place], number):
            check.failures.append(f"{path}: {place} is {there[place]}, counted {number}")
    left = [place for place, value in there.items() if isinstance(value, int | float) and place not in made]
    held = [place for place in left if any(matched(pattern, place) is not None for pattern, _ in file.held)]
    check.failures += [f"{path}: {place} is {there[place]}, and no row or rule gives it" for place in left if place not in held]
    check.remark = f"{len(held)} fitted numbers are not made again: dvc.lock holds them" if held else ""
    return check


def metrics(path: Path) -> Any:
    """What a metrics file holds, checked."""
    tree = load_json(read_text(path))
    check_metrics(path.stem, tree)
    return tree


def all_results(study: InUse) -> list[Check]:
    """The checks of this file, in turn."""
    from stages.schema.tables import write_table  # noqa: PLC0415  see tables_stand

    with refusing(kind=BadRecord):
        tables = rebuilt(study)
    with tempfile.TemporaryDirectory(prefix="moot-verify-") as name:
        folder = Path(name)
        with refusing(kind=BadRecord):
            for table, rows in tables.items():
                write_table(table, rows, folder)
        several: tuple[Callable[[], list[Check]], ...] = (
            lambda: [tables_stand(tables, folder)],
            lambda: numbers_hold(folder),
            lambda: [published_digest(study, tables)],
        )
        return [check for one in several for check in _guarded(one)]


def _guarded(several: Callable[[], list[Check]]) -> list[Check]:
    """Checks, or their refusal as a failed one."""
    try:
        with refusing(kind=BadRecord):
            return several()
    except Refusal as refusal:
        return [Check("what was made of the recordings can be read", 1, [str(refusal)])]
