"""The buyer, in this process: where a reply comes from, what stops a run, and what is stored when it stops."""

import asyncio
import os
import shutil
import signal
import stat
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stages.runtime.errors import BadRecord, Gaps, JournalFailed, NothingBought, ProviderRefused, Refusal, Stopped
from stages.schema.calls import body_of, seal, try_row
from stages.store.buyer import not_recorded, obtain
from stages.store.journal import Journal
from stages.store.locks import try_lock
from stages.store.recordings import Recording
from tests.store.shopkeeper import STARTED, Counter200, Gave, exchange, request, requests, row, shop, until

PAGE = b"<html>constructed \xe9</html>"  # no UTF-8


class World:
    """A journal, a recording and a shop, and one call that uses them."""

    def __init__(self, folder):
        self.journal = Journal(folder / "kept")
        self.path = folder / "answers.jsonl"
        self.ask = Counter200()
        self.landed = []
        self.said = []

    def record(self, *rows):
        recording = Recording(self.path)
        recording.add(rows)
        recording.save()
        return self.path.read_bytes()

    def keep(self, *rows):
        for each in rows:
            self.journal.put(each)

    def obtain(self, wanted, ask=None, **terms):
        listener = terms.pop("on_landed", lambda landed, bought: self.landed.append((landed["request_sha256"], bought)))
        offered = shop(ask or self.ask, **terms)
        return obtain(wanted, Recording(self.path), self.journal, lambda missing: offered, on_landed=listener, say=self.said.append)

    def recorded(self):
        return set(Recording(self.path).by_request())


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def never(missing):
    raise AssertionError("the shop was opened")


def digests(wanted):
    return {each.sha256 for each in wanted}


def notes(error):
    return getattr(error.value, "__notes__", [])


# Where a reply comes from


def test_nothing_missing_touches_neither_shop_nor_journal_nor_file(world):
    before = world.record(*(row(number) for number in (1, 2, 3)))
    os.utime(world.path, ns=(1, 1))
    found = obtain(requests(3), Recording(world.path), world.journal, never)
    assert (found.recorded, found.from_journal, found.bought, found.may_repeat) == (3, 0, 0, 0)
    assert found.rows == {row(number)["request_sha256"]: row(number) for number in (1, 2, 3)}
    assert (world.path.read_bytes(), world.path.stat().st_mtime_ns) == (before, 1)
    assert not world.journal.folder.exists()


def test_nothing_wanted_is_nothing_missing(world):
    assert obtain([], Recording(world.path), world.journal, never).rows == {}


def test_what_the_journal_has_is_taken_without_a_shop(world):
    world.keep(*(row(number) for number in (1, 2, 3)))
    found = obtain(requests(3), Recording(world.path), world.journal, never)
    assert (found.recorded, found.from_journal, found.bought) == (0, 3, 0)
    assert world.recorded() == digests(requests(3))


def stating(number, **change):
    """A row under the digest of one request that states something else, properly sealed."""
    return seal({key: value for key, value in {**row(number), **change}.items() if key != "row_sha256"})


@pytest.mark.parametrize("change", [{"contestant": "birch"}, {"matter_id": "Q009"}, {"model": "other"}])
def test_a_reply_that_states_another_request_than_its_digest_is_of_is_refused(world, change):
    key = next(iter(change))
    sentence = f"it states another {key} than the request whose digest it bears"
    before = world.record(row(1), stating(2, **change))
    with pytest.raises(BadRecord, match=rf"answers\.jsonl: .*{sentence}"):
        world.obtain(requests(3))
    assert world.path.read_bytes() == before
    world.path.unlink()
    world.keep(stating(2, **change))
    with pytest.raises(BadRecord, match=rf"the journal .*/kept: .*{sentence}"):
        world.obtain(requests(3))
    assert not world.path.exists()
    assert world.ask.asked == []


def unreadable_to(world, number):
    """A listener that cannot read one reply."""

    def listener(landed, bought):
        if landed["request_sha256"] == request(number).sha256:
            raise BadRecord("answers.jsonl: answer Q002: its body is no delivery")
        world.landed.append((landed["request_sha256"], bought))

    return listener


