"""Why a reply is missing: what changed since the nearest one was recorded, setting by setting where the old settings are in git."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from stages.desk.checkout import git
from stages.desk.explain_miss import differences
from stages.desk.in_use import InUse
from stages.desk.layout import short
from stages.desk.to_buy import Wanted
from stages.providers.requests import Model, answer_request
from stages.runtime.compose import CONF, values_in
from stages.schema.calls import Request, Row
from stages.schema.rows import Presentation
from stages.schema.settings import settings

_COMMITS = 20  # of one settings file: further back lies another study
_SETTINGS = {"settings_sha256", "route", "model", "wire"}


@dataclass(frozen=True)
class Why:
    """One sentence, and the settings that changed: key, then recorded and wanted value."""

    sentence: str
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)


History = Callable[[str, str], list[Model]]  # the committed versions of one settings file, by group and name


def why(wanted: Wanted, study: InUse, history: History) -> Why:
    """Why this reply is missing. history: ``earlier``, remembered for as long as one command runs."""
    if wanted.kind == "answer" and wanted.attempt > 1:
        return Why("an order in data/orders/reruns asks for a further attempt")
    if wanted.kind == "answer" and wanted.request:
        return _answer(wanted.request, study, history)
    if wanted.request is None:
        return Why("an answer that it judges is still to come")
    if wanted.attempt > 1:
        return Why("the reply before it was unreadable, and is asked for again")
    return _judged(wanted, study, history)


def _answer(request: Request, study: InUse, history: History) -> Why:
    name, matter = request.asked, str(request.subject["matter_id"])
    same = study.recorded_by.get(("answer", name, matter), [])
    if ("answer", name, None) not in study.recorded_by:
        return Why(f"new contestant: nothing of {name} is recorded")
    if not same:
        return Why(f"new matter: no answer of {name} to {matter} was ever recorded")
    row = min(same, key=lambda row: (len(differences(request, row)), row["started_at"]))
    differs = set(differences(request, row))
    if differs - _SETTINGS == {"matter_sha256"} and not differs & _SETTINGS:
        return Why("edited matter: what is recorded answers another text")
    edited = "edited matter, and " if "matter_sha256" in differs else ""
    changes = _changed("contestant", study.contestants[name], row, study, history("contestant", name))
    return Why(edited + _sentence(changes), changes)


def _judged(wanted: Wanted, study: InUse, history: History) -> Why:
    request = wanted.request
    if request is None:
        return Why("never recorded")
    same = study.recorded_by.get((wanted.kind, request.asked, wanted.matter_id), [])
    if (wanted.kind, request.asked, None) not in study.recorded_by:
        return Why(f"new judge: nothing of {request.asked} is recorded")
    if not same:
        return Why(f"new matter: {request.asked} never judged {wanted.matter_id}")
    row = min(same, key=lambda row: (len(differences(request, row)), row["started_at"]))
    differs = set(differences(request, row))
    found = [words for part, words in _PARTS.items() if part in differs]
    if differs & {"answer_a_sha256", "answer_b_sha256"}:
        found.append(_unseen(wanted, study))
    changes = _changed("judge", study.judges[request.asked], row, study, history("judge", request.asked)) if differs & _SETTINGS else {}
    if changes or (differs & _SETTINGS and not found):  # another instrument has another reply schema, which counts as a setting
        found.append(_sentence(changes))
    return Why(" and ".join(found) or "never recorded", changes)


def _unseen(wanted: Wanted, study: InUse) -> str:
    """Why two texts were never judged in this order."""
    pairing, _, order = wanted.label.partition("@")
    other = order.endswith("@turned")
    if wanted.kind == "verdict" and pairing in (study.stored_turned if other else study.stored):
        return "another answer: its texts were never judged together"
    return "the other order: never judged" if other else "new pairing: never judged"


_PARTS = {"instrument_sha256": "new instrument", "matter_sha256": "edited matter"}


def _sentence(changes: dict[str, dict[str, Any]]) -> str:
    told = [f"{key} from {_spoken(two['recorded'])} to {_spoken(two['wanted'])}" for key, two in changes.items()]
    if told:
        return f"changed setting {', '.join(told)}"
    return "changed settings; those that were recorded stand in none of the last commits"


def _spoken(value: object) -> str:
    return "nothing" if value is None else short(value)


def _changed(group: str, now: Model, row: Row, study: InUse, versions: list[Model]) -> dict[str, dict[str, Any]]:
    """The settings that differ between now and the recorded call; nothing where no commit holds those of the call."""
    for then in versions:
        if _made_by(then, group, row, study):
            return _different(then.model_dump(mode="json"), now.model_dump(mode="json"))
    return {}


def _made_by(then: Any, group: str, row: Row, study: InUse) -> bool:
    """Whether these settings made the recorded call. The system prompt of an answer is in its request digest only."""
    matter = study.all_matters.get(row["matter_id"])
    if matter is None:
        return False
    if group == "judge":
        asked = replace(study, judge=then).verdict_request_of(Presentation("0" * 64, matter.matter_id, "", ""), 1)
        return bool(asked.settings_sha256 == row["settings_sha256"])
    request = answer_request(row["contestant"], then, matter, row["attempt"])
    same_text = matter.matter_sha256 == row["matter_sha256"]
    return bool(request.sha256 == row["request_sha256"] if same_text else request.settings_sha256 == row["settings_sha256"])


def earlier(group: str, name: str) -> list[Model]:
    """The committed versions of a settings file, the newest first; none where git does not answer. One with other keys is passed over."""
    path = (CONF / group / f"{name}.yaml").as_posix()
    commits = git("log", f"-{_COMMITS}", "--format=%H", "--", path) or ""
    found = []
    for text in filter(None, (git("show", f"{commit}:./{path}") for commit in commits.split())):
        with suppress(ValueError):
            found.append(settings(group, values_in(text)))
    return found


def _different(then: dict[str, Any], now: dict[str, Any], above: str = "") -> dict[str, dict[str, Any]]:
    """The leaves in which two settings differ, by their path."""
    found: dict[str, dict[str, Any]] = {}
    for key in sorted(then.keys() | now.keys()):
        old, new = then.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            found |= _different(old, new, f"{above}{key}.")
        elif old != new:
            found[f"{above}{key}"] = {"recorded": old, "wanted": new}
    return found
