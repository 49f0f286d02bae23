"""From a number of metrics/ to the rows that enter it, and to the rows that are left out, each with its reason."""

import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.recount.files import FILES
from stages.recount.opened import Connection, opened, rows, touched
from stages.recount.rules import File, Formula, Rule, agrees, all_leaves, concluded, counted, filled, matched, numbers_in, recounted, split
from stages.runtime.errors import BadInput, BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import METRICS, TABLES
from stages.schema.calls import Row
from stages.schema.jsonl import load_json
from stages.schema.names import nearest
from stages.schema.plain_files import read_text

SHOWN = 1_000  # rows of a list: more is a table, and `moot sql` shows tables


@dataclass(frozen=True)
class Place:
    """A metrics file by its name, and a path in it."""

    file: str
    path: str

    def __str__(self) -> str:
        return f"{METRICS}/{self.file}.json:{self.path}"


def published() -> dict[str, dict[str, Any]]:
    """Every metrics file that is there: its leaves by path."""
    return {path.stem: all_leaves(handed(path, lambda path: load_json(read_text(path)))) for path in sorted(METRICS.glob("*.json"))}


def place_of(wanted: str, there: dict[str, dict[str, Any]]) -> Place | None:
    """The leaf that ``[file:]path`` names, as ``dvc metrics show`` writes it; None for what is no path.

    Raises BadInput for a path that stands in two files.
    """
    file, _, path = wanted.partition(":")
    stem = file.removeprefix(f"{METRICS}/").removesuffix(".json")
    if path and path in there.get(stem, {}):
        return Place(stem, path)
    stem, _, path = wanted.partition(".")
    if path and path in there.get(stem, {}):
        return Place(stem, path)
    found = [Place(name, wanted) for name, leaves in there.items() if wanted in leaves]
    if len(found) > 1:
        raise BadInput(f"{wanted!r} stands in more than one file: {', '.join(map(str, found))}")
    return found[0] if found else None


