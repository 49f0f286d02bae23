"""The wire "openai-chat": chat completions, of any endpoint that speaks them. Pure: bytes in, values out.

One function (`_delivery`) decides whether a body is a delivery; `classify` asks it when the body arrives and `read_reply` when the
recorded row is read, so the two can never disagree. An error text can never become an answer: it is not where a message stands.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

from stages.schema.calls import Row, body_of
from stages.schema.jsonl import load_json
from stages.schema.rows import Status
from stages.schema.settings import HostedModel, LocalModel

WIRE = "openai-chat"
WORDS_MAX = 300  # a provider's own words in a message: enough for a sentence, too little for a page

# Lower case. OpenRouter passes the maker's own word on as native_finish_reason; most of these are Google's.
_FILTERED = {"content_filter", "safety", "prohibited_content", "recitation", "blocklist", "spii", "model_armor", "content_filtered"}
_CUT = {"length", "max_tokens", "model_length"}
# No tools are offered, so a model that ends by calling one has ended its answer all the same.
_ENDED = {"stop", "eos", "end_turn", "stop_sequence", "tool_calls", "function_call"}
# A moderation's refusal of the request, as OpenAI, Azure, OpenRouter and Alibaba spell it.
_MODERATED = {"content_policy_violation", "content_filter", "responsibleaipolicyviolation", "moderation_blocked", "data_inspection_failed"}
_NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached"}  # sent as 429, but no waiting will fill the account
_AGAIN = {408, 409, 425, 429}
_YEAR_S = 366 * 24 * 3600.0  # a longer Retry-After means "never", and dates end somewhere
_SURROGATE = re.compile("[\ud800-\udfff]")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_TOKENS_MAX = 2**53  # beyond it a reader of JSON may round


@dataclass(frozen=True)
class Reply:
    """What one delivery says. ``text`` is exactly as delivered; costs in US dollars.

    provider_code: the error code of a blocked request, else the maker's own finish reason where the endpoint tells it.
    """

    status: Status
    finish_reason: str | None
    text: str
    reasoning: str | None
    served_model: str | None
    served_by: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    provider_code: str | None


@dataclass(frozen=True)
class Delivered:
    """The exchange delivered something, whatever it was."""

    status: Status


@dataclass(frozen=True)
class Again:
    """Nothing was delivered, and another try may. after_s: seconds the provider wants to be left alone, if it says."""

    reason: str
    after_s: float | None = None


@dataclass(frozen=True)
class Spoiled(Again):
    """Something came under a success status, and no answer can be read in it. It may have been paid for."""


@dataclass(frozen=True)
class No:
    """Nothing was delivered, and no other try of the same request will."""

    reason: str


def chat_body(model: LocalModel | HostedModel, messages: list[dict[str, Any]], response_schema: dict[str, Any] | None) -> dict[str, Any]:
    """The JSON body that asks ``model``, keys in a fixed order because the order of what is sent is part of the request's digest."""
    decoding = model.decoding
    shaping = {
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": decoding.seed,
        "reasoning_effort": decoding.reasoning_effort,
        decoding.limit_key: decoding.max_tokens,
    }
    body: dict[str, Any] = {"model": model.model, "messages": list(messages)}
    body |= {key: value for key, value in shaping.items() if value is not None}
    if response_schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": response_schema}}
    if isinstance(model, HostedModel) and model.routing is not None:
        body["provider"] = {"only": list(model.routing.only), "allow_fallbacks": model.routing.allow_fallbacks}
        body["usage"] = {"include": True}  # OpenRouter tells the cost only when asked
    if isinstance(model, LocalModel):
        body["cache_prompt"] = False  # with it, replies depend on what was asked before
    body["stream"] = False
    return body


def read_reply(row: Row) -> Reply:
    """Read a recorded call. Raises ValueError for a row of another wire, and for one that holds no delivery."""
    if row.get("wire") != WIRE:
        raise ValueError(f"wire {row.get('wire')!r} is not {WIRE!r}")
    return _recorded(row["http_status"], row["body"], row["body_encoding"])


@lru_cache(maxsize=4_096)  # of a study's replies each is read by several stages or checks in turn; the bodies are in memory as rows
def _recorded(http_status: int, body: str, body_encoding: str) -> Reply:
    return _delivery(http_status, body_of({"body": body, "body_encoding": body_encoding}))


