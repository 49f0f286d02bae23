"""A matter: one closed-record problem, and the Markdown file that holds it."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stages.schema.canonical import digest
from stages.schema.jsonl import read_made
from stages.schema.names import matter_id, nearest
from stages.schema.plain_files import read_text
from stages.schema.shapes import Day, MatterId, Sha256, Text, checked, is_day, shape_of

SECTIONS = ("Facts", "Law", "Assignment")
_FIELDS = ("id", "title", "area", "series", "published")
_FENCE = "---\n"
_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
_LINE = re.compile(r"([a-z_]+):[ ]+(.+)")


@dataclass(frozen=True)
class Matter:
    """One matter. ``matter_sha256`` covers what a model reads, so a new title buys nothing."""

    matter_id: MatterId
    series: Text
    title: Text
    area: Text
    published: Day
    facts: Text
    law: Text
    assignment: Text
    source_path: Text

    @cached_property
    def matter_sha256(self) -> str:
        return digest(["matter", self.facts, self.law, self.assignment])

    @property
    def brief(self) -> str:
        """The record as every contestant and every judge reads it. Texts are joined, never formatted."""
        return "\n\n".join(["FACTS", self.facts, "LAW", self.law, "ASSIGNMENT", self.assignment])

    def row(self) -> dict[str, Any]:
        return {**asdict(self), "matter_sha256": self.matter_sha256}


def matter_from_row(row: dict[str, Any]) -> Matter:
    """A matter from its row. Raises ValueError for other keys or types than a matter has, and where the digest is not the content's."""
    checked(shape_of(Matter, matter_sha256=Sha256), row)
    matter = Matter(**{key: value for key, value in row.items() if key != "matter_sha256"})
    if matter.matter_sha256 != row["matter_sha256"]:
        raise ValueError(f"{matter.matter_id}: matter_sha256 does not match the text")
    return matter


def matters_in(path: Path) -> list[Matter]:
    """The matters in data/work/matters.jsonl. Raises ValueError that names the line."""
    return read_made(path, matter_from_row)


def _quoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def front_matter(text: str, keys: Sequence[str]) -> dict[str, str]:
    """The front matter, ``key: value`` a line: plain text on purpose, because YAML would make a date, a number or an alias of it."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        match = _LINE.fullmatch(line.rstrip())
        if not match:
            hint = ", with a space and no tab" if "\t" in line else ""
            raise ValueError(f"front matter line {line!r:.80} is not `key: value`{hint}")
        key, value = match.groups()
        if key not in keys:
            raise ValueError(f"unknown key {key!r} in the front matter; {nearest(key, keys)}")
        if key in found:
            raise ValueError(f"key {key!r} stands twice in the front matter")
        found[key] = _quoted(value.strip())
    for key in keys:
        if not found.get(key):
            raise ValueError(f"the front matter has no {key!r}")
    return found


def _day(text: str) -> str:
    if not is_day(text):
        raise ValueError(f"published {text!r} is not a date such as 2026-11-30")
    return text


def sections(body: str, wanted: Sequence[str]) -> dict[str, str]:
    """The texts of a Markdown body by its ``## `` headings, which must be ``wanted``, each once, in that order. Raises ValueError."""
    before, *rest = _HEADING.split(body)
    if before.strip():
        raise ValueError(f"text stands before the first section: {before.strip()[:40]!r}")
    titles, texts = [title.strip() for title in rest[::2]], rest[1::2]
    for title in titles:
        if title not in wanted:
            raise ValueError(f"unknown section {title!r}; {nearest(title, wanted)}")
    if titles != list(wanted):
        raise ValueError(f"the sections are {', '.join(titles) or 'none'}; they must be {', '.join(wanted)}, each once, in that order")
    found = dict(zip(titles, (text.strip("\n \t") for text in texts), strict=True))
    for title, text in found.items():
        if not text.strip():
            raise ValueError(f"section {title!r} is empty")
    return found


def _line(text: str, character: str) -> int:
    return text.count("\n", 0, text.index(character)) + 1


def _plain(text: str) -> str:
    """The text with line feeds alone: a file that an editor or git on Windows gave CR LF is the same matter, with the same digest.

    Raises ValueError for what nobody sees and a digest would cover.
    """
    text = text.replace("\r\n", "\n")
    if text.startswith("\ufeff"):
        raise ValueError("it opens with a byte order mark: save it as UTF-8 without one")
    if "\x00" in text:
        raise ValueError(f"line {_line(text, chr(0))}: a NUL character stands in the text, and no provider takes one")
    if "\r" in text:
        raise ValueError(f"line {_line(text, chr(13))}: a carriage return stands there without a line feed: end lines with LF")
    return text


def split_front(text: str) -> tuple[str, str]:
    """A Markdown file's front matter and the rest of it, with line feeds alone. Raises ValueError where there is none."""
    text = _plain(text)
    if not text.startswith(_FENCE) or text.find("\n" + _FENCE, 3) < 0:
        raise ValueError("the file does not open with front matter between two lines `---`")
    end = text.index("\n" + _FENCE, 3)
    return text[len(_FENCE) : end], text[end + 1 + len(_FENCE) :]


def parse_matter(text: str, source_path: str) -> Matter:
    """Read one matter file. Raises ValueError with one sentence about the first thing that is wrong."""
    head, rest = split_front(text)
    front = front_matter(head, _FIELDS)
    body = sections(rest, SECTIONS)
    return Matter(
        matter_id=matter_id(front["id"]), series=front["series"], title=front["title"], area=front["area"],
        published=_day(front["published"]), facts=body["Facts"], law=body["Law"], assignment=body["Assignment"],
        source_path=source_path,
    )  # fmt: skip


def check_battery(battery: list[Matter]) -> None:
    """Raise ValueError for two matters with one id, or a file that does not bear its matter's id."""
    seen: dict[str, str] = {}
    for matter in battery:
        if matter.matter_id in seen:
            raise ValueError(f"{matter.source_path} and {seen[matter.matter_id]} both have id {matter.matter_id}")
        seen[matter.matter_id] = matter.source_path
        if Path(matter.source_path).stem != matter.matter_id:
            raise ValueError(f"{matter.source_path} holds matter {matter.matter_id}: its name must be {matter.matter_id}.md")


def battery_of(matters: list[Matter], chosen: str | list[str]) -> list[Matter]:
    """The matters that a study asks about: ``all``, or those of a list of ids. Raises ValueError for an id that there is not."""
    if isinstance(chosen, str):
        return matters
    known = [matter.matter_id for matter in matters]
    for wanted in chosen:
        if wanted not in known:
            raise ValueError(f"matters: no matter {wanted!r} in data/matters; {nearest(wanted, known)}")
        if chosen.count(wanted) > 1:
            raise ValueError(f"matters: {wanted} stands twice")
    return [matter for matter in matters if matter.matter_id in chosen]


def read_battery(folder: Path) -> list[Matter]:
    """Every matter of the folder, by id. Raises ValueError that names the file."""
    battery = []
    for path in sorted(folder.glob("*.md")):
        try:
            battery.append(parse_matter(read_text(path), path.as_posix()))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    if not battery:
        raise ValueError(f"{folder}: no matter (a file such as Q01.md)")
    check_battery(battery)
    return sorted(battery, key=lambda matter: matter.matter_id)
