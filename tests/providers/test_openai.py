import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stages.providers.openai import WIRE, WORDS_MAX, Again, Delivered, No, Reply, Spoiled, chat_body, classify, read_reply, shortened
from stages.schema.calls import Exchange, Request, call_row
from stages.schema.canonical import compact
from stages.schema.settings import HostedModel, LocalModel, settings
from tests.loopback import completion, constructed_text

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who wins?"}]
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}, "rationale": {"type": "string"}}}


def hosted(**values) -> HostedModel:
    decoding = {"max_tokens": 900} | values.pop("decoding", {})
    base = {
        "provider": "openai",
        "family": "maker",
        "model": "maker/large",
        "route": "route.example",
        "base_url": "https://route.example/v1",
    }
    return settings("contestant", base | values | {"decoding": decoding})


def local(**decoding) -> LocalModel:
    return settings(
        "contestant",
        {
            "provider": "local",
            "family": "maker",
            "decoding": {"max_tokens": 64} | decoding,
            "weights": {"file": "tiny.gguf", "sha256": "0" * 64},
            "server": {"runtime": "xllamacpp==2026.10.11549", "context": 1024, "threads": 2},
        },
    )


def row(body: bytes | dict, http_status: int = 200) -> dict:
    subject = {"contestant": "c", "matter_id": "Q01", "attempt": 1}
    request = Request("answer", subject, {}, WIRE, "route", "m", None, {"model": "m", "messages": []})
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return call_row(request, Exchange(http_status, data, "2026-11-30T08:15:11.123Z", 12))


def read(body: bytes | dict, http_status: int = 200) -> Reply:
    return read_reply(row(body, http_status))


def sort(body: bytes | dict, http_status: int = 200, **headers: str) -> Delivered | Again | No:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return classify(http_status, {name.replace("_", "-"): value for name, value in headers.items()}, data)


def error(words: str = "the provider's words", **fields) -> dict:
    return {"error": {"message": words, **fields}}


class TestChatBody:
    def test_only_what_is_set_is_sent_and_in_a_fixed_order(self):
        assert compact(chat_body(hosted(), MESSAGES, None)) == (
            '{"model":"maker/large","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Who wins?"}],'
            '"max_tokens":900,"stream":false}'
        )

    def test_everything_at_once_keeps_the_order(self):
        decoding = {"temperature": 0.0, "top_p": 0.9, "seed": 7, "reasoning_effort": "low", "limit_key": "max_completion_tokens"}
        body = chat_body(hosted(decoding=decoding, routing={"only": ["hostname"]}), MESSAGES, SCHEMA)
        assert list(body) == [
            "model", "messages", "temperature", "top_p", "seed", "reasoning_effort", "max_completion_tokens",
            "response_format", "provider", "usage", "stream",
        ]  # fmt: skip
        assert body["temperature"] == 0.0
        assert body["max_completion_tokens"] == 900
        assert body["provider"] == {"only": ["hostname"], "allow_fallbacks": False}
        assert body["usage"] == {"include": True}

    def test_a_schema_is_sent_strict_with_its_own_order_of_keys(self):
        sent = chat_body(hosted(), MESSAGES, SCHEMA)["response_format"]
        assert sent == {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA}}
        assert list(sent["json_schema"]["schema"]["properties"]) == ["verdict", "rationale"]

    def test_the_cost_is_asked_for_only_where_routing_is_set(self):
        assert "usage" not in chat_body(hosted(), MESSAGES, None)
        assert "provider" not in chat_body(hosted(), MESSAGES, None)

    def test_a_local_model_is_asked_without_the_prompt_cache(self):
        body = chat_body(local(temperature=0.0, seed=1), MESSAGES, None)
        assert list(body) == ["model", "messages", "temperature", "seed", "max_tokens", "cache_prompt", "stream"]
        assert body["cache_prompt"] is False
        assert body["model"] == "tiny"

    def test_the_callers_messages_stay_the_callers(self):
        mine = list(MESSAGES)
        chat_body(hosted(), mine, None)["messages"].append("more")
        assert mine == MESSAGES


