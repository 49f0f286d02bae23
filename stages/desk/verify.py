"""moot verify: recomputes from recordings, settings and matters what the record claims, and names the place of whatever fails."""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages.desk.in_use import InUse, load
from stages.desk.second_count import orders_of
from stages.instrument.reader import read
from stages.providers.openai import read_reply
from stages.providers.reading import recorded_reply
from stages.runtime.errors import Refusal, VerifyFailed, words_of
from stages.runtime.handing import handed
from stages.runtime.paths import (
    AGREEMENT,
    ANSWERS_RECORDING,
    ASSIGNMENTS_RECORDING,
    PAIRS,
    PROVENANCE,
    QUALIFICATION_RECORDING,
    READINGS_RECORDING,
    TABLES,
    VERDICTS_RECORDING,
)
from stages.schema.calls import Request, Row
from stages.schema.canonical import canonical, digest, text_digest
from stages.schema.jsonl import load_json, read_rows
from stages.schema.metrics import check_metrics
from stages.schema.names import pair_name, pairs, verdict_id
from stages.schema.plain_files import read_text
from stages.schema.recorded import kind_in, row_name
from stages.schema.rows import rederivable
from stages.store.recordings import check_line

EXAMPLE = """example:
  moot verify

Nothing is bought and no network is touched. The exit code is 0 when every check holds, and 9 when one fails."""

_NO_TABLES = "data/tables is not there; `uv run dvc repro` makes it"
_RECORDINGS = (ANSWERS_RECORDING, ASSIGNMENTS_RECORDING, VERDICTS_RECORDING, READINGS_RECORDING, QUALIFICATION_RECORDING)


@dataclass
class Check:
    """One check: how many things it looked at, and a sentence for each that fails."""

    name: str
    looked_at: int = 0
    failures: list[str] = field(default_factory=list)
    remark: str = ""

    def row(self) -> Row:
        return {"check": self.name, "looked_at": self.looked_at, "failures": self.failures, "remark": self.remark}


def arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def rows_stand(path: Path) -> Check:
    """Every row's digests, spelling, kind, keys and types, and that a reply is in it where one belongs."""
    check = Check(f"rows of {path.name} stand up to their digests and their form")
    try:
        rows = read_rows(path) if path.exists() or path.is_symlink() else []
        lines = path.read_bytes().split(b"\n") if rows else []
    except (ValueError, OSError) as error:
        check.failures.append(f"{path}: {words_of(error) if isinstance(error, OSError) else error}")
        return check
    for number, (row, line) in enumerate(zip(rows, lines, strict=False), start=1):
        check.looked_at += 1
        try:
            check_line(line, row, kind_in(path.name))
            if "body" in row:
                read_reply(row)
        except ValueError as error:
            check.failures.append(f"{path}: line {number} ({row_name(row)}): {error}")
    return check


def _matched(name: str, requests: dict[str, Request], recorded: dict[str, list[Row]]) -> Check:
    """Every planned request rebuilt and found; and no recorded row that claims to be one of them and is not."""
    check = Check(name)
    for label, request in requests.items():
        rows = recorded.get(request.sha256, [])
        check.looked_at += 1
        if not rows:
            check.failures.append(f"{label}: no recorded reply to its request {request.sha256[:12]} (moot explain-miss {label} says why)")
        for wrong in filter(None, map(request.differences, rows)):
            check.failures.append(f"{label}: its recorded row states another {', '.join(wrong)} than its request")
    used = {request.sha256 for request in requests.values()}
    check.remark = f"{sum(len(rows) for sha256, rows in recorded.items() if sha256 not in used)} rows not in use today"
    return check


def answers_match(study: InUse) -> Check:
    """Every answer's request, rebuilt from matter and settings."""
    requests = {f"{r.subject['matter_id']}:{r.subject['contestant']}": r for r in study.answer_requests}
    return _matched("requests of answers rebuilt from matters and settings", requests, study.answers)


def verdicts_match(study: InUse) -> Check:
    """Every verdict's request, rebuilt from the two answers, the stored sides and the instrument."""
    requests = {**study.verdict_requests, **study.second_requests}
    check = _matched("requests of verdicts rebuilt from answers, sides and instrument", requests, study.verdicts)
    absent = study.planned_pairings - len(study.verdict_requests)
    if absent:
        check.remark += f"; {absent} planned pairings have no presentation (missing)"
    return check


def controls_match(study: InUse) -> Check:
    """Every control's request, rebuilt from its texts, its matter and the instrument."""
    return _matched("requests of controls rebuilt from their texts and the instrument", study.control_requests, study.qualification)


