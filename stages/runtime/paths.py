"""Where every file of the flow lives. Stages meet only here."""

from pathlib import Path

MATTERS_FOLDER = Path("data/matters")
KEYS_FOLDER = Path("data/keys")
MATTERS = Path("data/work/matters.jsonl")
ATTEMPTS = Path("data/work/attempts.jsonl")
PAIRINGS = Path("data/work/pairings.jsonl")
PRESENTATIONS = Path("data/work/presentations.jsonl")
VERDICTS = Path("data/work/verdicts.jsonl")
CONTROLS_FOLDER = Path("data/controls")
CONTROLS = Path("data/work/controls.jsonl")
RECORDINGS = Path("data/recordings")
ANSWERS_RECORDING = RECORDINGS / "answers.jsonl"
ASSIGNMENTS_RECORDING = RECORDINGS / "assignments.jsonl"
QUALIFICATION_RECORDING = RECORDINGS / "qualification.jsonl"
READINGS_RECORDING = RECORDINGS / "readings.jsonl"
VERDICTS_RECORDING = RECORDINGS / "verdicts.jsonl"
ORDERS = Path("data/orders")
ANSWER_ORDERS = Path("data/orders/answers")
RERUN_ORDERS = Path("data/orders/reruns")
VERDICT_ORDERS = Path("data/orders/verdicts")
TABLES = Path("data/tables")
METRICS = Path("metrics")
PLOTS = METRICS / "plots"
SPECIFICATIONS = Path(".dvc/plots")  # where `dvc plots` looks for the Vega-Lite that draws them
PROVENANCE = METRICS / "provenance.json"
PAIRS = METRICS / "pairs.json"
AGREEMENT = METRICS / "agreement.json"
SITE = Path("data/site")
