"""The walk over attempts: first ones, further ones by order, and every order that must not be obeyed."""

import dataclasses
import json

import pytest

from stages.providers.attempts import attempts, by_answer
from stages.providers.requests import answer_request
from stages.runtime.errors import BadRecord
from stages.schema.calls import Exchange, call_row
from stages.schema.orders import RerunOrder
from stages.schema.settings import settings
from tests.small_record import matter

HOSTED = {
    "provider": "openai", "family": "f", "model": "m", "route": "example/m", "base_url": "https://api.example/v1",
    "decoding": {"max_tokens": 64, "temperature": 0.0},
}  # fmt: skip
MODELS = {name: settings("contestant", {**HOSTED, "system": name}) for name in ("birch", "alder")}
BATTERY = {name: matter(name) for name in ("Q01", "Q02")}
WHEN = "2026-11-30T08:15:11.000Z"


def reply(request, finish="stop", text="An answer."):
    body = json.dumps({"choices": [{"message": {"content": text}, "finish_reason": finish}]}).encode()
    return call_row(request, Exchange(200, body, WHEN, 5))


class Shelf:
    """Replies by request: what is asked for comes, complete, unless ``ends`` says otherwise by matter, contestant and attempt."""

    def __init__(self, **ends):
        self.ends = {key.replace("_", ":"): end for key, end in ends.items()}
        self.rounds = []

    def __call__(self, requests):
        self.rounds.append([":".join(str(r.subject[key]) for key in ("matter_id", "contestant", "attempt")) for r in requests])
        found = {}
        for request, name in zip(requests, self.rounds[-1], strict=True):
            end = self.ends.get(name, "stop")
            if end != "nothing":
                found[request.sha256] = [reply(request, end, "" if end == "stop_empty" else "An answer.")]
        return found


def order(contestant="alder", matter_id="Q01", attempt=2, **changes):
    after = answer_request(contestant, MODELS[contestant], BATTERY[matter_id], attempt - 1).sha256
    return RerunOrder("rerun", **{"reason": "cut off", "by": "A. Author", "ordered_at": WHEN, "contestant": contestant,
                                  "matter_id": matter_id, "attempt": attempt, "after_sha256": after, **changes})  # fmt: skip


def walk(shelf, *orders):
    return attempts(MODELS, BATTERY, orders, shelf)


def test_without_orders_there_is_one_round_contestant_by_contestant():
    shelf = Shelf()
    found = walk(shelf)
    assert shelf.rounds == [["Q01:alder:1", "Q02:alder:1", "Q01:birch:1", "Q02:birch:1"]]
    assert [asked.name for asked in found] == shelf.rounds[0]
    assert all(asked.order is None and asked.number == 1 for asked in found)


def test_an_order_makes_the_second_attempt_and_no_other():
    shelf = Shelf(Q01_alder_1="length", Q02_birch_1="length")
    found = walk(shelf, order())
    assert shelf.rounds[1:] == [["Q01:alder:2"]]
    assert (found[-1].order, found[-1].label, found[0].label) == (order(), "Q01:alder:2", "Q01:alder")
    assert [asked.number for asked in by_answer(found)["Q01", "alder"]] == [1, 2]


def test_a_second_attempt_that_was_cut_off_too_may_be_followed_by_a_third():
    shelf = Shelf(Q01_alder_1="length", Q01_alder_2="content_filter")
    assert walk(shelf, order(), order(attempt=3))[-1].name == "Q01:alder:3"
    assert shelf.rounds[1:] == [["Q01:alder:2"], ["Q01:alder:3"]]


def test_the_order_of_a_third_attempt_alone_makes_none():
    shelf = Shelf(Q01_alder_1="length")
    walk(shelf, order(attempt=3))
    assert len(shelf.rounds) == 1


def test_an_order_that_is_not_carried_out_leaves_an_open_attempt():
    found = walk(Shelf(Q01_alder_1="length", Q01_alder_2="nothing"), order())
    assert found[-1].rows == []
    assert [asked.number for asked in by_answer(found)["Q01", "alder"]] == [1]


@pytest.mark.parametrize("change", [{"after_sha256": "0" * 64}, {"contestant": "elm", "after_sha256": "1" * 64}])
def test_an_order_about_another_text_or_contestant_is_passed_over(change):
    shelf = Shelf(Q01_alder_1="length")
    walk(shelf, dataclasses.replace(order(), **change))
    assert len(shelf.rounds) == 1


def test_an_edited_matter_is_another_text_and_its_answer_was_not_ordered_again():
    shelf = Shelf(Q01_alder_1="length")
    battery = {**BATTERY, "Q01": dataclasses.replace(BATTERY["Q01"], facts="Other facts.")}
    attempts(MODELS, battery, [order()], shelf)
    assert len(shelf.rounds) == 1


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        ({}, "attempt Q01:alder:1 is complete; only one that is blocked, empty, filtered or truncated can be ordered again"),
        ({"Q01_alder_1": "refusal"}, "attempt Q01:alder:1 is refused; only one"),
        ({"Q01_alder_1": "nothing"}, "attempt Q01:alder:1, which it comes after, is not recorded"),
    ],
)
def test_an_order_after_an_attempt_that_is_whole_or_does_not_exist_is_refused_with_its_file(ends, sentence):
    shelf = Shelf(**ends)
    with pytest.raises(BadRecord) as refused:
        walk(shelf, order())
    assert str(refused.value).startswith(f"data/orders/reruns/{order().file_name}: {sentence}")
    assert len(shelf.rounds) == 1


@pytest.mark.parametrize("change", [{"attempt": 3}, {"matter_id": "Q02"}, {"contestant": "birch"}])
def test_an_order_whose_digest_is_of_another_attempt_than_it_says_is_refused(change):
    wrong = dataclasses.replace(order(), **change)
    with pytest.raises(BadRecord, match=r"its after_sha256 is that of attempt Q01:alder:1, which it does not come after"):
        walk(Shelf(Q01_alder_1="length"), wrong)
