"""What a recorded call says of itself, for the rows that stages hand on."""

from typing import Any

from stages.providers.openai import Reply, read_reply
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import RECORDINGS
from stages.schema.calls import Row
from stages.schema.recorded import file_of, row_name
from stages.schema.settings import HostedModel, LocalModel


def recorded_reply(row: Row) -> Reply:
    """What a recorded row's body says. Raises BadRecord, naming file and row, for one that holds no delivery: it was never recorded
    so, because nothing but a delivery is."""
    with refusing(f"{RECORDINGS / file_of(row['kind'])}: {row_name(row)}: its body is no delivery", BadRecord):
        return read_reply(row)


def cost_usd(model: LocalModel | HostedModel, reply: Reply) -> float | None:
    """US dollars for ``reply``: as the provider says, else by the price in the settings; None when neither is known."""
    if isinstance(model, LocalModel):
        return 0.0  # nobody is paid
    if reply.cost_usd is not None:
        return reply.cost_usd
    if model.price is None or reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    price = model.price
    return (price.prompt_per_million * reply.prompt_tokens + price.completion_per_million * reply.completion_tokens) / 1_000_000


def worst_case_usd(model: LocalModel | HostedModel, body_bytes: int) -> float | None:
    """The most that one call with a body of so many bytes can cost: a token takes a byte at least. None: the price is unknown."""
    if isinstance(model, LocalModel):
        return 0.0
    if model.price is None:
        return None
    return (model.price.prompt_per_million * body_bytes + model.price.completion_per_million * model.decoding.max_tokens) / 1_000_000


def about_tokens(body_bytes: int) -> int:
    """About how many tokens a prompt takes: four bytes each, as English text does."""
    return body_bytes // 4


def call_fields(rows: list[Row], reply: Reply, model: LocalModel | HostedModel) -> dict[str, Any]:
    """The fields of stages.schema.rows.Call for a request with recorded ``rows``, of which the first counts."""
    row = rows[0]
    copied = ("request_sha256", "response_sha256", "settings_sha256", "route", "model", "started_at", "elapsed_ms")
    read = ("finish_reason", "served_model", "served_by", "prompt_tokens", "completion_tokens")
    return {
        **{key: row[key] for key in copied},
        **{key: getattr(reply, key) for key in read},
        "tries": len(row["tries"]) + 1,
        "replies": len(rows),
        "cost_usd": cost_usd(model, reply),
    }
