"""What is fuzzed: every reader of foreign bytes. Each takes bytes and may raise ValueError (one sentence) and nothing else."""

from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from stages.instrument.reader import read
from stages.providers.openai import classify, read_reply
from stages.runtime.compose import choices_file, composed, values_in
from stages.runtime.errors import BadRecord
from stages.schema.calls import Exchange, Request, call_row
from stages.schema.canonical import canonical
from stages.schema.controls import ControlVerdict
from stages.schema.jsonl import load_json
from stages.schema.matter import matter_from_row, parse_matter
from stages.schema.metrics import FILES, check_metrics
from stages.schema.orders import AnswerOrder, RerunOrder, VerdictOrder, orders_in
from stages.schema.rows import Assignment, Attempt, Pairing, Presentation, Verdict
from stages.schema.settings import GROUPS, settings
from stages.schema.tables import read_table, write_table
from stages.store.recordings import Recording

INSTRUMENT = settings(
    "instrument", yaml.safe_load((Path(__file__).parents[2] / "conf/instrument/material_outcome.yaml").read_text("utf-8"))
)
REQUEST = Request("answer", {"contestant": "alder", "matter_id": "Q01", "attempt": 1}, {}, "openai-chat", "r", "m", None, {})


def matter(data: bytes) -> None:
    parse_matter(data.decode("utf-8", errors="replace"), "fuzzed.md")


def json_text(data: bytes) -> None:
    load_json(data.decode("utf-8", errors="replace"))


def verdict(data: bytes) -> None:
    reading = read(INSTRUMENT, data.decode("utf-8", errors="replace"))
    assert (reading.verdict == "unreadable") == (reading.unreadable_because is not None)


def reply(data: bytes) -> None:
    status = 200 if len(data) % 2 else 400
    classify(status, {}, data)
    read_reply(call_row(REQUEST, Exchange(status, data, "2026-11-30T08:15:11.123Z", 1)))


def recording(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "recording.jsonl"
        path.write_bytes(data)
        try:
            Recording(path).load()
        except BadRecord as refusal:
            raise ValueError(str(refusal)) from None


def configuration(data: bytes) -> None:
    groups = sorted(GROUPS)
    group = groups[len(data) % len(groups)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / group / "fuzzed.yaml"
        path.parent.mkdir()
        path.write_bytes(data)
        values = choices_file(path) if group == "choices" else composed(group, "fuzzed", Path(folder))
        assert values == values_in(data.decode("utf-8")), "what Hydra composes is what stands in the file"
        settings(group, values)


HANDED = (matter_from_row, *(kind.from_row for kind in (Attempt, Pairing, Assignment, Presentation, Verdict, ControlVerdict)))


def handed_row(data: bytes) -> None:
    row = load_json(data.decode("utf-8", errors="replace"))
    if isinstance(row, dict):
        HANDED[len(data) % len(HANDED)](row)


def order(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "fuzzed.json").write_bytes(data)
        orders_in(Path(folder), (AnswerOrder, RerunOrder, VerdictOrder)[len(data) % 3])


def table(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "orders.parquet").write_bytes(data)
        try:
            read_table("orders", Path(folder))
        except OSError as error:
            raise ValueError(str(error)) from None


def metric(data: bytes) -> None:
    tree = load_json(data.decode("utf-8", errors="replace"))
    names = sorted(FILES)
    check_metrics(names[len(data) % len(names)], tree)


READERS = (matter, json_text, verdict, reply, recording, configuration, handed_row, order, table, metric)
TARGETS = {target.__name__: target for target in READERS}
ORDER = AnswerOrder("abandon", "withdrawn", "A. Author", "2026-11-30T08:15:11.000Z", "alder", "Q03")


def _table() -> bytes:
    with TemporaryDirectory() as folder:
        own = {"order_sha256": "0" * 64, "order": "abandon", "ordered_by": "A", "source_path": "data/orders/answers/Q03-alder.json"}
        kept = {key: ORDER.row()[key] for key in ("matter_id", "contestant", "reason", "ordered_at")}
        return write_table("orders", [{**own, **kept, "attempt": None, "pairing_id": None}], Path(folder)).read_bytes()


SEEDS = {
    "matter": [path.read_bytes() for path in sorted((Path(__file__).parents[2] / "data/matters").glob("Q0[12].md"))],
    "json_text": [b'{"a":[1,2.5e3,"x\\u2028",null,true]}'],
    "verdict": [b'```json\n{"material_difference":true,"rationale":"r","rejected_points":[],"verdict":"A"}\n```', b"<think>x</think>{}"],
    "reply": [
        b'{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"cost":0.1}}',
        b'{"error":{"code":429,"message":"m"}}',
    ],
    "recording": [b'{"body":"{}","body_encoding":"utf-8","format":1,"kind":"answer","row_sha256":"0"}\n'],
    "handed_row": [
        canonical(Assignment("Q01", "a", "b", "b", "a", 0, "coin-1", 7).row()).encode(),
        canonical(Presentation("0" * 64, "Q01", "One.", "Two.").row()).encode(),
        canonical(Pairing("Q01:a~b", "Q01", "a", "b").row()).encode(),
    ],
    "order": [canonical(ORDER.row()).encode() + b"\n"],
    "table": [_table()],
    "metric": [path.read_bytes() for path in sorted((Path(__file__).parents[2] / "metrics").glob("*.json"))],
    "configuration": [path.read_bytes() for path in sorted((Path(__file__).parents[2] / "conf").rglob("*.yaml"))],
}


def survive(name: str, data: bytes) -> None:
    """Run one target. Anything but ValueError is a defect, and comes through."""
    try:
        TARGETS[name](data)
    except ValueError as refusal:
        assert str(refusal).strip(), "a refusal without a sentence"
