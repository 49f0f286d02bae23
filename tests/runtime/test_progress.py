"""Progress: counted, told in plain lines where nobody has a terminal, and silent about no work."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.runtime.progress import Progress, Tally
from stages.runtime.streams import say

ROOT = Path(__file__).parents[2]


def tally(total, *replies):
    counted = Tally(total)
    for cost, tokens, bought in replies:
        counted.add(cost, tokens, bought)
    return counted


# The count


def test_money_is_that_of_bought_replies():
    counted = tally(4, (0.01, 100, True), (5.0, 999, False), (0.0023, 50, True))
    assert counted.money == "$0.0123"
    assert (counted.done, counted.bought, counted.tokens) == (3, 2, 150)


def test_an_unknown_price_is_unknown_and_not_zero():
    assert tally(4, (0.0123, 1, True), (None, 1, True), (None, None, True)).money == "$0.0123, 2 unknown"
    assert tally(1, (None, 1, False)).money == "$0.0000"


def test_the_words_hold_count_rate_remaining_time_and_money():
    counted = tally(100, *[(0.5, 1000, True)] * 20)
    assert counted.words(10) == "20/100, 20 bought, 2.0/s, 0:40 left, 20,000 tokens, $10.0000"
    assert counted.words(100) == "20/100, 20 bought, 12.0/min, 6:40 left, 20,000 tokens, $10.0000"
    assert "4:00:00 left" in counted.words(3600)


def test_replies_from_the_journal_do_not_flatter_the_rate():
    counted = tally(100, *[(None, None, False)] * 50, *[(0.0, 1, True)] * 10)
    assert counted.words(10) == "60/100, 10 bought, 1.0/s, 0:40 left, 10 tokens, $0.0000"


@pytest.mark.parametrize(
    ("replies", "words"), [([], "0/2, 0 bought, 0 tokens, $0.0000"), ([(1.0, 1, False)] * 2, "2/2, 0 bought, 0 tokens, $0.0000")]
)
def test_nothing_bought_has_no_rate(replies, words):
    assert tally(2, *replies).words(3) == words


def test_no_time_has_no_rate_and_the_end_has_no_time_left():
    assert "/s" not in tally(1, (0.0, 1, True)).words(0)
    assert "left" not in tally(1, (0.0, 1, True)).words(1)


REPLY = st.tuples(st.none() | st.floats(0, 10), st.none() | st.integers(0, 10**6), st.booleans())


@given(st.lists(REPLY), st.floats(0, 10**6))
def test_any_count_adds_up_and_has_words(replies, seconds):
    counted = tally(len(replies), *replies)
    assert counted.done == len(replies)
    assert counted.bought == sum(bought for _, _, bought in replies)
    assert counted.unpriced == sum(bought and cost is None for cost, _, bought in replies)
    assert counted.dollars == pytest.approx(sum(cost or 0 for cost, _, bought in replies if bought))
    assert counted.words(seconds).startswith(f"{len(replies)}/{len(replies)}, ")


# Without a terminal


def test_plain_lines_are_few_and_the_last_one_has_it_all(capsys):
    with Progress("answers", 500) as progress:
        for _ in range(500):
            progress.landed(0.001, 10, bought=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[-1].startswith("answers: 500/500, 500 bought, ")
    assert lines[-1].endswith("5,000 tokens, $0.5000")
    assert len(lines) < 100


def test_the_closing_line_comes_also_when_the_work_fails(capsys):
    progress = Progress("answers", 3)
    progress.landed(None, None, bought=True)
    with pytest.raises(KeyError), progress:
        raise KeyError
    assert capsys.readouterr().err.splitlines()[-1].startswith("answers: 1/3, 1 bought")


def test_no_work_is_not_spoken_of(capsys):
    with Progress("answers", 0):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_sentence_is_a_line_of_its_own(capsys):
    with Progress("answers", 0) as progress:
        progress.say("a [bold]sentence[/bold]")
    assert capsys.readouterr().err == "a [bold]sentence[/bold]\n"


SCRIPT = """
import sys
from stages.runtime.progress import Progress
with Progress("answers [of all]", int(sys.argv[1])) as progress:
    for number in range(int(sys.argv[1])):
        progress.landed(None if number else 0.25, 7, bought=True)
    progress.say("16 calls were [in flight]")
print("done")
"""


def test_rich_is_not_even_loaded_where_there_is_no_terminal():
    code = SCRIPT + "\nassert not any(name.split('.')[0] == 'rich' for name in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code, "3"], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout == "done\n"
    assert ended.stderr.splitlines()[0] == "16 calls were [in flight]"


def test_a_reader_that_went_away_does_not_stop_the_work():
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run([sys.executable, "-c", SCRIPT, "3"], stdout=subprocess.PIPE, stderr=writing, text=True, check=True, cwd=ROOT)
    os.close(writing)
    assert ended.stdout == "done\n"


# On a terminal


def on_a_terminal(count, **environment):
    """What the script writes to a terminal, and its stdout."""
    ours, its = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "160", **environment}
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(count)], stdout=subprocess.PIPE, stderr=its, cwd=ROOT, env=variables)
    os.close(its)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # how Linux says that the last writer has closed a terminal
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    out, _ = process.communicate()
    assert process.returncode == 0
    return seen.decode(), out.decode()


def test_a_terminal_shows_a_bar_with_the_words_and_the_sentences_above_it():
    seen, out = on_a_terminal(3)
    assert "answers [of all] 3/3, 3 bought" in seen
    assert "$0.2500, 2 unknown" in seen
    assert "16 calls were [in flight]" in seen
    assert "━" in seen
    assert out == "done\n"


def test_a_terminal_shows_nothing_of_no_work():
    seen, _ = on_a_terminal(0)
    assert seen.strip() == "16 calls were [in flight]"


def test_a_terminal_that_can_draw_nothing_gets_plain_lines():
    seen, _ = on_a_terminal(3, TERM="dumb")
    assert "━" not in seen
    assert seen.splitlines()[-1].startswith("answers [of all]: 3/3, 3 bought")


def test_a_terminal_that_closes_does_not_stop_the_work():
    ours, its = pty.openpty()
    script = SCRIPT.replace("    progress.say", "    sys.stdin.readline()\n    progress.say")
    variables = {**os.environ, "TERM": "xterm"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": its}
    process = subprocess.Popen([sys.executable, "-c", script, "3"], cwd=ROOT, env=variables, text=True, **pipes)
    os.close(its)
    os.read(ours, 10)
    os.close(ours)
    out, _ = process.communicate("\n")
    assert (process.returncode, out) == (0, "done\n")


def test_a_terminal_that_was_never_there_does_not_stop_the_work():
    ours, its = pty.openpty()
    script = SCRIPT.replace("with Progress", "sys.stdin.readline()\nsys.stderr.isatty = lambda: True\nwith Progress")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": its}
    variables = {**os.environ, "TERM": "xterm", "FORCE_COLOR": "1"}
    process = subprocess.Popen([sys.executable, "-c", script, "3"], cwd=ROOT, env=variables, text=True, **pipes)
    os.close(its)
    os.close(ours)
    out, _ = process.communicate("\n")
    assert (process.returncode, out) == (0, "done\n")


def test_a_plain_sentence_goes_to_stderr(capsys):
    say("x")
    assert capsys.readouterr() == ("", "x\n")
