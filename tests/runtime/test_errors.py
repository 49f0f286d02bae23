"""Refusals: one sentence, an exit code of its own, never a traceback."""

import subprocess
import sys

import pytest

from stages.runtime import errors
from stages.runtime.entry import run
from stages.runtime.errors import BadInput, BadRecord, Refusal, refusing


def family(kind=Refusal):
    """The tree in errors.py; a shelf may hang leaves of its own under it, with the code of their parent."""
    return [kind, *(found for child in kind.__subclasses__() if child.__module__ == errors.__name__ for found in family(child))]


def test_every_refusal_has_an_exit_code_of_its_own_and_a_docstring():
    codes = [kind.exit_code for kind in family()]
    assert len(set(codes)) == len(codes)
    assert all(0 < code < 256 for code in codes)
    assert all(kind.__doc__ for kind in family())


@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        (ValueError("line 3 is torn"), "x.jsonl: line 3 is torn"),
        (FileNotFoundError(2, "gone"), "x.jsonl: no such file"),
        (PermissionError(13, "Permission denied"), "x.jsonl: Permission denied"),
    ],
)
def test_a_fault_is_told_with_its_place(raised, sentence):
    with pytest.raises(BadRecord, match=sentence), refusing("x.jsonl", BadRecord):
        raise raised


def test_a_sentence_that_names_its_own_place_is_left_alone(tmp_path):
    with pytest.raises(BadInput, match=r"^a.md: empty$"), refusing():
        raise ValueError("a.md: empty")
    with pytest.raises(BadInput, match=f"^{tmp_path}/gone: no such file$"), refusing():
        (tmp_path / "gone").read_bytes()


def test_what_is_no_users_mistake_is_not_dressed_as_one():
    with pytest.raises(KeyError), refusing("x"):
        raise KeyError("a defect of ours")


@pytest.mark.parametrize("kind", family())
def test_a_stage_leaves_with_the_code_of_its_refusal(kind, capsys):
    def stage():
        refusal = kind("It will not do.")
        refusal.add_note("Two things landed.")
        raise refusal

    with pytest.raises(SystemExit) as left:
        run("matters", stage)
    assert left.value.code == kind.exit_code
    assert capsys.readouterr().err == "matters: It will not do.\nmatters: Two things landed.\n"


def test_a_foreign_python_is_refused_in_one_sentence(tmp_path):
    """A Python without the project's packages would write other bytes; -S and -I leave it without any."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); from stages.runtime.entry import run; run('matters', print)"
    root = str(__import__("pathlib").Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-S", "-I", "-c", code, root], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == BadInput.exit_code
    assert "is not the project's own Python: use `uv run dvc repro` or `make repro`" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_tree_stands_on_one_screen():
    with open(errors.__file__) as file:
        assert len(file.readlines()) < 100
