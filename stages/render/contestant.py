"""The page of each contestant: what it is, how it did, and what its answers cost and were like."""

from collections.abc import Iterable
from statistics import median

from stages.render.evidence import Evidence, ShownPairing, Tree
from stages.render.frame import Page, page
from stages.render.overview import seen_from
from stages.render.pictures import differences_of, turned
from stages.render.wording import STATUS_WORDS, listed, plural
from stages.schema.jsonl import Row

GROUPS = 400  # areas on one page, about 300 bytes each
NOTED = 200  # answers to note on one page: beyond, the table serves better
STATUSES = list(STATUS_WORDS)


def contestant_page(evidence: Evidence, place: int, **frame: str) -> Page:
    """The page of the contestant at this place of the alphabet."""
    name = evidence.names[place]
    row = next(each for each in evidence.rows["contestants"] if each["contestant"] == name)
    attempts = [each for each in evidence.rows["attempts"] if each["contestant"] == name]
    noted = [each for each in evidence.rows["answers"] if each["contestant"] == name and to_note(each)]
    judge = evidence.metrics["judge"]
    own = evidence.metrics["coverage"]["contestants"][name]
    return page(
        f"contestants/{name}.html",
        "contestant.html.j2",
        **frame,
        metrics=evidence.metrics,
        row=row,
        sentence=sentence(row, evidence.metrics["scores"][name], len(evidence.matters)),
        before=neighbour(evidence.names, place - 1),
        after=neighbour(evidence.names, place + 1),
        pairs=[pair_line(evidence, name, other) for other in evidence.names if other != name],
        differences=differences_of(evidence, name),
        served=served(attempts),
        statuses=STATUSES,
        own=own,
        prompt_tokens=sum(each["prompt_tokens"] or 0 for each in attempts),
        completion_tokens=sum(each["completion_tokens"] or 0 for each in attempts),
        cost=cost(attempts),
        time=seconds(attempts),
        named=sum(each["names_itself"] for each in attempts if each["scored"]),
        addresses=sum(each["addresses_the_judge"] for each in attempts if each["scored"]),
        noted=noted[:NOTED],
        noted_total=len(noted),
        rejected=judge["rejected_points"][name],
        burden=judge.get("review_burden", {}).get("contestants", {}).get(name),
        groups=[(what, lines[:GROUPS], len(lines)) for what in ("series", "area") for lines in [results(evidence, name, what)]],
    )


def neighbour(names: list[str], place: int) -> tuple[str, str] | None:
    return (f"{names[place]}.html", names[place]) if 0 <= place < len(names) else None


def sentence(row: Row, score: Tree, matters: int) -> str:
    """What it is and how it did, in two sentences."""
    trained = f", trained until {row['trained_until']} as declared" if row["trained_until"] else ""
    return (
        f"The model {row['model']} of the family {row['family']}{trained}. Over all its pairs on {plural(matters, 'matter')} it won"
        f" {score['wins']}, lost {score['losses']} and tied {score['ties']} times; {score['both_inadequate']} times both were inadequate."
    )


def to_note(answer: Row) -> bool:
    return bool(answer["status"] != "complete" or answer["names_itself"] or answer["addresses_the_judge"])


def pair_line(evidence: Evidence, name: str, other: str) -> Tree:
    """One pair seen from this contestant: its row of the picture, None where nothing is scored, and its counts."""
    return {"name": other, "row": turned(evidence, name, other), **seen_from(evidence, name, other)}


def served(attempts: Iterable[Row]) -> str:
    """What the provider says that it served, and where."""
    said = {(each["served_model"], each["served_by"]) for each in attempts if each["served_model"]}
    found = sorted(f"{model} by {host}" if host else str(model) for model, host in said)
    return listed(found) or "the provider did not say what"


def cost(attempts: list[Row]) -> float | None:
    """The known cost in US dollars; None where it is known of no attempt."""
    known = [each["cost_usd"] for each in attempts if each["cost_usd"] is not None]
    return sum(known) if known else None


def seconds(attempts: list[Row]) -> str:
    """The median time of an answer, and the longest."""
    if not attempts:
        return "none"
    times = [each["elapsed_ms"] / 1000 for each in attempts]
    return f"median {median(times):.1f} s, longest {max(times):.1f} s"


def results(evidence: Evidence, name: str, what: str) -> list[Tree]:
    """Won, lost and the rest by series or area of the matters, in alphabetical order."""
    groups: dict[str, list[ShownPairing]] = {str(matter[what]): [] for matter in evidence.matters}
    planned = dict.fromkeys(groups, 0)
    for matter in evidence.matters:
        planned[str(matter[what])] += len(evidence.names) - 1
    for each in evidence.shown:
        if name in (each.assignment["contestant_1"], each.assignment["contestant_2"]):
            groups[str(each.matter[what])].append(each)
    return [{"name": group, **tally(name, shown, planned[group])} for group, shown in sorted(groups.items())]


def tally(name: str, shown: list[ShownPairing], planned: int) -> Tree:
    """won + lost + ties + both_inadequate = n, and n + unscored = planned."""
    winners = [each.verdict["winner"] for each in shown if each.verdict and each.verdict["winner"] is not None]
    ties, both = winners.count("tie"), winners.count("both_inadequate")
    won = winners.count(name)
    lost = len(winners) - won - ties - both
    return {"won": won, "lost": lost, "ties": ties, "both_inadequate": both, "n": len(winners), "unscored": planned - len(winners)}
