"""moot plan: what the next `dvc repro` would buy, what it may take and cost, and why each reply is missing. Buys and writes nothing."""

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import Any

from stages.desk.estimates import Estimate, estimate
from stages.desk.in_use import InUse, load
from stages.desk.layout import count, set_out
from stages.desk.reasons import History, earlier, why
from stages.desk.stale import stale
from stages.desk.to_buy import Ended, Outlook, Wanted
from stages.desk.what_if import Supposed, suppose
from stages.providers.reading import recorded_reply
from stages.providers.requests import Model
from stages.runtime.compose import CONF
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import ANSWER_ORDERS, VERDICT_ORDERS
from stages.schema.jsonl import Row
from stages.schema.orders import AnswerOrder, VerdictOrder, orders_in
from stages.schema.rows import Presentation
from stages.schema.settings import Runner
from stages.store.journal import Journal

EXAMPLE = """example:
  moot plan
  moot plan --add contestant=dogwood
  moot plan --edit matter=Q12 --json

--add and --edit ask what if, and touch no file. A verdict on an answer that is still to come is bought unless the answer comes word for
word as one that was judged before: then a plan says `from 2 to 4 calls`, and is exact again once the answers are there
(`uv run dvc repro generate`). A reply that cannot be read may be asked for again, if conf/judge/ says so: that is told apart."""

