import re
from pathlib import Path

import pytest

from stages.schema.controls import KINDS, TEXTS, ControlTexts, controls, parse_controls, read_controls
from stages.schema.matter import read_battery

ROOT = Path(__file__).parents[2]
BATTERY = {matter.matter_id: matter for matter in read_battery(ROOT / "data/matters")}


def file_text(use="testing", **changed):
    texts = {name: f"The text {name}." for name in TEXTS} | changed
    return f"---\nid: Q01\nuse: {use}\norigin: constructed\n---\n\n" + "".join(f"## {name}\n\n{text}\n\n" for name, text in texts.items())


def texts(**changed):
    return parse_controls(file_text(**changed), "data/controls/Q01.md")


def test_every_kind_is_shown_in_both_orders_with_the_sides_exchanged():
    found = controls([texts()], BATTERY)
    assert [(control.kind, control.order_number) for control in found] == [(kind, order) for kind in KINDS for order in (1, 2)]
    for one, two in zip(found[::2], found[1::2], strict=True):
        assert (one.shown.answer_a, one.shown.answer_b) == (two.shown.answer_b, two.shown.answer_a)
        assert one.control_id == two.control_id


def test_the_right_verdict_turns_with_the_sides():
    found = {(control.kind, control.order_number): control.expected for control in controls([texts()], BATTERY)}
    assert [found["alike_length", order] for order in (1, 2)] == ["A", "B"]
    assert [found["identical", order] for order in (1, 2)] == ["tie", "tie"]
    assert [found["both_wrong", order] for order in (1, 2)] == ["both_inadequate", "both_inadequate"]


def test_no_two_controls_share_a_presentation_though_identical_texts_look_alike():
    found = controls([texts()], BATTERY)
    assert len({control.shown.presentation_id for control in found}) == len(found) == 14


def test_two_controls_that_would_show_the_very_same_are_refused():
    with pytest.raises(ValueError, match=r"data/controls/Q01.md: Q01:reworded shows the same two texts as Q01:identical"):
        controls([texts(right_reworded="The text right.")], BATTERY)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (file_text(use="tuning"), "use 'tuning' is neither settling nor testing"),
        (file_text().replace("## wrong\n", "## wrng\n"), "unknown section 'wrng'; the nearest is 'wrong'"),
        (file_text(wrong=" "), "section 'wrong' is empty"),
        (file_text().replace("use: testing\n", ""), "the front matter has no 'use'"),
        (file_text().replace("use:", "usage:"), "unknown key 'usage' in the front matter; the nearest is 'use'"),
        (file_text().replace("origin: constructed\n", ""), "the front matter has no 'origin'"),
        (file_text().replace("constructed", "written"), "origin 'written' must be 'constructed': no model's answer is a control"),
        ("no front", "the file does not open with front matter"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(text, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_controls(text, "data/controls/Q01.md")


def test_controls_of_a_matter_that_there_is_not_are_refused(tmp_path):
    (tmp_path / "Q99.md").write_text(file_text().replace("id: Q01", "id: Q99"))
    with pytest.raises(ValueError, match=r"Q99.md: there is no matter 'Q99'"):
        read_controls(tmp_path, BATTERY)


def test_a_file_bears_the_name_of_its_matter(tmp_path):
    (tmp_path / "Q02.md").write_text(file_text())
    with pytest.raises(ValueError, match=r"Q02.md: it holds the controls of Q01: its name must be Q01.md"):
        read_controls(tmp_path, BATTERY)


def shipped():
    return read_controls(ROOT / "data/controls", BATTERY)


def test_eight_matters_are_shipped_half_of_them_for_settling_the_instrument():
    found = {use: [file.matter_id for file in shipped() if file.use == use] for use in ("settling", "testing")}
    assert found == {"settling": ["Q01", "Q02", "Q03", "Q04"], "testing": ["Q05", "Q06", "Q07", "Q08"]}
    assert len(controls(shipped(), BATTERY)) == 8 * len(KINDS) * 2 == 112


def words(text):
    return len(text.split())


@pytest.mark.parametrize("file", shipped(), ids=lambda file: file.matter_id)
def test_the_shipped_texts_have_the_lengths_that_their_kinds_promise(file: ControlTexts):
    long = {name: words(text) for name, text in file.texts.items()}
    for name in ("wrong", "wrong_other", "wrong_praising", "right_reworded"):
        assert abs(long[name] - long["right"]) <= 0.1 * long["right"], name
    assert 2.5 * long["right_short"] < long["wrong_long"]
    assert file.texts["right_with_harmless_point"] != file.texts["right"]
