"""The pictures: where the marks stand, what is said instead of them, and that neither a font nor anything else of the machine enters."""

import dataclasses
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import vl_convert
from dvc_render import VegaRenderer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stages.metrics.plots import plots
from stages.render.drawing import FONT, LANGUAGE, drawn, filled, picture
from stages.render.frame import HERE
from stages.render.pictures import NAMES, OUTCOMES, differences, differences_of, outcomes, turned, unscored, words
from stages.render.site import site
from stages.report import read_specifications
from stages.runtime.errors import BadInput
from tests.small_record import SPECIFICATIONS

ROOT = SPECIFICATIONS.parents[1]
BY_NAME = read_specifications(SPECIFICATIONS)
ROW = {"pair": "alder~birch", "net_difference": -0.25, "lo": -0.7, "hi": 0.3, "n": 8}
PAIR = {"wins_1": 2, "ties": 3, "both_inadequate": 1, "wins_2": 4, "unreadable": 1, "missing": 1}
COLOURS = {"wins_1": "#2b6ca3", "ties": "#b4b0a6", "both_inadequate": "#6b675f", "wins_2": "#c8681c", "unreadable": "#e6e2d8", "missing": "#f4f2ec"}  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 372  # units of a drawing between its margins


def lines(*rows):
    return picture("net_difference", BY_NAME, list(rows), title="Title", said="In words.")


def bars(**counts):
    rows = [{"pair": "alder~birch", "outcome": key, "place": place, "verdicts": counts[key]} for place, key in enumerate(OUTCOMES, 1)]
    return picture("outcomes", BY_NAME, rows, title="Title", said="In words.")


def parts(drawing, tag, **wanted):
    found = ElementTree.fromstring(drawing.svg).iter(SVG + tag)
    return [each for each in found if all(each.get(key) == value for key, value in wanted.items())]


def x_of(element):
    return float(re.match(r"translate\(([^,]+),", element.get("transform"))[1])


def interval(drawing, place=0):
    line = parts(drawing, "line", stroke="#1f2328")[place]
    return x_of(line), x_of(line) + float(line.get("x2"))


@pytest.mark.parametrize(
    ("lo", "hi", "reach"), [(-0.05, 0.08, 0.1), (-0.12, 0.19, 0.2), (-0.2, 0.2, 0.2), (-0.3, 0.1, 0.4), (-0.7, 0.3, 1.0), (-1.0, 1.0, 1.0)]
)
def test_the_scale_is_as_far_as_the_longest_interval_needs_and_alike_on_both_sides(lo, hi, reach):
    drawing = lines(
        {**ROW, "net_difference": 0.0, "lo": lo, "hi": hi}, {**ROW, "pair": "alder~cedar", "net_difference": 0.0, "lo": -0.01, "hi": 0.01}
    )
    start, end = interval(drawing)
    assert start == pytest.approx(WIDTH / 2 * (1 + lo / reach))
    assert end == pytest.approx(WIDTH / 2 * (1 + hi / reach))
    (zero,) = parts(drawing, "line", stroke="#a9a498")
    assert x_of(zero) == WIDTH / 2


def test_a_difference_is_a_point_on_its_interval_between_the_names():
    drawing = lines(ROW)
    (point,) = parts(drawing, "path", fill="#1f2328")
    assert x_of(point) == pytest.approx(WIDTH / 2 * 0.75)
    said = {each.text: each.get("text-anchor") for each in parts(drawing, "text", fill="#1f2328")}
    assert said == {"\u2190 birch": "start", "alder \u2192": "end"}, "it lies towards the contestant that is ahead"


def test_a_name_too_long_for_its_place_is_cut():
    drawing = lines({**ROW, "pair": f"{'a' * 60}~{'b' * 60}"})
    assert [len(each.text) for each in parts(drawing, "text", fill="#1f2328")] == [25, 25]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 50), min_size=6, max_size=6).filter(any))
