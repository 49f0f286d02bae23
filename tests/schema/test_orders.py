"""Orders: dated, signed, sealed; none without a reason and a name."""

from dataclasses import replace

import pytest

from stages.schema.calls import check_row, seal
from stages.schema.canonical import canonical
from stages.schema.orders import AnswerOrder, RerunOrder, VerdictOrder, check_folders, orders_in

ANSWER = AnswerOrder("abandon", "withdrawn", "A. Author", "2026-11-30T08:15:11.000Z", "alder", "Q03")
RERUN = RerunOrder("rerun", "cut off", "A. Author", "2026-11-30T08:15:11.000Z", "alder", "Q03", 2, "e" * 64)
VERDICT = VerdictOrder("abandon", "refused", "A. Author", "2026-11-30T08:15:11.000Z", "f" * 64)


@pytest.mark.parametrize("order", [ANSWER, RERUN, VERDICT])
def test_an_order_comes_back_from_its_sealed_row(order):
    check_row(order.row())
    assert type(order).from_row(order.row()) == order


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"reason": " "}, "needs a reason"),
        ({"reason": "\u200b\x1b"}, "needs a reason"),
        ({"by": ""}, "needs a named author"),
        ({"by": "\u2060"}, "needs a named author"),
    ],
)
@pytest.mark.parametrize("order", [ANSWER, RERUN, VERDICT])
def test_an_order_without_reason_or_author_is_refused(order, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(order, **change).row()


@pytest.mark.parametrize("key", ["reason", "by", "ordered_at", "contestant", "matter_id"])
def test_a_changed_order_is_refused(key):
    with pytest.raises(ValueError, match="row_sha256"):
        AnswerOrder.from_row({**ANSWER.row(), key: "other"})


def test_a_reason_in_any_script_is_a_reason():
    for words in ("\u0440\u0430\u0437\u0440\u044b\u0432", "\u4e2d\u65ad", "\u05e0\u05e7\u05d8\u05e2", "x\u200b"):
        order = replace(RERUN, reason=words)
        assert RerunOrder.from_row(order.row()).reason == words


def test_an_order_of_one_kind_is_not_taken_for_the_other():
    with pytest.raises(ValueError, match="it is an order about verdicts, and belongs in data/orders/verdicts"):
        AnswerOrder.from_row(VERDICT.row())
    assert "contestant" not in VERDICT.row()


# ---- files


def changed(order=ANSWER, **change):
    return seal({key: value for key, value in {**order.row(), **change}.items() if key != "row_sha256" and value is not ...})


def rerun(**change):
    return changed(RERUN, **change)


ORDERS = {
    "a number for a text": ("answers/Q03-alder.json", changed(reason=7), "key 'reason' must be text (it is 7)"),
    "no reason": ("answers/Q03-alder.json", changed(reason=" "), "key 'reason' must be words, and none stand there"),
    "no author": ("answers/Q03-alder.json", changed(by=None), "key 'by' must be text (it is null)"),
    "another time": ("answers/Q03-alder.json", changed(ordered_at="today"), "key 'ordered_at' must be a time"),
    "another kind": ("answers/Q03-alder.json", changed(kind="abandoned"), "key 'kind' must be 'abandon'"),
    "an unknown key": ("answers/Q03-alder.json", changed(reasn="x"), "unknown key 'reasn'; the nearest is 'reason'"),
    "a missing key": ("answers/Q03-alder.json", changed(contestant=...), "key 'contestant' is missing"),
    "no seal": ("answers/Q03-alder.json", {k: v for k, v in ANSWER.row().items() if k != "row_sha256"}, "key 'row_sha256' is missing"),
    "changed": ("answers/Q03-alder.json", {**ANSWER.row(), "reason": "other"}, "row_sha256 does not match"),
    "an empty file": ("answers/Q03-alder.json", "", "it holds no rows, and an order is one"),
    "an empty object": ("answers/Q03-alder.json", {}, "key 'kind' is missing"),
    "a rerun of the first attempt": ("reruns/x.json", rerun(attempt=1), "key 'attempt' must be 2 or more (it is 1)"),
    "a rerun after nothing": ("reruns/x.json", rerun(after_sha256=...), "key 'after_sha256' is missing"),
    "a rerun without a reason": ("reruns/x.json", rerun(reason=" "), "key 'reason' must be words, and none stand there"),
    "a rerun without an author": ("reruns/x.json", rerun(by=""), "key 'by' must be words, and none stand there"),
    "a rerun whose author nobody can see": ("reruns/x.json", rerun(by="\u200b"), "key 'by' must be words, and none stand there"),
    "a rerun that was changed": ("reruns/x.json", {**RERUN.row(), "reason": "other"}, "row_sha256 does not match"),
    "a rerun under another name": ("reruns/Q03-alder-3.json", RERUN.row(), "by its content its name must be Q03-alder-2-eeeeeeee.json"),
    "a rerun among answers": ("answers/x.json", RERUN.row(), "it is an order about reruns, and belongs in data/orders/reruns"),
    "an answer's among reruns": ("reruns/x.json", ANSWER.row(), "it is an order about answers, and belongs in data/orders/answers"),
    "two rows": ("answers/Q03-alder.json", "{}\n{}\n", "it holds 2 rows, and an order is one"),
    "a list": ("answers/Q03-alder.json", [], "line 1: the row is not a JSON object"),
    "another name": ("answers/Q03-birch.json", ANSWER.row(), "by its content its name must be Q03-alder.json"),
    "another ending": ("answers/Q03-alder.txt", ANSWER.row(), "a file here ends in .json, and only README.md may stand beside"),
    "a folder deeper": ("answers/old/Q03-alder.json", ANSWER.row(), "a file here ends in .json"),
    "a folder higher": ("Q03-alder.json", ANSWER.row(), "nobody obeys what stands here; known: answers, reruns, verdicts"),
    "a folder misspelt": ("answer/Q03-alder.json", ANSWER.row(), "nobody obeys what stands here; the nearest is 'answers'"),
    "a verdict's among answers": (
        "answers/x.json",
        VERDICT.row(),
        "it is an order about verdicts, and belongs in data/orders/verdicts",
    ),
    "an answer's among verdicts": ("verdicts/Q03-alder.json", ANSWER.row(), "it is an order about answers, and belongs in data/orders/answers"),
}  # fmt: skip


def write(path, row):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(row if isinstance(row, str) else canonical(row) + "\n", "utf-8")
    return path


def orders_of(root):
    """Everything under a folder of orders, as the stages read it."""
    check_folders(root, [root / "answers", root / "reruns", root / "verdicts"])
    kinds = (("answers", AnswerOrder), ("reruns", RerunOrder), ("verdicts", VerdictOrder))
    return [order for folder, kind in kinds for order in orders_in(root / folder, kind)]


@pytest.mark.parametrize("case", ORDERS)
def test_an_order_that_nobody_could_obey_is_refused_with_its_file(tmp_path, case):
    name, row, words = ORDERS[case]
    path = write(tmp_path / name, row)
    named = path.parent if case in ("a folder deeper", "a folder misspelt") else path
    with pytest.raises(ValueError) as refused:
        orders_of(tmp_path)
    assert str(refused.value).startswith(f"{named}: ")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_sound_orders_are_found_beside_a_readme_and_a_hidden_file(tmp_path):
    assert orders_of(tmp_path / "nothing") == []
    for order, folder in ((ANSWER, "answers"), (RERUN, "reruns"), (VERDICT, "verdicts")):
        write(tmp_path / folder / order.file_name, order.row())
        write(tmp_path / folder / "README.md", "words")
        write(tmp_path / folder / ".hidden", "")
    assert orders_of(tmp_path) == [ANSWER, RERUN, VERDICT]