def classify(http_status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None) -> Delivered | Again | No:
    """What an exchange came to: a delivery, a reason to try again (Spoiled: which may have cost as much as one), or a no that stays.

    ``now`` is the time that an HTTP date in Retry-After is measured from; by default the clock's. Raises nothing.
    """
    try:
        return Delivered(_delivery(http_status, body).status)
    except ValueError as fault:
        error = _error(_json(body))
        status = _named_status(http_status, error)
        reason = _reason(http_status, error, body, fault)
    named = {key.lower(): value for key, value in headers.items()}
    if _success(status):
        return Spoiled(reason)
    if status in _AGAIN or status >= 500 or status < 200:  # below 200: a server that lost its way, for 1xx ends no exchange
        return Again(reason, _after_s(named, now or datetime.now(UTC)))
    return No(_elsewhere(status, shortened(named.get("location", ""))) if 300 <= status < 400 else reason)


def shortened(text: str) -> str:
    """``text`` on one line, without control characters, at most 300 characters long."""
    plain = "".join(char if char.isprintable() else " " for char in text[: 10 * WORDS_MAX])
    return " ".join(plain.split())[:WORDS_MAX]


def _elsewhere(status: int, target: str) -> str:
    """The words for a status that sends one elsewhere, to ``target`` or nowhere."""
    if target:
        return f"HTTP {status}: it redirects to {target}, and redirects are not followed"
    if status == 304:
        return "HTTP 304: it says that nothing has changed, which answers no request"
    return f"HTTP {status}: it sends elsewhere without saying where"


def _success(status: int) -> bool:
    return 200 <= status < 300


def _json(body: bytes) -> object:
    """The body's JSON value; None when it is none. A repeated key or a NaN is none: two readers might read it differently.

    A byte order mark before it is passed over, as RFC 8259, section 8.1, allows: some gateways write one.
    """
    try:
        return load_json(body.decode("utf-8-sig"))
    except ValueError:
        return None


def _delivery(http_status: int, body: bytes) -> Reply:
    """The delivery in ``body``. Raises ValueError that says why it holds none."""
    data = _json(body)
    error = _error(data)
    if error and isinstance(data, dict):
        if _moderated(_named_status(http_status, error), error):
            return _blocked(data, error)
        raise ValueError("an error stands in it")
    if not _success(http_status):
        raise ValueError(f"HTTP {http_status} is no success")
    if not isinstance(data, dict):
        raise ValueError("the body is no JSON object")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("the body holds no choices")
    return _reply(data, choices[0])


def _reply(data: dict[str, Any], choice: dict[str, Any]) -> Reply:
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ValueError("the choice holds no message")
    refusal = _text(message.get("refusal"))
    text = _text(_content(message)) or refusal or ""
    return Reply(
        status=_status(choice, text, refusal),
        finish_reason=_text(choice.get("finish_reason")),
        text=text,
        reasoning=_text(message.get("reasoning")) or _text(message.get("reasoning_content")),
        provider_code=_text(choice.get("native_finish_reason")),
        **_served(data),
    )


def _content(message: dict[str, Any]) -> str | None:
    """The message's text, which may come in parts. Raises ValueError for a part that is no text: an answer is read whole or not at all."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [None]
    texts = [part["text"] for part in parts if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)]
    if len(texts) < len(parts):
        raise ValueError("the message's content is no text")
    return "".join(texts)


def _served(data: dict[str, Any]) -> dict[str, Any]:
    """What the endpoint says of itself: who answered, with how many tokens, at which cost."""
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return {
        "served_model": _text(data.get("model")),
        "served_by": _text(data.get("provider")),
        "prompt_tokens": _count(usage.get("prompt_tokens")),
        "completion_tokens": _count(usage.get("completion_tokens")),
        "cost_usd": _dollars(usage.get("cost")),
    }


def _blocked(data: dict[str, Any], error: dict[str, Any]) -> Reply:
    return Reply(status="blocked", finish_reason=None, text="", reasoning=None, provider_code=_code(error), **_served(data))


def _status(choice: dict[str, Any], text: str, refusal: str | None) -> Status:
    """How the answer ended. Raises ValueError for an end that ends no answer: null, ``error`` or a word nobody knows."""
    finish, native = _finish(choice, "finish_reason"), _finish(choice, "native_finish_reason")
    if refusal or "refusal" in (finish, native):
        return "refused"
    if finish in _FILTERED or native in _FILTERED:
        return "filtered"
    if finish in _CUT:
        return "truncated"
    if finish in _ENDED:
        return "complete" if text.strip() else "empty"
    raise ValueError(f"finish_reason {_text(choice.get('finish_reason'))!r} does not end an answer")


def _finish(choice: dict[str, Any], key: str) -> str:
    """A finish reason in lower case; Google's endpoint writes its own word behind a colon (``content_filter: SAFETY``)."""
    return (_text(choice.get(key)) or "").lower().split(":")[0].strip()


