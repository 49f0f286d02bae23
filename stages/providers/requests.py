"""The requests that a study makes: what is asked of a contestant for an answer, and of a judge for a verdict."""

from dataclasses import dataclass
from typing import Any, Literal

from stages.providers.openai import WIRE, chat_body
from stages.schema.calls import Request
from stages.schema.canonical import text_digest
from stages.schema.matter import Matter
from stages.schema.rows import Presentation
from stages.schema.settings import HostedModel, LocalModel

Model = LocalModel | HostedModel
Messages = list[dict[str, str]]


def _request(kind: Any, model: Model, subject: dict[str, str | int], parts: dict[str, str], body: dict[str, Any]) -> Request:
    server = model.server.model_dump(mode="json") if isinstance(model, LocalModel) else None
    return Request(kind, subject, parts, WIRE, model.route, model.model, server, body)


def answer_request(contestant: str, model: Model, matter: Matter, attempt: int = 1) -> Request:
    """One answer: a fresh single-turn context, the contestant's system prompt and the matter, no tools."""
    messages = [{"role": "system", "content": model.system}] if model.system else []
    messages.append({"role": "user", "content": matter.brief})
    subject: dict[str, str | int] = {"contestant": contestant, "matter_id": matter.matter_id, "attempt": attempt}
    return _request("answer", model, subject, {"matter_sha256": matter.matter_sha256}, chat_body(model, messages, None))


@dataclass(frozen=True)
class Question:
    """What an instrument makes of one presentation: its digest, the messages, the schema of the reply."""

    instrument_sha256: str
    messages: Messages
    reply_schema: dict[str, Any]


def verdict_request(
    judge: str,
    model: Model,
    matter: Matter,
    shown: Presentation,
    asked: Question,
    attempt: int = 1,
    kind: Literal["verdict", "control"] = "verdict",
) -> Request:
    """One verdict on one presentation. The presentation's id is part of the subject: the same words twice are two calls.

    A control is asked for in the very same words; only its kind, and so its digest, sets it apart.
    """
    subject: dict[str, str | int] = {
        "judge": judge, "matter_id": shown.matter_id, "presentation_id": shown.presentation_id, "attempt": attempt,
        "instrument_sha256": asked.instrument_sha256,
    }  # fmt: skip
    parts = {
        "matter_sha256": matter.matter_sha256,
        "answer_a_sha256": text_digest(shown.answer_a),
        "answer_b_sha256": text_digest(shown.answer_b),
    }
    return _request(kind, model, subject, parts, chat_body(model, asked.messages, asked.reply_schema))
