"""The README's commands are run, its exit codes are the code's, and its names exist."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stages.__main__ import COMMANDS
from stages.runtime.errors import Refusal
from tests.whole.project import ROOT

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
SHOWN = re.findall(r"```console\n\$ uv run (dvc metrics diff [^\n]+)\n(.*?)```", README, re.DOTALL)
INLINE = sorted(set(re.findall(r"`((?:uv run|make) [^`\n]+)`", README)))


def family(kind=Refusal):
    return [kind, *(found for child in kind.__subclasses__() for found in family(child))]


def test_it_opens_with_the_two_commands():
    assert [line.split("#")[0].strip() for line in BLOCKS[0].strip().splitlines()] == ["make repro", "make test"]
    assert (
        README.index("make repro")
        < README.index("uv run dvc repro")
        < README.index("matters ─► generate")
        < README.index("## Reading the result")
    )


def test_every_make_target_it_names_exists():
    named = {word.split()[1] for word in [*INLINE, *BLOCKS[0].splitlines()] if word.startswith("make ")}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named <= targets


def test_every_exit_code_is_documented():
    section = README.split("## Exit codes")[1].split("\n## ")[0]
    documented = {int(code) for code in re.findall(r"(?<![0-9])([0-9]{1,3})(?= ?\n?\()", section)}
    assert documented == {0, *(kind.exit_code for kind in family())}


def test_every_command_of_moot_has_its_line():
    section = README.split("## Asking the record")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `moot ([a-z-]+)", section, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("command", [c for c in INLINE if c.startswith("uv run ")])
def test_every_command_it_names_is_known(command):
    words = command.removeprefix("uv run ").split()
    if words[0] == "moot":
        assert words[1] in COMMANDS
    elif words[0] == "dvc":
        dvc = Path(sys.executable).parent / "dvc"
        assert subprocess.run([dvc, *[w for w in words[1:3] if w.isalpha()], "--help"], capture_output=True, check=False).returncode == 0
    else:
        assert words[0] in ("pytest", "python")


def test_every_file_it_names_is_there():
    for name in re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(r"`((?:conf|data|metrics|tests)/[\w./-]+\.(?:yaml|md|json))`", README):
        made_by_a_run = name.startswith(("metrics/", "data/site"))
        assert made_by_a_run or (ROOT / name).exists(), name


def test_it_shows_how_the_record_grew():
    assert len(SHOWN) >= 2


def test_the_settings_that_it_makes_of_others_are_other_settings():
    made = re.findall(r"^sed 's/(.+?)/(.+?)/' (\S+) > (\S+)$", "\n".join(BLOCKS), re.MULTILINE)
    assert made
    for old, new, source, target in made:
        assert old in (ROOT / source).read_text("utf-8"), f"{source} has no {old!r}, so {target} would be a copy"
        assert new != old


@pytest.mark.parametrize(("command", "lines"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_growth_that_it_shows_is_what_the_command_says(command, lines):
    one, two = command.split()[3:5]
    known = [
        subprocess.run(["git", "-C", ROOT, "cat-file", "-e", f"{each}^{{commit}}"], capture_output=True, check=False) for each in (one, two)
    ]
    if any(each.returncode for each in known):
        pytest.skip("this copy has no history, or not all of it")
    words = [Path(sys.executable).parent / "dvc", *command.split()[1:]]
    printed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    said = {tuple(line.split()) for line in printed.splitlines()}
    assert [line for line in lines.splitlines() if tuple(line.split()) not in said] == []
    assert len(lines.splitlines()) > 5


@pytest.mark.live
@pytest.mark.skipif(not importlib.util.find_spec("xllamacpp"), reason="needs the extra `local`")
def test_the_line_that_adds_a_contestant_without_a_key_works_live(tmp_path):
    """Two answers and a verdict by the 135M model, in a copy of this project that asks about one matter."""
    clone = tmp_path / "clone"
    clone.mkdir()
    for path in (path for path in ROOT.iterdir() if path.is_file()):
        shutil.copy(path, clone)
    for name in (".dvc", "conf", "stages"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__", "tmp", "cache"))
    for name in ("matters", "orders", "controls", "keys"):
        shutil.copytree(ROOT / "data" / name, clone / "data" / name)
    text = (clone / "params.yaml").read_text()
    (clone / "params.yaml").write_text(re.sub(r"^matters: .*", "matters: [Q01]", text, flags=re.MULTILINE))
    for path in (clone / "conf").rglob("smollm-135m.yaml"):  # one thread: a busy machine stalls a second; few tokens: no one reads them
        path.write_text(re.sub("threads: 2", "threads: 1", re.sub(r"max_tokens: \d+", "max_tokens: 24", path.read_text())))
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MOOT_JOURNAL": str(tmp_path / "journal"),
    }
    script = ["set -e", "git init -q .", "git config user.name T", "git config user.email t@example.org", "git add -A", "git commit -qm x"]
    script += [line.replace("uv run --extra local ", "") for line in BLOCKS[1].strip().splitlines()]
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list((tmp_path / "journal/entries").rglob("*.json"))) == 3