def test_a_reply_in_the_journal_that_cannot_be_read_is_never_recorded(world):
    before = world.record(row(9))
    world.keep(row(1), row(2))
    with pytest.raises(BadRecord, match=r"its body is no delivery; it is not taken out of the journal /.*/kept"):
        world.obtain(requests(2), on_landed=unreadable_to(world, 2))
    assert world.recorded() == {request(9).sha256, request(1).sha256}
    assert set(before.split(b"\n")) <= set(world.path.read_bytes().split(b"\n"))
    assert world.journal.get(request(2).sha256) == row(2), "it stays where it was"


def test_what_is_in_neither_is_bought_stored_and_heard_of(world):
    found = world.obtain(requests(5))
    assert (found.recorded, found.from_journal, found.bought) == (0, 0, 5)
    assert Counter(world.ask.asked) == Counter(digests(requests(5)))
    assert world.recorded() == digests(requests(5))
    assert all(world.journal.get(sha256) == found.rows[sha256] for sha256 in digests(requests(5)))
    assert sorted(world.landed) == sorted((sha256, True) for sha256 in digests(requests(5)))
    assert world.journal.left_in_flight() == []
    assert world.said == []


def test_a_second_time_nothing_is_bought_and_a_lost_recording_is_filled_from_the_journal(world):
    world.obtain(requests(5))
    before = world.path.read_bytes()
    assert world.obtain(requests(5)).recorded == 5
    world.path.unlink()
    assert world.obtain(requests(5)).from_journal == 5
    assert len(world.ask.asked) == 5
    assert world.path.read_bytes() == before


SOME = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)


@SOME
@given(st.lists(st.sampled_from(["recorded", "kept", "neither"]), max_size=8), st.integers(1, 5))
def test_recorded_and_found_and_bought_add_up(world, places, width):
    shutil.rmtree(world.journal.folder, ignore_errors=True)
    world.path.unlink(missing_ok=True)
    world.record(*(row(number) for number, where in enumerate(places, 1) if where == "recorded"))
    world.keep(*(row(number) for number, where in enumerate(places, 1) if where == "kept"))
    found = world.obtain(requests(len(places)), width=width)
    assert (found.recorded, found.from_journal, found.bought) == tuple(places.count(where) for where in ("recorded", "kept", "neither"))
    assert found.recorded + found.from_journal + found.bought == len(found.rows) == len(places)
    assert world.recorded() == digests(requests(len(places)))


def test_identical_words_for_two_subjects_are_two_calls_and_one_request_twice_is_one(world):
    one, two = request(1), request(1)
    twin = type(one)(**{**vars(one), "subject": {**one.subject, "attempt": 2}})
    assert twin.body_bytes == one.body_bytes
    assert len(world.obtain([one, two, twin]).rows) == 2
    assert len(world.ask.asked) == 2


def test_of_two_replies_the_earlier_counts_and_both_are_handed_over(world):
    early, late = row(1, "a", "2026-11-29T00:00:00.000Z"), row(1, "b")
    world.record(late, early)
    found = world.obtain(requests(1))
    assert found.rows == {request(1).sha256: early}
    assert found.replies == {request(1).sha256: [early, late]}


def test_rows_come_in_the_order_of_the_requests(world):
    wanted = requests(6)[::-1]
    assert list(world.obtain(wanted).rows) == [each.sha256 for each in wanted]


def test_what_today_does_not_use_stays(world):
    before = world.record(row(7), row(8))
    world.obtain(requests(2))
    assert set(before.split(b"\n")) <= set(world.path.read_bytes().split(b"\n"))


def test_merged_branches_are_put_in_order_even_if_nothing_is_missing(world):
    whole = world.record(row(1), row(2))
    first, second, _ = whole.split(b"\n")
    world.path.write_bytes(second + b"\n" + first + b"\n" + second + b"\n")
    assert obtain(requests(2), Recording(world.path), world.journal, never).recorded == 2
    assert world.path.read_bytes() == whole


def test_an_unsound_recording_stops_everything_before_it_starts(world):
    world.path.write_text("{}\n")
    with pytest.raises(BadRecord, match="line 1"):
        world.obtain(requests(2))
    assert world.ask.asked == []
    assert world.path.read_text() == "{}\n"


