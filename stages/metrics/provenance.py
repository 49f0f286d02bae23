"""metrics/provenance.json: what the numbers stand on, by digest. A part of it:

"record": "5f0c…", "instrument": "9a31…", "tables": {"answers": "77d0…"}
"""

from collections.abc import Iterable

from stages.metrics.leaves import Tree, present
from stages.schema.canonical import digest
from stages.schema.jsonl import Row
from stages.schema.tables import SECOND, TABLES, logical_digest

Rows = dict[str, list[Row]]  # the published tables by name
_CALL = ("request_sha256", "response_sha256", "started_at")  # what was asked, what came, and when


def tree(rows: Rows) -> Tree:
    """What the numbers stand on, by digest. record covers all parts but the tables: a table's digest moves with a title or a column, too.

    A table of second verdicts has a digest where there are any; the record digest never covers them, because no score does.

    Raises ValueError for verdicts under more than one instrument.
    """
    answers = [row for row in rows["attempts"] if row["scored"]]
    parts = present(
        {
            "battery": _digest_of(rows["matters"], ("matter_id", "published", "matter_sha256")),
            "contestants": _digest_of(rows["contestants"], ("contestant", "config_sha256")),
            "judge": _digest_of(rows["judges"], ("judge", "config_sha256")),
            "answers": _digest_of(answers, ("matter_id", "contestant", "attempt", "text_sha256", *_CALL)),
            "assignments": _digest_of(rows["assignments"], ("pairing_id", "answer_a_was", "answer_b_was")),
            "instrument": instrument(rows["verdicts"], rows["second_verdicts"]),
            "verdicts": _digest_of(rows["verdicts"], ("verdict_id", "presentation_id", "verdict", *_CALL)),
            "controls": _digest_of(rows["controls"], ("control_id", "order_number", "verdict", *_CALL)),
            "orders": _digest_of(rows["orders"], ("order_sha256",)),
        }
    )
    published = [name for name in TABLES if rows[name] or name not in SECOND]
    return {**parts, "record": digest(parts), "tables": {name: logical_digest(name, rows[name]) for name in published}}


def instrument(verdicts: list[Row], second: list[Row]) -> str | None:
    """The digest that the study pins, as the verdicts in use name it; None without verdicts.

    Raises ValueError where they, and the second verdicts beside them, name two.
    """
    found = sorted({row["instrument_sha256"] for row in (*verdicts, *second)})
    if len(found) > 1:
        raise ValueError(f"the verdicts stand under more than one instrument: {', '.join(found)}")
    return found[0] if verdicts else None


def _digest_of(rows: list[Row], columns: Iterable[str]) -> str:
    """One digest over these columns of all rows, whatever their order."""
    return digest(sorted([row[column] for column in columns] for row in rows))
