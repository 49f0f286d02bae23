"""Keys that mean what they say: the request digest changes with every setting that decides the reply, one by one, and with nothing else."""

from dataclasses import replace

import pytest

from stages.providers.requests import Question, answer_request, verdict_request
from stages.schema.matter import Matter
from stages.schema.rows import Presentation
from stages.schema.settings import settings

HOSTED = {
    "provider": "openai", "family": "f", "model": "m", "route": "r", "base_url": "https://example.org/v1", "system": "You are a lawyer.",
    "decoding": {"max_tokens": 64, "temperature": 0.5, "top_p": 0.9, "seed": 1, "reasoning_effort": "low"},
    "routing": {"only": ["host"]},
}  # fmt: skip
LOCAL = {
    "provider": "local", "family": "f", "weights": {"file": "w.gguf", "sha256": "0" * 64},
    "server": {"runtime": "xllamacpp==1.2", "context": 4096, "threads": 2}, "decoding": {"max_tokens": 64, "temperature": 0.0, "seed": 1},
}  # fmt: skip
MATTER = Matter("Q01", "1", "Title", "area", "2026-11-30", "Facts.", "Law.", "Assign.", "data/matters/Q01.md")
SHOWN = Presentation("a" * 64, "Q01", "Answer one.", "Answer two.")
ASKED = Question("b" * 64, [{"role": "user", "content": "Compare."}], {"type": "object", "properties": {"verdict": {"type": "string"}}})


def changed(values, path, value):
    head, *rest = path.split(".")
    return {**values, head: changed(values.get(head) or {}, ".".join(rest), value) if rest else value}


def answer(values, name="alder", matter=MATTER, attempt=1):
    return answer_request(name, settings("contestant", values), matter, attempt)


def verdict(values=HOSTED, judge="owl", shown=SHOWN, asked=ASKED, attempt=1):
    return verdict_request(judge, settings("judge", values), MATTER, shown, asked, attempt)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("model", "n"),
        ("route", "s"),
        ("system", "You are a judge."),
        ("system", None),
        ("decoding.temperature", 0.6),
        ("decoding.top_p", 0.8),
        ("decoding.seed", 2),
        ("decoding.max_tokens", 65),
        ("decoding.reasoning_effort", "high"),
        ("decoding.limit_key", "max_completion_tokens"),
        ("routing.only", ["other"]),
        ("routing", None),
    ],
)
def test_every_setting_that_decides_the_reply_changes_the_digest(path, value):
    assert answer(changed(HOSTED, path, value)).sha256 != answer(HOSTED).sha256
    assert verdict(changed(HOSTED, path, value)).sha256 != verdict().sha256 or path == "system"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("weights.sha256", "1" * 64),
        ("server.runtime", "xllamacpp==1.3"),
        ("server.context", 8192),
        ("server.threads", 1),
        ("decoding.temperature", 0.1),
    ],
)
def test_every_local_setting_that_decides_the_reply_changes_the_digest(path, value):
    assert answer(changed(LOCAL, path, value)).sha256 != answer(LOCAL).sha256


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("base_url", "http://127.0.0.1:9/v1"),
        ("key_env", "SOME_KEY"),
        ("family", "g"),
        ("known_as", ["G"]),
        ("trained_until", "2026-01-01"),
        ("price", {"prompt_per_million": 1.0, "completion_per_million": 1.0, "source": "s", "read_on": "2026-11-30"}),
    ],
)
def test_nothing_else_changes_it(path, value):
    assert answer(changed(HOSTED, path, value)).sha256 == answer(HOSTED).sha256


def test_zero_is_zero_however_it_is_written():
    assert answer(changed(LOCAL, "decoding.temperature", 0)).sha256 == answer(LOCAL).sha256


def test_two_contestants_with_the_same_prompt_two_matters_with_the_same_text_and_two_attempts_never_share_a_reply():
    base = answer(HOSTED)
    others = [answer(HOSTED, name="birch"), answer(HOSTED, matter=replace(MATTER, matter_id="Q02")), answer(HOSTED, attempt=2)]
    assert all(other.body_bytes == base.body_bytes for other in others)
    assert len({base.sha256, *(other.sha256 for other in others)}) == 4


@pytest.mark.parametrize("part", ["facts", "law", "assignment"])
def test_the_matters_text_changes_it(part):
    assert answer(HOSTED, matter=replace(MATTER, **{part: "Other."})).sha256 != answer(HOSTED).sha256


@pytest.mark.parametrize("part", ["title", "area", "published", "source_path"])
def test_what_no_model_reads_does_not(part):
    assert answer(HOSTED, matter=replace(MATTER, **{part: "other"})).sha256 == answer(HOSTED).sha256


@pytest.mark.parametrize(
    "change",
    [
        {"judge": "hawk"},
        {"attempt": 2},
        {"shown": replace(SHOWN, presentation_id="c" * 64)},
        {"asked": replace(ASKED, instrument_sha256="c" * 64)},
        {"asked": replace(ASKED, messages=[{"role": "user", "content": "Compare well."}])},
        {"asked": replace(ASKED, reply_schema={"type": "object"})},
    ],
    ids=["judge", "attempt", "presentation", "instrument", "messages", "schema"],
)
def test_everything_that_decides_a_verdict_changes_its_digest(change):
    assert verdict(**change).sha256 != verdict().sha256


def test_no_request_holds_an_address_a_port_or_the_name_of_a_key():
    text = str(answer(changed(HOSTED, "key_env", "SOME_KEY")))
    assert "example.org" not in text
    assert "SOME_KEY" not in text
