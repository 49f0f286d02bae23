"""Money in a hostile world: real processes that buy at a real server, and are killed, stopped, orphaned and doubled."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from stages.store.journal import Journal
from stages.store.recordings import Recording
from tests.store.shopkeeper import Shopkeeper, requests, until

ROOT = Path(__file__).parents[2]
WIDTH = 16


class Errand:
    """One process that buys, in a working copy of its own, from a keeper, over a journal."""

    def __init__(self, folder, keeper, journal, count=200, width=WIDTH, name="copy"):
        self.copy = folder / name
        self.copy.mkdir(exist_ok=True)
        self.recording = self.copy / "answers.jsonl"
        self.result = folder / f"{name}.{os.urandom(4).hex()}.json"
        self.errors = self.result.with_suffix(".stderr")
        words = [keeper.port, journal, self.recording, count, width, self.result]
        self.command = [sys.executable, "-m", "tests.store.errand", *map(str, words)]

    def under(self, limit):
        """Under a limit that a shell sets."""
        self.command = ["sh", "-c", f'{limit}; exec "$@"', "sh", *self.command]
        return self

    def start(self):
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(self.command, cwd=ROOT, stderr=errors)
        return self

    def start_under_another(self):
        """As DVC does it: a process in between, whose death the buyer must notice."""
        between = f"import subprocess; subprocess.run({self.command!r})"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen([sys.executable, "-c", between], cwd=ROOT, stderr=errors)
        return self

    def said(self, words):
        return words in self.errors.read_text()

    def report(self):
        until(self.result.exists, f"the end of an errand: {self.errors.read_text()}")
        return json.loads(self.result.read_text())

    def end(self):
        """The exit code, and the report."""
        code = self.process.wait(600)
        return code, self.report()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def recorded(self):
        return len(Recording(self.recording).load())


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "kept"


def run(*given, **more):
    code, report = Errand(*given, **more).start().end()
    assert code == 0, report
    return report


def kept(journal):
    """How many of the requests the journal has a sound reply to."""
    opened = Journal(journal)
    found = sum(opened.get(each.sha256) is not None for each in requests(200))
    assert opened.set_aside == []
    return found


def test_two_hundred_are_bought_once_and_never_again(tmp_path, journal):
    with Shopkeeper() as keeper:
        first = run(tmp_path, keeper, journal)
        assert (first["bought"], keeper.sold) == (200, 200)
        second = run(tmp_path, keeper, journal)
        assert (second["recorded"], second["bought"]) == (200, 0)
        other = run(tmp_path, keeper, journal, name="another working copy")
        assert (other["from_journal"], other["bought"]) == (200, 0)
        assert keeper.sold == 200
    copies = [Errand(tmp_path, keeper, journal, name=name).recording for name in ("copy", "another working copy")]
    assert copies[0].read_bytes() == copies[1].read_bytes()


def test_without_a_server_or_a_journal_a_whole_recording_is_enough(tmp_path, journal):
    with Shopkeeper() as keeper:
        run(tmp_path, keeper, journal)
    shutil.rmtree(journal)
    assert run(tmp_path, keeper, journal)["recorded"] == 200
    assert not journal.exists()


@pytest.mark.parametrize("copies", [("one", "two"), ("one", "one")], ids=["two working copies", "one working copy"])
def test_two_processes_on_one_journal_buy_two_hundred_for_two_hundred(tmp_path, journal, copies):
    with Shopkeeper() as keeper:
        pair = [Errand(tmp_path, keeper, journal, name=name).start() for name in copies]
        ends = [errand.end() for errand in pair]
        assert [code for code, _ in ends] == [0, 0], ends  # a refusal says here what it was
        reports = [report for _, report in ends]
        assert keeper.sold == 200
        assert keeper.repeated() == set()
    assert sum(report["bought"] for report in reports) == 200
    assert [report["rows"] for report in reports] == [200, 200]
    assert [errand.recorded() for errand in pair] == [200, 200]
    assert kept(journal) == 200
    assert Journal(journal).left_in_flight() == []


def test_kill_nine_repeats_what_was_in_flight_and_says_how_many(tmp_path, journal):
    with Shopkeeper(free=60) as keeper:
        errand = Errand(tmp_path, keeper, journal).start()
        until(lambda: keeper.sold == 60 + WIDTH, "all that can be in flight")
        errand.kill()
        assert kept(journal) == 60
        assert len(Journal(journal).left_in_flight()) == WIDTH
        keeper.gate.set()
        shutil.rmtree(errand.copy)
        again = Errand(tmp_path, keeper, journal).start()
        code, report = again.end()
        assert (code, report["from_journal"], report["bought"], report["may_repeat"]) == (0, 60, 140, WIDTH)
        assert again.said(f"{WIDTH} calls were in flight when an earlier run died; they may be bought again")
        assert keeper.sold == 200 + WIDTH
        assert len(keeper.repeated()) == WIDTH
    assert again.recorded() == 200
    assert Journal(journal).left_in_flight() == []


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment_and_killed_again_nothing_that_landed_is_bought_twice(tmp_path, journal, seed):
    chance = random.Random(seed)
    marks = 0
    with Shopkeeper() as keeper:
        for _ in range(2):
            errand = Errand(tmp_path, keeper, journal).start()
            landed, moment = kept(journal), keeper.sold + chance.randrange(5, 60)
            until(lambda moment=moment, errand=errand: keeper.sold >= moment or errand.process.poll() is not None, "the moment")
            errand.kill()
            assert kept(journal) >= landed
            assert len(Journal(journal).left_in_flight()) <= WIDTH
            marks += len(Journal(journal).left_in_flight())
            shutil.rmtree(errand.copy)
        whole = kept(journal)
        report = run(tmp_path, keeper, journal)
        assert (report["from_journal"], report["bought"], report["set_aside"]) == (whole, 200 - whole, [])
        assert keeper.sold <= 200 + marks, "no more calls repeat than the marks say"
        assert max(keeper.came.values()) <= 3
    assert kept(journal) == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_lets_what_is_in_flight_land_and_nothing_repeats(tmp_path, journal, number):
    with Shopkeeper(free=60) as keeper:
        errand = Errand(tmp_path, keeper, journal).start()
        until(lambda: keeper.sold == 60 + WIDTH, "all that can be in flight")
        errand.process.send_signal(number)
        until(lambda: errand.said(f"nothing new starts, but first comes what is in flight ({WIDTH})"), "the sentence")
        errand.process.send_signal(number)
        until(lambda: errand.said("still waiting"), "the second sentence")
        assert errand.process.poll() is None
        keeper.gate.set()
        code, report = errand.end()
        assert (code, report["kind"]) == (130, "Stopped")
        assert report["words"] == [f"{number.name}: 76 landed and are stored, 124 remain; the same command goes on from here"]
        assert (keeper.sold, errand.recorded(), kept(journal)) == (76, 76, 76)
        assert Journal(journal).left_in_flight() == []
        assert run(tmp_path, keeper, journal)["bought"] == 124
        assert (keeper.sold, keeper.repeated()) == (200, set())


def test_the_parents_death_lets_what_is_in_flight_land(tmp_path, journal):
    with Shopkeeper(free=60) as keeper:
        errand = Errand(tmp_path, keeper, journal).start_under_another()
        until(lambda: keeper.sold == 60 + WIDTH, "all that can be in flight")
        errand.kill()
        until(lambda: errand.said("the process that started this one is gone: nothing new starts"), "the sentence")
        keeper.gate.set()
        report = errand.report()
        assert report["kind"] == "Stopped"
        assert (keeper.sold, errand.recorded(), kept(journal)) == (76, 76, 76)
        assert run(tmp_path, keeper, journal)["bought"] == 124
        assert keeper.repeated() == set()


def test_a_waiting_process_takes_what_the_other_bought_and_buys_what_a_killed_one_left(tmp_path, journal):
    with Shopkeeper(free=0) as keeper:
        first = Errand(tmp_path, keeper, journal, count=8, name="one").start()
        until(lambda: keeper.sold == 8, "the first buyer's calls")
        second = Errand(tmp_path, keeper, journal, count=10, name="two").start()
        until(lambda: keeper.sold == 10, "the second buyer's own calls")
        first.kill()
        until(lambda: keeper.sold == 18, "the second buyer, who now holds the claims")
        keeper.gate.set()
        code, report = second.end()
        assert (code, report["bought"]) == (0, 10)


def test_a_server_that_is_gone_makes_gaps_and_stops_early(tmp_path, journal):
    with socket.socket() as nobody:  # it holds the port and does not listen, so that no other test's server can get the number
        nobody.bind(("127.0.0.1", 0))
        gone = SimpleNamespace(port=nobody.getsockname()[1])
        code, report = Errand(tmp_path, gone, journal, width=1).start().end()
    assert (code, report["kind"]) == (6, "Gaps")
    assert report["words"][0].startswith("3 of 200 requests delivered nothing, the first is the answer of alder to Q001 (attempt 1): ")
    assert report["words"][0].endswith("; 197 more were not tried")
    assert Journal(journal).left_in_flight() == []


def test_a_journal_without_room_for_a_reply_buys_nothing(tmp_path, journal):
    """The file-size limit stands for a full disk: claims are empty and go through, a reply does not."""
    with Shopkeeper() as keeper:
        errand = Errand(tmp_path, keeper, journal).under("ulimit -f 8").start()
        code, report = errand.end()
        assert keeper.sold == 0
    assert (code, report["kind"]) == (7, "JournalFailed")
    assert report["words"][0] == f"the journal {journal} cannot be written: File too large"
    assert not errand.recording.exists()


def test_more_in_flight_than_the_usual_limit_of_open_files_allows(tmp_path, journal):
    with Shopkeeper(free=0) as keeper:
        errand = Errand(tmp_path, keeper, journal, count=150, width=150).under("ulimit -S -n 200").start()
        until(lambda: keeper.sold == 150, "all of them at once")
        keeper.gate.set()
        code, report = errand.end()
    assert (code, report["bought"]) == (0, 150)
