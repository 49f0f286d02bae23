"""An answer's Markdown as HTML that can do nothing: no link navigates, no picture loads, no style, no attribute, no heading of ours.

Two locks: the renderer knows no HTML and turns links and pictures into words, and nh3 lets through a short list of bare tags.
"""

import re
from functools import cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

LONGEST = 100_000  # characters; beyond, only the exact text is shown: nobody reads it as prose, and a phone would choke on its layout
_TAGS = {
    "p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
# What turns or hides text without being seen: directional overrides, embeddings and isolates, zero-width and filling marks, line and
# paragraph separators, soft hyphens, tags, and variation selectors, the two common ones (text, picture) where they follow another.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]|(?<=[\ufe00-\ufe0f])[\ufe0e\ufe0f]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def rendered(text: str) -> Markup | None:
    """The text read as Markdown, as inert HTML; None where it is too long to be read so."""
    if len(text) > LONGEST:
        return None
    html = _markdown().render(text)
    # safe: it went through nh3 with bare tags only
    return Markup(nh3.clean(html, tags=_TAGS, attributes={}, link_rel=None, strip_comments=True))  # noqa: S704  cleaned on this line


def unseen(text: str) -> int:
    """How many characters of the text turn or hide other text, or are control characters that no page can show."""
    return len(_UNSEEN.findall(text)) + len(_CONTROL.findall(text))


@cache
def _markdown() -> MarkdownIt:
    """CommonMark with tables; without HTML, without links that lead anywhere, with headings as bold paragraphs."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("heading_open", _const("<p><strong>"))
    parser.add_render_rule("heading_close", _const("</strong></p>\n"))
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("link_close", _const(""))
    parser.add_render_rule("image", _image)
    parser.validateLink = _any_address  # type: ignore[method-assign] # every address is shown as words, so none is dropped
    return parser


def _any_address(url: str) -> bool:
    return True


def _const(html: str) -> Any:
    return lambda renderer, tokens, place, options, env: html


def _link_open(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
    return f"[link to {escape(str(tokens[place].attrs.get('href', '')))}] "


def _image(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
    return f"[picture: {escape(tokens[place].content)}, {escape(str(tokens[place].attrs.get('src', '')))}]"
