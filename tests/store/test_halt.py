"""Being asked to stop."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from stages.store.halt import Halt
from tests.store.shopkeeper import until

ASKED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def send(number):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", ASKED)
def test_a_signal_is_noted_and_interrupts_nothing(number):
    with Halt() as halt:
        assert (halt.reason, halt.times) == (None, 0)
        send(number)
        assert (halt.reason, halt.times) == (number.name, 1)


def test_the_first_reason_stays_and_every_signal_is_counted():
    with Halt() as halt:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
            send(number)
    assert (halt.reason, halt.times) == ("SIGTERM", 3)


@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN, lambda number, frame: None])
def test_the_former_handlers_come_back(handler):
    former = {number: signal.signal(number, handler) for number in ASKED}
    try:
        with pytest.raises(KeyError), Halt():
            raise KeyError
        assert [signal.getsignal(number) for number in ASKED] == [handler] * 3
    finally:
        for number, each in former.items():
            signal.signal(number, each)


def test_a_closed_terminal_that_is_to_be_ignored_stays_ignored():
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Halt() as halt:
            send(signal.SIGHUP)
        assert halt.reason is None
    finally:
        signal.signal(signal.SIGHUP, former)


def test_outside_the_main_thread_signals_are_left_alone():
    reasons = []

    def work():
        with Halt() as halt:
            reasons.append(halt.reason)

    before = [signal.getsignal(number) for number in ASKED]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert reasons == [None]
    assert [signal.getsignal(number) for number in ASKED] == before


def test_a_living_parent_is_no_reason():
    with Halt() as halt:
        halt.look()
        assert halt.reason is None


def test_the_parents_death_is_one(tmp_path):
    child = (
        "import sys, time; from pathlib import Path; from stages.store.halt import Halt\n"
        "with Halt() as halt:\n"
        f"    Path({str(tmp_path / 'ready')!r}).touch()\n"
        "    while halt.reason is None: time.sleep(0.01); halt.look()\n"
        f"Path({str(tmp_path / 'reason')!r}).write_text(halt.reason + '\\n')"
    )
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    process = subprocess.Popen([sys.executable, "-c", parent])
    until((tmp_path / "ready").exists, "the child")
    process.kill()
    process.wait()
    until(lambda: (tmp_path / "reason").exists() and (tmp_path / "reason").read_text().endswith("\n"), "the reason")
    assert (tmp_path / "reason").read_text() == "the process that started this one is gone\n"
