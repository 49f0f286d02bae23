# Two commands do everything: `make repro` and `make test`. Both set up first: Python 3.11+, git and make are enough.
# uv is used where it is on the PATH; elsewhere a pinned one is installed into .uv/, inside this folder.
.DEFAULT_GOAL := help
PYTHON ?= python3
UV_VERSION := 0.13.9
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)

.PHONY: help setup repro test check fuzz coverage clean

help:  ## show this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 10

.uv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Moot needs Python 3.11 or later; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install --quiet uv==$(UV_VERSION)

setup: $(UV)  ## install the pinned packages into .venv
	$(UV) sync --frozen --quiet --inexact --compile-bytecode

repro: setup  ## regenerate every result; buys nothing that is recorded
	@test -e .git || $(UV) run --frozen dvc config --local core.no_scm true  # a folder that came as a ZIP: DVC asks for git elsewhere
	$(UV) run --frozen dvc repro

test: $(UV)  ## run the tests, a live one with a small local model among them
	$(UV) sync --frozen --quiet --inexact --compile-bytecode --extra local
	$(UV) run --frozen pytest

check: setup  ## lint, types and format
	$(UV) run --frozen ruff check .
	$(UV) run --frozen ruff format --check .
	$(UV) run --frozen mypy

fuzz: $(UV)  ## let a coverage-guided fuzzer look at every reader of foreign bytes, 20 seconds each (Linux)
	$(UV) run --frozen --group fuzz python -m tests.fuzz.coverage_guided

coverage: setup  ## simulate how often the intervals hold the truth; the tables of docs/measures.md
	$(UV) run --frozen python -m tests.benchmarks.interval_coverage
	$(UV) run --frozen python -m tests.benchmarks.ranking_coverage
	$(UV) run --frozen python -m tests.benchmarks.diagnostics_coverage

clean:  ## remove what the stages can make again; never recordings, never the journal
	rm -rf data/work data/tables data/site
