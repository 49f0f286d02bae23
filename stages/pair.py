"""pair: plans every pair of contestants' answers, C(N,2) per matter, whether or not the answers exist yet.

Writes data/work/pairings.jsonl, a row per pairing:
    {"contestant_1":"qwen-1500m","contestant_2":"qwen-500m","matter_id":"Q01","pairing_id":"Q01:qwen-1500m~qwen-500m"}
"""

from collections.abc import Iterable

from stages.runtime.compose import choices
from stages.runtime.entry import run_stage
from stages.runtime.handing import handed
from stages.runtime.paths import MATTERS, PAIRINGS
from stages.schema.jsonl import write_rows
from stages.schema.matter import matters_in
from stages.schema.names import pairing_id, pairs
from stages.schema.rows import Pairing
from stages.schema.settings import Choices, settings


def pairings(matter_ids: Iterable[str], contestants: Iterable[str]) -> list[Pairing]:
    """Every planned pairing, by matter and then by pair."""
    couples = pairs(contestants)
    return [Pairing(pairing_id(matter, one, two), matter, one, two) for matter in sorted(matter_ids) for one, two in couples]


def pair() -> None:
    chosen: Choices = choices(settings)
    matter_ids = [matter.matter_id for matter in handed(MATTERS, matters_in)]
    write_rows(PAIRINGS, (pairing.row() for pairing in pairings(matter_ids, chosen.contestants)))


def main() -> None:
    run_stage("pair", pair, __doc__)


if __name__ == "__main__":
    main()