class TestReadReply:
    def test_a_complete_answer(self):
        body = completion("  The buyer wins.\n", model="maker/large-2026") | {"provider": "Hostname"}
        body["usage"]["cost"] = 0.0125
        assert read(body) == Reply("complete", "stop", "  The buyer wins.\n", None, "maker/large-2026", "Hostname", 11, 3, 0.0125, None)

    @pytest.mark.parametrize(
        ("finish", "text", "status"),
        [
            ("stop", "Yes.", "complete"),
            ("stop", "", "empty"),
            ("stop", None, "empty"),
            ("stop", " \n", "empty"),
            ("length", "The buyer wi", "truncated"),
            ("length", None, "truncated"),
            ("max_tokens", "The", "truncated"),
            ("content_filter", "The", "filtered"),
            ("content_filter", None, "filtered"),
            ("content_filter: SAFETY", None, "filtered"),
            ("tool_calls", None, "empty"),
            ("tool_calls", "Yes.", "complete"),
            ("STOP", "Yes.", "complete"),
        ],
    )
    def test_the_end_of_an_answer_is_its_status(self, finish, text, status):
        reply = read(completion(text, finish))
        assert (reply.status, reply.text, reply.finish_reason) == (status, text or "", finish)

    @pytest.mark.parametrize("native", ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "content_filter", "BLOCKLIST", "SPII"])
    def test_a_filter_behind_a_router_is_seen(self, native):
        body = completion("", "stop")
        body["choices"][0]["native_finish_reason"] = native
        assert (read(body).status, read(body).provider_code) == ("filtered", native)

    def test_an_ordinary_native_reason_changes_nothing(self):
        body = completion("Yes.")
        body["choices"][0]["native_finish_reason"] = "end_turn"
        assert read(body).status == "complete"

    def test_a_refusal_field_is_a_refusal_and_its_words_are_the_text(self):
        reply = read(completion(None, refusal="I cannot help with that."))
        assert (reply.status, reply.text) == ("refused", "I cannot help with that.")

    @pytest.mark.parametrize(
        ("parts", "text", "status"),
        [
            (["The buyer ", "wins.\n"], "The buyer wins.\n", "complete"),
            (["", "Yes."], "Yes.", "complete"),
            (["half \ud83d"], "half \N{REPLACEMENT CHARACTER}", "complete"),
            ([" "], " ", "empty"),
            ([], "", "empty"),
        ],
    )
    def test_content_in_parts_is_joined(self, parts, text, status):
        body = completion("x")
        body["choices"][0]["message"]["content"] = [{"type": "text", "text": part} for part in parts]
        assert (read(body).text, read(body).status) == (text, status)

    def test_a_byte_order_mark_is_passed_over(self):
        body = json.dumps(completion("\ufeffYes. ⚖")).encode()
        assert sort(b"\xef\xbb\xbf" + body) == Delivered("complete")
        assert read(b"\xef\xbb\xbf" + body) == read(body)
        assert read(body).text == "\ufeffYes. ⚖"

    def test_a_second_one_is_none(self):
        assert isinstance(sort(b"\xef\xbb\xbf" * 2 + json.dumps(completion("Yes.")).encode()), Spoiled)

    def test_content_beside_a_refusal_stays_the_text(self):
        assert read(completion("Partly.", refusal="No.")).text == "Partly."

    @pytest.mark.parametrize("refusal", [None, ""])
    def test_an_empty_refusal_field_is_none(self, refusal):
        assert read(completion("Yes.", refusal=refusal)).status == "complete"

    @pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
    def test_reasoning_is_kept_apart_from_the_text(self, key):
        reply = read(completion("Yes.", **{key: "Let me think."}))
        assert (reply.text, reply.reasoning) == ("Yes.", "Let me think.")

    def test_a_moderated_request_is_blocked_and_its_error_is_no_text(self):
        body = error("flagged", code=403, metadata={"reasons": ["violence"], "flagged_input": "Who", "provider_name": "Hostname"})
        reply = read(body, 403)
        assert (reply.status, reply.text, reply.provider_code, reply.finish_reason) == ("blocked", "", "403", None)

    @pytest.mark.parametrize("cost", ["free", True, None, -1, [1], 10**400])
    def test_a_cost_that_is_no_amount_is_unknown(self, cost):
        body = completion("Yes.")
        body["usage"]["cost"] = cost
        assert read(body).cost_usd is None

    def test_an_infinite_cost_is_unknown(self):
        assert read(json.dumps(completion("Yes.")).replace('"total_tokens"', '"cost": 1e999, "total_tokens"').encode()).cost_usd is None

    @pytest.mark.parametrize(
        "usage", [None, [], {}, {"prompt_tokens": None}, {"prompt_tokens": -1}, {"prompt_tokens": 1.5}, {"prompt_tokens": True}]
    )
    def test_tokens_that_are_no_count_are_unknown(self, usage):
        reply = read(completion("Yes.") | {"usage": usage})
        assert (reply.prompt_tokens, reply.status) == (None, "complete")

    def test_half_a_surrogate_pair_becomes_a_replacement_character(self):
        body = json.dumps(completion("cut @@")).replace("@@", "\\ud83d").encode()
        assert read(body).text == "cut \N{REPLACEMENT CHARACTER}"

    def test_a_whole_surrogate_pair_stays_itself(self):
        assert read(json.dumps(completion("⚖ \N{SCALES} 😀")).encode()).text == "⚖ \N{SCALES} 😀"

    @pytest.mark.parametrize("http_status", [400, 401, 429, 500])
    def test_a_row_of_a_failure_is_no_delivery(self, http_status):
        with pytest.raises(ValueError, match="error"):
            read(error(), http_status)

    def test_a_completion_under_a_failing_status_is_no_delivery(self):
        with pytest.raises(ValueError, match="HTTP 500 is no success"):
            read(completion("Yes."), 500)

    def test_a_row_of_another_wire_is_not_read(self):
        with pytest.raises(ValueError, match="wire 'other'"):
            read_reply(row(completion("Yes.")) | {"wire": "other"})

    def test_a_broken_base64_body_is_a_value_error(self):
        with pytest.raises(ValueError, match=r"base64|padding|Excess|Only"):
            read_reply(row(completion("Yes.")) | {"body": "***", "body_encoding": "base64"})


