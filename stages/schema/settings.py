"""The typed shape of every settings group in conf/, and which of its values decide a reply.

Each group is flat in files (one file a choice) and strict in types: an unknown key, a wrong type or a value out of range is refused.
"""

import re
from typing import Annotated, Any, Literal, Self

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from stages.schema.addresses import address
from stages.schema.names import nearest
from stages.schema.shapes import Day, Sha256, Shape, Text, checked, spelled


def _address(text: str) -> str:
    try:
        return address(text)
    except ValueError as fault:
        raise ValueError(f"must be another address: {fault}") from None


Menu = Literal["A", "B", "tie", "both_inadequate"]
AttemptRule = Literal["recorded_attempt"]


class Group(Shape):
    """The settings in one file, or a part of them."""


class Decoding(Group):
    """What shapes the sampling. Only what is set is sent."""

    max_tokens: Annotated[int, Field(ge=1)]
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: int | None = None
    reasoning_effort: Text | None = None
    limit_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


class Price(Group):
    """US dollars for a million tokens, where the figure comes from and when it was read."""

    prompt_per_million: Annotated[float, Field(ge=0)]
    completion_per_million: Annotated[float, Field(ge=0)]
    source: Text
    read_on: Day


class Weights(Group):
    file: Text
    sha256: Sha256


class Server(Group):
    """How the local server runs. All of it can change a reply, so all of it is in the request digest.

    Threads too: of 12 greedy replies by three models, 8 were other words on one thread than on two.
    """

    runtime: Annotated[str, spelled(r"[a-z0-9-]+==[0-9.]+", "a runtime and its version, such as xllamacpp==2026.10.11549")]
    context: Annotated[int, Field(ge=256)]
    threads: Annotated[int, Field(ge=1)]


class Routing(Group):
    """OpenRouter's provider object: which hosts may answer."""

    only: list[Text]
    allow_fallbacks: Literal[False] = False


class _System(Group):
    """What a contestant and a judge have in common: a model, how it is asked, and who made it."""

    family: Text
    known_as: list[Text] = Field(default_factory=list)
    trained_until: Day | None = None
    system: Text | None = None
    decoding: Decoding


class LocalModel(_System):
    """Weights on this machine, served by the project's own server."""

    provider: Literal["local"]
    weights: Weights
    server: Server

    @property
    def model(self) -> str:
        return self.weights.file.removesuffix(".gguf")

    @property
    def route(self) -> str:
        return f"weights:{self.weights.sha256}"


class HostedModel(_System):
    """A model behind any endpoint that speaks OpenAI's chat completions. ``route`` is the declared, lasting name of that endpoint."""

    provider: Literal["openai"]
    model: Text
    route: Text
    base_url: Annotated[str, AfterValidator(_address)]
    key_env: Annotated[str, spelled(r"[A-Z][A-Z0-9_]*", "the name of an environment variable, never the key itself")] | None = None
    routing: Routing | None = None
    price: Price | None = None


class Thresholds(Group):
    """When a judge qualifies: of every kind of control so large a share right in both orders, over so many matters at least."""

    passing_rate: Annotated[float, Field(gt=0, le=1)]
    order_consistency: Annotated[float, Field(gt=0, le=1)]
    matters: Annotated[int, Field(ge=1)]


class _Judge(Group):
    """What only a judge has. ask_again: how often an unreadable reply is asked for again; every reply is kept and counted.

    qualifies: the thresholds that it must meet on the controls; without them it counts as untested.
    """

    ask_again: Annotated[int, Field(ge=0, le=5)] = 0
    qualifies: Thresholds | None = None


class LocalJudge(LocalModel, _Judge):
    """A judge on this machine."""


class HostedJudge(HostedModel, _Judge):
    """A judge behind an endpoint."""


Judge = Annotated[LocalJudge | HostedJudge, Field(discriminator="provider")]
Model = Annotated[LocalModel | HostedModel, Field(discriminator="provider")]


class TextPart(Group):
    text: Text


class BlockPart(Group):
    block: Literal["matter", "answer_a", "answer_b"]


def _kind_of_part(part: Any) -> str:
    """Which of the two a part of the message means to be, so that a message about it names the right key."""
    return "BlockPart" if isinstance(part, BlockPart) or (isinstance(part, dict) and "block" in part) else "TextPart"


Part = Annotated[Annotated[TextPart, Tag("TextPart")] | Annotated[BlockPart, Tag("BlockPart")], Discriminator(_kind_of_part)]


_REPLY = {"material_difference": "boolean", "rationale": "string", "rejected_points": "array", "verdict": "string"}
_POINT = {"answer": "string", "changes_course": "boolean", "point": "string", "why": "string"}