def test_not_recorded_is_each_once_and_in_order(world):
    world.record(row(2))
    assert not_recorded([*requests(4), *requests(4)], Recording(world.path)) == [request(1), request(3), request(4)]


def test_a_torn_journal_entry_is_bought_again_and_reported_once(world):
    world.keep(row(1), row(2))
    sha256 = request(1).sha256
    (world.journal.folder / "entries" / sha256[:2] / f"{sha256}.json").write_text('{"cut')
    found = world.obtain(requests(2))
    assert (found.from_journal, found.bought) == (1, 1)
    [sentence] = world.said
    assert sha256[:12] in sentence


# When nothing can be bought


@pytest.mark.parametrize(("count", "words"), [(1, "1 reply is missing"), (4, "4 replies are missing")])
def test_without_a_key_the_first_missing_is_named_and_everything_stays_as_it_was(world, count, words):
    before = world.record(row(99))
    with pytest.raises(NothingBought) as refused:
        world.obtain(requests(count), why_not="KEY_OF_ALDER is not set")
    assert str(refused.value).startswith(words)
    assert "answer of alder to Q001 (attempt 1)" in str(refused.value)
    assert str(refused.value).endswith("KEY_OF_ALDER is not set")
    assert world.path.read_bytes() == before
    assert world.ask.asked == world.landed == []
    assert not world.journal.folder.exists()


def test_nor_is_what_the_journal_has_written_then(world):
    world.keep(row(2))
    with pytest.raises(NothingBought, match="2 replies are missing, the first is the answer of alder to Q001") as refused:
        world.obtain(requests(3), why_not="no key")
    assert notes(refused) == ["1 more are in the journal and will be taken with them"]
    assert not world.path.exists()
    assert world.landed == []


def test_the_shop_is_told_exactly_what_is_missing(world):
    world.record(row(1))
    world.keep(row(2))
    told = []

    def open_shop(missing):
        told.append(missing)
        return shop(world.ask)

    obtain(requests(4), Recording(world.path), world.journal, open_shop, say=world.said.append)
    assert told == [[request(3), request(4)]]


def test_a_journal_that_cannot_be_written_buys_nothing(world):
    world.journal.folder.write_text("a file in the place of the folder")
    with pytest.raises(JournalFailed, match="Not a directory"):
        world.obtain(requests(3))
    assert world.ask.asked == []
    assert not world.path.exists()


def test_it_still_hands_over_what_it_has(world):
    world.keep(row(1))
    (world.journal.folder / "claims").rmdir()
    (world.journal.folder / "claims").touch()
    with pytest.raises(JournalFailed, match="Not a directory"):
        world.obtain(requests(3))
    assert world.ask.asked == []
    assert world.recorded() == {request(1).sha256}


def test_a_context_that_cannot_be_entered_is_the_refusal(world):
    class Closed:
        async def __aenter__(self):
            raise NothingBought("the server did not start")

        async def __aexit__(self, *error):
            raise AssertionError("never entered")

    with pytest.raises(NothingBought, match="did not start"):
        world.obtain(requests(3), within=Closed())
    assert world.ask.asked == []


def test_the_context_is_open_while_calls_go_on_and_closed_afterwards(world):
    events = []

    class Open:
        async def __aenter__(self):
            events.append("open")

        async def __aexit__(self, *error):
            events.append("closed")

    async def ask(each):
        events.append("asked")
        return exchange()

    world.obtain(requests(2), ask, within=Open())
    assert events == ["open", "asked", "asked", "closed"]


# Width


def test_a_lane_is_never_wider_than_it_may_be_and_lanes_go_side_by_side(world):
    wanted = requests(12, route="narrow") + requests(12, contestant="birch", route="wide")
    world.obtain(wanted, width=lambda lane: {"narrow": 1, "wide": 5}[lane])
    assert world.ask.most == {"narrow": 1, "wide": 5}


def test_a_narrow_lane_goes_in_the_order_given(world):
    wanted = requests(9)[::-1]
    world.obtain(wanted, width=1)
    assert world.ask.asked == [each.sha256 for each in wanted]


