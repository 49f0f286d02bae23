"""How long the commands take, beside what they have to import: measured side by side in one run, in processor seconds.

    python -m tests.benchmarks.command_speed          the shipped record
    python -m tests.benchmarks.command_speed large    a constructed one of 320 answers and 480 verdicts, made first (a minute)

The goal, on the shipped record: a command takes at most twice the time of importing DuckDB and pyarrow, plus a second. Processor seconds,
because a busy machine stretches the clock and not the work; the clock stands beside them.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.loopback import Loopback
from tests.whole.project import CONTESTANTS, Project

ROOT = Path(__file__).parents[2]
IMPORTS = ("-c", "import duckdb, pyarrow")
COMMANDS = {  # {pair}: two contestants as ids write them, {one}: one of them, {folder}: a folder that is there for one run
    "plan": ("plan",),
    "plan, what if": ("plan", "--edit", "matter=Q02", "--edit", "contestant={one}"),
    "show": ("show", "verdicts"),
    "sql": ("sql", "SELECT winner, count(*) FROM verdicts GROUP BY ALL"),
    "export": ("export", "crate", "{folder}/crate"),
    "audit, number": ("audit", "{pair}.wins_1"),
    "audit, answer": ("audit", "Q01:{one}"),
    "audit, verdict": ("audit", "Q01:{pair}"),
    "diff": ("diff", "HEAD~1"),
    "explain-miss": ("explain-miss",),
    "verify": ("verify",),
    "version": ("version",),
    "--help": ("--help",),
}
MATTERS = 80  # of the large project: with four contestants 320 answers and 480 verdicts


@dataclass(frozen=True)
class Measured:
    """One command: its median processor seconds and seconds on the clock, and the limit that the imports of the same rounds set."""

    name: str
    seconds: float
    clock: float
    limit: float


def processor_seconds(words: Sequence[str], folder: Path) -> float:
    """What one Python process takes, its children included, in user and system time."""
    before = os.times()
    subprocess.run([sys.executable, *words], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measured(
    names: Sequence[str] = tuple(COMMANDS), rounds: int = 3, folder: Path = ROOT, pair: str = "qwen-1500m~qwen-500m"
) -> list[Measured]:
    """Each command and the imports in turn, round after round, so that what slows one slows the other."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    imports = []
    for _ in range(rounds):
        imports.append(processor_seconds(IMPORTS, folder))
        for name in names:
            with tempfile.TemporaryDirectory() as scratch:
                words = [word.format(folder=scratch, pair=pair, one=pair.partition("~")[0]) for word in COMMANDS[name]]
                began = time.perf_counter()
                seconds = processor_seconds(["-m", "stages", *words], folder)
                taken[name].append((seconds, time.perf_counter() - began))
    limit = 2 * median(imports) + 1
    return [Measured(name, *(median(found) for found in zip(*both, strict=True)), limit) for name, both in taken.items()]


def large(folder: Path) -> Project:
    """A constructed project under DVC, with results; its replies come from the loopback server, and no model said anything in them."""
    with Loopback() as server:
        project = Project(folder / "project", server.base_url, MATTERS)
        project.change("study", "first", attempt_rules=dict.fromkeys("12", "recorded_attempt"))
        project.change("runner", "default", confirm_above=None)
        project.choose(contestants=[*CONTESTANTS, "dogwood"])
        project.commit("A large project")
        project.repro()
        project.commit("Its results")
    return project


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        found = measured(folder=large(Path(name)).folder, pair="alder~birch") if sys.argv[1:] == ["large"] else measured()
    print(f"limit {found[0].limit:.2f} s: twice `import duckdb, pyarrow`, plus a second")
    for one in found:
        print(f"{one.name:16} {one.seconds:5.2f} s  {one.seconds / one.limit:5.0%} of the limit  ({one.clock:.2f} s on the clock)")


if __name__ == "__main__":
    main()
