"""moot audit: walks from a number to the rows that enter it, from rows to the bytes that came over the wire, and back up again."""

import argparse
from pathlib import Path
from typing import Any

from stages.desk.in_use import InUse, load
from stages.desk.walk.elsewhere import elsewhere
from stages.desk.walk.named import check_order, known, requests, resolved, shown
from stages.runtime.errors import BadInput
from stages.runtime.paths import ANSWERS_RECORDING, VERDICTS_RECORDING
from stages.schema.calls import Row
from stages.schema.canonical import bytes_digest, digest
from stages.schema.names import nearest

EXAMPLE = """example:
  moot audit 'alder~birch.wins_1'      a number, as `dvc metrics show` names it: the rows that enter it, and those left out
  moot audit judge:a_share.share       a number of one file, here metrics/judge.json
  moot audit Q01:alder                 an answer: the attempt that is scored, with every number that changes without it
  moot audit Q01:alder:1               one attempt of several
  moot audit Q01:alder~birch           a verdict, by its pairing: sides, words, both answers, messages, settings, digests
  moot audit Q01:alder~birch@elm       a second judge's; with @turned at its end, that on the other order
  moot audit Q01:alder~birch --prompt  the exact bytes that were sent, proved by the request digest
  moot audit Q01                       a matter; alder: a contestant; Q01:identical:2: a control in its second order
  moot audit sha256:4be07c             whatever the beginning of a digest belongs to
  moot audit data/recordings/verdicts.jsonl:3"""

_WHOLE = 50_000_000  # bytes of recordings: below, the first row of a number is shown to its bytes at once; it takes about a second


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="WHAT", help="a number's path, an id or the beginning of one, sha256:…, or a file")
    parser.add_argument("--prompt", action="store_true", help="print the request's body, byte for byte, and nothing else")


def run(given: argparse.Namespace) -> Row:
    """What stands behind a word. Raises BadInput, with the nearest right one, for a word that names nothing."""
    wanted = given.what.removeprefix(f"{Path.cwd()}/").removeprefix("./")  # a file of this folder, however its path is written
    if given.prompt:
        return _prompt(load(), wanted)
    if found := _number(wanted):
        return found
    study = load()
    if wanted not in known(study) and (found := _numbers(wanted) or elsewhere(study, wanted)):
        return found
    check_order(wanted, _is_number)
    name = resolved(study, wanted)
    behind = shown(study, name)
    if behind["kind"] == "answer" and behind["replies"]:
        from stages.desk.walk.numbers import differences  # noqa: PLC0415  duckdb takes longer to load than all before

        matter, contestant = name.split(":")
        behind["changes_without_it"] = differences(matter, contestant)
    return behind


def _prompt(study: InUse, wanted: str) -> Row:
    """The exact bytes of a request, and how its digest is made of them."""
    name = resolved(study, wanted)
    request = requests(study).get(name)
    if request is None:
        raise BadInput(f"{name} is not something that was asked; {nearest(name, requests(study))}")
    return {"id": name, "request_sha256": request.sha256, "proof": proof(request), "prompt": request.body_bytes.decode("utf-8")}


def proof(request: Any) -> Row:
    """How the request digest is made of the bytes, so that anybody can do it again."""
    parts = ["request", 1, request.kind, request.subject, request.wire, request.route, request.server, bytes_digest(request.body_bytes)]
    return {"digest_of": parts, "sha256": digest(parts), "holds": digest(parts) == request.sha256}


def _number(wanted: str) -> Row | None:
    """A number by its path; None for what is none."""
    from stages.desk.walk.numbers import explained, place_of, published, tables  # noqa: PLC0415  see run

    there = published()
    place = place_of(wanted, there)
    if place is None:
        return None
    with tables() as connection:
        found = explained(connection, place, there[place.file][place.path])
    first = next(iter(found.get("enter", {})), None)
    return {**found, **({"first": _first(first)} if first else {})}


def _is_number(wanted: str) -> bool:
    """Whether a word names a number, or all numbers under a path."""
    from stages.desk.walk.numbers import place_of, published, under  # noqa: PLC0415  see run

    there = published()
    return bool(place_of(wanted, there) or under(wanted, there))


def _numbers(wanted: str) -> Row | None:
    """All numbers under a file of metrics or under a path; None for what is neither."""
    from stages.desk.walk.numbers import published, under  # noqa: PLC0415  see run

    below = under(wanted, published())
    return {"numbers_under": wanted, "numbers": below} if below else None


def _first(row_id: str) -> Row:
    """The first row that enters a number, to its bytes; for a large record the command that shows it."""
    size = sum(path.stat().st_size for path in (ANSWERS_RECORDING, VERDICTS_RECORDING) if path.exists())
    if size > _WHOLE:
        return {"shown_by": f"moot audit {row_id}"}
    study = load()
    return shown(study, row_id) if row_id in requests(study) else {"shown_by": f"moot audit {row_id}"}


def told(result: Row) -> str:
    """What the command prints; with --prompt the bytes alone."""
    if "prompt" in result:
        return str(result["prompt"])
    return "\n".join(_lines(result, 0)) + "\n"


def _lines(value: Any, depth: int) -> list[str]:
    """A tree in indented lines. Text of models stands behind a bar, and no control character of it reaches the terminal."""
    found: list[str] = []
    pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    for key, inner in pairs:
        front = "  " * depth + str(key)
        if isinstance(inner, dict | list) and inner:
            found += [front, *_lines(inner, depth + 1)]
        elif isinstance(inner, str) and "\n" in inner:
            found += [front, *("  " * depth + "  | " + _harmless(line) for line in inner.split("\n"))]
        else:
            found.append(f"{front:<{max(26, len(front) + 1)}} {_word(inner)}")
    return found


def _word(value: Any) -> str:
    if value is None or value in ({}, []):
        return "-"
    return str(value).lower() if isinstance(value, bool) else _harmless(str(value))


def _harmless(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\t" else f"\\u{ord(char):04x}" for char in text)
