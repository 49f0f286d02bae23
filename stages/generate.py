"""generate: obtains one answer per contestant and matter, in a fresh single-turn context without tools.

A further attempt is made where an order in data/orders/reruns asks for it, and never by itself; the study's rule for the matter's series
picks the one that is scored.

Appends to data/recordings/answers.jsonl, a sealed row per call (row format 1, stages/schema/calls.py).
Writes data/work/attempts.jsonl, the attempts in use as read from their replies:
    {"attempt":1,"contestant":"qwen-500m","finish_reason":"stop","matter_id":"Q01","scored":true,"status":"complete","text":"…",…}
"""

from collections.abc import Callable, Iterable

from stages.providers.attempts import Asked, attempts, by_answer
from stages.providers.reading import call_fields, recorded_reply
from stages.providers.switchboard import Model, Switchboard
from stages.runtime.compose import CONF, choices, setting
from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.handing import handed
from stages.runtime.paths import ANSWER_ORDERS, ANSWERS_RECORDING, ATTEMPTS, MATTERS, ORDERS, RERUN_ORDERS, VERDICT_ORDERS
from stages.schema.attempt_rules import AttemptRule, scored_attempt
from stages.schema.calls import Request
from stages.schema.canonical import text_digest
from stages.schema.jsonl import Row, write_rows
from stages.schema.matter import matters_in
from stages.schema.names import addresses_the_judge, mentions
from stages.schema.orders import AnswerOrder, RerunOrder, check_folders, orders_in
from stages.schema.rows import Attempt
from stages.schema.settings import Choices, Runner, Study, settings
from stages.store.fetching import Fetching


def abandoned(orders: Iterable[AnswerOrder]) -> Callable[[Request], bool]:
    """Whether an order says to buy this answer no more. A further attempt has an order of its own."""
    ended = {(order.contestant, order.matter_id, 1) for order in orders}
    return lambda request: (request.subject["contestant"], request.subject["matter_id"], request.subject["attempt"]) in ended


def attempt_of(asked: Asked, model: Model, rule: AttemptRule, scored: bool) -> Attempt:
    """The attempt that the first recorded reply tells; the others are later replies to the same request."""
    row, reply = asked.rows[0], recorded_reply(asked.rows[0])
    return Attempt(
        **call_fields(asked.rows, reply, model),
        matter_id=row["matter_id"],
        contestant=row["contestant"],
        attempt=row["attempt"],
        status=reply.status,
        provider_code=reply.provider_code,
        text=reply.text,
        text_sha256=text_digest(reply.text),
        reasoning=reply.reasoning,
        names_itself=mentions(reply.text, [model.family, *model.known_as, model.model]),
        addresses_the_judge=addresses_the_judge(reply.text),
        scored=scored,
        attempt_rule=rule,
        ordered_by=asked.order.by if asked.order else None,
        reason=asked.order.reason if asked.order else None,
    )


def attempts_of(made: list[Asked], model: Model, rule: AttemptRule) -> list[Attempt]:
    """All attempts at one answer, of which ``rule`` scores exactly one."""
    counts = scored_attempt(rule, [recorded_reply(asked.rows[0]).status for asked in made])
    return [attempt_of(asked, model, rule, place == counts) for place, asked in enumerate(made)]


def generate() -> None:
    chosen: Choices = choices(settings)
    study: Study = setting("study", chosen.study, settings)
    runner: Runner = setting("runner", chosen.runner, settings)
    models: dict[str, Model] = {name: setting("contestant", name, settings) for name in chosen.contestants}
    battery = {matter.matter_id: matter for matter in handed(MATTERS, matters_in)}
    with refusing(f"{CONF / 'study' / chosen.study}.yaml"):
        rules = {matter.matter_id: study.rule_of(matter.series, matter.source_path) for matter in battery.values()}
    with refusing(kind=BadRecord):
        check_folders(ORDERS, [ANSWER_ORDERS, RERUN_ORDERS, VERDICT_ORDERS])
        ended, reruns = abandoned(orders_in(ANSWER_ORDERS, AnswerOrder)), orders_in(RERUN_ORDERS, RerunOrder)
    fetching = Fetching("answers", ANSWERS_RECORDING, runner, lambda: Switchboard(models, runner))

    def replies_to(requests: list[Request]) -> dict[str, list[Row]]:
        return fetching.replies_to(requests, ended)

    made = by_answer(attempts(models, battery, reruns, replies_to))
    found = [attempt for (matter, name), own in made.items() for attempt in attempts_of(own, models[name], rules[matter])]
    write_rows(ATTEMPTS, (a.row() for a in sorted(found, key=lambda a: (a.matter_id, a.contestant, a.attempt))))


def main() -> None:
    run_stage("generate", generate, __doc__)


if __name__ == "__main__":
    main()
