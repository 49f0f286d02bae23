"""CHANGELOG's table of tried instruments, counted again from the recorded replies to the controls."""

import re
from collections import defaultdict
from pathlib import Path

import yaml

from stages.instrument.asking import instrument_digest
from stages.instrument.reader import read
from stages.providers.reading import recorded_reply
from stages.schema.controls import controls, read_controls
from stages.schema.jsonl import read_rows
from stages.schema.matter import read_battery
from stages.schema.settings import settings
from stages.stats.controls import Judged, kind_counts

ROOT = Path(__file__).parents[2]
LINE = re.compile(r"^\| `(\w+)` \| `([0-9a-f]{8})…` \| (\S+) \| (\w+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$", re.MULTILINE)


def instruments():
    """Every instrument in conf/ by its digest, with its name."""
    found = {
        path.stem: settings("instrument", yaml.safe_load(path.read_text("utf-8"))) for path in (ROOT / "conf/instrument").glob("*.yaml")
    }
    return {instrument_digest(instrument): (name, instrument) for name, instrument in found.items()}


def counted():
    """(instrument, digest, judge, use): controls passed, consistent and judged, of those that were judged in both orders."""
    battery = {matter.matter_id: matter for matter in read_battery(ROOT / "data/matters")}
    shown = {control.shown.presentation_id: control for control in controls(read_controls(ROOT / "data/controls", battery), battery)}
    known, judged = instruments(), defaultdict(lambda: defaultdict(list))
    for row in read_rows(ROOT / "data/recordings/qualification.jsonl"):
        control, (name, instrument) = shown[row["presentation_id"]], known[row["instrument_sha256"]]
        verdict = read(instrument, recorded_reply(row).text).verdict
        one = Judged(control.matter_id, control.kind, control.order_number, control.expected, verdict)
        judged[name, row["instrument_sha256"][:8], row["judge"], control.use][control.control_id].append(one)
    found = {}
    for key, by_control in judged.items():
        counts = kind_counts(one for both in by_control.values() if len(both) == 2 for one in both)
        found[key] = tuple(sum(getattr(count, what) for count in counts) for what in ("passed", "n", "consistent", "n"))
    return found


def test_the_table_is_what_the_recording_holds():
    told = {
        (name, digest, judge, use): tuple(int(number) for number in numbers)
        for name, digest, judge, use, *numbers in LINE.findall((ROOT / "CHANGELOG.md").read_text("utf-8"))
    }
    assert told == counted()