def test_a_width_that_grows_and_shrinks_is_followed(world):
    seen = []

    def width(lane):
        return 1 if len(world.ask.asked) < 4 else 6 if len(world.ask.asked) < 20 else 2

    async def ask(each):
        allowed = width("")
        reply = await world.ask(each)
        seen.append((allowed, world.ask.at_once[each.route] + 1))
        return reply

    world.obtain(requests(40), ask, width=width)
    assert max(at_once for allowed, at_once in seen if allowed == 1) == 1
    assert world.ask.most["loopback/alder"] == 6
    assert all(at_once <= 2 for _, at_once in seen[-10:])


def test_a_width_of_nothing_is_one(world):
    assert world.obtain(requests(3), width=0).bought == 3


@pytest.mark.parametrize("part", ["width", "lane", "on_landed"])
def test_a_mistake_in_what_was_handed_in_is_raised_as_it_is_and_loses_nothing(world, part):
    def wrong(*given):
        if part == "on_landed" or len(world.ask.asked) >= 3 or part == "lane":
            raise ZeroDivisionError("constructed")
        return 3

    with pytest.raises(ZeroDivisionError):
        world.obtain(requests(9), **{part: wrong})
    assert (world.recorded() if world.path.exists() else set()) == set(world.ask.asked)


# What stops a run


def refusing_at(world, number, error):
    """An ask that fails at one request, while the calls beside it are in flight."""

    async def ask(each):
        if each.sha256 == request(number).sha256:
            world.ask.asked.append(each.sha256)
            raise error
        return await world.ask(each)

    return ask


FATAL = [ProviderRefused("wrong key"), NothingBought("no start"), KeyError("a mistake"), SystemExit(9), asyncio.CancelledError()]


@pytest.mark.parametrize("error", FATAL, ids=lambda error: type(error).__name__)
def test_a_fatal_error_stops_new_work_and_what_is_in_flight_lands(world, error):
    with pytest.raises(type(error)) as refused:
        world.obtain(requests(20), refusing_at(world, 5, error), width=4)
    assert refused.value is error
    assert len(world.ask.asked) < 12
    assert world.recorded() == set(world.ask.asked) - {request(5).sha256}
    assert all(world.journal.get(sha256) for sha256 in world.recorded())
    landed = len(world.recorded())
    assert notes(refused)[-1] == f"{landed} landed and are stored, {20 - landed} remain; the same command goes on from here"
    assert world.obtain(requests(20)).bought == 20 - landed
    assert len(world.ask.asked) == 21


def test_an_orderly_refusal_leaves_no_mark_and_a_mistake_does(world):
    for error, left in ((ProviderRefused("no"), 0), (KeyError("?"), 1)):
        with pytest.raises(type(error)):
            world.obtain(requests(1), refusing_at(world, 1, error))
        assert len(world.journal.left_in_flight()) == left
    assert world.obtain(requests(1)).may_repeat == 1
    assert world.said == ["1 call was in flight when an earlier run died; it may be bought again"]


def test_many_refusals_in_one_voice_are_told_once(world):
    async def ask(each):
        await asyncio.sleep(0.01)
        raise ProviderRefused("wrong key" if each.subject["matter_id"] < "Q006" else each.name)

    with pytest.raises(ProviderRefused, match="wrong key") as refused:
        world.obtain(requests(20), ask, width=10)
    assert len(notes(refused)) == 5
    assert notes(refused)[3] == "and 2 more"


def test_the_gravest_of_several_is_raised_and_the_others_are_its_notes(world):
    fourth, stop, broken = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def ask(each):
        number = int(each.subject["matter_id"][1:])
        if number == 1:
            raise Gave("gave up on the first")
        if number == 2:
            await fourth.wait()
            os.kill(os.getpid(), signal.SIGTERM)
            stop.set()
            raise ProviderRefused("no credit")
        if number == 3:
            await stop.wait()
            shutil.rmtree(world.journal.folder / "entries")
            (world.journal.folder / "entries").touch()
            broken.set()
        if number == 4:
            fourth.set()
            await broken.wait()
        return exchange(each.name)

    with pytest.raises(JournalFailed, match="Not a directory") as refused:
        world.obtain(requests(9), ask, width=3)
    told = notes(refused)
    assert told[0] == "no credit"
    assert told[1].startswith("SIGTERM: 2 landed and are stored, 7 remain")
    assert "gave up on the first" in told[2]
    assert world.recorded() == {request(3).sha256, request(4).sha256}, "the replies that the journal could not store"


