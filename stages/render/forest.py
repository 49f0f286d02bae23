"""A picture: one net difference with its interval on a line about zero, as static SVG that stretches to the width it is given.

Drawn by hand: the bytes of a chart library hang on the fonts of the machine, by which it measures its labels. Here the words stand in
the page, and colours come from the style sheet, so that one picture serves light, dark and print.
"""

from collections.abc import Iterable

from markupsafe import Markup

from stages.render.wording import Tree, bounds, signed

WIDTH = 400  # units of the drawing; the page stretches it
REACHES = (0.1, 0.2, 0.3, 0.5, 1.0)  # how far a line may reach to both sides of zero


def reach_of(estimates: Iterable[Tree | None]) -> float:
    """The shortest reach that shows every interval whole: the lines of one table have one scale."""
    ends = [abs(end) for estimate in estimates if estimate for end in estimate["interval"].values()]
    return next(reach for reach in REACHES if reach >= min(max(ends, default=1.0), 1.0))


def at(value: float, reach: float) -> str:
    """Where a difference stands on the line from -reach to +reach, in units of the drawing with one decimal."""
    return f"{(value / reach + 1) * WIDTH / 2:.1f}"


def forest(estimate: Tree | None, reach: float) -> Markup:
    """The strip of one net difference; without one, the empty line."""
    middle = at(0, reach)
    said = f"{signed(estimate['value'])}, interval {bounds(estimate['interval'])}" if estimate else "no verdict is scored"
    marks = Markup("")
    if estimate:
        lo, hi, point = (at(value, reach) for value in (estimate["interval"]["lo"], estimate["interval"]["hi"], estimate["value"]))
        marks = Markup(
            '<line class="whole" x1="{lo}" y1="12" x2="{hi}" y2="12"/><line class="end" x1="{lo}" y1="7" x2="{lo}" y2="17"/>'
            '<line class="end" x1="{hi}" y1="7" x2="{hi}" y2="17"/><path class="point" d="M{point} 12h.01"/>'
        ).format(lo=lo, hi=hi, point=point)
    return Markup(
        '<svg class="strip" viewBox="0 0 {width} 24" preserveAspectRatio="none" role="img" aria-label="Net difference {said}">'
        '<line class="base" x1="0" y1="12" x2="{width}" y2="12"/><line class="zero" x1="{middle}" y1="0" x2="{middle}" y2="24"/>'
        "{marks}</svg>"
    ).format(width=WIDTH, said=said, middle=middle, marks=marks)