def _error(data: object) -> dict[str, Any]:
    """The error object that stands in ``data``, at the top or in its first choice; empty when there is none."""
    if not isinstance(data, dict):
        return {}
    if data.get("object") == "error":
        return data
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    found = data.get("error") or first.get("error")
    if not found:
        return {}
    return found if isinstance(found, dict) else {"message": found}


def _named_status(http_status: int, error: dict[str, Any]) -> int:
    """The status that an exchange stands for: HTTP's own, unless that is a success that carries an error with a code."""
    code = (_code(error) or "").lower()
    if code in _NO_CREDIT:
        return 402
    if not error or not _success(http_status):
        return http_status
    if code in _MODERATED:
        return 400
    return int(code) if re.fullmatch("[45][0-9]{2}", code) else 502  # no status named: the endpoint failed behind its 200


def _moderated(status: int, error: dict[str, Any]) -> bool:
    """Whether a moderation refused the request, so that asking again would ask the same moderation."""
    if status not in (400, 403):
        return False
    metadata, inner = (value if isinstance(value, dict) else {} for value in (error.get("metadata"), error.get("innererror")))
    codes = [error.get("code"), error.get("type"), inner.get("code"), metadata.get("error_type"), metadata.get("provider_code")]
    if any(isinstance(code, str) and code.lower() in _MODERATED for code in codes):
        return True
    if status == 403:
        return "reasons" in metadata or "flagged_input" in metadata
    # OpenAI's reasoning models use one code for a malformed prompt and for a flagged one; only the words tell them apart.
    return error.get("code") == "invalid_prompt" and "flagged" in (_text(error.get("message")) or "")


def _reason(http_status: int, error: dict[str, Any], body: bytes, fault: ValueError) -> str:
    """One line: the status, what is wrong where the status looks well, and the provider's own words."""
    words = _words(error, body)
    if not _success(http_status):
        return shortened(f"HTTP {http_status}: {words}")
    named = f"it names error {code}" if (code := _code(error)) else fault
    return shortened(f"HTTP {http_status}, but {named}: {words}")


def _code(error: dict[str, Any]) -> str | None:
    code = error.get("code")
    return shortened(str(code)) if isinstance(code, str | int) else None


def _words(error: dict[str, Any], body: bytes) -> str:
    """The provider's own words: its error message and what its host said, else a page's title, else the body's beginning."""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    said = [part for part in (error.get("message"), raw) if isinstance(part, str) and part.strip()]
    if said:
        return shortened(" - ".join(said))
    start = body[: 20 * WORDS_MAX].decode("utf-8", "replace")
    title = _TITLE.search(start)
    return shortened(title.group(1) if title else start) or "no words"


def _after_s(headers: dict[str, str], now: datetime) -> float | None:
    """Seconds from Retry-After (seconds or an HTTP date) or OpenAI's retry-after-ms; None when it says nothing readable."""
    milliseconds, value = headers.get("retry-after-ms", "").strip(), headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(milliseconds):
        return min(float(milliseconds) / 1000, _YEAR_S)
    if _SECONDS.fullmatch(value):
        return min(float(value), _YEAR_S)
    try:
        date = parsedate_to_datetime(value)
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)) - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(seconds.total_seconds(), 0.0), _YEAR_S)


def _text(value: object) -> str | None:
    """``value`` if it is a text with something in it. Half of a cut surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) and value else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _TOKENS_MAX else None


def _dollars(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _TOKENS_MAX and math.isfinite(value) else None
