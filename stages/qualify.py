"""qualify: tests every judge, under the study's instrument, on controls whose right verdict is known, before its verdicts are read.

A control goes the way of a verdict, over the same code, in both orders; it has a recording of its own and is never counted as a verdict.
Appends to data/recordings/qualification.jsonl, a sealed row per call (row format 1, stages/schema/calls.py).
Writes data/work/controls.jsonl, the replies in use as read, each with the verdict that is right:
    {"control_id":"Q05:reworded","expected":"tie","kind":"reworded","order_number":2,"use":"testing","verdict":"A",…}
"""

import sys
from collections.abc import Sequence
from dataclasses import replace

from stages.bench.judging import BESIDE, WORDS, bench
from stages.runtime.entry import run, seated
from stages.runtime.errors import refusing
from stages.runtime.paths import CONTROLS, CONTROLS_FOLDER, MATTERS_FOLDER, QUALIFICATION_RECORDING
from stages.runtime.streams import say
from stages.schema.controls import Control, ControlVerdict, controls, read_controls
from stages.schema.jsonl import write_rows
from stages.schema.matter import read_battery
from stages.schema.rows import Verdict
from stages.store.fetching import Fetching


def control_verdict(control: Control, verdict: Verdict) -> ControlVerdict:
    """What a control was, what was right, and what the judge said."""
    kept = ("control_id", "kind", "use", "order_number", "expected", "source_path")
    return ControlVerdict(**verdict.row(), **{key: getattr(control, key) for key in kept})


def qualify(chosen: dict[str, str], beside: Sequence[str] = ()) -> None:
    everyone = bench(chosen, beside)
    judges = replace(everyone, seats=[seat for seat in everyone.seats if seat.model.qualifies])
    with refusing():
        battery = {matter.matter_id: matter for matter in read_battery(MATTERS_FOLDER)}
        tests = {control.shown.presentation_id: control for control in controls(read_controls(CONTROLS_FOLDER, battery), battery)}
    if not tests:
        say(f"qualify: there are no controls in {CONTROLS_FOLDER}, so the judge stays untested")
    for seat in everyone.seats:
        if not seat.model.qualifies:  # nothing would be made of its replies, and it is asked none
            say(f"qualify: conf/judge/{seat.judge}.yaml sets no thresholds (key qualifies), so the judge stays untested")

    fetching = Fetching("controls", QUALIFICATION_RECORDING, judges.runner, judges.board)
    verdicts = judges.verdicts(battery, [control.shown for control in tests.values()], "control", fetching.replies_to)
    write_rows(CONTROLS, (control_verdict(tests[verdict.presentation_id], verdict).row() for verdict in verdicts))


def main() -> None:
    run("qualify", lambda: qualify(*seated(sys.argv[1:], WORDS, BESIDE)))


if __name__ == "__main__":
    main()