def sides_stand(study: InUse) -> Check:
    """Every stored assignment in use, and how many the drawing rule does not give again (used all the same)."""
    odd = [pairing for pairing, assignment in study.assignments.items() if not rederivable(assignment)]
    check = Check("stored assignments name their two contestants", len(study.assignments), [], f"{len(odd)} not rederivable")
    if study.study.both_orders:
        check.looked_at += len(study.turned_assignments)
        absent = sorted(study.assignments.keys() - study.turned_assignments.keys())
        check.failures += [f"{ASSIGNMENTS_RECORDING}: {pairing} has no stored assignment of its other order" for pairing in absent]
    return check


def pin_holds(study: InUse) -> Check:
    """The study's instrument digest is that of the instrument in conf/."""
    pinned, used = study.study.instrument_sha256, study.instrument_sha256
    return Check("the study pins the instrument in use", 1, [] if pinned == used else [f"pinned {pinned}, in use {used}"])


def verdicts_read_again(study: InUse) -> Check:
    """Every verdict read again from the received body and compared with the published table."""
    check = Check("verdicts read again from their received bodies")
    if not TABLES.exists():
        check.remark = _NO_TABLES
        return check
    _read_again(check, study, TABLES / "verdicts.parquet", "pairing_id", study.verdict_requests)
    _read_again(check, study, TABLES / "second_verdicts.parquet", "verdict_id", study.second_requests)
    return check


def _read_again(check: Check, study: InUse, path: Path, key: str, requests: dict[str, Request]) -> None:
    """The rows of one table, named by ``key``, against the recorded replies to ``requests``, which are named by it too."""
    from stages.schema.tables import read_table  # noqa: PLC0415  pyarrow takes longer to load than all other checks

    table = {row[key]: row for row in handed(path, lambda path: read_table(path.stem, path.parent))}
    for name, request in requests.items():
        for row in study.verdicts.get(request.sha256, [])[:1]:
            check.looked_at += 1
            text = recorded_reply(row).text
            reading = read(study.instrument, text)
            published = table.pop(name, {})
            found = {"verdict": reading.verdict, "rationale": reading.rationale, "raw_text": text}
            found["response_sha256"] = row["response_sha256"]
            wrong = [key for key, value in found.items() if published.get(key) != value]
            if wrong:
                check.failures.append(f"{path}: {name}: {', '.join(wrong)} is not what the recorded body says")
    check.failures += [f"{path}: {name} stands there without a recorded verdict" for name in sorted(table)]


def tables_stand(study: InUse) -> Check:
    """Every table of data/tables can be read and says what metrics/provenance.json publishes by its digest."""
    from stages.schema.tables import SECOND, logical_digest, read_table  # noqa: PLC0415  see above
    from stages.schema.tables import TABLES as NAMES  # noqa: PLC0415  see above

    check = Check("tables are those whose digests are published")
    if not TABLES.exists():
        check.remark = _NO_TABLES
        return check
    published = handed(PROVENANCE, _metrics)["tables"]
    for name in NAMES:
        path = TABLES / f"{name}.parquet"
        check.looked_at += 1
        try:
            rows = handed(path, lambda path: read_table(path.stem, path.parent))
        except Refusal as refusal:
            check.failures.append(str(refusal))
            continue
        found = logical_digest(name, rows) if rows or name not in SECOND else None  # an empty table of these has none
        if found != published.get(name):
            check.failures.append(f"{path}: its digest is {found}, published in {PROVENANCE} is {published.get(name)}")
    return check


def record_digest(study: InUse) -> str:
    """The record digest of metrics/provenance.json, recomputed from sources and recordings: matters, settings, answers, sides, verdicts."""
    configs = {name: canonical(model.model_dump(mode="json")) for name, model in study.contestants.items()}
    answers = [row for request in study.answer_requests for row in study.answers.get(request.sha256, [])[:1]]
    verdicts = {pairing: row for pairing, r in study.verdict_requests.items() for row in study.verdicts.get(r.sha256, [])[:1]}
    read_as = {pairing: read(study.instrument, recorded_reply(row).text).verdict for pairing, row in verdicts.items()}
    parts: dict[str, str] = {
        "battery": _of([m.matter_id, m.published, m.matter_sha256] for m in study.battery.values()),
        "contestants": _of([name, text_digest(text)] for name, text in configs.items()),
        "answers": _of(
            [row["matter_id"], row["contestant"], row["attempt"], text_digest(recorded_reply(row).text), row["response_sha256"]]
            for row in answers
        ),
        "assignments": _of(
            [name, study.assignments[name].answer_a_was, study.assignments[name].answer_b_was] for name in study.presentations
        ),
        "verdicts": _of(
            [verdict_id(pairing, row["judge"]), row["presentation_id"], read_as[pairing], row["response_sha256"]]
            for pairing, row in verdicts.items()
        ),
    }
    return digest({**parts, "instrument": study.instrument_sha256} if verdicts else parts)


