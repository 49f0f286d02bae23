"""YAML: DVC's reader, which says when something changed, Hydra's, which says what it is to a stage, and that of the commands never disagree
on what is let through."""

import math

from dvc.utils.serialize import YAMLFileCorruptedError, parse_yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from yaml import YAMLError

from stages.runtime.yaml_traps import check_yaml, values_of

SCALARS = st.text("0123456789+-._:eExXobBinfatruys~=<", min_size=1, max_size=6)


def of_dvc(text):
    try:
        return parse_yaml(text, "constructed")["key"]
    except (YAMLFileCorruptedError, ValueError):
        return "refused"


def of_hydra(text):
    try:
        return OmegaConf.to_container(OmegaConf.create(text))["key"]
    except YAMLError:
        return "refused"


def same(one, other):
    return type(one) is type(other) and (one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other)))


def of_commands(text):
    try:
        return values_of(text)["key"]
    except YAMLError:
        return "refused"


@settings(max_examples=400)
@given(SCALARS)
@example("1.5e5")
@example("-1.e-5")
@example("2026-11-30\t08:15:11")
@example("08")
@example("-017")
@example("1:30.5")
@example("190:20:30.15")
@example("+.5")
@example("+_")
@example("-_1")
@example("1_0.0e5")
@example("1_:0")
@example("1:")
@example("-.1")
@example("._1")
@example("-._")
@example("0b11")
@example("0x_1f")
@example("=")
@example("<<")
@example("1e5")
@example("2026-11-30")
def test_what_is_let_through_is_one_value_to_all_readers(scalar):
    text = f"key: {scalar}\n"
    try:
        check_yaml(text)
    except ValueError as refusal:
        assert str(refusal).startswith("line 1: ")
        return
    assert same(of_dvc(text), of_hydra(text))
    assert same(of_commands(text), of_hydra(text))
