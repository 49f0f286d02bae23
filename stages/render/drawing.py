"""A picture as static SVG, drawn by a Vega-Lite specification of .dvc/plots, the same that `dvc plots` shows.

A specification leaves nothing to the width of a text: it says itself where labels stand. So no font of the machine enters, and the bytes
follow from the numbers, the specification and the version of the library alone. Text and colours take the style of the page around them.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import vl_convert
from markupsafe import Markup

from stages.render.frame import HERE, Page
from stages.runtime.errors import refusing
from stages.runtime.paths import SPECIFICATIONS
from stages.schema.jsonl import Row

LANGUAGE = "5.21"  # of Vega-Lite: the youngest of the fifth, which the specifications name and `dvc plots` loads
# No room is measured, no legend made beyond what is drawn, and no mark says of itself what the picture says as a whole.
THEME = {"autosize": "none", "aria": False, "background": None, "legend": {"disable": True}}
FONT = "Liberation Sans"  # which the library brings with it; the page puts its own in its place
DRAWN_ONCE = 64  # pictures kept: pages that are made again show the same
SAID_ONCE = {"role", "aria-roledescription", "aria-hidden", "class", "font-family", "pointer-events"}  # the picture's own stand for them
INVISIBLE = {"background", "foreground"}  # Vega's empty frames around what it draws
SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True)
class Picture:
    """One picture. name: of its files. said: what it shows, in words. rows: what it is drawn from. svg: drawn, with no style of its own."""

    name: str
    title: str
    said: str
    rows: list[Row]
    svg: str

    @property
    def inline(self) -> Markup:
        """The picture for a page, whose style sheet colours it."""
        return Markup(self.svg)  # noqa: S704  made by ElementTree, which escapes every text

    @property
    def address(self) -> str:
        return f"pictures/{self.name}.svg"

    @property
    def data_address(self) -> str:
        return f"pictures/{self.name}.json"

    @property
    def files(self) -> tuple[Page, Page]:
        """The picture as a file that stands alone, with its style inside, and the rows that it shows."""
        style = (HERE / "assets/picture.css").read_text(encoding="utf-8")
        alone = self.svg.replace("<title", f"<style>\n{style}</style><title", 1)
        rows = ",\n".join(f"  {json.dumps(row, sort_keys=True, ensure_ascii=False)}" for row in self.rows)
        return Page(self.address, f"{alone}\n"), Page(self.data_address, f"[\n{rows}\n]\n")


def picture(drawn_by: str, by_name: dict[str, Any], rows: list[Row], *, title: str, said: str, of: str = "") -> Picture | None:
    """The picture of these rows by one of the specifications; none of no rows. of: what tells it from others by the same one.

    Raises BadInput, naming the file, for a specification that draws nothing.
    """
    if not rows:
        return None
    name = f"{drawn_by}-{of}" if of else drawn_by
    with refusing((SPECIFICATIONS / f"{drawn_by}.json").as_posix()):
        marks = drawn(json.dumps(filled(by_name[drawn_by], rows)))
        return Picture(name, title, said, rows, named(ElementTree.fromstring(marks), name, title, said))  # noqa: S314  Vega wrote it


def filled(specification: Any, rows: list[Row]) -> Any:
    """The specification with its anchors filled, as `dvc plots` fills them for several revisions. It needs no title and no colours here."""
    anchors = {"<DVC_METRIC_DATA>": rows, "<DVC_METRIC_TITLE>": None, "<DVC_METRIC_COLOR>": {"value": "#1f2328"}}
    if isinstance(specification, dict):
        return {key: filled(value, rows) for key, value in specification.items()}
    if isinstance(specification, list):
        return [filled(value, rows) for value in specification]
    return anchors.get(specification, specification) if isinstance(specification, str) else specification


@lru_cache(DRAWN_ONCE)
def drawn(specification: str, font: str = FONT) -> str:
    """What Vega draws, as SVG. Nothing is fetched. Raises ValueError with what is wrong with the specification."""
    try:
        return vl_convert.vegalite_to_svg(specification, vl_version=LANGUAGE, config={**THEME, "font": font}, allowed_base_urls=[])
    except ValueError as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise ValueError(f"Vega-Lite draws nothing by it: {said[min(1, len(said) - 1)]}") from None


def named(root: ElementTree.Element, name: str, title: str, said: str) -> str:
    """The drawing as wide as its place, with a title and a description in the stead of what Vega says of each mark."""
    ours = {"xmlns": SVG, "class": "picture", "viewBox": root.attrib["viewBox"], "font-family": "sans-serif", "role": "img"}
    bare(root)
    root.attrib = {**ours, "aria-labelledby": f"{name}-title", "aria-describedby": f"{name}-said"}
    for place, (tag, ending, text) in enumerate([("title", "title", title), ("desc", "said", said)]):
        element = ElementTree.Element(tag, {"id": f"{name}-{ending}"})
        element.text = text
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode")


def bare(element: ElementTree.Element) -> None:
    """Take away, all through the tree, Vega's names of things and what nobody sees. Raises ValueError for what leads elsewhere."""
    element.tag = element.tag.rpartition("}")[2]
    for child in list(element):
        if child.get("class") in INVISIBLE:
            element.remove(child)
        else:
            bare(child)
    if any(key.rpartition("}")[2] == "href" for key in element.attrib):
        raise ValueError("it holds a link or a picture from elsewhere, and a picture of these pages leads nowhere and loads nothing")
    element.attrib = {key: value for key, value in element.attrib.items() if key not in SAID_ONCE}
