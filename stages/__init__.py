"""Moot, stage by stage. A file here is a stage of dvc.yaml; a folder is a shelf that stages use.

    matters    reads and validates the battery and every setting
    generate   obtains one answer per contestant and matter
    pair       plans every pair of answers
    conceal    stores which answer is A and which is B, and takes the names away
    judge      obtains one blind verdict per presentation
    qualify    tests the judge on controls whose right verdict is known
    record     joins answers, assignments and verdicts into Parquet tables
    measure    counts the tables into metrics
    report     writes the pages

Shelves: schema (what things are), runtime (settings, errors, progress), providers (HTTP), store (journal and recordings),
instrument (the judge's words and the reader), bench (a judge at work), stats (arithmetic), metrics (what is published of it),
recount (both a second time, in SQL), render (pages), desk (the commands people type).
"""

import sys
from importlib.util import find_spec

if find_spec("pydantic") is None:  # another Python would fail with a traceback or, with other packages, write other bytes
    if sys.stderr:
        sys.stderr.write(f"{sys.executable} is not the project's own Python: use `uv run dvc repro` or `make repro`\n")
    raise SystemExit(2)