def under(wanted: str, there: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Every leaf below a file or a path, by its place; none for what is neither."""
    file, _, path = wanted.partition(":")
    stem = file.removeprefix(f"{METRICS}/").removesuffix(".json")
    if stem in there:
        return {f"{stem}:{leaf}": value for leaf, value in there[stem].items() if not path or leaf.startswith(f"{path}.")}
    leaves = [(f"{name}:{leaf}", f"{name}.{leaf}", leaf, value) for name, found in there.items() for leaf, value in found.items()]
    return {place: value for place, dotted, leaf, value in leaves if leaf.startswith(f"{wanted}.") or dotted.startswith(f"{wanted}.")}


@contextmanager
def tables(without: tuple[str, str] | None = None) -> Iterator[Connection]:
    """The published tables in DuckDB; rebuilt for as long as this lasts where ``data/tables`` is not there."""
    with tempfile.TemporaryDirectory(prefix="moot-audit-") as folder:
        if not TABLES.exists():
            _rebuild(Path(folder))
        with refusing(kind=BadRecord):
            connection = opened(TABLES if TABLES.exists() else Path(folder), without)
            try:
                yield connection
            finally:
                connection.close()


def _rebuild(folder: Path) -> None:
    from stages.desk.in_use import load  # noqa: PLC0415  a number needs none of the settings where the tables are there
    from stages.desk.rebuilt import rebuilt  # noqa: PLC0415  see above
    from stages.schema.tables import write_table  # noqa: PLC0415  see above

    study = load()
    with refusing(kind=BadRecord):
        for name, found in rebuilt(study).items():
            write_table(name, found, folder)


def explained(connection: Connection, place: Place, value: Any) -> Row:
    """One number: how it arises, what is counted now, and the rows. Raises BadInput for a file that no rule is about."""
    own: Row = {"number": str(place), "published": value}
    if place.file not in FILES:
        raise BadInput(f"{place}: nobody says how the numbers of this file arise; {nearest(place.file, FILES)}")
    file = FILES[place.file]
    for rule in sorted(file.rules, key=lambda rule: rule.path.count("*")):  # a name in full goes before a star
        if (names := matched(rule.path, place.path)) is not None:
            return {**own, **_counted(connection, rule, names, value)}
    held = _held(place)
    if isinstance(value, int | float) and not held and (formula := _follows(place)):
        return {**own, **_followed(connection, place, *formula, value)}
    if file.spoken and (said := file.spoken({place.path: value})):
        return {**own, "how": "a sentence; its counts are made again", "counts": _spoken(connection, place, said)}
    return {**own, "how": held or _words_of(place)}


def _spoken(connection: Connection, place: Place, said: Mapping[str, int]) -> Row:
    """The counts in a sentence, each with its rows. What several sentences share is compared as their sum."""
    file, found = FILES[place.file], {}
    whole = numbers_in(handed(METRICS / f"{place.file}.json", lambda path: load_json(read_text(path))), file)
    for path in said:
        for rule in file.rules:
            if (names := matched(rule.path, path)) is not None:
                found[path] = {"published": whole[path], **_counted(connection, rule, names, whole[path])}
    return found


def _held(place: Place) -> str | None:
    """Why a number is not made again here; None for one that is."""
    for pattern, why in FILES[place.file].held:
        if matched(pattern, place.path) is not None:
            return why
    return None


def _words_of(place: Place) -> str:
    """What to say of a leaf that is no number."""
    if place.file == "provenance":
        return "a digest over rows; `moot verify` makes it again from the recordings and settings"
    last = split(place.path)[-1]
    return (
        f"words about {last}; `moot audit {last}` shows what it rests on"
        if ":" in last
        else "words, not a number; dvc.lock holds the bytes of this file"
    )


def _follows(place: Place) -> tuple[Formula, tuple[str, ...]] | None:
    """The formula that a number follows from, with the names in the places of its stars."""
    parts = split(place.path)
    for formula in sorted(FILES[place.file].formulas, key=lambda formula: -len(split(formula.under))):
        names = matched(formula.under, ".".join(parts[: len(split(formula.under))]))
        if names is not None:
            return formula, names
    return None


def _condition(rule: Rule, names: tuple[str, ...]) -> tuple[str, list[Any]]:
    """The rows that a number is about: those under its names."""
    keys = "".join(f" and {key} = ?" for key in rule.keys)
    return f"row_id is not null and ({rule.among}){keys}", list(names)


def _counted(connection: Connection, rule: Rule, names: tuple[str, ...], value: Any) -> Row:
    about, values = _condition(rule, names)
    query = f"select row_id, why, coalesce({rule.enters}, false) from {rule.view} where {about} order by 1 limit {SHOWN}"
    every = f"select count(*), count(*) filter (where {rule.enters}) from {rule.view} where {about}"
    found, (among, entered) = rows(connection, query, values), rows(connection, every, values)[0]
    made = rows(connection, f"select {rule.value} from {rule.view} where {about} and ({rule.enters})", values)[0][0]
    entering = [str(row[0]) for row in found if row[2]]
    return {
        "counted": _plain(made), "agrees": agrees(value, _plain(made)),
        "how": f"{rule.value} over {rule.view} where {rule.enters}" + ("" if rule.among == "true" else f", among those with {rule.among}"),
        "rows": {"among": among, "enter": entered, "left_out": among - entered, "shown": len(found)},
        "enter": _described(connection, entering), "left_out": {str(row[0]): str(row[1]) for row in found if not row[2]},
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | float | int) else 0 if value is None else float(value) if "." in str(value) else int(value)


def _described(connection: Connection, ids: list[str]) -> dict[str, Row]:
    """The rows by id; a verdict with its stored sides, the judge's word and the digests of what went out and came back."""
    columns = ("answer_a_was", "answer_b_was", "verdict", "winner", "rationale", "request_sha256", "response_sha256")
    query = f"select pairing_id, {', '.join(columns)} from verdicts where pairing_id in (select unnest(?::varchar[]))"
    known = {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows(connection, query, [ids])} if ids else {}
    return {each: known.get(each, {}) for each in ids}


def _followed(connection: Connection, place: Place, formula: Formula, names: tuple[str, ...], value: Any) -> Row:
    """A number that follows from counts: these, each with its own rows."""
    file = FILES[place.file]
    made = recounted(connection, file).get(place.path)
    own = [filled(path, names) for path in formula.of]
    counts = counted(connection, file.rules)
    below: Row = {}
    for path in own:
        for rule in file.rules:
            if (found := matched(rule.path, path)) is not None:
                below[path] = {
                    "counted": counts.get(path),
                    **{k: v for k, v in _counted(connection, rule, found, 0).items() if k in ("how", "rows", "enter")},
                }
    return {"counted": made, "agrees": made is not None and agrees(value, made), "how": formula.words, "from": below}


def differences(matter: str, contestant: str) -> dict[str, Row]:
    """Every number that changes when one answer is left out, with all that rests on it: as counted with it, and without."""
    with tables() as whole, tables((matter, contestant)) as rest, ThreadPoolExecutor(1) as beside:
        counts = beside.submit(lambda: {name: counted(rest, _touched(file)) for name, file in FILES.items()})
        before = {name: counted(whole, _touched(file)) for name, file in FILES.items()}
        after = counts.result()
        moved = [name for name in FILES if before[name] != after[name]]
        fixed = {name: counted(whole, [rule for rule in FILES[name].rules if not touched(rule.view)]) for name in moved}
    found: dict[str, Row] = {}
    for name in moved:
        one, other = (concluded(FILES[name], {**fixed[name], **own[name]}) for own in (before, after))
        for path in sorted(one.keys() | other.keys()):
            if one.get(path) != other.get(path):
                found[f"{name}.{path}"] = {"with": _short(one.get(path)), "without": _short(other.get(path))}
    return found


def _touched(file: File) -> list[Rule]:
    """The rules whose rows may be others without an answer."""
    return [rule for rule in file.rules if touched(rule.view)]


def _short(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
