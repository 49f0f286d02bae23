"""A request and the recorded call that answered it: row format 1.

A row holds digests of its parts (matter, answers, instrument, settings) and the body as received. Example, shortened:
    {"attempt":1,"body":"{…}","contestant":"qwen-500m","format":1,"kind":"answer","matter_id":"Q01","request_sha256":"…",…}
"""

import base64
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from stages.schema.canonical import bytes_digest, compact, digest

FORMAT = 1
Row = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One thing to ask for. Its digest covers everything that decides the reply and nothing that does not.

    subject: what the reply is for (contestant, matter and attempt, or judge, presentation and repeat), so two requests with
    the same words stay two calls. parts: digests that the row carries for the reader. server: how a local server runs, or None.
    """

    kind: Literal["answer", "verdict", "control"]
    subject: dict[str, str | int]
    parts: dict[str, str]
    wire: str
    route: str
    model: str
    server: dict[str, Any] | None
    body: dict[str, Any]

    @property
    def body_bytes(self) -> bytes:
        """What goes over the wire, byte for byte."""
        return compact(self.body).encode("utf-8")

    @cached_property
    def settings_sha256(self) -> str:
        """Digest of all that decides the reply except the messages and the subject."""
        rest = {key: value for key, value in self.body.items() if key != "messages"}
        return digest(["settings", self.wire, self.route, self.server, compact(rest)])

    @cached_property
    def sha256(self) -> str:
        body = bytes_digest(self.body_bytes)
        return digest(["request", FORMAT, self.kind, self.subject, self.wire, self.route, self.server, body])

    @property
    def stated(self) -> dict[str, str | int]:
        """What the row of its reply says of the request, key by key."""
        own = {"kind": self.kind, "wire": self.wire, "route": self.route, "model": self.model, "settings_sha256": self.settings_sha256}
        return {**own, **self.subject, **self.parts}

    def differences(self, row: Row) -> list[str]:
        """The keys in which a recorded row states something else than this request."""
        return [key for key, value in self.stated.items() if row.get(key) != value]

    @property
    def asked(self) -> str:
        """Whom it is for: a contestant's or a judge's name."""
        return str(self.subject["contestant" if self.kind == "answer" else "judge"])

    @property
    def name(self) -> str:
        """How messages call it, such as ``answer of qwen-500m to Q01``."""
        if self.kind == "answer":
            return f"answer of {self.asked} to {self.subject['matter_id']} (attempt {self.subject['attempt']})"
        return f"{self.kind} of {self.asked} on {self.subject['matter_id']}, presentation {str(self.subject['presentation_id'])[:12]}"


@dataclass(frozen=True)
class Exchange:
    """One HTTP exchange that delivered something, whatever it was. tries: the earlier ones that delivered nothing, as ``try_row``."""

    http_status: int
    body: bytes
    started_at: str
    elapsed_ms: int
    tries: tuple[Row, ...] = ()


def seal(row: Row) -> Row:
    """The row with a digest over its own content."""
    return {**row, "row_sha256": digest(row)}


def _body_fields(body: bytes) -> Row:
    """A body as a row holds it: as text where it is UTF-8, else in base64."""
    try:
        return {"body": body.decode("utf-8"), "body_encoding": "utf-8"}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(body).decode("ascii"), "body_encoding": "base64"}


def try_row(outcome: str, started_at: str, elapsed_ms: int, http_status: int = 0, body: bytes = b"") -> Row:
    """One exchange that delivered nothing: what became of it, in one line. It stands in ``tries`` of the call that delivers.

    body: what came under ``http_status`` and cannot be read; it may have been paid for, and so is kept as received (``body_of``).
    Most failures bring nothing, and their rows lack these keys, as all did when format 1 began.
    """
    came = {"http_status": http_status, **_body_fields(body)} if body else {}
    return {"started_at": started_at, "elapsed_ms": elapsed_ms, "outcome": outcome, **came}


def call_row(request: Request, exchange: Exchange) -> Row:
    """The sealed row of one call."""
    return seal(
        {
            "format": FORMAT,
            "kind": request.kind,
            **request.subject,
            **request.parts,
            "settings_sha256": request.settings_sha256,
            "request_sha256": request.sha256,
            "response_sha256": bytes_digest(exchange.body),
            "wire": request.wire,
            "route": request.route,
            "model": request.model,
            "http_status": exchange.http_status,
            **_body_fields(exchange.body),
            "started_at": exchange.started_at,
            "elapsed_ms": exchange.elapsed_ms,
            "tries": list(exchange.tries),
        }
    )


def body_of(row: Row) -> bytes:
    """The body of a call row, or of a try that holds one, as it was received."""
    body: str = row["body"]
    return base64.b64decode(body, validate=True) if row["body_encoding"] == "base64" else body.encode("utf-8")


def check_row(row: Row) -> None:
    """Raise ValueError unless the row's digests are those of its content."""
    content = {key: value for key, value in row.items() if key != "row_sha256"}
    if row.get("format") != FORMAT:
        raise ValueError(f"row format {row.get('format')!r} is not {FORMAT}")
    try:
        found = digest(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if row.get("row_sha256") != found:
        raise ValueError("row_sha256 does not match the row's content: the row was changed after it was recorded")
    if "body" not in row:
        return
    for key in ("body", "body_encoding"):
        if not isinstance(row.get(key), str):
            raise ValueError(f"{key} is not text")
    if bytes_digest(body_of(row)) != row.get("response_sha256"):
        raise ValueError("response_sha256 does not match the body")
