"""Further attempts at answers: each that is recorded was ordered, so that nobody asked until an answer pleased."""

from stages.desk.checks.check import Check
from stages.desk.in_use import InUse
from stages.providers.attempts import Asked
from stages.providers.requests import answer_request
from stages.runtime.paths import ANSWERS_RECORDING, RERUN_ORDERS
from stages.schema.names import attempt_id


def attempts_have_orders(study: InUse) -> Check:
    """Every recorded further attempt at an answer of this study follows an order in data/orders/reruns, so that none is hidden."""
    check = Check("further attempts at answers were ordered")
    known = {asked.request.sha256 for asked in study.attempts}
    for asked in study.attempts:
        check.looked_at += asked.order is not None
        matter, contestant = asked.key
        further = answer_request(contestant, study.contestants[contestant], study.battery[matter], asked.number + 1)
        if further.sha256 in study.answers and further.sha256 not in known:
            name = attempt_id(matter, contestant, asked.number + 1)
            check.failures.append(f"{ANSWERS_RECORDING}: attempt {name} is recorded, and {RERUN_ORDERS} holds no order for it")
    late = sum(map(began_before_its_order, study.attempts))
    check.remark = f"{len(study.reruns) - check.looked_at} orders not in use today" + (f"; {late} began before their order" if late else "")
    return check


def began_before_its_order(asked: Asked) -> bool:
    """Whether the first reply's call is dated before the order that it follows: told, no failure, because clocks differ."""
    return asked.order is not None and any(row["started_at"] < asked.order.ordered_at for row in asked.rows[:1])