def _check_object(place: str, schema: Any, types: dict[str, str]) -> None:
    """Raise ValueError unless ``schema`` lets nothing through but an object with these keys of these types: the tables have a column for
    each of them, and a key beside them could say the contrary."""
    if not isinstance(schema, dict) or schema.get("type") != "object" or schema.get("additionalProperties") is not False:
        raise ValueError(f"{place} must have type: object and additionalProperties: false")
    if set(schema.get("required", [])) != set(types):
        raise ValueError(f"{place} must require {', '.join(sorted(types))}")
    for key, kind in types.items():
        told = schema.get("properties", {}).get(key)
        if not isinstance(told, dict) or told.get("type") != kind:
            raise ValueError(f"{place}: {key} must have type: {kind}")


class Instrument(Group):
    """The judge's wording, verdict menu and reply schema. The order of keys decides replies, so it is part of the digest."""

    system: Text
    message: list[Part]
    menu: Annotated[list[Menu], Field(min_length=1)]
    reply_schema: dict[str, Any]

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        """Raise ValueError for an instrument whose replies nobody could read, before any of them is paid for."""
        blocks = sorted(part.block for part in self.message if isinstance(part, BlockPart))
        if blocks != ["answer_a", "answer_b", "matter"]:
            raise ValueError("message must hold the blocks matter, answer_a and answer_b, each once")
        if re.search(r"\$(dynamic|recursive)?[rR]ef", str(self.reply_schema)):
            raise ValueError("reply_schema must stand whole, without $ref")
        try:
            Draft202012Validator.check_schema(self.reply_schema)
            Draft202012Validator(self.reply_schema).is_valid({})
        except (SchemaError, re.error, TypeError) as error:
            raise ValueError(f"reply_schema is no JSON Schema: {str(error).splitlines()[0]}") from None
        _check_object("reply_schema", self.reply_schema, _REPLY)
        properties = self.reply_schema["properties"]
        _check_object("reply_schema: the items of rejected_points", properties["rejected_points"].get("items"), _POINT)
        for word in self.menu:
            if not Draft202012Validator(properties["verdict"]).is_valid(word):
                raise ValueError(f"reply_schema: verdict takes no {word!r}, which is on the menu")
        return self


class Study(Group):
    """What is asked of the record: the pinned instrument and the rule that picks the attempt to score, per series."""

    title: Text
    instrument_sha256: Sha256
    attempt_rules: dict[str, AttemptRule]

    def rule_of(self, series: str, source: str) -> AttemptRule:
        """The attempt rule of a series. Raises ValueError where there is none; ``source`` is the file that belongs to the series."""
        if series not in self.attempt_rules:
            raise ValueError(f"attempt_rules has no series {series!r}, which {source} belongs to; {nearest(series, self.attempt_rules)}")
        return self.attempt_rules[series]


class Runner(Group):
    """How hard to push. Nothing here can change a reply, so nothing here is in a digest."""

    concurrency: Annotated[int, Field(ge=1, le=512)]
    connect_timeout_s: Annotated[float, Field(gt=0)]
    read_timeout_s: Annotated[float, Field(gt=0)]
    tries: Annotated[int, Field(ge=1)]
    wait_max_s: Annotated[float, Field(ge=0)]
    budget_s: Annotated[float, Field(gt=0)]
    stop_after_failures: Annotated[int, Field(ge=1)]
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    max_calls: Annotated[int, Field(ge=0)] | None = None
    max_cost_usd: Annotated[float, Field(ge=0)] | None = None
    max_tokens_per_call: Annotated[int, Field(ge=1)] | None = None
    confirm_above: Annotated[int, Field(ge=0)] | None = 100


def _all_or_ids(chosen: Any) -> Any:
    """Raise ValueError for what is neither ``all`` nor a list of ids. Which ids there are, the battery knows."""
    if chosen == "all" or (isinstance(chosen, list) and chosen and all(isinstance(each, str) and each for each in chosen)):
        return chosen
    raise ValueError("must be all, or a list of ids such as [Q01, Q02]")


def _choice(group: str) -> Any:
    return Field(min_length=1, description=f"the name of a file in conf/{group}")


class Choices(Group):
    """params.yaml: which file of each group is in use."""

    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)]
    study: Annotated[str, _choice("study")]
    matters: Annotated[Literal["all"] | list[str], BeforeValidator(_all_or_ids)]
    contestants: Annotated[list[Text], Field(min_length=2, description="the name of a file in conf/contestant")]
    instrument: Annotated[str, _choice("instrument")]
    judge: Annotated[str, _choice("judge")]
    runner: Annotated[str, _choice("runner")]


GROUPS: dict[str, Any] = {
    "study": Study,
    "contestant": Model,
    "instrument": Instrument,
    "judge": Judge,
    "runner": Runner,
    "choices": Choices,
}


def settings(group: str, values: Any) -> Any:
    """The typed settings of one file. Raises ValueError with one sentence that names the key and the nearest right one."""
    return checked(GROUPS[group], values)
