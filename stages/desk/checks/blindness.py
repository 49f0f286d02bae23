"""Blindness, looked for in the very bytes that judges were sent: Moot's own words name no contestant, and answers name what is counted."""

from collections.abc import Iterable

from stages.desk.checks.check import Check
from stages.desk.checks.results import metrics
from stages.desk.in_use import InUse
from stages.desk.rebuilt import names_itself
from stages.providers.requests import Model
from stages.runtime.handing import handed
from stages.runtime.paths import METRICS
from stages.schema.calls import Request
from stages.schema.canonical import compact
from stages.schema.rows import Presentation


def telling_words(name: str, model: Model) -> list[str]:
    """What would give a contestant away: its name and its file's, its model, maker, route, weights, and the host it is served by."""
    found = [name, model.model, model.family, *model.known_as, model.route]
    if model.provider == "local":
        return [*found, model.weights.file]  # the provider's word, "local", is a word of law as well
    return [*found, model.provider, model.base_url]


def own_words(request: Request, shown: Presentation, matter: str) -> str:
    """The words of a request that neither the matter's author nor a contestant wrote."""
    said = "\n".join(str(message["content"]) for message in request.body["messages"])
    for block in (matter, shown.answer_a, shown.answer_b):
        said = said.replace(block, "", 1) if block else said
    return f"{said}\n{compact(request.body.get('response_format', {}))}\n{shown.presentation_id}"


def judge_is_blind(study: InUse) -> Check:
    """Every request in use of the judge, its own words searched for each contestant."""
    check = Check("no judge request names a contestant in words of Moot's")
    words = {name: telling_words(name, model) for name, model in study.contestants.items()}
    in_matters, everything = set(), study.all_presentations
    for pairing, request in study.all_requests.items():
        check.looked_at += 1
        shown = everything[pairing]
        matter = study.battery[shown.matter_id].brief
        own = own_words(request, shown, matter)
        check.failures += [f"{pairing}: its request names {name} in words of Moot's" for name in _named(own, words)]
        in_matters |= {(shown.matter_id, name) for name in _named(matter, words)}
    told = ", ".join(f"{matter} ({name})" for matter, name in sorted(in_matters))
    check.remark = f"the author's own text holds a contestant's name in {told}" if told else ""
    return check


def _named(text: str, words: dict[str, list[str]]) -> Iterable[str]:
    return [name for name, telling in words.items() if names_itself(text, telling)]


def names_are_counted(study: InUse) -> Check:
    """The answers in which a contestant names itself are as many as are published."""
    check = Check("answers that name themselves are those that are counted")
    published = handed(METRICS / "coverage.json", metrics)["contestants"]
    for name, model in study.contestants.items():
        own = [text for (_, who), text in study.texts.items() if who == name]
        found = sum(names_itself(text, [model.family, *model.known_as, model.model]) for text in own)
        check.looked_at += len(own)
        said = published.get(name, {}).get("names_itself")
        if found != said:
            check.failures.append(f"{METRICS}/coverage.json: contestants.{name}.names_itself is {said}, found {found}")
    return check