def _of(rows: Iterable[list[Any]]) -> str:
    return digest(sorted(rows))


def published_digest(study: InUse) -> Check:
    """The record digest recomputed, and the one that metrics/provenance.json publishes."""
    check = Check("the record digest is the published one", 1, remark=record_digest(study))
    published = handed(PROVENANCE, _metrics)["record"]
    if published != check.remark:
        check.failures.append(f"{PROVENANCE}: record is {published}, recomputed {check.remark}")
    return check


def pairs_counted_again(study: InUse) -> Check:
    """Every count of metrics/pairs.json, counted from the verdicts as read again and the stored sides."""
    check = Check("the counts of pairs are those of the recorded verdicts")
    words: dict[str, dict[str, int]] = {}
    for one, two in pairs(study.contestants):
        words[pair_name(one, two)] = dict.fromkeys(("wins_1", "wins_2", "ties", "both_inadequate", "unreadable"), 0)
    for pairing, request in study.verdict_requests.items():
        for row in study.verdicts.get(request.sha256, [])[:1]:
            sides = study.assignments[pairing]
            first = "A" if sides.answer_a_was == sides.contestant_1 else "B"
            verdict = read(study.instrument, recorded_reply(row).text).verdict
            column = {"tie": "ties", "both_inadequate": "both_inadequate", "unreadable": "unreadable"}
            words[pair_name(sides.contestant_1, sides.contestant_2)][column.get(verdict, "wins_1" if verdict == first else "wins_2")] += 1
    published = handed(PAIRS, _metrics)
    for name, counted in words.items():
        for column_name, count in counted.items():
            check.looked_at += 1
            if published.get(name, {}).get(column_name) != count:
                check.failures.append(f"{PAIRS}: {name}.{column_name} is {published.get(name, {}).get(column_name)}, counted {count}")
    return check


def orders_counted_again(study: InUse) -> Check:
    """Every count of both orders in metrics/agreement.json, counted from the verdicts as read again and the stored sides."""
    check = Check("the counts of both orders are those of the recorded verdicts")
    published = handed(AGREEMENT, _metrics).get("by_judge", {})
    for judge in study.judges if study.study.both_orders else ():
        said = published.get(judge, {}).get("orders", {})
        for name, count in orders_of(study, judge).items():
            check.looked_at += 1
            if said.get(name) != count:
                check.failures.append(f"{AGREEMENT}: by_judge.{judge}.orders.{name} is {said.get(name)}, counted {count}")
    return check


def _metrics(path: Path) -> Any:
    tree = load_json(read_text(path))
    check_metrics(path.stem, tree)
    return tree


def checks() -> Iterator[Check]:
    """Every check in turn. What cannot be loaded is a failure of its own, and ends them."""
    yield from (rows_stand(path) for path in _RECORDINGS)
    try:
        study = load()
    except Refusal as refusal:
        yield Check("settings, matters and recordings can be read", 1, [str(refusal)])
        return
    of_study: tuple[Callable[[InUse], Check], ...] = (
        pin_holds,
        sides_stand,
        answers_match,
        verdicts_match,
        controls_match,
        verdicts_read_again,
        tables_stand,
        pairs_counted_again,
        orders_counted_again,
        published_digest,
    )
    for check in of_study:
        try:
            yield check(study)
        except Refusal as refusal:
            yield Check(check.__name__.replace("_", " "), 1, [str(refusal)])


def run(given: argparse.Namespace) -> Row:
    """The table of checks. Raises VerifyFailed, with the table as notes, when one fails."""
    done = list(checks())
    failed = [check for check in done if check.failures]
    result = {"checks": [check.row() for check in done], "failed": len(failed)}
    if failed:
        error = VerifyFailed(f"{len(done)} checks, {len(failed)} failed")
        for check in failed:
            for failure in check.failures:
                error.add_note(f"{check.name}: {failure}")
        raise error
    result["record_sha256"] = done[-1].remark
    return result


def told(result: Row) -> str:
    """What the command prints."""
    lines = [f"{check['looked_at']:>6}  {check['check']}{'; ' + check['remark'] if check['remark'] else ''}" for check in result["checks"]]
    return "\n".join([*lines, f"{len(lines)} checks, {result['failed']} failed", f"record {result['record_sha256']}", ""])
