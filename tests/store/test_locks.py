"""Locks: one holder, whoever dies."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from stages.store.locks import held, is_left_over, try_lock
from tests.store.shopkeeper import until


def test_one_holder_at_a_time(tmp_path):
    path = tmp_path / "lock"
    first = try_lock(path)
    assert first is not None
    assert try_lock(path) is None
    os.close(first)
    second = try_lock(path)
    assert second is not None
    os.close(second)


def test_a_name_that_was_removed_while_it_was_held_is_no_lock_any_more(tmp_path):
    path = tmp_path / "lock"
    first = try_lock(path)
    path.unlink()
    second = try_lock(path)
    assert second is not None, "the name is free, so a new file can be held"
    os.close(first)
    assert try_lock(path) is None
    os.close(second)


def test_one_who_waited_for_a_name_that_was_removed_holds_the_new_one(tmp_path):
    path = tmp_path / "lock"
    first = try_lock(path)
    named = []

    def wait():
        with held(path):
            named.append(path.exists())

    waiter = threading.Thread(target=wait)
    waiter.start()
    if Path("/proc/locks").exists():  # elsewhere it may come later and find no file, and the test says less
        inode = path.stat().st_ino
        until(lambda: re.search(rf"-> .*:{inode} ", Path("/proc/locks").read_text()), "the waiter, on the old file")
    path.unlink()
    os.close(first)
    waiter.join()
    assert named == [True]


def test_left_over_is_what_exists_and_nobody_holds(tmp_path):
    path = tmp_path / "lock"
    assert not is_left_over(path)
    assert not path.exists(), "looking creates nothing"
    descriptor = try_lock(path)
    assert not is_left_over(path)
    os.close(descriptor)
    assert is_left_over(path)
    assert is_left_over(path)


def test_a_killed_holder_lets_go_and_leaves_the_name(tmp_path):
    path = tmp_path / "lock"
    code = f"from pathlib import Path; from stages.store.locks import try_lock; try_lock(Path({str(path)!r})); print(flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"\n"
    assert try_lock(path) is None
    holder.kill()
    holder.communicate()
    assert is_left_over(path)
    descriptor = try_lock(path)
    assert descriptor is not None
    os.close(descriptor)


def test_waiting_for_a_lock_ends_when_its_holder_ends(tmp_path):
    path, order = tmp_path / "lock", tmp_path / "order"
    code = (
        f"from pathlib import Path; from stages.store.locks import held\n"
        f"Path({str(tmp_path / 'ready')!r}).touch()\n"
        f"with held(Path({str(path)!r})): open({str(order)!r}, 'a').write('second\\n')"
    )
    with held(path):
        waiter = subprocess.Popen([sys.executable, "-c", code])
        until((tmp_path / "ready").exists, "the waiter")
        with order.open("a") as file:
            file.write("first\n")
    assert waiter.wait() == 0
    assert order.read_text() == "first\nsecond\n"
    assert path.exists(), "a lock's name stays"