def test_the_parts_of_a_bar_are_as_long_as_their_counts_and_fill_it(counts):
    pair = dict(zip(OUTCOMES, counts, strict=True))
    shapes = [re.match(r"M([-\d.e]+),[-\d.e]+h([-\d.e]+)v", each.get("d")) for each in parts(bars(**pair), "path", stroke="#fcfbf8")]
    there = [key for key in OUTCOMES if pair[key]]
    colours = [each.get("fill") for each in parts(bars(**pair), "path", stroke="#fcfbf8")]
    assert colours == [COLOURS[key] for key in there]
    assert [float(shape[2]) for shape in shapes] == pytest.approx([WIDTH * pair[key] / sum(counts) for key in there])
    assert [float(shape[1]) for shape in shapes] == pytest.approx(
        [WIDTH * sum(counts[: OUTCOMES.index(key)]) / sum(counts) for key in there]
    )


def test_the_legend_names_what_is_there_and_nothing_else():
    legend = [each.text for each in parts(bars(**PAIR), "text", fill="#5a5f66") if not each.text.isdigit()]
    assert legend == ["first won", "tie", "both inadequate", "second won", "unreadable", "missing"]
    few = bars(**{**PAIR, "both_inadequate": 0, "unreadable": 0, "missing": 0})
    assert [each.text for each in parts(few, "text", fill="#5a5f66") if not each.text.isdigit()] == ["first won", "tie", "second won"]


def test_a_picture_says_in_words_what_it_shows(small):
    root = ElementTree.fromstring(differences(small).svg)
    assert root.get("role") == "img"
    title, said, _ = root
    assert (title.get("id"), said.get("id")) == (root.get("aria-labelledby"), root.get("aria-describedby"))
    assert title.text == "Net difference, pair by pair"
    assert said.text.startswith("alder against birch: +1.000, interval ")
    assert said.text.count("against") == 3
    assert outcomes(small).said.startswith("alder and birch: alder won 1, 0 ties, 0 both inadequate, birch won 0, 2 unscored; ")
    assert words(PAIR, "alder", "birch") == "alder won 2, 3 ties, 1 both inadequate, birch won 4, 2 unscored"
    assert unscored(PAIR) == 2


def test_a_picture_shows_the_rows_of_metrics_plots(small):
    rows = plots(small.metrics["pairs"])
    assert differences(small).rows == rows["net_difference"]
    assert outcomes(small).rows == rows["outcomes"]


def test_a_contestant_sees_itself_ahead_on_the_right(small):
    own, other = turned(small, "birch", "alder"), turned(small, "alder", "birch")
    assert own["pair"] == "birch~alder"
    assert (own["net_difference"], own["lo"], own["hi"]) == (-other["net_difference"], -other["hi"], -other["lo"])
    drawing = differences_of(small, "birch")
    assert drawing.name == "net_difference-birch"
    assert "\u2190 alder" in [each.text for each in parts(drawing, "text")]


def test_nothing_scored_draws_nothing(small):
    unscored_pairs = {name: {**dict.fromkeys(OUTCOMES, 0), "missing": 3, "n": 0, "planned": 3} for name in small.metrics["pairs"]}
    empty = dataclasses.replace(small, metrics={**small.metrics, "pairs": unscored_pairs})
    assert differences(empty) is None
    assert differences_of(empty, "alder") is None
    assert outcomes(empty) is not None
    assert "pictures/net_difference.svg" not in [page.address for page in site(empty)]


# --- the same bytes everywhere


@pytest.mark.parametrize("name", NAMES)
def test_no_width_of_a_text_enters_a_drawing(small, name):
    """The library brings a narrow and a wide font: whatever a machine has, the drawing is the same but for the name of the font."""
    rows = {"net_difference": differences, "outcomes": outcomes}[name](small).rows
    spec = json.dumps(filled(BY_NAME[name], rows))
    wide = drawn(spec, "Liberation Mono")
    assert "Liberation Mono" in wide
    assert wide.replace("Liberation Mono", FONT) == drawn(spec)
    cut = {"data": {"values": [{}]}, "mark": {"type": "text", "text": "a text that is cut to its room", "limit": 90}}
    assert drawn(json.dumps(cut), "Liberation Mono").replace("Liberation Mono", FONT) != drawn(json.dumps(cut)), "the comparison can fail"


ANEW = """\
import json, sys
from stages.render.drawing import drawn
sys.stdout.buffer.write(drawn(json.dumps(json.load(sys.stdin))).encode("utf-8"))
"""


