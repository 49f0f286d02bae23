"""Composition: Hydra reads one chosen file in this process, and what it cannot read is one sentence."""

import sys

import pytest

from stages.runtime.compose import choices_file, composed, names, setting, settings_of, values_in
from stages.runtime.errors import BadInput


@pytest.fixture
def conf(tmp_path):
    for group, name, text in [
        ("judge", "one", "a: 1\nb: {c: 2.0, d: [x, y]}\n"),
        ("judge", "two", "a: 2\n"),
        ("judge", "torn", "a: [1\n"),
        ("judge", "twice", "a: 1\na: 2\n"),
        ("judge", "odd", "a: '{{x}} {0} %s'\nb: \"\\u2028 😀\"\n"),
    ]:
        path = tmp_path / group / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_a_choice_is_composed(conf):
    assert composed("judge", "one", conf) == {"a": 1, "b": {"c": 2.0, "d": ["x", "y"]}}


def test_text_that_looks_like_a_template_is_text(conf):
    assert composed("judge", "odd", conf) == {"a": "{{x}} {0} %s", "b": "\u2028 😀"}


@pytest.mark.parametrize("name", ["torn", "twice", "absent"])
def test_what_cannot_be_composed_is_one_sentence(conf, name):
    with pytest.raises(ValueError) as refused:
        composed("judge", name, conf)
    assert str(refused.value)
    assert "\n" not in str(refused.value)


def test_only_the_chosen_file_is_opened(conf):
    opened = []
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" and str(conf) in str(args[0]) else None)
    composed("judge", "two", conf)
    assert set(opened) == {str(conf / "judge/two.yaml")}


def test_the_choices_of_a_group_are_its_files(conf):
    assert names("judge", conf) == ["odd", "one", "torn", "twice", "two"]
    assert names("nothing", conf) == []


def test_params_are_read_as_they_stand(tmp_path):
    (tmp_path / "params.yaml").write_text("seed: 1\ncontestants: [a, b]  # two\n")
    assert choices_file(tmp_path / "params.yaml") == {"seed": 1, "contestants": ["a", "b"]}


@pytest.mark.parametrize("text", ["a: [1", "a: 1\na: 2\n", "\tx: 1\n"])
def test_params_that_are_no_yaml_are_refused(tmp_path, text):
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(ValueError):
        choices_file(tmp_path / "params.yaml")


# Several at once


@pytest.fixture
def here(conf, monkeypatch):
    """The working folder has these files as its conf/."""
    (conf / "conf").symlink_to(conf)
    monkeypatch.chdir(conf)


def as_it_is(group, values):
    return group, values


@pytest.mark.parametrize("chosen", [[], [("judge", "one")], [("judge", "two"), ("judge", "odd"), ("judge", "one"), ("judge", "two")]])
def test_together_they_are_what_each_is_alone(here, chosen):
    assert settings_of(chosen, as_it_is) == [setting(group, name, as_it_is) for group, name in chosen]


@pytest.mark.parametrize("name", ["torn", "twice", "absent"])
def test_of_several_the_wrong_one_is_named(here, name):
    with pytest.raises(BadInput, match=rf"^conf/judge/{name}\.yaml: "):
        settings_of([("judge", "one"), ("judge", name), ("judge", "two")], as_it_is)


def test_of_several_the_one_that_a_check_refuses_is_named(here):
    def refuse_two(group, values):
        if values == {"a": 2}:
            raise ValueError("two is one too many")
        return values

    with pytest.raises(BadInput, match=r"^conf/judge/two\.yaml: two is one too many$"):
        settings_of([("judge", "one"), ("judge", "two")], refuse_two)


@pytest.mark.parametrize("name", ["one", "two", "odd"])
def test_the_text_of_a_file_holds_what_the_file_is_composed_to(conf, name):
    assert values_in((conf / f"judge/{name}.yaml").read_text("utf-8")) == composed("judge", name, conf)


@pytest.mark.parametrize("text", ["a: [1", "a: 1\na: 2\n", "", "- a\n", "a: ${b\n"])
def test_a_text_that_is_no_settings_file_is_refused(text):
    with pytest.raises(ValueError) as refused:
        values_in(text)
    assert "\n" not in str(refused.value)
