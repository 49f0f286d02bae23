"""The list of matters, in parts that stay small, and the page of each matter."""

from stages.render.evidence import Evidence, ShownPairing, Tree
from stages.render.frame import Page, page
from stages.render.pairing import answer_view
from stages.render.wording import STATUS_WORDS, listed
from stages.schema.jsonl import Row

IN_A_PART = 400  # lines of about 900 bytes: a part stays under half a megabyte however many matters there are


def matter_lists(evidence: Evidence, **frame: str) -> list[Page]:
    """data/site/matters/index.html and, beyond 400 matters, its further parts."""
    lines = [list_line(evidence, matter) for matter in evidence.matters]
    parts = [lines[start : start + IN_A_PART] for start in range(0, len(lines), IN_A_PART)] or [[]]
    return [
        page(
            f"matters/{'index' if number == 1 else f'part-{number}'}.html",
            "matters.html.j2",
            **frame,
            lines=part,
            part=number,
            pages=len(parts),
            total=len(lines),
            filters=filters(part),
        )
        for number, part in enumerate(parts, start=1)
    ]


def filters(lines: list[Tree]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """What the list can be filtered by: name, label, and the values with their words that occur in it."""

    def seen(values: set[str]) -> list[tuple[str, str]]:
        return [(value, value.replace("_", " ")) for value in sorted(values)]

    return [
        ("area", "Area", seen({line["matter"]["area"] for line in lines})),
        ("series", "Series", seen({line["matter"]["series"] for line in lines})),
        ("outcome", "Outcome", seen({each for line in lines for each in line["outcomes"]})),
        ("flag", "Flag", seen({each for line in lines for each in line["flags"]})),
        ("disagreement", "Disagreements", seen({"some" if line["disagreements"] else "none" for line in lines})),
    ]


def list_line(evidence: Evidence, matter: Row) -> Tree:
    """One line of the list: how the verdicts fell, and what is to note about them."""
    matter_id = matter["matter_id"]
    shown = evidence.by_matter[matter_id]
    said = [each.verdict["verdict"] for each in shown if each.verdict]
    unscored = len(evidence.pairs) - len(said) + said.count("unreadable")
    counts = {
        "decisive": said.count("A") + said.count("B"),
        "ties": said.count("tie"),
        "both_inadequate": said.count("both_inadequate"),
        "unscored": unscored,
    }
    return {
        "matter": matter,
        **counts,
        "outcomes": [name for name, count in counts.items() if count],
        "flags": flags(evidence, matter_id),
        "disagreements": len(disagreements(evidence, matter_id)),
    }


def flags(evidence: Evidence, matter_id: str) -> list[str]:
    """What is to note about the answers to a matter, each once."""
    found = set()
    for name in evidence.names:
        answer = evidence.answers.get((matter_id, name))
        if answer is None:
            found.add("unanswered")
            continue
        found |= {answer["status"]} - {"complete"}
        found |= {flag for flag in ("names_itself", "addresses_the_judge") if answer[flag]}
    return sorted(found)


def disagreements(evidence: Evidence, matter_id: str) -> list[str]:
    """The sentences on verdicts of a matter that do not go together, or that go against their own reasons."""
    own = [each.assignment["pairing_id"] for each in evidence.by_matter[matter_id]]
    found = [f"{pairing} goes against its own reasons: {evidence.against[pairing]}." for pairing in own if pairing in evidence.against]
    for name, why in evidence.not_together.get(matter_id, {}).items():
        found.append(f"{name}: {why}." if isinstance(why, str) else f"{name}: the verdicts do not go together.")
    return found


def matter_page(evidence: Evidence, place: int, **frame: str) -> Page:
    """The page of the matter at this place of the list."""
    matter = evidence.matters[place]
    matter_id = matter["matter_id"]
    shown = evidence.by_matter[matter_id]
    return page(
        f"matters/{matter_id}.html",
        "matter.html.j2",
        **frame,
        matter=matter,
        before=neighbour(evidence.matters, place - 1),
        after=neighbour(evidence.matters, place + 1),
        shown=shown,
        missing=missing(evidence, shown),
        answers=[answer_of(evidence, matter_id, name) for name in evidence.names],
        against=evidence.against,
        notes=disagreements(evidence, matter_id),
        key=evidence.keys.get(matter_id),
    )


def neighbour(matters: list[Row], place: int) -> tuple[str, str] | None:
    return (f"{matters[place]['matter_id']}.html", matters[place]["matter_id"]) if 0 <= place < len(matters) else None


def missing(evidence: Evidence, shown: list[ShownPairing]) -> list[tuple[str, str]]:
    """The pairs that could not be shown, because an answer is missing."""
    there = {(each.assignment["contestant_1"], each.assignment["contestant_2"]) for each in shown}
    return [pair for pair in evidence.pairs if pair not in there]


def answer_of(evidence: Evidence, matter_id: str, name: str) -> Tree:
    """A contestant's answer to a matter as its page shows it."""
    answer = evidence.answers.get((matter_id, name))
    return {"contestant": name, "answer": None} if answer is None else {"contestant": name, **answer_view(evidence, answer)}


def status_words(status: dict[str, int]) -> str:
    """How the answers ended, in words: 3 complete, 5 cut off at the token limit."""
    return listed([f"{count} {STATUS_WORDS[name]}" for name, count in status.items() if count]) or "none"
