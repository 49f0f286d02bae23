"""How long the commands take, beside what they have to import: measured side by side in one run, in processor seconds.

``python -m tests.benchmarks.command_speed`` prints a table. The goal: a command takes at most twice the time of importing DuckDB and
pyarrow, plus a second. Processor seconds, because a busy machine stretches the clock and not the work.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
IMPORTS = ("-c", "import duckdb, pyarrow")
COMMANDS = {
    "plan": ("plan",),
    "plan, what if": ("plan", "--add", "contestant=example-openai", "--edit", "matter=Q02"),
    "show": ("show", "verdicts"),
    "sql": ("sql", "SELECT winner, count(*) FROM verdicts GROUP BY ALL"),
    "export": ("export", "crate", "{folder}/crate"),
    "audit": ("audit", "Q01:qwen-1500m~qwen-500m"),
    "explain-miss": ("explain-miss",),
    "verify": ("verify",),
    "version": ("version",),
    "--help": ("--help",),
}


@dataclass(frozen=True)
class Measured:
    """One command: its median processor seconds, and the limit that the imports of the same rounds set."""

    name: str
    seconds: float
    limit: float


def processor_seconds(words: Sequence[str], folder: Path) -> float:
    """What one Python process takes, its children included, in user and system time."""
    before = os.times()
    subprocess.run([sys.executable, *words], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measured(names: Sequence[str] = tuple(COMMANDS), rounds: int = 3, folder: Path = ROOT) -> list[Measured]:
    """Each command and the imports in turn, round after round, so that what slows one slows the other."""
    taken: dict[str, list[float]] = {name: [] for name in names}
    imports = []
    for _ in range(rounds):
        imports.append(processor_seconds(IMPORTS, folder))
        for name in names:
            with tempfile.TemporaryDirectory() as scratch:
                words = [word.format(folder=scratch) for word in COMMANDS[name]]
                taken[name].append(processor_seconds(["-m", "stages", *words], folder))
    limit = 2 * median(imports) + 1
    return [Measured(name, median(seconds), limit) for name, seconds in taken.items()]


def main() -> None:
    found = measured()
    print(f"limit {found[0].limit:.2f} s: twice `import duckdb, pyarrow`, plus a second")
    for one in found:
        print(f"{one.name:16} {one.seconds:5.2f} s  {one.seconds / one.limit:5.0%} of the limit")


if __name__ == "__main__":
    main()
