"""The architecture, as tests: who may import whom, how large things may grow, and what dvc.yaml must say."""

import ast
import statistics
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
SHELVES = {
    "schema": set(),
    "runtime": set(),
    "stats": set(),
    "providers": {"schema", "runtime"},
    "instrument": {"schema", "runtime"},
    "render": {"schema", "runtime"},
    "store": {"schema", "runtime"},
    "metrics": {"schema", "runtime", "stats"},
    "bench": {"schema", "runtime", "instrument", "providers"},
    "recount": {"schema", "runtime"},
    "desk": {"schema", "runtime", "stats", "metrics", "providers", "instrument", "render", "store", "recount"},
}
ONLY_HERE = {  # heavy or dangerous imports, and the one place of each
    "httpx": "stages/providers/client.py",
    "httpx_aiohttp": "stages/providers/client.py",
    "aiohttp": "stages/providers/client.py",
    "pyarrow": "stages/schema/tables.py",
    "duckdb": ("stages/desk/sql_tables.py", "stages/recount/opened.py"),
    "rocrate": "stages/desk/crate.py",
    "vl_convert": "stages/render/drawing.py",
    "hydra": "stages/runtime/compose.py",
    "omegaconf": "stages/runtime/compose.py",
    "rich": "stages/runtime/progress.py",
    "yaml": ("stages/runtime/yaml_traps.py", "stages/runtime/compose.py", "stages/desk/stale.py", "stages/desk/checks/lock.py"),
}
EMPTY_NAMES = {"utils", "common", "helpers", "lib", "manager", "handler", "misc"}
MODULES = sorted((ROOT / "stages").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def path_of(name: str) -> Path | None:
    base = ROOT / name.replace(".", "/")
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.exists()), None)


@cache
def imports(path: Path) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where a thing comes from"
            found |= {f"{node.module}.{a.name}" if path_of(f"{node.module}.{a.name}") else node.module for a in node.names}
    return frozenset(found)


def closure(path: Path, seen: set[Path] | None = None) -> set[Path]:
    seen = set() if seen is None else seen
    if path not in seen:
        seen.add(path)
        for name in imports(path):
            if name.split(".")[0] == "stages" and (target := path_of(name)):
                closure(target, seen)
    return seen | {ROOT / "stages/__init__.py"}


def shelf(path: Path) -> str | None:
    parts = path.relative_to(ROOT / "stages").parts
    return parts[0] if len(parts) > 1 else None


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def ours(path: Path) -> list[tuple[str, Path]]:
    return [(name, target) for name in imports(path) if name.split(".")[0] == "stages" and (target := path_of(name))]


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(path: Path) -> list[tuple[str, int, ast.AST]]:
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(f"{short(path)}:{f.name}", f.end_lineno - f.lineno + 1, f) for f in ast.walk(tree) if isinstance(f, kinds)]


def depth(node: ast.AST, level: int = 0) -> int:
    nested = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.AsyncFor, ast.AsyncWith, ast.Match)
    chained = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
    deepest = level
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        elif_branch = chained and child is node.orelse[0]
        deepest = max(deepest, depth(child, level + (isinstance(child, nested) and not elif_branch)))
    return deepest


def test_a_file_in_stages_is_a_stage_and_a_stage_is_a_file():
    files = {p.stem for p in (ROOT / "stages").glob("*.py")} - {"__init__", "__main__"}
    assert files == set(STAGES)


def test_the_table_of_contents_is_in_pipeline_order():
    text = ast.get_docstring(ast.parse((ROOT / "stages/__init__.py").read_text()), clean=False)
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("    ")]
    assert listed == list(STAGES)


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_imports_point_downwards(path):
    here = shelf(path)
    allowed = set(SHELVES) - {"desk"} if here is None else SHELVES[here] | {here}
    if path.stem == "__main__" and here is None:
        allowed = set(SHELVES)
    for name, target in ours(path):
        package = target.name == "__init__.py" and target.parent.name == "stages"
        assert package or shelf(target) in allowed, f"{short(path)} may not import {name}"


@pytest.mark.parametrize("name", ["audit", "verify"])
def test_the_second_implementation_does_not_use_the_first(name):
    path = ROOT / f"stages/desk/{name}.py"
    if path.exists():
        assert not [p for p in closure(path) if shelf(p) in ("stats", "metrics")]


