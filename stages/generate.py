"""generate: obtains one answer per contestant and matter, in a fresh single-turn context without tools.

Appends to data/recordings/answers.jsonl, a sealed row per call (row format 1, stages/schema/calls.py).
Writes data/work/attempts.jsonl, the attempts in use as read from their replies:
    {"attempt":1,"contestant":"qwen-500m","finish_reason":"stop","matter_id":"Q01","scored":true,"status":"complete","text":"…",…}
"""

from collections.abc import Callable, Iterable

from stages.providers.reading import call_fields, recorded_reply
from stages.providers.requests import answer_request
from stages.providers.switchboard import Model, Switchboard
from stages.runtime.compose import CONF, choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import ANSWER_ORDERS, ANSWERS_RECORDING, ATTEMPTS, MATTERS, ORDERS, VERDICT_ORDERS
from stages.schema.calls import Request
from stages.schema.canonical import text_digest
from stages.schema.jsonl import Row, write_rows
from stages.schema.matter import Matter, matters_in
from stages.schema.names import addresses_the_judge, mentions
from stages.schema.orders import AnswerOrder, check_folders, orders_in
from stages.schema.rows import Attempt
from stages.schema.settings import Choices, Runner, Study, settings
from stages.store.fetching import Fetching


def planned(models: dict[str, Model], battery: Iterable[Matter]) -> list[Request]:
    """The request of every answer, contestant by contestant, so that a local server changes its weights as seldom as can be."""
    matters = list(battery)
    return [answer_request(name, model, matter) for name, model in sorted(models.items()) for matter in matters]


def abandoned(orders: Iterable[AnswerOrder]) -> Callable[[Request], bool]:
    """Whether an order says to buy this answer no more."""
    ended = {(order.contestant, order.matter_id) for order in orders}
    return lambda request: (request.subject["contestant"], request.subject["matter_id"]) in ended


def attempt_of(rows: list[Row], model: Model, rule: str) -> Attempt:
    """The attempt that the first of ``rows`` recorded; the others are later replies to the same request."""
    reply = recorded_reply(rows[0])
    return Attempt(
        **call_fields(rows, reply, model),
        matter_id=rows[0]["matter_id"],
        contestant=rows[0]["contestant"],
        attempt=rows[0]["attempt"],
        status=reply.status,
        text=reply.text,
        text_sha256=text_digest(reply.text),
        names_itself=mentions(reply.text, [model.family, *model.known_as, model.model]),
        addresses_the_judge=addresses_the_judge(reply.text),
        scored=True,
        attempt_rule=rule,
        ordered_by=None,
        reason=None,
    )


def generate() -> None:
    chosen: Choices = choices(settings)
    study: Study = setting("study", chosen.study, settings)
    runner: Runner = setting("runner", chosen.runner, settings)
    models: dict[str, Model] = {name: setting("contestant", name, settings) for name in chosen.contestants}
    battery = handed(MATTERS, matters_in)
    with refusing(f"{CONF / 'study' / chosen.study}.yaml"):
        rules = {matter.matter_id: study.rule_of(matter.series, matter.source_path) for matter in battery}
    with refusing(kind=BadRecord):
        check_folders(ORDERS, [ANSWER_ORDERS, VERDICT_ORDERS])
        orders = orders_in(ANSWER_ORDERS, AnswerOrder)
    requests = planned(models, battery)
    fetching = Fetching("answers", ANSWERS_RECORDING, runner, lambda: Switchboard(models, runner))
    replies = fetching.replies_to(requests, abandoned(orders))
    attempts = [attempt_of(rows, models[rows[0]["contestant"]], rules[rows[0]["matter_id"]]) for rows in replies.values()]
    write_rows(ATTEMPTS, (a.row() for a in sorted(attempts, key=lambda a: (a.matter_id, a.contestant, a.attempt))))


def main() -> None:
    run_stage("generate", generate, __doc__)


if __name__ == "__main__":
    main()