class TestClassifyDelivered:
    @pytest.mark.parametrize("body", [completion("Yes."), completion(None, "length"), completion(None), completion("x", "content_filter")])
    def test_whatever_the_model_said_is_delivered(self, body):
        assert isinstance(sort(body), Delivered)

    def test_delivered_says_which_status(self):
        assert sort(completion(None, "length")) == Delivered("truncated")

    @pytest.mark.parametrize(
        ("http_status", "fields"),
        [
            (403, {"code": 403, "metadata": {"reasons": ["violence"], "flagged_input": "…"}}),
            (403, {"code": 403, "metadata": {"error_type": "content_policy_violation"}}),
            (400, {"code": "content_policy_violation", "type": "invalid_request_error"}),
            (400, {"code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
            (400, {"code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
            (400, {"code": "invalid_prompt", "message": "Invalid prompt: your prompt was flagged as potentially violating our policy."}),
            (200, {"code": 403, "metadata": {"reasons": ["violence"]}}),
            (200, {"code": "content_filter"}),
        ],
    )
    def test_a_moderation_is_a_delivery_of_its_own_kind(self, http_status, fields):
        assert sort(error(**fields), http_status) == Delivered("blocked")
        assert read(error(**fields), http_status).status == "blocked"

    @pytest.mark.parametrize("empty", [None, {}, "", False])
    def test_an_error_field_with_nothing_in_it_is_no_error(self, empty):
        assert sort(completion("Yes.") | {"error": empty}) == Delivered("complete")


class TestClassifyAgain:
    @pytest.mark.parametrize("http_status", [101, 199, 408, 409, 425, 429, 500, 502, 503, 504, 520, 524, 529, 599, 999])
    def test_a_status_that_may_pass(self, http_status):
        assert sort(error(), http_status) == Again(f"HTTP {http_status}: the provider's words")

    @pytest.mark.parametrize("code", [429, 502, "503", "server_error", None, 0, 200, True, [[]]])
    def test_an_error_behind_a_200(self, code):
        found = sort(error(code=code))
        assert isinstance(found, Again)
        assert "the provider's words" in found.reason

    def test_an_error_beside_an_answer_takes_the_answer_along(self):
        assert isinstance(sort(completion("Yes.") | error(code=502)), Again)

    def test_an_error_inside_the_choice(self):
        body = completion("The buy", "error")
        body["choices"][0]["error"] = {"code": 502, "message": "upstream died"}
        found = sort(body)
        assert isinstance(found, Again)
        assert "upstream died" in found.reason

    def test_an_error_without_a_code_is_not_given_one(self):
        assert sort({"error": {"message": "upstream"}}) == Again("HTTP 200, but an error stands in it: upstream")
        assert sort({"error": {"message": "upstream", "code": None}}) == Again("HTTP 200, but an error stands in it: upstream")
        assert sort({"error": {"code": 502}}) == Again('HTTP 200, but it names error 502: {"error": {"code": 502}}')


class TestClassifySpoiled:
    """A success status, and no answer that can be read in what came: it may have been paid for."""

    @pytest.mark.parametrize("finish", [None, "error", "weird", "", 7])
    def test_an_end_that_ends_no_answer(self, finish):
        assert isinstance(sort(completion("The buyer wi", finish)), Spoiled)

    @pytest.mark.parametrize("choices", [None, [], {}, "Yes.", [None], ["Yes."], [{}], [{"message": None}], [{"message": "Yes."}]])
    def test_choices_that_hold_nothing(self, choices):
        assert isinstance(sort(completion("Yes.") | {"choices": choices}), Spoiled)

    def test_absent_choices(self):
        assert isinstance(sort({"id": "x", "object": "chat.completion"}), Spoiled)

    @pytest.mark.parametrize(
        "content",
        [
            ["Yes."],
            {"text": "Yes."},
            {"type": "text", "text": "Yes."},
            7,
            True,
            [{"type": "text"}],
            [{"type": "text", "text": None}],
            [{"type": "text", "text": "Yes."}, {"type": "image_url", "image_url": "x"}],
            [{"type": "text", "text": "Yes."}, None],
        ],
    )
    def test_content_that_is_no_text(self, content):
        body = completion("x")
        body["choices"][0]["message"]["content"] = content
        assert isinstance(sort(body), Spoiled)

    @pytest.mark.parametrize("http_status", [201, 202, 204, 206])
    def test_a_success_without_a_word(self, http_status):
        assert sort(b"", http_status) == Spoiled(f"HTTP {http_status}, but the body is no JSON object: no words")

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"Yes.",
            b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            json.dumps(completion("Yes.")).encode()[:-20],
            b"\xff\xfe" + json.dumps(completion("Yes.")).encode("utf-16-le"),
            b"[" * 100_000,
            b'"Yes."',
            b"null",
            json.dumps([completion("Yes.")]).encode(),
            json.dumps(completion("Yes.")).encode() * 2,
            json.dumps(completion("Yes.")).encode().replace(b"11", b"NaN"),
            b'{"choices": [], ' + json.dumps(completion("Yes.")).encode()[1:],
        ],
    )
    def test_a_body_that_is_no_completion(self, body):
        assert isinstance(sort(body), Spoiled)
        with pytest.raises(ValueError, match="the body"):
            read(body)

    def test_a_page_says_its_title(self):
        page = b"<!DOCTYPE html><html><title>Just a\nmoment...</title><style>x{}</style></html>"
        assert sort(page, 503) == Again("HTTP 503: Just a moment...")
        assert sort(page) == Spoiled("HTTP 200, but the body is no JSON object: Just a moment...")

    def test_an_error_that_is_told_is_no_spoiled_answer(self):
        assert type(sort(error(code=502))) is Again


class TestOtherErrors:
    def test_old_servers_error_objects_are_seen(self):
        found = sort({"object": "error", "message": "engine died", "code": 503})
        assert isinstance(found, Again)
        assert "engine died" in found.reason

    def test_an_error_that_is_a_text_is_its_words(self):
        found = sort({"error": "model is loading"})
        assert isinstance(found, Again)
        assert found.reason.endswith("model is loading")


class TestClassifyNo:
    @pytest.mark.parametrize("http_status", [400, 401, 402, 403, 404, 405, 410, 413, 422, 451])
    def test_a_status_that_stays(self, http_status):
        assert sort(error(), http_status) == No(f"HTTP {http_status}: the provider's words")

    @pytest.mark.parametrize("code", [400, 401, 402, 403, "404", 413])
    def test_an_error_that_stays_behind_a_200(self, code):
        assert isinstance(sort(error(code=code)), No)

    @pytest.mark.parametrize("http_status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_not_followed_and_says_where_to(self, http_status):
        found = sort(b"", http_status, Location="https://elsewhere.example/v1")
        assert isinstance(found, No)
        assert "https://elsewhere.example/v1" in found.reason

    @pytest.mark.parametrize(
        ("http_status", "words"),
        [
            (304, "it says that nothing has changed, which answers no request"),
            (302, "it sends elsewhere without saying where"),
            (300, "it sends elsewhere without saying where"),
        ],
    )
    @pytest.mark.parametrize("headers", [{}, {"Location": ""}, {"Location": " "}])
    def test_one_that_says_no_place_is_told_as_that(self, http_status, words, headers):
        assert sort(b"", http_status, **headers) == No(f"HTTP {http_status}: {words}")

    def test_an_empty_account_is_no_matter_of_waiting(self):
        assert isinstance(sort(error("You exceeded your current quota", code="insufficient_quota"), 429, Retry_After="1"), No)

    def test_a_malformed_prompt_is_not_taken_for_a_flagged_one(self):
        assert isinstance(sort(error("Invalid prompt: not a list", code="invalid_prompt"), 400), No)

    def test_metadata_without_a_moderation_is_no_moderation(self):
        assert isinstance(sort(error(code=403, metadata={"provider_name": "Hostname"}), 403), No)

    def test_what_the_host_behind_a_router_said_is_told(self):
        found = sort(error("Provider returned error", code=400, metadata={"raw": '{"detail":"context is 4096"}'}), 400)
        assert found == No('HTTP 400: Provider returned error - {"detail":"context is 4096"}')

    def test_no_words_are_said_to_be_none(self):
        assert sort(b"", 404) == No("HTTP 404: no words")

    @pytest.mark.parametrize("body", [{"detail": "Not here"}, [{"error": {"message": "Not here"}}], {"message": "Not here"}])
    def test_unknown_shapes_still_tell_their_words(self, body):
        assert "Not here" in sort(body, 404).reason


class TestRetryAfter:
    NOW = datetime(2026, 11, 30, 8, 15, 11, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("value", "seconds"),
        [
            ("0", 0.0),
            ("12", 12.0),
            ("1.5", 1.5),
            (" 7 ", 7.0),
            ("-3", None),
            ("soon", None),
            ("", None),
            ("nan", None),
            ("1e9", None),
            ("1_0", None),
        ],
    )
    def test_seconds(self, value, seconds):
        assert classify(429, {"Retry-After": value}, b"", self.NOW) == Again("HTTP 429: no words", seconds)

    def test_a_date(self):
        date = format_datetime(self.NOW + timedelta(seconds=90), usegmt=True)
        assert classify(503, {"retry-after": date}, b"", self.NOW).after_s == 90.0

    def test_a_date_that_has_passed_means_now(self):
        date = format_datetime(self.NOW - timedelta(hours=1), usegmt=True)
        assert classify(503, {"RETRY-AFTER": date}, b"", self.NOW).after_s == 0.0

    def test_a_date_without_a_zone_is_utc(self):
        assert classify(503, {"Retry-After": "Mon, 30 Nov 2026 08:15:21 -0000"}, b"", self.NOW).after_s == 10.0

    def test_milliseconds_go_first(self):
        assert classify(429, {"retry-after-ms": "250", "retry-after": "1"}, b"", self.NOW).after_s == 0.25

    def test_never_is_a_year(self):
        assert classify(429, {"Retry-After": "9" * 500}, b"", self.NOW).after_s == 366 * 24 * 3600

    def test_it_counts_behind_a_200_too(self):
        assert sort(error(code=429), Retry_After="3").after_s == 3.0

    @given(st.text())
    def test_any_text_is_survived(self, value):
        found = classify(429, {"Retry-After": value}, b"")
        assert isinstance(found, Again)
        assert found.after_s is None or found.after_s >= 0


class TestShortened:
    def test_one_line_of_printable_characters(self):
        assert shortened("a\r\n\tb\x00\x1b[31mc\u2028d\u202ee") == "a b [31mc d e"

    @given(st.text())
    def test_never_longer_never_broken(self, text):
        found = shortened(text)
        assert len(found) <= WORDS_MAX
        assert found.isprintable()
        assert found.encode() is not None

    def test_a_provider_that_talks_too_much_is_cut(self):
        assert len(sort(error("word " * 1000), 400).reason) <= WORDS_MAX


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["stop", "error", "content_filter", 429, 403]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = [*completion(""), *completion("")["choices"][0], "content", "refusal", "native_finish_reason", "error", "code", "metadata", "cost"]
SHAPED = st.recursive(
    JSON,
    lambda inner: st.lists(inner, min_size=1, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
BODIES = st.binary() | SHAPED.map(lambda value: json.dumps(value).encode())
STATUSES = st.integers(100, 599) | st.sampled_from([200, 400, 403])


@given(BODIES, STATUSES)
@example(b"[" * 100_000, 200)
@example(b'{"error":' * 900 + b"1" + b"}" * 900, 200)
@example(b'{"error":{"code":' + b"[" * 900 + b"]" * 900 + b"}}", 200)
@example(b'{"choices":[{"message":{"content":"x"},"finish_reason":' + b"[" * 900 + b"]" * 900 + b"}]}", 200)
@example(b'{"error":{"code":' + b"9" * 4000 + b"}}", 200)
@example(b'{"error":{"code":' + b"9" * 5000 + b"}}", 200)
def test_no_bytes_break_the_reader_and_both_readers_agree(body, http_status):
    found = classify(http_status, {}, body)
    try:
        reply = read(body, http_status)
    except ValueError:
        assert isinstance(found, Again | No)
        assert found.reason.isprintable()
    else:
        assert found == Delivered(reply.status)
        assert reply.text.encode() is not None
        assert json.dumps([reply.cost_usd], allow_nan=False)


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_text_comes_out_as_it_went_in(text, words):
    assert read(completion(text)).text == text
    failed = sort({"error": {"message": words}, **completion(text)}, 500)
    assert isinstance(failed, Again)


def test_the_constructed_server_speaks_this_wire():
    reply = read(completion(constructed_text({"messages": MESSAGES, "response_format": {}})))
    assert json.loads(reply.text)["verdict"] in ("A", "B", "tie", "both_inadequate")
