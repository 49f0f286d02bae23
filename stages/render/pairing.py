"""The page of one pairing: blind first, then everything that the verdict rests on."""

from stages.render.evidence import Evidence, ShownPairing, Tree
from stages.render.frame import Page, page
from stages.render.inert import rendered, unseen
from stages.render.places import Place, pieces, place_of
from stages.schema.jsonl import Row
from stages.schema.matter import Matter

LONG = 20_000  # characters; a text beyond scrolls in its own box


def pairing_page(evidence: Evidence, place: int, **frame: str) -> Page:
    """The page of the pairing at this place of the order, with its neighbours."""
    shown = evidence.shown[place]
    places = {letter: side_places(shown, letter) for letter in "AB"}
    return page(
        shown.address,
        "pairing.html.j2",
        **frame,
        shown=shown,
        place=place + 1,
        total=len(evidence.shown),
        before=neighbour(evidence.shown, place - 1),
        after=neighbour(evidence.shown, place + 1),
        sides=[side(evidence, shown, letter, places[letter]) for letter in "AB"],
        points=[point(shown, row, places) for row in shown.points],
        source=source(evidence, shown.verdict) if shown.verdict else "",
        against=evidence.against.get(shown.assignment["pairing_id"]),
        prompt=evidence.prompt(brief(shown.matter), shown.answer_a["text"], shown.answer_b["text"]),
    )


def brief(matter: Row) -> str:
    """The matter as the judge reads it."""
    return Matter(**{name: matter[name] for name in Matter.__dataclass_fields__}).brief


def neighbour(shown: list[ShownPairing], place: int) -> tuple[str, str] | None:
    """The address, from this folder, and the name of the pairing at a place; None beyond the ends."""
    return (f"{shown[place].name}.html", shown[place].name) if 0 <= place < len(shown) else None


def side_places(shown: ShownPairing, letter: str) -> list[Place]:
    """Where the rejected points of one answer stand in it."""
    answer = shown.answers[letter]
    own = [row for row in shown.points if row["contestant"] == answer["contestant"]]
    found = [place_of(row["point"], row["point_number"], answer["text"]) for row in own]
    return [place for place in found if place is not None]


def side(evidence: Evidence, shown: ShownPairing, letter: str, places: list[Place]) -> Tree:
    """One answer as the page shows it."""
    answer = shown.answers[letter]
    attempt = evidence.attempts[answer["matter_id"], answer["contestant"]]
    return {**answer_view(evidence, answer), "letter": letter, "pieces": pieces(answer["text"], places), "attempt": attempt}


def answer_view(evidence: Evidence, answer: Row) -> Tree:
    """An answer with its rendered Markdown, made once for all the pages that show it."""
    known = evidence.views.get(answer["answer_id"])
    if known is None:
        text, attempt = answer["text"], evidence.attempts[answer["matter_id"], answer["contestant"]]
        known = {"answer": answer, "rendered": rendered(text), "unseen": unseen(text), "long": len(text) > LONG}
        known |= {"source": source(evidence, attempt), "attempt": attempt}
        evidence.views[answer["answer_id"]] = known
    return known


def source(evidence: Evidence, row: Row) -> str:
    """The file and line that a row comes from: data/recordings/verdicts.jsonl, line 7."""
    line = evidence.lines.get((row["response_sha256"], row["request_sha256"]))
    return f"{row['source_path']}, line {line}" if line else str(row["source_path"])


def point(shown: ShownPairing, row: Row, places: dict[str, list[Place]]) -> Tree:
    """One rejected point, with the anchor of its place in the answer where it has one."""
    letter = "A" if row["contestant"] == shown.answer_a["contestant"] else "B"
    cut = pieces(shown.answers[letter]["text"], places[letter])
    number = next((n for n, piece in enumerate(cut, start=1) if row["point_number"] in piece.numbers), None)
    return {"row": row, "letter": letter, "anchor": f"{letter}-{number}" if number else None}
