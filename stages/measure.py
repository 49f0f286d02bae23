"""measure: counts the published tables into metrics. Everything here is a function of data/tables alone: no chance, no clock.

Writes metrics/{pairs,scores,judge,coverage,provenance}.json. An entry of pairs.json:
    "qwen-1500m~qwen-500m": {"both_inadequate": 0, "missing": 0, "n": 8, "planned": 8, "ties": 5, "unreadable": 0, "wins_1": 2, "wins_2": 1}
A value that does not exist, such as the share of A where no verdict is decisive, is left out: DVC would drop a null without a word.
"""

import json
from collections.abc import Iterable
from math import fsum, isfinite
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from stages.runtime.entry import run_stage
from stages.runtime.errors import BadRecord, refusing
from stages.schema.canonical import digest
from stages.schema.jsonl import Row
from stages.schema.names import pair_name
from stages.schema.rows import Status
from stages.schema.tables import FOLDER, TABLES, logical_digest, read_frame, read_table
from stages.stats.counts import PairCount, SideCount, Verdicts, WordCount, contestant_counts, pair_counts, side_counts, word_counts

METRICS = Path("metrics")

Tree = dict[str, Any]
Frames = dict[str, pd.DataFrame]
Rows = dict[str, list[Row]]


def counted_pairs(frames: Frames) -> list[PairCount]:
    """Every pair of the study's contestants over every matter of its battery. Raises ValueError for a verdict that is not planned."""
    names = ("matter_id", "contestant_1", "contestant_2", "answer_a_was", "answer_b_was", "verdict")
    verdicts = Verdicts(*(frames["verdicts"][name].tolist() for name in names))
    return pair_counts(verdicts, frames["contestants"]["contestant"], frames["matters"]["matter_id"])


