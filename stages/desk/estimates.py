"""What calls may take and cost, before they are made: from what this record's own calls took, else from the length of the text."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from stages.providers.openai import Reply
from stages.providers.reading import about_tokens
from stages.schema.settings import HostedModel, LocalModel

Model = LocalModel | HostedModel


@dataclass(frozen=True)
class Estimate:
    """Of some calls to one model: tokens, US dollars (None: unknown), and where each figure comes from."""

    prompt_tokens: int
    completion_tokens: int
    tokens_from: str
    cost_usd: float | None
    cost_from: str


def estimate(model: Model, bodies: list[int], history: Iterable[Reply]) -> Estimate:
    """The estimate for one call per body; ``bodies`` are lengths in bytes. history: what is recorded of the same model's name."""
    counted = [r for r in history if r.prompt_tokens is not None and r.completion_tokens is not None]
    if counted:
        prompt = round(len(bodies) * fmean(r.prompt_tokens or 0 for r in counted))
        completion = round(len(bodies) * fmean(r.completion_tokens or 0 for r in counted))
        told = f"the mean of {_replies(len(counted))} in this record"
    else:
        prompt = sum(about_tokens(size) for size in bodies)
        completion = len(bodies) * model.decoding.max_tokens
        told = f"the length of the text at four bytes a token, and replies at their limit of {model.decoding.max_tokens} tokens"
    cost, cost_from = _cost(model, len(bodies), prompt, completion, counted)
    return Estimate(prompt, completion, told, cost, cost_from)


def _cost(model: Model, calls: int, prompt: int, completion: int, history: list[Reply]) -> tuple[float | None, str]:
    if isinstance(model, LocalModel):
        return 0.0, "local weights: nobody is paid"
    if model.price:
        price = model.price
        dollars = (price.prompt_per_million * prompt + price.completion_per_million * completion) / 1_000_000
        return round(dollars, 6), f"{price.source}, read on {price.read_on}"
    charged = [reply.cost_usd for reply in history if reply.cost_usd is not None]
    if charged:
        return round(calls * fmean(charged), 6), f"what the provider charged for {_replies(len(charged))} in this record"
    return None, "unknown: no price is configured, and no recorded reply names one"


def _replies(count: int) -> str:
    return "1 reply" if count == 1 else f"{count} replies"
