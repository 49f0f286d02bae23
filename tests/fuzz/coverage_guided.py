"""A coverage-guided fuzzer over the same targets, for a bounded time: ``make fuzz`` or

    uv run --group fuzz python -m tests.fuzz.coverage_guided [TARGET …] [--seconds N]

Prints what it did; leaves with 1 and the input's path when a target raises anything but ValueError.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.targets import SEEDS, TARGETS


def one(name: str, seconds: int) -> None:
    """Fuzz one target in this process. Does not return: libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["stages"]):
        from tests.fuzz import targets
    folder = Path(tempfile.mkdtemp(prefix=f"moot-fuzz-{name}-"))
    for number, seed in enumerate(SEEDS[name]):
        (folder / f"seed-{number}").write_bytes(seed)
    limits = [f"-max_total_time={seconds}", "-rss_limit_mb=2048", "-timeout=10", "-max_len=20000", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], str(folder), *limits], lambda data: targets.survive(name, data))
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=20, help="for each target")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        one(given.targets[0], given.seconds)
    for name in given.targets:
        words = [sys.executable, "-m", "tests.fuzz.coverage_guided", name, "--seconds", str(given.seconds), "--inside"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        print(
            f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}; {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ''}"
        )
        if done.returncode:
            sys.exit(done.stderr[-3000:])


if __name__ == "__main__":
    main()
