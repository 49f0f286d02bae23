"""matters: reads the battery, composes every chosen setting, and refuses what is wrong before anything is spent.

Writes data/work/matters.jsonl, a row per matter:
    {"area":"succession","assignment":"Advise …","facts":"…","law":"…","matter_id":"Q06","matter_sha256":"…","published":"2026-11-30",…}
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from pathlib import Path

from stages.instrument.asking import instrument_digest
from stages.runtime.compose import CONF, PARAMS, choices, names, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import refusing
from stages.runtime.paths import MATTERS, MATTERS_FOLDER
from stages.schema.jsonl import write_rows
from stages.schema.matter import Matter, battery_of, read_battery
from stages.schema.names import nearest, plain_word
from stages.schema.settings import GROUPS, Choices, HostedJudge, LocalJudge, Study, settings


def named(chosen: Choices) -> list[tuple[str, str]]:
    """Every (group, name) that params.yaml chooses."""
    single = [("study", chosen.study), ("instrument", chosen.instrument), ("judge", chosen.judge), ("runner", chosen.runner)]
    beside = (("judge", name) for name in chosen.panel.second_judges)
    return [*single, *beside, *(("contestant", name) for name in chosen.contestants)]


def check_conf(conf: Path = CONF) -> None:
    """Raise ValueError for what stands in conf/ under a name by which nobody would ever find it."""
    groups = GROUPS.keys() - {"choices"}
    for path in sorted(conf.iterdir()):
        if path.is_dir() and path.name not in groups and not path.name.startswith("."):
            raise ValueError(f"{path}: no group of settings is called {path.name!r}; {nearest(path.name, groups)}")
    for path in sorted(conf.glob("*/*.yml")):
        raise ValueError(f"{path}: a settings file ends in .yaml: its name must be {path.stem}.yaml")


def check_choices(chosen: Choices) -> None:
    """Raise ValueError for a name that is no plain word, stands twice, or has no file."""
    if len(set(chosen.contestants)) != len(chosen.contestants):
        raise ValueError(f"contestants: a name stands twice in {', '.join(chosen.contestants)}")
    for number, name in enumerate(chosen.panel.second_judges):
        if name in [chosen.judge, *chosen.panel.second_judges[:number]]:
            raise ValueError(f"panel.second_judges: {name} judges already, and would only agree with itself")
    for group, name in named(chosen):
        if group == "contestant":
            plain_word(name)
            if name == "tie":
                raise ValueError("a contestant is called 'tie', which column winner says of a tie")
        if name not in names(group):
            raise ValueError(f"{group}: no file {CONF / group / name}.yaml; {nearest(name, names(group))}")


def check_panel(judges: Mapping[str, LocalJudge | HostedJudge]) -> None:
    """Raise ValueError for two judges that are one under two names: they would agree whatever is asked."""
    for (one, first), (two, second) in combinations(judges.items(), 2):
        if first.deciding == second.deciding:
            raise ValueError(f"panel.second_judges: {two} decides its replies by the same settings as {one}: it is the same judge")


def check_study(study: Study, instrument_sha256: str, battery: Iterable[Matter], known: Collection[str]) -> None:
    """Raise ValueError when the study pins another instrument, has no attempt rule for a series, or leaves out a matter nobody knows."""
    study.check_instrument(instrument_sha256)
    for matter in battery:
        study.rule_of(matter.series, matter.source_path)
    for name, scenario in study.scenarios.items():
        for wanted in [matter for matter in scenario.matters or [] if matter not in known]:
            raise ValueError(f"scenarios.{name}.matters: no matter {wanted!r} in data/matters; {nearest(wanted, known)}")


def matters() -> None:
    chosen: Choices = choices(settings)
    with refusing():
        check_conf()
    with refusing(str(PARAMS)):
        check_choices(chosen)
    found = {(group, name): setting(group, name, settings) for group, name in named(chosen)}
    with refusing():
        everything = read_battery(MATTERS_FOLDER)
    with refusing(str(PARAMS)):
        battery = battery_of(everything, chosen.matters)
        check_panel({name: found["judge", name] for name in (chosen.judge, *chosen.panel.second_judges)})
    with refusing(f"{CONF / 'study' / chosen.study}.yaml"):
        known = [matter.matter_id for matter in everything]
        check_study(found["study", chosen.study], instrument_digest(found["instrument", chosen.instrument]), battery, known)
    write_rows(MATTERS, (matter.row() for matter in battery))


def main() -> None:
    run_stage("matters", matters, __doc__)


if __name__ == "__main__":
    main()
