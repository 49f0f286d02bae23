"""The pictures of the pages: which rows each shows, and what it says in words.

A row of each, the same as in metrics/plots:
    net_difference  {"pair": "alder~birch", "net_difference": -0.25, "lo": -0.683249, "hi": 0.328069, "n": 8}
    outcomes        {"pair": "alder~birch", "outcome": "ties", "place": 2, "verdicts": 2}
"""

from stages.render.drawing import Picture, picture
from stages.render.evidence import Evidence, Tree
from stages.render.wording import bounds, grouped, plural, signed
from stages.schema.jsonl import Row
from stages.schema.names import pair_name

NAMES = ("net_difference", "outcomes")
OUTCOMES = ("wins_1", "ties", "both_inadequate", "wins_2", "unreadable", "missing")


def differences(evidence: Evidence) -> Picture | None:
    """The net difference of every pair with its interval; none where nothing is scored."""
    rows = [row for pair in evidence.pairs if (row := difference(evidence, *pair))]
    said = "; ".join(difference_said(row) for row in rows)
    return picture("net_difference", evidence.specifications, rows, title="Net difference, pair by pair", said=f"{said}.")


def differences_of(evidence: Evidence, name: str) -> Picture | None:
    """The same of one contestant against each other, as it sees them: to the right, it is ahead."""
    found = [turned(evidence, name, other) for other in evidence.names if other != name]
    rows = [row for row in found if row]
    said = "; ".join(difference_said(row) for row in rows)
    title = f"Net difference of {name} against each other contestant"
    return picture("net_difference", evidence.specifications, rows, title=title, said=f"{said}.", of=name)


def outcomes(evidence: Evidence) -> Picture | None:
    """What came out of every pair, as bars of one length; none of a record in which nothing is planned."""
    rows = [row for pair in evidence.pairs for row in outcome_rows(evidence, *pair)]
    said = "; ".join(f"{one} and {two}: {words(evidence.pair(one, two), one, two)}" for one, two in evidence.pairs)
    return picture("outcomes", evidence.specifications, rows, title="What came out, pair by pair", said=f"{said}.")


def difference(evidence: Evidence, one: str, two: str) -> Row | None:
    """The row of one pair; None where nothing of it is scored."""
    found = evidence.pair(one, two).get("net_difference")
    if not found:
        return None
    interval = found["interval"]
    return {"pair": pair_name(one, two), "net_difference": found["value"], "lo": interval["lo"], "hi": interval["hi"], "n": found["n"]}


def turned(evidence: Evidence, name: str, other: str) -> Row | None:
    """The row of a pair as ``name`` sees it: the signs exchanged where the other comes first in the alphabet."""
    row = difference(evidence, *sorted((name, other)))
    if row is None or name < other:
        return row
    return {**row, "pair": pair_name(name, other), "net_difference": -row["net_difference"], "lo": -row["hi"], "hi": -row["lo"]}


def outcome_rows(evidence: Evidence, one: str, two: str) -> list[Row]:
    """The rows of one pair; they add up to what is planned."""
    pair = evidence.pair(one, two)
    return [
        {"pair": pair_name(one, two), "outcome": outcome, "place": place, "verdicts": pair[outcome]}
        for place, outcome in enumerate(OUTCOMES, start=1)
    ]


def difference_said(row: Row) -> str:
    """alder against birch: +0.250, interval +0.083 to +0.328."""
    one, two = row["pair"].split("~")
    return f"{one} against {two}: {signed(row['net_difference'])}, interval {bounds(row)}"


def unscored(pair: Tree) -> int:
    """Unreadable and missing verdicts of a pair."""
    return int(pair["unreadable"] + pair["missing"])


def words(pair: Tree, one: str, two: str) -> str:
    """alder won 2, 4 ties, birch won 3."""
    said = [f"{one} won {grouped(pair['wins_1'])}", plural(pair["ties"], "tie")]
    said += [f"{grouped(pair['both_inadequate'])} both inadequate", f"{two} won {grouped(pair['wins_2'])}"]
    said += [f"{grouped(unscored(pair))} unscored"] if unscored(pair) else []
    return ", ".join(said)
