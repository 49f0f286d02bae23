"""Where every file of the flow lives. Stages meet only here."""

from pathlib import Path

MATTERS_FOLDER = Path("data/matters")
MATTERS = Path("data/work/matters.jsonl")
ATTEMPTS = Path("data/work/attempts.jsonl")
PAIRINGS = Path("data/work/pairings.jsonl")
PRESENTATIONS = Path("data/work/presentations.jsonl")
VERDICTS = Path("data/work/verdicts.jsonl")
CONTROLS_FOLDER = Path("data/controls")
CONTROLS = Path("data/work/controls.jsonl")
ANSWERS_RECORDING = Path("data/recordings/answers.jsonl")
ASSIGNMENTS_RECORDING = Path("data/recordings/assignments.jsonl")
QUALIFICATION_RECORDING = Path("data/recordings/qualification.jsonl")
READINGS_RECORDING = Path("data/recordings/readings.jsonl")
VERDICTS_RECORDING = Path("data/recordings/verdicts.jsonl")
ANSWER_ORDERS = Path("data/orders/answers")
VERDICT_ORDERS = Path("data/orders/verdicts")
TABLES = Path("data/tables")
PROVENANCE = Path("metrics/provenance.json")
PAIRS = Path("metrics/pairs.json")