_LISTED = 12  # labels of one reason: more is a wall
_KINDS = ("answers", "verdicts", "second_verdicts", "controls")
_STATES = {
    "recorded": "recorded",
    "journal": "in_journal",
    "abandoned": "abandoned",
    "unanswered": "unanswered",
    "buy": "to_buy",
    "maybe": "perhaps",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--add", action="append", default=[], metavar="KIND=NAME", help="what if contestant=NAME or matter=ID joined")
    parser.add_argument(
        "--edit", action="append", default=[], metavar="KIND=NAME", help="what if the text of matter=ID, or contestant=NAME, changed"
    )


def run(given: argparse.Namespace) -> Row:
    """The plan. Raises BadInput for what the stages would refuse before they buy anything, and for a name that there is not."""
    supposed = suppose(given.add, given.edit)
    study = supposed.applied(load(supposed.choices))
    _check(study)
    outlook = Outlook(study, Journal.of_this_machine(), _ended())
    with refusing():
        stages = stale(supposed.values, supposed.paths)
    return planned(outlook, supposed, stages)


def _check(study: InUse) -> None:
    with refusing(f"{CONF / 'study' / study.choices.study}.yaml"):
        study.study.check_instrument(study.instrument_sha256)
        for matter in study.battery.values():
            study.study.rule_of(matter.series, matter.source_path)


def _ended() -> Ended:
    with refusing(kind=BadRecord):
        answers = frozenset((order.matter_id, order.contestant) for order in orders_in(ANSWER_ORDERS, AnswerOrder))
        return Ended(answers, frozenset(order.presentation_id for order in orders_in(VERDICT_ORDERS, VerdictOrder)))


def planned(outlook: Outlook, supposed: Supposed, stages: list[Row]) -> Row:
    """The plan as a row. Of each kind, recorded + in_journal + abandoned + unanswered + to_buy + perhaps = planned."""
    kinds = {
        "answers": outlook.answers, "verdicts": outlook.verdicts, "second_verdicts": outlook.second_verdicts, "controls": outlook.controls,
    }  # fmt: skip
    everything = [wanted for each in kinds.values() for wanted in each]
    missing = [wanted for wanted in everything if wanted.state in ("buy", "maybe")]
    sure = sum(wanted.state == "buy" for wanted in missing)
    buyers = _buyers(missing, outlook)
    history = cache(earlier)
    costs = [buyer["cost_usd"] for buyer in buyers]
    return {
        "what_if": supposed.words,
        "calls": {"at_least": sure, "at_most": len(missing)},
        "asked_again_at_most": sum(
            outlook.study.judges[wanted.asked].ask_again + 1 - wanted.attempt for wanted in missing if wanted.kind != "answer"
        ),
        **{name: _counts(each) for name, each in kinds.items()},
        "buyers": buyers,
        "cost_usd": None if None in costs else round(sum(costs), 6),
        "missing": [_missing(wanted, outlook.study, history) for wanted in missing],
        "stages": stages,
        "remarks": _remarks(len(missing), outlook.study.runner),
    }


def _counts(wanted: list[Wanted]) -> Row:
    states = Counter[str](each.state for each in wanted)
    return {"planned": len(wanted), **{name: states[state] for state, name in _STATES.items()}}


def _missing(wanted: Wanted, study: InUse, history: History) -> Row:
    found = why(wanted, study, history)
    row = {"what": wanted.label, "kind": wanted.kind, "asked": wanted.asked, "perhaps": wanted.state == "maybe"}
    return {**row, "because": found.sentence, "changes": found.changes}


def _buyers(missing: list[Wanted], outlook: Outlook) -> list[Row]:
    """What each contestant and each judge would be asked, and what that may take. Costs are those of the most calls."""
    groups: dict[tuple[str, str], list[Wanted]] = {}
    for wanted in missing:
        groups.setdefault((wanted.kind, wanted.asked), []).append(wanted)
    found = []
    for (kind, name), calls in groups.items():
        sure = sum(wanted.state == "buy" for wanted in calls)
        told = _estimated(kind, name, calls, outlook.study)
        found.append({"name": name, "kind": kind, "calls_at_least": sure, "calls_at_most": len(calls), **asdict(told)})
    return found


def _estimated(kind: str, name: str, calls: list[Wanted], study: InUse) -> Estimate:
    model: Model = study.contestants[name] if kind == "answer" else study.judges[name]
    key, recordings = ("contestant", [study.answers]) if kind == "answer" else ("judge", [study.verdicts, study.qualification])
    rows = (row for recording in recordings for replies in recording.values() for row in replies if row[key] == name)
    return estimate(model, [_length(wanted, study) for wanted in calls], map(recorded_reply, rows))


def _length(wanted: Wanted, study: InUse) -> int:
    """The bytes of a request. An answer that is still to come is taken to be as long as its limit lets it."""
    if wanted.request:
        return len(wanted.request.body_bytes)
    matter, _, pair = wanted.label.partition("@")[0].partition(":")
    a, b = (study.texts.get((matter, name), "text" * study.contestants[name].decoding.max_tokens) for name in pair.split("~"))
    return len(study.verdict_request_of(Presentation("0" * 64, matter, a, b), 1, judge=wanted.asked).body_bytes)


def _remarks(calls: int, runner: Runner) -> list[str]:
    """What the runner's limits would say to the run."""
    found = []
    if runner.confirm_above is not None and calls > runner.confirm_above:
        found.append(f"a stage that buys more than confirm_above ({runner.confirm_above}) calls asks first")
    if runner.max_calls is not None and calls > runner.max_calls:
        found.append(f"max_calls of {runner.max_calls} may stop a stage; the same command goes on from there")
    if runner.max_cost_usd is not None:
        found.append(f"max_cost_usd of ${runner.max_cost_usd:.4f} holds for each stage, with every call in flight at its worst case")
    return found


def told(plan: Row) -> str:
    """What the command prints."""
    parts = [_headline(plan), _kinds(plan)]
    if plan["buyers"]:
        parts += [_bill(plan), _why(plan["missing"])]
    runs = [(row["stage"], row["runs"], row["because"]) for row in plan["stages"]]
    parts += [set_out(("stage", "runs", "because"), runs, width=90), "".join(f"{remark}\n" for remark in plan["remarks"])]
    return "\n".join(part for part in parts if part)


def _headline(plan: Row) -> str:
    least, most = plan["calls"]["at_least"], plan["calls"]["at_most"]
    what_if = f" with {' and '.join(plan['what_if'])}" if plan["what_if"] else ""
    calls = count(most, "call") if least == most else f"from {least:,} to {count(most, 'call')}"
    again = f", and {plan['asked_again_at_most']} more at most for replies that cannot be read" if plan["asked_again_at_most"] else ""
    return f"`dvc repro`{what_if} would buy {calls if most else 'nothing: every reply that it asks for is there'}{again}.\n"


def _kinds(plan: Row) -> str:
    names = ("planned", *_STATES.values())
    kinds = [kind for kind in _KINDS if plan[kind]["planned"] or kind != "second_verdicts"]
    shown = [name for name in names if name in ("planned", "recorded", "to_buy") or any(plan[kind][name] for kind in kinds)]
    rows: Iterable[list[Any]] = ([kind.replace("_", " "), *(plan[kind][name] for name in shown)] for kind in kinds)
    return set_out(("", *(name.replace("_", " ") for name in shown)), rows)


def _bill(plan: Row) -> str:
    rows = [
        (f"{b['name']} ({b['kind']}s)", b["calls_at_most"], b["prompt_tokens"], b["completion_tokens"], _dollars(b["cost_usd"]))
        for b in plan["buyers"]
    ]
    tokens = [sum(b[name] for b in plan["buyers"]) for name in ("prompt_tokens", "completion_tokens")]
    whole = ("all", plan["calls"]["at_most"], *tokens, _dollars(plan["cost_usd"]))
    table = set_out(("who is asked, at most", "calls", "tokens sent", "tokens back", "cost"), [*rows, whole])
    notes = [f"{b['name']} ({b['kind']}s): tokens by {b['tokens_from']}; cost: {b['cost_from']}\n" for b in plan["buyers"]]
    return table + "".join(notes)


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:,.4f}"


def _why(missing: list[Row]) -> str:
    groups: dict[str, list[str]] = {}
    for row in missing:
        groups.setdefault(row["because"], []).append(f"{row['what']}{' (perhaps)' if row['perhaps'] else ''}")
    return "".join(f"{because}:\n  {_listed(labels)}\n" for because, labels in groups.items())


def _listed(labels: list[str]) -> str:
    more = f" and {len(labels) - _LISTED} more (--json lists all)" if len(labels) > _LISTED else ""
    return ", ".join(labels[:_LISTED]) + more