def test_a_reply_that_the_journal_cannot_store_reaches_the_recording(world):
    async def ask(each):
        entries = world.journal.folder / "entries"
        if each.sha256 == request(3).sha256:
            entries.rename(entries.with_name("gone"))
            entries.touch()
        return await world.ask(each)

    with pytest.raises(JournalFailed) as refused:
        world.obtain(requests(9), ask, width=1)
    assert world.recorded() == digests(requests(3))
    assert len(world.landed) == 2, "it did not land, but it is not lost"
    assert notes(refused) == ["3 landed and are stored, 6 remain; the same command goes on from here"]


def test_a_recording_that_cannot_be_written_says_where_the_replies_are(world):
    async def ask(each):
        world.path.mkdir(exist_ok=True)
        return await world.ask(each)

    with pytest.raises(Refusal, match="it is a folder, and a file belongs here") as refused:
        world.obtain(requests(3), ask)
    assert notes(refused) == ["3 landed and are in the journal, but not in the recording; the same command goes on from here"]
    world.path.rmdir()
    assert world.obtain(requests(3)).from_journal == 3


def test_when_both_fail_it_says_how_many_are_lost(world):
    async def ask(each):
        world.path.mkdir(exist_ok=True)
        if each.sha256 == request(2).sha256:
            shutil.rmtree(world.journal.folder / "entries")
            (world.journal.folder / "entries").touch()
        return await world.ask(each)

    with pytest.raises(JournalFailed) as refused:
        world.obtain(requests(9), ask, width=1)
    assert "it is a folder, and a file belongs here" in notes(refused)[0]
    assert "1 landed and are in the journal, but not in the recording, 1 could be stored nowhere" in notes(refused)[1]


def test_a_permit_that_is_refused_stops_before_the_call_and_the_run_can_go_on(world):
    given_out = Counter()

    def permit(each):
        if given_out.total() == 5:
            raise Refusal("max_calls is 5")
        given_out[each.sha256] += 1

    with pytest.raises(Refusal, match="max_calls is 5"):
        world.obtain(requests(12), permit=permit)
    assert len(world.ask.asked) == 5
    assert set(given_out) == set(world.ask.asked) == world.recorded()
    assert world.journal.left_in_flight() == []
    assert world.obtain(requests(12)).bought == 7


def test_a_permit_is_not_asked_for_what_the_journal_has(world):
    world.keep(*(row(number) for number in (1, 2)))
    asked = []
    world.obtain(requests(4), permit=lambda each: asked.append(each.sha256))
    assert set(asked) == digests(requests(4)[2:])


# Gaps


def failing(world, numbers, words="nothing came"):
    async def ask(each):
        if int(each.subject["matter_id"][1:]) in numbers:
            world.ask.asked.append(each.sha256)
            raise Gave(words)
        return await world.ask(each)

    return ask


def test_a_gap_leaves_the_others_alone(world):
    with pytest.raises(Gaps) as gaps:
        world.obtain(requests(9), failing(world, {3, 7}), width=1)
    assert str(gaps.value) == "2 of 9 requests delivered nothing, the first is the answer of alder to Q003 (attempt 1): nothing came"
    assert len(world.ask.asked) == 9
    assert world.recorded() == digests(requests(9)) - {request(3).sha256, request(7).sha256}
    assert world.journal.left_in_flight() == []
    assert world.obtain(requests(9)).bought == 2


def down(*outcomes, error=Gave, **came):
    """An ask that keeps tries with these outcomes, and then gives up."""

    async def ask(each, keep):
        for outcome in outcomes:
            await keep(try_row(outcome, STARTED, 1, **came))
        raise error("down")

    return ask


