"""Settings: strict types, and a refusal that names the key and the nearest right one."""

import copy
from pathlib import Path

import pytest
import yaml

from stages.schema.settings import settings

ROOT = Path(__file__).parents[2]
LOCAL = {
    "provider": "local",
    "family": "f",
    "weights": {"file": "w.gguf", "sha256": "0" * 64},
    "server": {"runtime": "xllamacpp==1.2", "context": 4096, "threads": 2},
    "decoding": {"max_tokens": 10, "temperature": 0},
}
HOSTED = {
    "provider": "openai",
    "family": "f",
    "model": "m",
    "route": "r",
    "base_url": "https://example.org/v1",
    "decoding": {"max_tokens": 10},
}


def changed(values, path, value):
    values = copy.deepcopy(values)
    *front, last = path.split(".")
    inner = values
    for step in front:
        inner = inner[step]
    inner[last] = value
    return values


def test_zero_and_zero_point_nought_are_one():
    assert settings("contestant", LOCAL) == settings("contestant", changed(LOCAL, "decoding.temperature", 0.0))
    assert repr(settings("contestant", LOCAL).decoding.temperature) == "0.0"


def test_a_local_model_is_known_by_its_weights():
    model = settings("judge", LOCAL)
    assert (model.model, model.route) == ("w", "weights:" + "0" * 64)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (changed(LOCAL, "decoding.temprature", 0.5), "unknown key 'decoding.temprature'; the nearest is 'temperature'"),
        (changed(LOCAL, "sistem", "x"), "unknown key 'sistem'; the nearest is 'system'"),
        (changed(LOCAL, "weights.sha", "x"), "unknown key 'weights.sha'; the nearest is"),
        (changed(LOCAL, "decoding.temperature", "1e-5"), "key 'decoding.temperature' must be a number (it is '1e-5')"),
        (changed(LOCAL, "decoding.temperature", True), "key 'decoding.temperature'"),
        (changed(LOCAL, "decoding.temperature", 3), "key 'decoding.temperature' must be 2.0 or less (it is 3)"),
        (changed(LOCAL, "decoding.max_tokens", 1.5), "key 'decoding.max_tokens'"),
        (changed(LOCAL, "decoding.max_tokens", 0), "key 'decoding.max_tokens'"),
        (changed(LOCAL, "weights.sha256", "abc"), "key 'weights.sha256'"),
        (changed(LOCAL, "trained_until", "May 2026"), "key 'trained_until'"),
        (changed(LOCAL, "provider", "other"), "provider"),
        (
            changed(HOSTED, "base_url", "ftp://x"),
            "key 'base_url' must be another address: it begins with neither http:// nor https://; the nearest is 'https://x'",
        ),
        (changed(HOSTED, "base_url", 7), "key 'base_url' must be text"),
        (changed(HOSTED, "base_url", "https://x/v1/"), "key 'base_url'"),
        (changed(HOSTED, "key_env", "sk-secret"), "key 'key_env'"),
        (changed(HOSTED, "routing", {"only": ["x"], "allow_fallbacks": True}), "allow_fallbacks"),
        ({}, "provider"),
        (None, ""),
        ("text", ""),
    ],
)
def test_what_is_wrong_is_said_with_its_key(values, sentence):
    with pytest.raises(ValueError) as refused:
        settings("contestant", values)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("group", ["contestant", "judge"])
def test_a_password_in_an_address_is_refused_and_not_repeated(group):
    with pytest.raises(ValueError, match="key 'base_url' must be another address: a user or a password stands in it") as refused:
        settings(group, changed(HOSTED, "base_url", "https://me:hidden@example.org/v1"))
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("key", ["family", "weights", "server", "decoding"])
def test_a_missing_key_is_named(key):
    with pytest.raises(ValueError, match=f"key '{key}' is missing"):
        settings("contestant", {k: v for k, v in LOCAL.items() if k != key})


CHOICES = {"seed": 1, "study": "s", "matters": "all", "contestants": ["a", "b"], "instrument": "i", "judge": "j", "runner": "r"}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({**CHOICES, "contestants": ["a"]}, "key 'contestants'"),
        ({**CHOICES, "contestants": "a"}, "key 'contestants'"),
        ({**CHOICES, "seed": "x"}, "key 'seed'"),
        ({**CHOICES, "matters": "most"}, "key 'matters"),
        ({**CHOICES, "matters": []}, "key 'matters"),
        ({**CHOICES, "juge": "x"}, "unknown key 'juge'; the nearest is 'judge'"),
    ],
)
def test_choices_are_choices(values, sentence):
    assert settings("choices", CHOICES).contestants == ["a", "b"]
    with pytest.raises(ValueError) as refused:
        settings("choices", values)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("path", sorted((ROOT / "conf").rglob("*.yaml")), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_shipped_file_is_valid(path):
    assert settings(path.parent.name, yaml.safe_load(path.read_text("utf-8"))) is not None


INSTRUMENT = yaml.safe_load((ROOT / "conf/instrument/material_outcome.yaml").read_text("utf-8"))


def instrument(*steps, value=None):
    """The shipped instrument with one key of its reply schema set to ``value``, or taken out."""
    values = copy.deepcopy(INSTRUMENT)
    *way, last = steps
    place = values["reply_schema"]
    for step in way:
        place = place[step]
    place.pop(last, None)
    return settings("instrument", values) if value is None else settings("instrument", values | {"reply_schema": put(values, steps, value)})


def put(values, steps, value):
    schema = place = values["reply_schema"]
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    return schema


ITEMS = ("properties", "rejected_points", "items")


@pytest.mark.parametrize(
    ("steps", "value", "sentence"),
    [
        (("type",), None, "reply_schema must have type: object and additionalProperties: false"),
        (("type",), "array", "reply_schema must have type: object"),
        (("additionalProperties",), None, "reply_schema must have type: object and additionalProperties: false"),
        (("required",), ["verdict"], "reply_schema must require material_difference, rationale, rejected_points, verdict"),
        (("properties", "rationale"), True, "reply_schema: rationale must have type: string"),
        (("properties", "rationale"), {"$dynamicRef": "#text"}, "reply_schema must stand whole, without $ref"),
        (("properties", "rationale"), {"type": ["string", "null"]}, "reply_schema: rationale must have type: string"),
        (("properties", "material_difference"), {"enum": [True, False, "perhaps"]}, "reply_schema: material_difference must have"),
        (("properties", "verdict"), {}, "reply_schema: verdict must have type: string"),
        (("properties", "verdict"), {"type": "string", "enum": ["A", "B"]}, "reply_schema: verdict takes no 'tie', which is on the menu"),
        (ITEMS, None, "reply_schema: the items of rejected_points must have type: object"),
        ((*ITEMS, "additionalProperties"), True, "reply_schema: the items of rejected_points must have type: object and additional"),
        ((*ITEMS, "required"), ["point"], "reply_schema: the items of rejected_points must require answer, changes_course, point, why"),
        ((*ITEMS, "properties", "why"), {"type": "integer"}, "reply_schema: the items of rejected_points: why must have type: string"),
    ],
)  # fmt: skip
def test_an_instrument_whose_replies_nobody_could_use_is_refused_before_they_are_paid_for(steps, value, sentence):
    with pytest.raises(ValueError) as refused:
        instrument(*steps, value=value)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
