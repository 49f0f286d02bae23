"""Orders: dated, signed, sealed; none without a reason and a name."""

from dataclasses import replace

import pytest

from stages.schema.calls import check_row
from stages.schema.orders import AnswerOrder, VerdictOrder

ANSWER = AnswerOrder("abandon", "withdrawn", "A. Author", "2026-11-30T08:15:11.000Z", "alder", "Q03")
VERDICT = VerdictOrder("abandon", "refused", "A. Author", "2026-11-30T08:15:11.000Z", "f" * 64)


@pytest.mark.parametrize("order", [ANSWER, VERDICT])
def test_an_order_comes_back_from_its_sealed_row(order):
    check_row(order.row())
    assert type(order).from_row(order.row()) == order


@pytest.mark.parametrize(("change", "sentence"), [({"reason": " "}, "needs a reason"), ({"by": ""}, "needs a named author")])
@pytest.mark.parametrize("order", [ANSWER, VERDICT])
def test_an_order_without_reason_or_author_is_refused(order, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(order, **change).row()


@pytest.mark.parametrize("key", ["reason", "by", "ordered_at", "contestant", "matter_id"])
def test_a_changed_order_is_refused(key):
    with pytest.raises(ValueError, match="row_sha256"):
        AnswerOrder.from_row({**ANSWER.row(), key: "other"})


def test_an_order_of_one_kind_is_not_taken_for_the_other():
    with pytest.raises(ValueError, match="it is an order about verdicts, and belongs in data/orders/verdicts"):
        AnswerOrder.from_row(VERDICT.row())
    assert "contestant" not in VERDICT.row()
