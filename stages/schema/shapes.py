"""Shapes: the keys a thing must have, of which kind and in which range; and one sentence, in our own words, for the first fault."""

import re
import reprlib
from dataclasses import fields
from datetime import date, datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from stages.schema.names import MATTER_ID, PLAIN_WORD, nearest

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_UNTOLD = {"key_env", "base_url"}  # where somebody may have written a key by mistake, a message must not repeat it
_SHOWN = reprlib.Repr()  # cuts what is long and stops where it is deep
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = 80
_YAML = {None: "null", True: "true", False: "false"}


def spelled(pattern: re.Pattern[str] | str, words: str) -> AfterValidator:
    """A validator of text that is spelled as ``pattern``. ``words`` complete the sentence "key … must be"."""
    whole = re.compile(pattern).fullmatch

    def check(text: str) -> str:
        if not whole(text):
            raise ValueError(f"must be {words}")
        return text

    return AfterValidator(check)


def is_day(text: str) -> bool:
    """Whether ``text`` is a day of the calendar in its one spelling, such as 2026-11-30."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _day(text: str) -> str:
    if not is_day(text):
        raise ValueError('must be a day such as "2026-11-30"')
    return text


def can_be_seen(text: str) -> bool:
    """Whether anything of ``text`` shows: blanks, control characters and what has no width do not."""
    return any(char.isprintable() and not char.isspace() for char in text)


def _words(text: str) -> str:
    if not can_be_seen(text):
        raise ValueError("must be words, and none stand there")
    return text


def _moment(text: str) -> str:
    try:
        if _MOMENT.fullmatch(text) and datetime.fromisoformat(text):
            return text
    except ValueError:
        pass
    raise ValueError("must be a time such as 2026-11-30T08:15:11.123Z")


Text = Annotated[str, Field(min_length=1)]
Words = Annotated[str, AfterValidator(_words)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]  # a row has up to ten, and pydantic's own pattern takes a third of the time
Day = Annotated[str, AfterValidator(_day)]
Moment = Annotated[str, AfterValidator(_moment)]
PlainWord = Annotated[str, spelled(PLAIN_WORD, "one plain word of lower-case letters, digits and hyphens")]
MatterId = Annotated[str, spelled(MATTER_ID, "the id of a matter, such as Q01")]
Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]  # what a column of 64 bits holds
Count = Annotated[int, Field(ge=0, lt=2**63)]
Number = Annotated[int, Field(ge=1, lt=2**63)]
Format = Annotated[int, Field(ge=1, le=1)]  # of a sealed row; Literal[1] would take 1.0 and true, which are spelled otherwise
Dollars = Annotated[float, Field(ge=0)]


class Shape(BaseModel):
    """A group of keys: each of its own type and none beside them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)


def shape_of(kind: type, **more: Any) -> type[Shape]:
    """The shape of a dataclass: its fields with their types, all of them wanted, and ``more`` keys with theirs."""
    return _shape_of(kind, tuple(more.items()))


@cache
def _shape_of(kind: type, more: tuple[tuple[str, Any], ...]) -> type[Shape]:
    hints = get_type_hints(kind, include_extras=True)
    types = {**{field.name: hints[field.name] for field in fields(kind)}, **dict(more)}
    wanted: dict[str, Any] = {name: (hint, ...) for name, hint in types.items()}
    return create_model(kind.__name__, __base__=Shape, **wanted)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def checked(kind: Any, value: Any) -> Any:
    """``value`` as ``kind`` (a shape or a type made of shapes). Raises ValueError with one sentence that names the key."""
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        raise ValueError(_sentence(kind, error)) from None


