"""What if a contestant or a matter joined, or one of them changed: a study as it would then be, without a file being touched."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stages.desk.in_use import InUse
from stages.runtime.compose import CONF, PARAMS, choices, choices_file, names
from stages.runtime.errors import BadInput, refusing
from stages.runtime.paths import CONTROLS_FOLDER, MATTERS_FOLDER
from stages.schema.controls import controls, read_controls
from stages.schema.names import nearest
from stages.schema.settings import Choices, settings

_KINDS = ("contestant", "matter")
_EDITED = " (A text that no recording knows.)"


@dataclass(frozen=True)
class Supposed:
    """A supposition. values: params.yaml as it would stand; paths: files to take as changed; words: how the supposition was put."""

    choices: Choices
    values: dict[str, Any]
    matters: tuple[str, ...]
    contestants: tuple[str, ...]
    words: list[str]

    @property
    def paths(self) -> list[str]:
        return [f"{MATTERS_FOLDER}/{matter}.md" for matter in self.matters] + [
            f"{CONF}/contestant/{name}.yaml" for name in self.contestants
        ]

    def applied(self, study: InUse) -> InUse:
        """The study with the edited matters and contestants."""
        everything = {
            name: replace(matter, facts=matter.facts + _EDITED) if name in self.matters else matter
            for name, matter in study.all_matters.items()
        }
        models = {
            name: model.model_copy(update={"system": f"{model.system or ''}{_EDITED}"}) if name in self.contestants else model
            for name, model in study.contestants.items()
        }
        with refusing():
            tests = controls(read_controls(CONTROLS_FOLDER, everything), everything) if self.matters else study.controls
        battery = {name: everything[name] for name in study.battery}
        return replace(study, all_matters=everything, battery=battery, contestants=models, controls=tests)


def suppose(added: Iterable[str], edited: Iterable[str]) -> Supposed:
    """Today's choices with what is supposed. Raises BadInput, with the nearest right name, for a kind or a name that there is not."""
    picked: Choices = choices(settings)
    with refusing(str(PARAMS)):
        values = dict(choices_file())
    words = []
    for word in added:
        kind, name = _parted("--add", word)
        picked = _with_contestant(picked, name) if kind == "contestant" else _with_matter(picked, name)
        words.append(f"{kind} {name} added")
    changed: dict[str, list[str]] = {"contestant": [], "matter": []}
    for word in edited:
        kind, name = _parted("--edit", word)
        _check_name("--edit", name, picked.contestants if kind == "contestant" else _matters())
        changed[kind].append(name)
        words.append(f"{kind} {name} edited")
    values |= {"contestants": list(picked.contestants), "matters": picked.matters}
    return Supposed(picked, values, tuple(changed["matter"]), tuple(changed["contestant"]), words)


def _parted(option: str, word: str) -> tuple[str, str]:
    kind, found, name = word.partition("=")
    if kind not in _KINDS or not found:
        raise BadInput(f"{option} {word!r} is neither contestant=NAME nor matter=ID; {nearest(kind, _KINDS)}")
    return kind, name


def _check_name(option: str, name: str, known: Iterable[str]) -> None:
    known = list(known)
    if name not in known:
        raise BadInput(f"{option}: there is no {name!r}; {nearest(name, known)}")


def _with_contestant(picked: Choices, name: str) -> Choices:
    if name in picked.contestants:
        raise BadInput(f"--add: {name} is a contestant already; `--edit contestant={name}` asks what a change of it would buy")
    _check_name("--add", name, names("contestant"))
    return picked.model_copy(update={"contestants": [*picked.contestants, name]})


def _with_matter(picked: Choices, name: str) -> Choices:
    _check_name("--add", name, _matters())
    if isinstance(picked.matters, str) or name in picked.matters:
        raise BadInput(f"--add: the study asks about {name} already; `--edit matter={name}` asks what a change of it would buy")
    return picked.model_copy(update={"matters": [*picked.matters, name]})


def _matters() -> list[str]:
    return [path.stem for path in sorted(Path(MATTERS_FOLDER).glob("*.md"))]