def test_another_process_locale_time_zone_home_and_font_setting_draw_the_same(small, tmp_path):
    spec = filled(BY_NAME["net_difference"], differences(small).rows)
    (tmp_path / "fonts.conf").write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
    elsewhere = {"LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Chatham", "HOME": str(tmp_path), "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    environment = {**os.environ, **elsewhere, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", ANEW], env=environment, cwd=tmp_path, input=json.dumps(spec).encode(), capture_output=True, check=True
    )
    assert done.stdout.decode("utf-8") == drawn(json.dumps(spec))


@pytest.mark.parametrize("address", ["https://example.org/rows.json", "http://127.0.0.1:9/rows.json"])
def test_a_specification_fetches_nothing(address):
    with pytest.raises(ValueError, match="External data url not allowed"):
        drawn(json.dumps({"data": {"url": address}, "mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}))


def test_a_specification_that_draws_nothing_is_named():
    with pytest.raises(BadInput, match=r"^\.dvc/plots/net_difference\.json: Vega-Lite draws nothing by it: Error: Invalid specification"):
        picture("net_difference", {"net_difference": {}}, [ROW], title="Title", said="In words.")


# --- what it brings along


def pictures_of(evidence):
    return {page.address: page.text for page in site(evidence) if page.address.startswith("pictures/")}


def test_a_picture_fetches_and_runs_nothing_and_leaves_its_style_to_the_page(small):
    for drawing in (differences(small), outcomes(small), differences_of(small, "cedar")):
        assert not re.search(r"href|<style|<script|<image|url\(|\son\w+=|style=|font-family=\"Lib|<a\b", drawing.svg)
        assert drawing.svg in drawing.inline


def test_every_colour_of_a_picture_has_its_name_in_the_style_sheet():
    sheet = (HERE / "assets/picture.css").read_text("utf-8")
    light = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", sheet.split("@media")[0]))
    both = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", sheet.split("@media")[1]))
    rules = {
        (kind, colour): name
        for kind, colour, name in re.findall(r'\.picture \[(fill|stroke)="(#\w+)"\] \{ \1: var\(--([\w-]+)\); \}', sheet)
    }
    assert {light[name] for (_, colour), name in rules.items()} == {colour for _, colour in rules}
    assert set(rules.values()) <= set(both), "each has its colour in the dark"
    for drawing in (lines(ROW), bars(**PAIR)):
        used = {(kind, colour) for kind, colour in re.findall(r'(fill|stroke)="([^"]+)"', drawing.svg) if colour != "none"}
        assert used <= set(rules)


def test_a_file_stands_alone_with_its_style_and_beside_its_data(small):
    files = pictures_of(small)
    assert set(files) == {
        f"pictures/{name}.{ending}" for name in (*NAMES, *(f"net_difference-{n}" for n in small.names)) for ending in ("svg", "json")
    }
    for address, text in files.items():
        if address.endswith(".svg"):
            assert ElementTree.fromstring(text).find(f"{SVG}style").text.strip() == (HERE / "assets/picture.css").read_text("utf-8").strip()
    assert json.loads(files["pictures/outcomes.json"]) == outcomes(small).rows


# --- the same specifications serve `dvc plots`


@pytest.mark.parametrize("name", NAMES)
def test_dvc_fills_the_same_specification_for_several_revisions(small, name, tmp_path, capfd):
    rows = plots(small.metrics["pairs"])[name]
    points = [{**row, "rev": rev} for rev in ("workspace", "HEAD") for row in rows]
    renderer = VegaRenderer(
        points, name, template=name, template_dir=str(SPECIFICATIONS), title="A title", revs_with_datapoints=["workspace", "HEAD"]
    )
    spec = renderer.get_filled_template()
    assert "DVC_METRIC" not in json.dumps(spec)
    assert spec["title"] == "A title"
    oldest = min(vl_convert.get_vegalite_versions(), key=lambda each: [int(part) for part in each.split(".")])
    for version in (oldest, LANGUAGE):
        assert "A title" in vl_convert.vegalite_to_svg(spec, vl_version=version, show_warnings=True, allowed_base_urls=[])
    assert "WARN" not in capfd.readouterr().err
