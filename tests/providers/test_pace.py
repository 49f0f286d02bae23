"""The pace of an endpoint: modest at first, wider while it pays, halved once by a burst of 429, never below one."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from stages.providers.pace import START, Pace


def fill(pace, number):
    """Start ``number`` calls."""
    return [asyncio.run(pace.admit(1)) for _ in range(number)]


def test_it_starts_modest_and_never_above_the_cap():
    assert Pace(most=64).width == START
    assert Pace(most=2).width == 2
    assert Pace(most=1).width == 1


def test_it_grows_while_full_calls_land_and_stops_at_the_cap():
    pace = Pace(most=16)
    for _ in range(20):
        for call in fill(pace, pace.width):
            pace.landed(call, 200)
    assert pace.width == 16


def test_it_does_not_grow_while_it_is_not_used():
    pace = Pace(most=64)
    for _ in range(50):
        (call,) = fill(pace, 1)
        pace.landed(call, 200)
    assert pace.width == START


def test_a_burst_of_429_halves_it_once():
    pace = Pace(most=64)
    pace.limit = 32.0
    calls = fill(pace, 32)
    for call in calls:
        pace.landed(call, 429)
    assert pace.width == 16
    assert pace.throttled == 32


def test_a_429_of_a_call_started_after_the_cut_halves_it_again():
    pace = Pace(most=64)
    pace.limit = 32.0
    (first,) = fill(pace, 1)
    pace.landed(first, 429)
    (second,) = fill(pace, 1)
    pace.landed(second, 429)
    assert pace.width == 8


def test_after_a_cut_it_grows_by_one_a_round():
    pace = Pace(most=64)
    pace.limit = 8.0
    (call,) = fill(pace, 1)
    pace.landed(call, 429)
    assert pace.width == 4
    for call in fill(pace, 8)[:4]:
        pace.landed(call, 200)
    assert 4.9 < pace.limit < 5.1


def test_a_slow_reply_a_lost_connection_and_a_server_error_narrow_nothing():
    pace = Pace(most=64)
    calls = fill(pace, 4)
    pace.lost()
    pace.landed(calls[1], 500)
    pace.landed(calls[2], 503)
    assert pace.width == START


@given(st.lists(st.sampled_from([200, 429, 500, None]), max_size=200), st.integers(1, 64))
def test_whatever_happens_it_stays_between_one_and_the_cap(statuses, most):
    pace = Pace(most=most)
    for status in statuses:
        (call,) = fill(pace, 1)
        pace.lost() if status is None else pace.landed(call, status)
        assert 1 <= pace.width <= most


def test_the_caps_per_minute_hold_calls_back():
    async def admitted(pace, number, tokens):
        tasks = [asyncio.create_task(pace.admit(tokens)) for _ in range(number)]
        await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        done = sum(task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return done

    assert asyncio.run(admitted(Pace(most=64, requests=3), 10, 1)) == 3
    assert asyncio.run(admitted(Pace(most=64, tokens=1000), 10, 400)) == 2
    assert asyncio.run(admitted(Pace(most=64, tokens=100), 3, 10_000)) == 1