def test_no_import_goes_round_in_a_circle():
    def visit(path: Path, trail: tuple[Path, ...]) -> None:
        assert path not in trail, " -> ".join(short(p) for p in (*trail, path))
        for _, target in ours(path):
            visit(target, (*trail, path))

    for path in MODULES:
        visit(path, ())


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_each_heavy_library_has_one_home(path):
    for name in imports(path):
        home = ONLY_HERE.get(name.split(".")[0])
        assert home is None or short(path) in home, f"{name} belongs in {home}"


def test_keys_are_read_from_the_environment_in_one_place():
    readers = [short(p) for p in MODULES if "key_env]" in p.read_text() or "environ[" in p.read_text() or "getenv" in p.read_text()]
    assert readers in ([], ["stages/providers/switchboard.py"])


@pytest.mark.parametrize("stage", STAGES)
def test_dvc_lists_exactly_the_code_a_stage_runs(stage):
    used = closure(ROOT / f"stages/{stage}.py")
    wanted = {f"stages/{shelf(p) or p.name}" for p in used}
    listed = {d for d in STAGES[stage]["deps"] if d.startswith("stages/")}
    assert listed == wanted


def test_the_report_depends_on_each_specification_by_its_name():
    """Of a folder inside .dvc, DVC records no content: a changed specification would leave the old pictures."""
    named = {dep for stage in STAGES.values() for dep in stage["deps"] if dep.startswith(".dvc")}
    assert named == {short(path) for path in (ROOT / ".dvc/plots").iterdir()}
    assert named <= set(STAGES["report"]["deps"])


def test_a_stage_runs_its_own_module_under_the_projects_python():
    for name, stage in STAGES.items():
        assert stage["cmd"].split(" ")[:3] == ["python", "-m", f"stages.{name}"]


def test_the_judge_depends_on_nothing_that_names_a_contestant():
    judge = STAGES["judge"]
    assert not [
        dep
        for dep in judge["deps"]
        if any(word in dep for word in ("contestant", "answers", "attempts", "assignments", "keys", "pairings"))
    ]
    assert not [param for param in judge["params"] if isinstance(param, str)], "a key of params.yaml would let the judge read the choices"
    assert "contestant" not in judge["cmd"]


@pytest.mark.parametrize("stage", ["matters", "generate", "pair", "conceal", "judge", "record", "measure"])
def test_no_stage_before_the_report_depends_on_an_authors_key(stage):
    assert not [dep for dep in STAGES[stage]["deps"] if dep.startswith("data/keys") or dep in ("data", ".")]


def test_modules_stay_small():
    sizes = {short(p): lines(p) for p in MODULES}
    assert statistics.median(sizes.values()) <= 150
    assert {name: n for name, n in sizes.items() if n > 450} == {}


def test_functions_stay_short():
    sizes = {name: n for path in MODULES for name, n, _ in functions(path)}
    assert sorted(sizes.values())[int(len(sizes) * 0.9)] <= 30
    assert {name: n for name, n in sizes.items() if n > 60} == {}


def test_nesting_stays_shallow():
    deep = {name: depth(node) for path in MODULES for name, _, node in functions(path)}
    assert {name: n for name, n in deep.items() if n > 3} == {}


def test_there_is_at_least_as_much_test_as_code():
    assert sum(map(lines, TESTS)) >= sum(map(lines, MODULES))


def test_every_test_checks_something():
    silent = []
    for path in TESTS:
        for name, _, node in functions(path):
            calls = [getattr(c.func, "attr", getattr(c.func, "id", "")) for c in ast.walk(node) if isinstance(c, ast.Call)]
            checks = any(isinstance(n, ast.Assert) for n in ast.walk(node)) or any(
                c.startswith(("raises", "assert", "check")) for c in calls
            )
            if name.split(":")[1].startswith("test_") and not checks:
                silent.append(name)
    assert silent == []


def test_no_file_has_a_name_that_says_nothing():
    named = [short(p) for p in [*MODULES, *TESTS] if EMPTY_NAMES & set(p.relative_to(ROOT).with_suffix("").parts)]
    assert named == []


@pytest.mark.parametrize("path", sorted((ROOT / "conf").rglob("*.yaml")), ids=short)
def test_a_settings_file_is_flat(path):
    text = path.read_text()
    assert path.parent.parent == ROOT / "conf"
    assert "defaults" not in (yaml.safe_load(text) or {})
    assert "${" not in text.replace("$${", ""), "no interpolation, no oc.env: a file means what it says"
