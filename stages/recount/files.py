"""Every metrics file, and how its numbers arise. A new file of metrics is a module beside this one and a line here."""

from stages.recount.agreement import AGREEMENT
from stages.recount.coverage import COVERAGE
from stages.recount.disclosures import DISCLOSURES
from stages.recount.judge import JUDGE
from stages.recount.pairs import PAIRS
from stages.recount.qualification import QUALIFICATION
from stages.recount.rules import File
from stages.recount.scenarios import SCENARIOS
from stages.recount.scores import SCORES
from stages.recount.timing import TIMING

FILES: dict[str, File] = {
    "agreement": AGREEMENT,
    "coverage": COVERAGE,
    "disclosures": DISCLOSURES,
    "judge": JUDGE,
    "pairs": PAIRS,
    "provenance": File(rules=()),  # digests only; `moot verify` makes them again from the rows themselves
    "qualification": QUALIFICATION,
    "scenarios": SCENARIOS,
    "scores": SCORES,
    "timing": TIMING,
}