def test_tries_that_delivered_nothing_are_kept_until_something_is_delivered(world):
    for _ in range(2):
        with pytest.raises(Gaps):
            world.obtain(requests(1), keeping=down("503", "reset"))
    [landed] = world.obtain(requests(1)).rows.values()
    assert [each["outcome"] for each in landed["tries"]] == ["503", "reset", "503", "reset"]


@pytest.mark.parametrize("torn", ['{"outcome":"50', '{"outcome":"50\n{}', "\0\0\0\n", "[]\n", "\udcff\n"])
def test_a_torn_line_of_tries_costs_no_reply(world, torn):
    (world.journal.folder / "tries").mkdir(parents=True)
    world.journal.folder.chmod(0o700)
    (world.journal.folder / "tries" / f"{request(1).sha256}.jsonl").write_bytes(torn.encode(errors="surrogateescape"))
    with pytest.raises(Gaps):
        world.obtain(requests(1), keeping=down("503"))
    [landed] = world.obtain(requests(1)).rows.values()
    assert landed["tries"][-1]["outcome"] == "503"


@pytest.mark.parametrize("error", [Gave, ProviderRefused])
def test_what_came_and_cannot_be_read_is_kept_and_its_place_is_told(world, error):
    with pytest.raises((Gaps, ProviderRefused)) as refused:
        world.obtain(requests(2), keeping=down("spoiled", error=error, http_status=200, body=PAGE), width=2, stop_after_failures=9)
    files = sorted(world.journal.tries_file(each.sha256) for each in requests(2))
    told = next(sentence for sentence in notes(refused) if "paid for" in sentence)
    assert told.startswith("what came for 2 requests cannot be read and may be paid for; it is kept, the first in ")
    assert told.endswith(tuple(map(str, files)))
    assert [stat.S_IMODE(path.stat().st_mode) for path in (files[0].parent, *files)] == [0o700, 0o600, 0o600]
    assert [body_of(tried) for each in requests(2) for tried in world.journal.tries(each.sha256)] == [PAGE, PAGE]


def test_of_what_came_spoiled_and_was_then_delivered_nothing_is_told_and_all_is_kept(world):
    async def ask(each, keep):
        if each.sha256 == request(2).sha256:
            raise ProviderRefused("no")
        tried = try_row("spoiled", STARTED, 1, 200, PAGE)
        await keep(tried)
        return replace(exchange(), tries=(tried,))

    with pytest.raises(ProviderRefused) as refused:
        world.obtain(requests(2), keeping=ask, width=1)
    assert not [sentence for sentence in notes(refused) if "paid for" in sentence]
    [landed] = Recording(world.path).load()
    assert [body_of(tried) for tried in landed["tries"]] == [PAGE]
    assert world.journal.get(request(1).sha256) == landed


def test_what_came_is_durable_before_the_next_try(world):
    async def ask(each, keep):
        await keep(try_row("spoiled", STARTED, 1, 200, PAGE))
        assert [body_of(tried) for tried in Journal(world.journal.folder).tries(each.sha256)] == [PAGE]
        raise KeyError("a mistake")

    with pytest.raises(KeyError):
        world.obtain(requests(1), keeping=ask)
    [landed] = world.obtain(requests(1)).rows.values()
    assert [body_of(tried) for tried in landed["tries"]] == [PAGE]


def test_what_came_and_cannot_be_kept_stops_the_run_and_is_said(world):
    async def ask(each, keep):
        world.ask.asked.append(each.sha256)
        (world.journal.folder / "tries").touch()
        await keep(try_row("spoiled", STARTED, 1, 200, PAGE))
        raise AssertionError("it cannot be kept")

    with pytest.raises(JournalFailed, match="cannot be written: Not a directory") as refused:
        world.obtain(requests(9), keeping=ask, width=1)
    assert notes(refused)[0] == f"what came for the {request(1).name} cannot be read, may be paid for, and could be kept nowhere"
    assert len(world.ask.asked) == 1


def test_tries_that_cannot_be_read_stop_the_run_before_the_call(world):
    world.journal.check_writable()
    (world.journal.folder / "tries" / f"{request(1).sha256}.jsonl").mkdir(parents=True)
    with pytest.raises(JournalFailed, match="cannot be read"):
        world.obtain(requests(1))
    assert world.ask.asked == []


