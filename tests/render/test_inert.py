"""What an answer's Markdown becomes: words and bare tags, whatever stands in it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.render.inert import LONGEST, rendered, unseen
from tests.evidences import HOSTILE

BARE = {"p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"}


def tags(html: str) -> set[str]:
    """The tags of some HTML as they are written, with all that stands in them."""
    return set(re.findall(r"<[^>]*>", html))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Advice", "<p><strong>Advice</strong></p>\n"),
        ("**bold** and *soft*", "<p><strong>bold</strong> and <em>soft</em></p>\n"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("a & b < c", "<p>a &amp; b &lt; c</p>\n"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>\n"),
        ("", ""),
    ],
)
def test_markdown_is_rendered(text, html):
    assert rendered(text) == html


def test_a_table_is_a_table():
    assert "<td>1</td>" in rendered("| a |\n|---|\n| 1 |\n")


@pytest.mark.parametrize(
    "text",
    ["[words](https://example.org/?q=1)", "[words](javascript:alert(1))", "<https://example.org/>", "[a]\n\n[a]: https://example.org"],
)
def test_a_link_is_words_and_its_address_is_shown(text):
    html = rendered(text)
    assert "<a" not in html
    assert "[link to " in html
    assert "example.org" in html or "javascript:alert(1)" in html


def test_a_picture_is_words():
    assert rendered("![a chart](https://example.org/p.png)") == "<p>[picture: a chart, https://example.org/p.png]</p>\n"


def test_html_is_text():
    assert tags(rendered("<script>alert(1)</script>\n\n<b onclick=x>y</b>")) == {"<p>", "</p>"}


def test_attacks_come_out_as_bare_tags():
    html = rendered(HOSTILE)
    assert {tag.strip("</>") for tag in tags(html)} <= BARE
    assert "window.hacked = 1" in html, "it is shown, as words"


@given(
    st.lists(
        st.sampled_from(
            ["<a href=x>", "[", "](", ")", "!", "`", "\n", "|", "-", "#", "<!--", "-->", "&lt;", "javascript:", '"', "x", "    "]
        ),
        max_size=40,
    )
)
@settings(max_examples=80)
def test_no_mixture_makes_an_attribute(parts):
    assert {tag.strip("</>") for tag in tags(rendered("".join(parts)))} <= BARE


def test_what_is_too_long_is_not_rendered():
    assert rendered("a" * LONGEST) is not None
    assert rendered("a" * (LONGEST + 1)) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("plain\n\ttext é \u2764\ufe0f", 0),
        ("soft\u00adhyphen \u3164 \x85 \u2028", 4),
        ("hid\ufe01\ufe0f\U000e0101den", 3),
        ("\u202eturned\u202c", 2),
        ("zero\u200bwidth\ufeff", 2),
        ("bell\x07 nul\x00", 2),
        ("\u2067x\u2069", 2),
    ],
)
def test_what_cannot_be_seen_is_counted(text, count):
    assert unseen(text) == count