def pairs_tree(pairs: Iterable[PairCount]) -> Tree:
    """wins_1 + wins_2 + ties + both_inadequate = n, and n + unreadable + missing = planned, for each pair."""
    names = ("wins_1", "wins_2", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")
    return {pair_name(pair.contestant_1, pair.contestant_2): _picked(pair, names) for pair in pairs}


def scores_tree(pairs: Iterable[PairCount]) -> Tree:
    """wins + losses + ties + both_inadequate = n, and n + unreadable + missing = planned, for each contestant."""
    names = ("wins", "losses", "ties", "both_inadequate", "n", "unreadable", "missing", "planned")
    return {count.contestant: _picked(count, names) for count in contestant_counts(pairs)}


def judge_tree(frames: Frames) -> Tree:
    """How the judge spoke: verdict words, the share of A among decisive ones, who stood where, and what it could see or rejected."""
    assignments, contestants = frames["assignments"], frames["contestants"]["contestant"]
    words = word_counts(frames["verdicts"]["verdict"])
    sides = side_counts(contestants, assignments["answer_a_was"], assignments["answer_b_was"])
    return {
        "decisive": words.decisive,
        "a_share": a_share(words),
        "verdicts": {
            "A": words.a, "B": words.b, "tie": words.tie,
            "both_inadequate": words.both_inadequate, "unreadable": words.unreadable,
        },
        "balance": {side.contestant: balance(side) for side in sides},
        "names_itself": flagged("names_itself", frames["answers"], frames["verdicts"]),
        "addresses_the_judge": flagged("addresses_the_judge", frames["answers"], frames["verdicts"]),
        "rejected_points": rejected(frames["rejected_points"], contestants),
    }  # fmt: skip


def a_share(words: WordCount) -> Tree:
    """The share of A among decisive verdicts, with its count and its n. No share where nothing is decisive."""
    return _present({"a": words.a, "decisive": words.decisive, "share": _rate(words.a_share)})


def balance(side: SideCount) -> Tree:
    """times_a + times_b = n, over the assignments in use."""
    return {"times_a": side.times_a, "times_b": side.times_b, "n": side.n}


def flagged(flag: str, answers: pd.DataFrame, verdicts: pd.DataFrame) -> Tree:
    """Answers that bear a flag (they name their own maker, or speak to the judge), and verdicts given on at least one of them."""
    telling = answers[answers[flag]]
    keys = set(zip(telling["matter_id"], telling["contestant"], strict=True))
    sides = zip(verdicts["matter_id"], verdicts["contestant_1"], verdicts["contestant_2"], strict=True)
    return {"answers": len(keys), "verdicts": sum((matter, one) in keys or (matter, two) in keys for matter, one, two in sides)}


def rejected(points: pd.DataFrame, contestants: Iterable[str]) -> Tree:
    """Rejected points in each contestant's answers, and how many of them change the course."""
    found = {name: points[points["contestant"] == name] for name in contestants}
    return {name: {"points": len(rows), "changes_course": int(rows["changes_course"].sum())} for name, rows in found.items()}


def coverage_tree(frames: Frames, pairs: list[PairCount]) -> Tree:
    """What was planned and what is there. recorded verdicts = scored + unreadable."""
    calls, assignments = frames["calls"], frames["assignments"]
    matters, contestants = len(frames["matters"]), frames["contestants"]["contestant"].tolist()
    return _present(
        {
            "matters": matters,
            "answers": {"planned": matters * len(contestants), "recorded": len(frames["answers"])},
            "verdicts": {
                "planned": sum(pair.planned for pair in pairs),
                "recorded": len(frames["verdicts"]),
                "unreadable": sum(pair.unreadable for pair in pairs),
            },
            "contestants": {name: answered(name, frames) for name in contestants},
            "assignments": {"in_use": len(assignments), "not_rederivable": int((~assignments["rederivable"]).sum())},
            "abandoned": abandoned(frames["orders"]),
            "calls": len(calls),
            "requests_with_two_replies": int((calls["replies"] > 1).sum()),
            "tokens": tokens(calls),
            "cost_usd": known_cost(calls),
            "cost_unknown_calls": int(calls["cost_usd"].isna().sum()),
        }
    )


def abandoned(orders: pd.DataFrame) -> Tree | None:
    """What was given up, each with its published reason; None where nothing was."""
    found = {}
    for order in orders.to_dict("records"):
        what = order["pairing_id"] if isinstance(order["pairing_id"], str) else f"{order['matter_id']}:{order['contestant']}"
        found[what] = f"{order['reason']} ({order['ordered_by']}, {order['ordered_at']:%Y-%m-%d})"
    return found or None


def answered(contestant: str, frames: Frames) -> Tree:
    """One contestant's answers by status, with its attempts and the matters that stayed unanswered. answers + unanswered = matters."""
    answers = frames["answers"][frames["answers"]["contestant"] == contestant]
    return {
        "attempts": int((frames["attempts"]["contestant"] == contestant).sum()),
        "answers": len(answers),
        "unanswered": len(frames["matters"]) - len(answers),
        "status": {status: int((answers["status"] == status).sum()) for status in get_args(Status)},
        "names_itself": int(answers["names_itself"].sum()),
        "addresses_the_judge": int(answers["addresses_the_judge"].sum()),
    }


def tokens(calls: pd.DataFrame) -> Tree:
    """Tokens of the calls that say how many, and the number of calls that do not."""
    uncounted = calls["prompt_tokens"].isna() | calls["completion_tokens"].isna()
    return {
        "prompt": int(calls["prompt_tokens"].sum()),
        "completion": int(calls["completion_tokens"].sum()),
        "unknown_calls": int(uncounted.sum()),
    }


def known_cost(calls: pd.DataFrame) -> float | None:
    """US dollars of the calls whose cost is known; None where it is known of none."""
    known = calls["cost_usd"].dropna()
    return _rate(fsum(known)) if len(known) else None


def provenance_tree(rows: Rows) -> Tree:
    """What the numbers stand on, by digest. record covers the six parts; a table's digest also moves when a title or a column does.

    Raises ValueError for verdicts under more than one instrument.
    """
    answers = [row for row in rows["attempts"] if row["scored"]]
    parts = _present(
        {
            "battery": _digest_of(rows["matters"], ("matter_id", "published", "matter_sha256")),
            "contestants": _digest_of(rows["contestants"], ("contestant", "config_sha256")),
            "answers": _digest_of(answers, ("matter_id", "contestant", "attempt", "text_sha256", "response_sha256")),
            "assignments": _digest_of(rows["assignments"], ("pairing_id", "answer_a_was", "answer_b_was")),
            "instrument": instrument(rows["verdicts"]),
            "verdicts": _digest_of(rows["verdicts"], ("verdict_id", "presentation_id", "verdict", "response_sha256")),
        }
    )
    return {**parts, "record": digest(parts), "tables": {name: logical_digest(name, rows[name]) for name in TABLES}}


def instrument(verdicts: list[Row]) -> str | None:
    """The digest that the study pins, as the verdicts in use name it; None without verdicts. Raises ValueError where they name two."""
    found = sorted({row["instrument_sha256"] for row in verdicts})
    if len(found) > 1:
        raise ValueError(f"the verdicts stand under more than one instrument: {', '.join(found)}")
    return found[0] if found else None


def metrics(rows: Rows, frames: Frames) -> dict[str, Tree]:
    """Every metrics file's content by name."""
    pairs = counted_pairs(frames)
    return {
        "pairs": pairs_tree(pairs),
        "scores": scores_tree(pairs),
        "judge": judge_tree(frames),
        "coverage": coverage_tree(frames, pairs),
        "provenance": provenance_tree(rows),
    }


def metric_text(tree: Tree) -> str:
    """A metrics file: keys sorted, two spaces, a line feed last. Raises ValueError for what DVC would drop: a list, a null, a NaN."""
    _check_leaves(tree, "")
    return json.dumps(tree, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _check_leaves(value: object, path: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_leaves(inner, f"{path}.{key}".lstrip("."))
    elif type(value) not in (int, float, str) or (isinstance(value, float) and not isfinite(value)):
        raise ValueError(f"metric {path} is {value!r}, and a metric is a number or a text")


def _picked(count: object, names: Iterable[str]) -> Tree:
    return {name: getattr(count, name) for name in names}


def _present(tree: Tree) -> Tree:
    return {key: value for key, value in tree.items() if value is not None}


def _rate(value: float | None) -> float | None:
    return None if value is None else round(value, 6)  # beyond six digits only the summation order would show


def _digest_of(rows: list[Row], columns: Iterable[str]) -> str:
    """One digest over these columns of all rows, whatever their order."""
    return digest(sorted([row[column] for column in columns] for row in rows))


def read_tables(folder: Path) -> tuple[Rows, Frames]:
    """Every table as rows and as a frame. Raises BadRecord that names the file."""
    rows, frames = {}, {}
    for name in TABLES:
        with refusing((folder / f"{name}.parquet").as_posix(), BadRecord):
            rows[name], frames[name] = read_table(name, folder), read_frame(name, folder)
    return rows, frames


def measure() -> None:
    rows, frames = read_tables(FOLDER)
    with refusing(FOLDER.as_posix(), BadRecord):
        trees = metrics(rows, frames)
    METRICS.mkdir(parents=True, exist_ok=True)
    for name, tree in trees.items():
        (METRICS / f"{name}.json").write_bytes(metric_text(tree).encode("utf-8"))


def main() -> None:
    run_stage("measure", measure, __doc__)


if __name__ == "__main__":
    main()
