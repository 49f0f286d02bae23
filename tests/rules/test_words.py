"""The words: the glossary names exactly the published columns, and the project speaks of itself alone."""

import re
import subprocess
from pathlib import Path

import pytest

from stages.schema.tables import TABLES

ROOT = Path(__file__).parents[2]
TRACKED = [
    ROOT / name for name in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
]
PROSE = [p for p in TRACKED if p.suffix in (".md", ".py", ".yaml", ".toml", "") and p.name not in ("LICENSE", "uv.lock") and p.exists()]
# Words that would speak of tools around the project, or of one machine. Spelled in halves, so that this file passes too.
FOREIGN = [
    "/work/" + "main",
    "/work/" + "shared",
    "/ro" + "ot/",
    "sub" + "agent",
    "the iss" + "ue ",
    "this sess" + "ion",
    "hallu" + "cination",
    ".pythonhosted" + ".org",
]


def documented(table):
    section = (ROOT / "GLOSSARY.md").read_text("utf-8").split(f"### {table}\n")[1].split("### ")[0]
    return re.findall(r"^\| ([a-z0-9_]+) \|", section, re.MULTILINE)[1:]


@pytest.mark.parametrize("table", TABLES)
def test_the_glossary_names_exactly_the_columns_of_each_table(table):
    assert documented(table) == TABLES[table].names


@pytest.mark.parametrize("path", PROSE, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_the_project_speaks_of_itself_alone(path):
    text = path.read_text("utf-8")
    assert [word for word in FOREIGN if word in text] == []


def test_every_dependency_says_why_it_is_there():
    lines = (ROOT / "pyproject.toml").read_text("utf-8").splitlines()
    pinned = [line for line in lines if re.match(r'    "[A-Za-z0-9_.-]+[><=]=', line)]
    assert len(pinned) > 15
    assert [line for line in pinned if not re.search(r"#\s+\S+ \S+", line)] == []


def test_every_lint_exemption_has_its_reason():
    bare = [
        f"{path.name}: {line.strip()}"
        for path in TRACKED
        if path.suffix == ".py" and path.exists() and path != Path(__file__)
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"#\s*(noqa|type: ignore)", line) and not re.search(r"(noqa: [A-Z0-9, ]+|ignore\[[a-z-]+\])\s+(# )?\S+ \S+", line)
    ]
    assert bare == []
