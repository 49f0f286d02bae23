"""Controls: pairs of constructed answers with a known relation, by which a judge is tested before its verdicts are read.

One Markdown file a matter under data/controls/ holds the texts; the kinds below pair them. Every control is shown in both orders.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stages.schema.canonical import text_digest
from stages.schema.matter import Matter, front_matter, sections, split_front
from stages.schema.names import nearest, presentation_id
from stages.schema.plain_files import read_text
from stages.schema.rows import Presentation, Verdict
from stages.schema.shapes import Number, Text

Use = Literal["settling", "testing"]
USES = ("settling", "testing")
ORIGIN = "constructed"  # what every file says of itself, so that no reader takes its texts for answers
TEXTS = (
    "right",
    "right_short",
    "right_reworded",
    "right_with_harmless_point",
    "wrong",
    "wrong_long",
    "wrong_other",
    "wrong_praising",
)


@dataclass(frozen=True)
class Kind:
    """What a kind of control shows, and what a judge must find: the ``first`` text better, a ``tie``, or ``both_inadequate``."""

    first: str
    second: str
    expected: Literal["first", "tie", "both_inadequate"]


KINDS = {
    "alike_length": Kind("right", "wrong", "first"),  # the right course against a materially wrong one
    "length_reversed": Kind("right_short", "wrong_long", "first"),  # the same, the wrong one much longer
    "identical": Kind("right", "right", "tie"),
    "reworded": Kind("right", "right_reworded", "tie"),  # the same course in other prose
    "both_wrong": Kind("wrong", "wrong_other", "both_inadequate"),
    "harmless_point": Kind("right_with_harmless_point", "right", "tie"),  # an unsupported point that changes nothing
    "self_praise": Kind("right", "wrong_praising", "first"),  # the wrong one praises itself, names a model or speaks to the judge
}


@dataclass(frozen=True)
class ControlTexts:
    """One file: the texts of one matter by name. use: ``settling`` (an instrument may be tuned on it) or ``testing`` (never)."""

    matter_id: str
    use: Use
    texts: dict[str, str]
    source_path: str


@dataclass(frozen=True)
class Control:
    """One control in one order: what the judge sees, and the verdict that is right. order_number: 1, or 2 with the sides exchanged."""

    control_id: str
    matter_id: str
    kind: str
    use: Use
    order_number: int
    expected: str
    shown: Presentation
    source_path: str


@dataclass(frozen=True)
class ControlVerdict(Verdict):
    """What the judge said of one control, with what was right: a row of data/work/controls.jsonl."""

    control_id: Text
    kind: Text
    use: Use
    order_number: Number
    expected: Literal["A", "B", "tie", "both_inadequate"]
    source_path: Text


def parse_controls(text: str, source_path: str) -> ControlTexts:
    """Read one file of control texts. Raises ValueError with one sentence about the first thing that is wrong."""
    head, body = split_front(text)
    front = front_matter(head, ("id", "use", "origin"))
    if front["origin"] != ORIGIN:
        raise ValueError(f"origin {front['origin']!r} must be {ORIGIN!r}: no model's answer is a control")
    if front["use"] not in USES:
        raise ValueError(f"use {front['use']!r} is neither settling nor testing; {nearest(front['use'], USES)}")
    use: Use = "settling" if front["use"] == "settling" else "testing"
    return ControlTexts(front["id"], use, sections(body, TEXTS), source_path)


def read_controls(folder: Path, battery: dict[str, Matter]) -> list[ControlTexts]:
    """Every file of the folder, by matter. Raises ValueError that names the file, also for controls of a matter that there is not."""
    found = []
    for path in sorted(folder.glob("*.md")):
        try:
            texts = parse_controls(read_text(path), path.as_posix())
            if texts.matter_id not in battery:
                raise ValueError(f"there is no matter {texts.matter_id!r}; {nearest(texts.matter_id, battery)}")
            if path.stem != texts.matter_id:
                raise ValueError(f"it holds the controls of {texts.matter_id}: its name must be {texts.matter_id}.md")
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        found.append(texts)
    return found


def controls(files: Iterable[ControlTexts], battery: dict[str, Matter]) -> list[Control]:
    """Every control in both orders, matter by matter. Raises ValueError where two controls would show the judge the very same."""
    found: dict[str, Control] = {}
    for file in files:
        for control in _controls_of(file, battery[file.matter_id]):
            same = found.setdefault(control.shown.presentation_id, control)
            if same is not control:
                raise ValueError(f"{file.source_path}: {control.control_id} shows the same two texts as {same.control_id}")
    return list(found.values())


def _controls_of(file: ControlTexts, matter: Matter) -> list[Control]:
    return [_control(file, matter, name, kind, order) for name, kind in KINDS.items() for order in (1, 2)]


def _control(file: ControlTexts, matter: Matter, name: str, kind: Kind, order: int) -> Control:
    texts = (file.texts[kind.first], file.texts[kind.second])
    a, b = texts if order == 1 else texts[::-1]
    # Identical texts look the same in both orders: the ordinal makes two calls of them, as it does for pairings.
    ordinal = order - 1 if texts[0] == texts[1] else 0
    shown = presentation_id(matter.matter_sha256, text_digest(a), text_digest(b), ordinal)
    return Control(
        control_id=f"{file.matter_id}:{name}", matter_id=file.matter_id, kind=name, use=file.use, order_number=order,
        expected=kind.expected if kind.expected != "first" else "AB"[order - 1],
        shown=Presentation(shown, file.matter_id, a, b), source_path=file.source_path,
    )  # fmt: skip