def test_a_sentence_that_names_the_request_is_not_given_its_name_again(world):
    with pytest.raises(Gaps) as gaps:
        world.obtain(requests(1), failing(world, {1}, f"{request(1).name} (ab12): 503 five times"))
    assert str(gaps.value).count(request(1).name) == 1


def test_after_so_many_gaps_in_a_row_nothing_new_starts(world):
    with pytest.raises(Gaps, match=r"3 of 20 requests delivered nothing.*; 13 more were not tried"):
        world.obtain(requests(20), failing(world, {5, 6, 7, *range(9, 20)}), width=1, stop_after_failures=3)
    assert len(world.ask.asked) == 7


def test_a_reply_between_two_gaps_begins_the_count_again(world):
    with pytest.raises(Gaps, match="6 of 9 requests delivered nothing") as gaps:
        world.obtain(requests(9), failing(world, {1, 2, 4, 5, 7, 8}), width=1, stop_after_failures=3)
    assert "not tried" not in str(gaps.value)


def test_a_straggler_does_not_open_a_closed_lane_again(world):
    async def ask(each):
        if each.sha256 == request(1).sha256:
            await asyncio.to_thread(until, lambda: len(world.ask.asked) == 2, "the two gaps")
            return await world.ask(each)
        world.ask.asked.append(each.sha256)
        raise Gave("down")

    with pytest.raises(Gaps, match=r"2 of 9 .*; 6 more were not tried"):
        world.obtain(requests(9), ask, width=2, stop_after_failures=2)
    assert len(world.ask.asked) == 3


def test_a_dead_endpoint_does_not_hold_up_another(world):
    wanted = [each for pair in zip(requests(9), requests(9, contestant="birch", route="dead"), strict=True) for each in pair]

    async def ask(each):
        if each.route == "dead":
            world.ask.asked.append(each.sha256)
            raise Gave("down")
        return await world.ask(each)

    with pytest.raises(Gaps, match=r"2 of 18 .*; 7 more were not tried"):
        world.obtain(wanted, ask, width=1, stop_after_failures=2)
    assert world.recorded() == digests(requests(9))


# Signals, in this process


def signalling_at(world, number, *signals):
    async def ask(each):
        if each.sha256 == request(number).sha256:
            for told, each_signal in enumerate(signals, 1):
                os.kill(os.getpid(), each_signal)
                await asyncio.to_thread(until, lambda told=told: len(world.said) == told, "the sentence")
        return await world.ask(each)

    return ask


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_drains_stores_and_says_so(world, number):
    before = signal.getsignal(number)
    with pytest.raises(Stopped) as stopped:
        world.obtain(requests(20), signalling_at(world, 5, number), width=4)
    landed = len(world.recorded())
    assert world.recorded() == set(world.ask.asked)
    assert landed < 20
    assert str(stopped.value) == f"{number.name}: {landed} landed and are stored, {20 - landed} remain; the same command goes on from here"
    assert notes(stopped) == []
    assert signal.getsignal(number) is before
    assert world.journal.left_in_flight() == []
    [sentence] = world.said
    assert sentence.startswith(f"{number.name}: nothing new starts, but first comes what is in flight (")
    assert world.obtain(requests(20)).bought == 20 - landed


def test_what_waits_between_two_tries_is_told_to_give_up(world):
    told = asyncio.Event()

    async def ask(each, keep):
        if each.sha256 == request(1).sha256:
            os.kill(os.getpid(), signal.SIGTERM)
        await told.wait()
        await down("the run drains")(each, keep)

    with pytest.raises(Stopped, match="0 landed and are stored, 9 remain") as stopped:
        world.obtain(requests(9), keeping=ask, drain=told.set)
    assert notes(stopped)[0].startswith("1 of 9 requests delivered nothing")
    assert len(world.journal.tries(request(1).sha256)) == 1


def test_a_drain_that_fails_is_raised_and_the_watch_goes_on(world):
    def drain():
        raise ZeroDivisionError("constructed")

    with pytest.raises(ZeroDivisionError):
        world.obtain(requests(20), signalling_at(world, 5, signal.SIGTERM, signal.SIGTERM), width=4, drain=drain)
    assert world.recorded() == set(world.ask.asked)


