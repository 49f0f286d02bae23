"""A picture: what came out of one pair as one stacked bar, won, tie, both inadequate, lost and unscored, as static SVG.

The order is that of a debate: the first from the left, the second from the right, and between them what separates nobody.
"""

from markupsafe import Markup

from stages.render.wording import Tree, grouped

WIDTH = 400
PARTS = (("won", "wins_1"), ("tie", "ties"), ("inadequate", "both_inadequate"), ("lost", "wins_2"))


def unscored(pair: Tree) -> int:
    """Unreadable and missing verdicts of a pair."""
    return int(pair["unreadable"] + pair["missing"])


def bar(pair: Tree, one: str, two: str) -> Markup:
    """The bar of one pair. Its parts add up to what is planned; a part that is not there is not drawn."""
    sizes = [*((kind, pair[key]) for kind, key in PARTS), ("unscored", unscored(pair))]
    whole, at, drawn = max(sum(size for _, size in sizes), 1), 0, Markup("")
    for kind, size in sizes:
        if size:
            left, right = at * WIDTH / whole, (at + size) * WIDTH / whole
            drawn += Markup('<rect class="{}" x="{:.2f}" y="0" width="{:.2f}" height="18"/>').format(kind, left, right - left)
        at += size
    return Markup(
        '<svg class="bar" viewBox="0 0 {width} 18" preserveAspectRatio="none" role="img" aria-label="{one} and {two}: {said}">{drawn}</svg>'
    ).format(width=WIDTH, one=one, two=two, said=words(pair, one, two), drawn=drawn)


def words(pair: Tree, one: str, two: str) -> str:
    """The same in words: alder won 2, 4 ties, birch won 3."""
    said = [f"{one} won {grouped(pair['wins_1'])}", f"{grouped(pair['ties'])} {'tie' if pair['ties'] == 1 else 'ties'}"]
    said += [f"{grouped(pair['both_inadequate'])} both inadequate", f"{two} won {grouped(pair['wins_2'])}"]
    said += [f"{grouped(unscored(pair))} unscored"] if unscored(pair) else []
    return ", ".join(said)
