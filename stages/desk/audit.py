"""moot audit: walks from an id to the bytes that it rests on: the stored sides, the exact request, the recorded reply."""

import argparse

from stages.desk.in_use import InUse, load
from stages.instrument.reader import read
from stages.providers.reading import recorded_reply
from stages.runtime.errors import BadInput
from stages.schema.calls import Request, Row
from stages.schema.names import nearest

EXAMPLE = """example:
  moot audit Q01:alder                 an answer
  moot audit Q01:alder~birch           a verdict, by its pairing
  moot audit Q01:alder~birch@elm       a second judge's; with @turned at its end, that on the other order
  moot audit Q01:alder~birch --prompt  the exact bytes that were sent, proved by the request digest
  moot audit 4be07c                    the same by the beginning of a request digest"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="an answer, a pairing, or the beginning of a request digest")
    parser.add_argument("--prompt", action="store_true", help="print the request's body, byte for byte, and nothing else")


def found(study: InUse, wanted: str) -> tuple[str, Request]:
    """The label and the request that ``wanted`` names. Raises BadInput with the nearest right id."""
    known = {f"{r.subject['matter_id']}:{r.subject['contestant']}": r for r in study.answer_requests}
    known |= {**study.verdict_requests, **study.second_requests}
    if wanted in known:
        return wanted, known[wanted]
    by_digest = [(label, r) for label, r in known.items() if len(wanted) >= 4 and r.sha256.startswith(wanted.removeprefix("sha256:"))]
    if len(by_digest) == 1:
        return by_digest[0]
    raise BadInput(f"{wanted!r} is {'more than one id' if by_digest else 'no id of this record'}; {nearest(wanted, known)}")


def run(given: argparse.Namespace) -> Row:
    """What stands behind an id."""
    study = load()
    label, request = found(study, given.id)
    if given.prompt:
        return {"id": label, "request_sha256": request.sha256, "prompt": request.body_bytes.decode("utf-8")}
    recorded = (study.answers if request.kind == "answer" else study.verdicts).get(request.sha256, [])
    pairing, _, order = label.partition("@")
    sides = (study.turned_assignments if order.endswith("@turned") else study.assignments).get(pairing)
    stored = {key: value for key, value in sides.row().items() if key in ("answer_a_was", "answer_b_was", "rule", "seed")} if sides else {}
    return {
        "id": label,
        "kind": request.kind,
        "request_sha256": request.sha256,
        **request.subject,
        **request.parts,
        **stored,
        **(_said(study, recorded[0]) if recorded else {}),
        "route": request.route,
        "model": request.model,
        "settings_sha256": request.settings_sha256,
        "replies": [{key: row[key] for key in ("response_sha256", "row_sha256", "started_at", "http_status", "body")} for row in recorded],
    }


def _said(study: InUse, row: Row) -> Row:
    """What the reply that counts says: the answer's status and text, or the verdict with its reasons."""
    reply = recorded_reply(row)
    if row["kind"] == "answer":
        return {"status": reply.status, "text": reply.text}
    reading = read(study.instrument, reply.text)
    return {"verdict": reading.verdict, "unreadable_because": reading.unreadable_because, "rationale": reading.rationale}


def told(result: Row) -> str:
    """What the command prints; with --prompt the bytes alone."""
    if "prompt" in result:
        return str(result["prompt"])
    lines = [f"{key:24} {value}" for key, value in result.items() if key != "replies"]
    for reply in result["replies"]:
        lines += [f"reply {key:18} {value}" for key, value in reply.items()]
    return "\n".join([*lines, "" if result["replies"] else "no reply is recorded\n"])
