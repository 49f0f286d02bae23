"""The attempts at each answer: the first of every answer, and a further one where an order asks for it and for as long as it may.

The same walk serves the stage that buys and the commands that only look: ``replies_to`` says what is there for a round of requests.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stages.providers.reading import recorded_reply
from stages.providers.requests import Model, answer_request
from stages.runtime.errors import BadRecord, refusing
from stages.runtime.paths import RERUN_ORDERS
from stages.schema.attempt_rules import check_ordered_again
from stages.schema.calls import Request, Row
from stages.schema.matter import Matter
from stages.schema.names import attempt_id
from stages.schema.orders import RerunOrder

Replies = Callable[[list[Request]], Mapping[str, list[Row]]]


@dataclass(frozen=True)
class Asked:
    """One request for an answer, the order behind it where it is a further one, and the recorded replies to it; none where it is open."""

    request: Request
    order: RerunOrder | None
    rows: list[Row]

    @property
    def key(self) -> tuple[str, str]:
        """Matter and contestant."""
        return str(self.request.subject["matter_id"]), str(self.request.subject["contestant"])

    @property
    def number(self) -> int:
        """Of the attempt, from 1."""
        return int(self.request.subject["attempt"])

    @property
    def name(self) -> str:
        """matter:contestant:attempt."""
        return attempt_id(*self.key, self.number)

    @property
    def label(self) -> str:
        """How messages call it: with its number only where it is a further attempt."""
        return self.name if self.order else self.name.removesuffix(":1")


def first_requests(models: Mapping[str, Model], battery: Mapping[str, Matter]) -> list[Request]:
    """The first request of every answer, contestant by contestant, so that a local server changes its weights as seldom as can be."""
    return [answer_request(name, model, matter) for name, model in sorted(models.items()) for matter in battery.values()]


def attempts(models: Mapping[str, Model], battery: Mapping[str, Matter], orders: Iterable[RerunOrder], replies_to: Replies) -> list[Asked]:
    """Every attempt that the study of these models and matters has or has ordered, in rounds: all first ones, all second ones and so on.

    An order about another text of the matter, other settings or another contestant is passed over. Raises BadRecord for an order that
    contradicts itself, and for one after an attempt that is not recorded or may not be asked for again.
    """
    by_digest = {order.after_sha256: order for order in orders}
    found: list[Asked] = []
    asked: list[tuple[Request, RerunOrder | None]] = [(request, None) for request in first_requests(models, battery)]
    while asked:
        replies = replies_to([request for request, _ in asked])
        made = [Asked(request, order, replies.get(request.sha256, [])) for request, order in asked]
        due = [(before, by_digest[before.request.sha256]) for before in made if before.request.sha256 in by_digest]
        asked = [(next_request(before, order, models, battery), order) for before, order in due]
        found += made
    return found


def next_request(before: Asked, order: RerunOrder, models: Mapping[str, Model], battery: Mapping[str, Matter]) -> Request:
    """The request that ``order`` asks for after the attempt ``before``. Raises BadRecord, naming the order's file, as ``attempts`` does."""
    with refusing((RERUN_ORDERS / order.file_name).as_posix(), BadRecord):
        if (order.matter_id, order.contestant, order.attempt) != (*before.key, before.number + 1):
            raise ValueError(f"its after_sha256 is that of attempt {before.name}, which it does not come after")
        if not before.rows:
            raise ValueError(f"attempt {before.name}, which it comes after, is not recorded")
        check_ordered_again(before.name, recorded_reply(before.rows[0]).status)
    return answer_request(order.contestant, models[order.contestant], battery[order.matter_id], order.attempt)


def by_answer(made: Iterable[Asked]) -> dict[tuple[str, str], list[Asked]]:
    """The delivered attempts of each answer that has any, by matter and contestant, in their order."""
    found: dict[tuple[str, str], list[Asked]] = {}
    for asked in made:
        if asked.rows:
            found.setdefault(asked.key, []).append(asked)
    return found