def test_a_gap_that_closes_its_lane_is_the_last_of_it(world):
    class Closing(Gave):
        closes = True

    async def ask(each):
        world.ask.asked.append(each.sha256)
        raise Closing("come back tomorrow")

    with pytest.raises(Gaps, match=r"1 of 9 .*; 8 more were not tried"):
        world.obtain(requests(9), ask, width=1, stop_after_failures=5)
    assert len(world.ask.asked) == 1


def test_a_second_signal_does_not_hurry_it(world):
    with pytest.raises(Stopped):
        world.obtain(requests(20), signalling_at(world, 5, signal.SIGINT, signal.SIGINT), width=4)
    assert len(world.said) == 2
    assert world.said[1].startswith("SIGINT: still waiting for what is in flight (")
    assert request(5).sha256 in world.recorded()


def test_a_signal_at_the_very_last_call_still_ends_the_run(world):
    with pytest.raises(Stopped, match="3 landed and are stored, 0 remain"):
        world.obtain(requests(3), signalling_at(world, 3, signal.SIGTERM), width=1)


def test_a_listener_that_fails_while_it_is_told_loses_nothing(world):
    def deaf(sentence):
        world.said.append(sentence)
        raise BrokenPipeError("nobody reads")

    with pytest.raises(BrokenPipeError):
        obtain(requests(20), Recording(world.path), world.journal, lambda missing: shop(signalling_at(world, 5, signal.SIGTERM)), say=deaf)
    assert world.recorded() == set(world.ask.asked)


def test_one_who_waits_for_another_buyer_stops_waiting(world):
    async def while_another_holds():
        async with world.journal.claim(request(1).sha256):
            return await asyncio.to_thread(stopped_while_waiting)

    def stopped_while_waiting():
        with pytest.raises(ProviderRefused):
            world.obtain(requests(2), refusing_at(world, 2, ProviderRefused("no")), width=2)

    asyncio.run(while_another_holds())
    assert world.ask.asked == [request(2).sha256]


def test_a_claim_that_comes_free_after_the_stop_buys_nothing(world):
    world.journal.check_writable()
    descriptor = try_lock(world.journal.folder / "claims" / request(1).sha256)

    async def ask(each):
        world.ask.asked.append(each.sha256)
        await asyncio.sleep(0.02)  # the other one has looked at the claim by now, and looks again later
        os.close(descriptor)
        raise ProviderRefused("no")

    with pytest.raises(ProviderRefused):
        world.obtain(requests(2), ask, width=2)
    assert world.ask.asked == [request(2).sha256]


@pytest.mark.parametrize("brought", ["another request's", "unreadable"])
def test_what_another_buyer_brings_meanwhile_and_is_wrong_is_neither_taken_nor_bought(world, brought):
    listener = unreadable_to(world, 1 if brought == "unreadable" else 9)

    async def while_another_buys():
        async with world.journal.claim(request(1).sha256):
            running = asyncio.create_task(asyncio.to_thread(world.obtain, requests(2), on_landed=listener))
            await asyncio.to_thread(until, lambda: world.ask.asked, "the other request")
            world.keep(row(1) if brought == "unreadable" else stating(1, contestant="birch"))
        return await running

    with pytest.raises(BadRecord, match="is no delivery; it is not" if brought == "unreadable" else "it states another contestant"):
        asyncio.run(while_another_buys())
    assert world.recorded() == {request(2).sha256}
    assert world.ask.asked == [request(2).sha256]


def test_what_another_buyer_brings_meanwhile_is_taken_not_bought(world):
    async def while_another_buys():
        async with world.journal.claim(request(1).sha256):
            running = asyncio.create_task(asyncio.to_thread(world.obtain, requests(2)))
            await asyncio.to_thread(until, lambda: world.ask.asked, "the other request")
            world.keep(row(1, "another's"))
        return await running

    found = asyncio.run(while_another_buys())
    assert (found.from_journal, found.bought) == (1, 1)
    assert found.rows[request(1).sha256] == row(1, "another's")
    assert sorted(world.landed) == sorted([(request(1).sha256, False), (request(2).sha256, True)])