def _sentence(kind: Any, error: ValidationError) -> str:
    """About the first fault; an unknown key comes before a missing one, because it is often the missing one misspelt."""
    faults = error.errors(include_url=False)
    first: Any = next((fault for fault in faults if fault["type"] in ("extra_forbidden", "invalid_key")), faults[0])
    steps = [str(step) for step in first["loc"] if not _is_ours(kind, str(step))]
    if first["type"].startswith("union_tag"):
        steps.append(first["ctx"]["discriminator"].strip("'"))
    place = ".".join(step for step in steps if "[" not in step)  # in brackets: pydantic's name of a union's branch, or of a key
    if first["type"] == "extra_forbidden":
        return f"unknown key {place!r}; {nearest(steps[-1], _keys(kind))}"
    if first["type"] in ("missing", "union_tag_not_found"):
        return f"key {place!r} is missing"
    what = f"key {place!r} " if place else ""
    if first["type"] == "invalid_key" or (first["type"] == "string_type" and "[key]" in first["loc"][-1:]):
        return f"{what}must be quoted, because a key is text"
    words = _told(first)
    given = first["ctx"]["tag"] if first["type"] == "union_tag_invalid" else first["input"]
    untold = not place or _UNTOLD.intersection(steps)
    return f"{what}{words}{_about(kind, first)}" + ("" if untold else f" (it is {shown(given)})")


def _is_ours(kind: Any, step: str) -> bool:
    """Whether a step is the name of a branch of a union, which pydantic puts between the keys, and no key of the file."""
    return step in ("local", "openai") or step in {shape.__name__ for shape in _shapes(kind)}


def shown(value: object) -> str:
    """A value as a message shows it: shortened, and as YAML and JSON spell it where Python has another word."""
    known = value is None or isinstance(value, bool)
    return _YAML[value] if known else _SHOWN.repr(value)  # type: ignore[index]  # a key of the three


_MUST = {
    "string_pattern_mismatch": "must be a sha256, 64 digits of 0-9 and a-f",  # the only text with a pattern of pydantic's
    "string_type": "must be text", "string_unicode": "must be text that UTF-8 can spell", "string_too_short": "must not be empty",
    "int_type": "must be a whole number", "int_from_float": "must be a whole number", "float_type": "must be a number",
    "finite_number": "must be a finite number", "bool_type": "must be true or false", "list_type": "must be a list, such as [a, b]",
    "dict_type": "must hold keys of its own", "model_type": "must hold keys of its own",
    "model_attributes_type": "must hold keys of its own",
    "too_short": "must have {min_length} entries or more", "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}", "less_than_equal": "must be {le} or less", "less_than": "must be less than {lt}",
    "literal_error": "must be {expected}", "union_tag_invalid": "must be {expected_tags}", "value_error": "{error}",
}  # fmt: skip


def _told(fault: Any) -> str:
    if fault["type"] == "too_short" and fault["ctx"]["min_length"] == 1:
        return _MUST["string_too_short"]
    words = _MUST.get(fault["type"], "is of another kind than it should be").format(**fault.get("ctx", {}))
    if fault["type"] in ("literal_error", "union_tag_invalid"):
        given = fault["ctx"].get("tag", fault["input"])
        near = nearest(given, re.findall("'([^']*)'", words)) if isinstance(given, str) else ""
        words += f"; {near}" if near.startswith("the nearest") else ""
    return words


def _about(kind: Any, fault: Any) -> str:
    """What the key is, where its shape describes it and the value is of another kind altogether."""
    if fault["type"] != "string_type" or not hasattr(kind, "model_fields") or len(fault["loc"]) > 2:
        return ""
    field = kind.model_fields.get(fault["loc"][0])
    return f", {field.description}" if field is not None and field.description else ""


def _shapes(kind: Any) -> set[type[BaseModel]]:
    """Every shape that stands in ``kind``, at any depth."""
    if get_origin(kind) in (Annotated, list, dict, Union, UnionType):
        return set().union(*(_shapes(part) for part in get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {kind}.union(*(_shapes(field.annotation) for field in kind.model_fields.values()))
    return set()


def _keys(kind: Any) -> set[str]:
    """Every key that may stand in ``kind``, at any depth: enough to name the nearest one."""
    return set().union(*(shape.model_fields for shape in _shapes(kind)))
