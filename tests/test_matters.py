"""The matters stage: everything is composed and validated before anything is spent, and each refusal names its place."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from stages.matters import matters
from stages.runtime.errors import BadInput
from stages.schema.jsonl import read_rows
from stages.schema.matter import read_battery

ROOT = Path(__file__).parents[1]

# Choices of our own among the shipped settings, so that a record which grows moves no test.
CHOICES = """\
# Each names a file of conf/.
seed: 20261130
study: first
matters: [Q01, Q02, Q03, Q04, Q05, Q06, Q07, Q08]  # or all
contestants: [qwen-1500m, qwen-500m, smollm-135m]
instrument: material_outcome
judge: qwen-1500m
panel:
  second_judges: []
runner: default
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    shutil.copytree(ROOT / "data/matters", tmp_path / "data/matters")
    (tmp_path / "params.yaml").write_text(CHOICES, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def refusal():
    with pytest.raises(BadInput) as refused:
        matters()
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_sound_project_gives_a_row_per_matter(project):
    matters()
    rows = read_rows(Path("data/work/matters.jsonl"))
    assert [row["matter_id"] for row in rows] == [f"Q0{n}" for n in range(1, 9)]


def test_a_study_may_ask_about_some_matters_or_all(project):
    edit(project / "params.yaml", "[Q01, Q02, Q03, Q04, Q05, Q06, Q07, Q08]", "[Q03, Q01]")
    matters()
    assert [row["matter_id"] for row in read_rows(Path("data/work/matters.jsonl"))] == ["Q01", "Q03"]
    edit(project / "params.yaml", "[Q03, Q01]", "all")
    matters()
    rows = read_rows(Path("data/work/matters.jsonl"))
    assert [row["matter_id"] for row in rows] == sorted(path.stem for path in (project / "data/matters").glob("*.md"))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("judge: qwen-1500m", "judge: qwen-1500", "params.yaml: judge: no file conf/judge/qwen-1500.yaml; the nearest is 'qwen-1500m'"),
        ("study: first", "study: frist", "params.yaml: study: no file conf/study/frist.yaml; the nearest is 'first'"),
        ("instrument: material_outcome", "instrument: ../x", "params.yaml: instrument: no file"),
        ("runner: default", "runner: fast", "params.yaml: runner: no file"),
        ("smollm-135m]", "smollm]", "params.yaml: contestant: no file conf/contestant/smollm.yaml; the nearest is 'smollm-135m'"),
        ("smollm-135m]", '"Two words"]', "params.yaml: 'Two words' is not one plain word"),
        ("smollm-135m]", "a.b]", "params.yaml: 'a.b' is not one plain word"),
        ("smollm-135m]", "qwen-500m]", "params.yaml: contestants: a name stands twice"),
        ("matters: [Q01", "matters: [Q91", "params.yaml: matters: no matter 'Q91' in data/matters; the nearest is 'Q"),
        ("matters: [Q01", "matters: [Q01, Q01", "params.yaml: matters: Q01 stands twice"),
        ("seed: 20261130", "seed: 9223372036854775808", "params.yaml: key 'seed'"),
        ("seed: 20261130", "seed: soon", "params.yaml: key 'seed'"),
        ("seed: 20261130", "sead: 1", "params.yaml: "),
        ("runner: default", "runner: default\nextra: 1", "params.yaml: unknown key 'extra'"),
        ("runner: default", "runner: [", "params.yaml: "),
        ("runner: default", "judge: qwen-1500m", "params.yaml: "),
        (
            "second_judges: []",
            "second_judges: [qwen-1500]",
            "params.yaml: judge: no file conf/judge/qwen-1500.yaml; the nearest is 'qwen-1500m'",
        ),
        ("second_judges: []", "second_judges: [qwen-1500m]", "params.yaml: panel.second_judges: qwen-1500m judges already"),
        ("second_judges: []", "second_judges: [smollm-135m, smollm-135m]", "params.yaml: panel.second_judges: smollm-135m judges already"),
        ("second_judges: []", "second_judges: smollm-135m", "params.yaml: key 'panel.second_judges' must be a list"),
        ("second_judges: []", "second_judge: []", "params.yaml: unknown key 'panel.second_judge'; the nearest is 'second_judges'"),
        ("second_judges: []", "second_judges: [1]", "params.yaml: key 'panel.second_judges.0' must be text"),
    ],
)
def test_a_wrong_choice_is_refused_with_the_nearest_right_one(project, old, new, sentence):
    edit(project / "params.yaml", old, new)
    assert refusal().startswith(sentence)


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        (
            "contestant/qwen-500m",
            "temperature: 0.7",
            "temprature: 0.7",
            "conf/contestant/qwen-500m.yaml: unknown key 'decoding.temprature'; the nearest is 'temperature'",
        ),
        ("contestant/qwen-500m", "max_tokens: 192", "max_tokens: many", "conf/contestant/qwen-500m.yaml: key 'decoding.max_tokens'"),
        ("judge/qwen-1500m", "provider: local", "provider: lokal", "conf/judge/qwen-1500m.yaml: "),
        ("runner/default", "tries: 6", "tries: 0", "conf/runner/default.yaml: key 'tries'"),
        ("study/first", '  "1": recorded_attempt', '  "3": recorded_attempt', "conf/study/first.yaml: attempt_rules has no series '1'"),
        ("study/first", "instrument_sha256: ", "instrument_sha256: 0", "conf/study/first.yaml: key 'instrument_sha256'"),
        ("instrument/material_outcome", "block: matter", "block: mater", "conf/instrument/material_outcome.yaml: "),
        ("instrument/material_outcome", "  - block: answer_b\n", "", "conf/instrument/material_outcome.yaml: "),
        (
            "instrument/material_outcome",
            "  type: object\n  additional",
            "  type: 7\n  additional",
            "conf/instrument/material_outcome.yaml: ",
        ),
        (
            "instrument/material_outcome",
            "menu: [A, B, tie, both_inadequate]",
            "menu: []",
            "conf/instrument/material_outcome.yaml: key 'menu'",
        ),
        (
            "judge/qwen-1500m",
            "family: qwen",
            "defaults: [smollm-135m]\nfamily: qwen",
            "conf/judge/qwen-1500m.yaml: `defaults` would bring in",
        ),
        (
            "contestant/qwen-500m",
            "family: qwen",
            'family: qwen\ntrained_until: "2026-99-99"',
            "conf/contestant/qwen-500m.yaml: key 'trained_until'",
        ),
        ("instrument/material_outcome", "menu: [A,", "menu: [Z,", "conf/instrument/material_outcome.yaml: key 'menu.0'"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_file_and_key(project, file, old, new, sentence):
    edit(project / f"conf/{file}.yaml", old, new)
    assert refusal().startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("study: first", "study: true", "params.yaml: key 'study' must be text, the name of a file in conf/study (it is true)"),
        ("study: first", "study: null", "params.yaml: key 'study' must be text, the name of a file in conf/study (it is null)"),
        ("study: first", "study:", "params.yaml: key 'study' must be text, the name of a file in conf/study (it is null)"),
        ("judge: qwen-1500m", "judge: 7", "params.yaml: key 'judge' must be text, the name of a file in conf/judge (it is 7)"),
        (
            "judge: qwen-1500m",
            "judge: [a, b]",
            "params.yaml: key 'judge' must be text, the name of a file in conf/judge (it is ['a', 'b'])",
        ),
        ("runner: default", "runner: {a: 1}", "params.yaml: key 'runner' must be text, the name of a file in conf/runner (it is {'a': 1})"),
        ("runner: default", 'runner: ""', "params.yaml: key 'runner' must not be empty (it is '')"),
        (
            "runner: default",
            "runner: ../runner/default",
            "params.yaml: runner: no file conf/runner/../runner/default.yaml; the nearest is 'default'",
        ),
        ("judge: qwen-1500m", "judge: ..", "params.yaml: judge: no file conf/judge/...yaml; known: "),
        ("judge: qwen-1500m", "judges: qwen-1500m", "params.yaml: unknown key 'judges'; the nearest is 'judge'"),
        ("contestants: [", "contestants: []\n#", "params.yaml: key 'contestants' must have 2 entries or more (it is [])"),
        ("contestants: [", "contestants: foo\n#", "params.yaml: key 'contestants' must be a list, such as [a, b] (it is 'foo')"),
        ("contestants: [", "contestants:\n#", "params.yaml: key 'contestants' must be a list, such as [a, b] (it is null)"),
        (
            "contestants: [",
            "contestants: [a, true]\n#",
            "params.yaml: key 'contestants.1' must be text, the name of a file in conf/contestant (it is true)",
        ),
        ("matters: [", "matters: some\n#", "params.yaml: key 'matters' must be all, or a list of ids such as [Q01, Q02] (it is 'some')"),
        ("matters: [", "matters: []\n#", "params.yaml: key 'matters' must be all, or a list of ids such as [Q01, Q02] (it is [])"),
        ("seed: ", "seed: 1.5 #", "params.yaml: key 'seed' must be a whole number (it is 1.5)"),
        ("seed: ", "1: 2\nseed: ", "params.yaml: line 2: the key 1 is read as something else than text: quote it"),
        ("seed: ", "seed: 1\nseed: ", "params.yaml: line 3: duplicate key 'seed'"),
        ("seed: ", "? [a]\n: b\nseed: ", "params.yaml: line 2: a key is one word, and here stands a list or a group"),
        ("seed: ", "study: ${x\nseed: ", "params.yaml: line "),
        ("seed: ", "---\na: 1\n---\nseed: ", "params.yaml: line "),
        ("runner: default", "runner: [", "params.yaml: line "),
        ("runner: default", "runner: \x01", "params.yaml: this is no YAML"),
    ],
)
def test_a_choice_of_another_kind_is_told_in_our_own_words(project, old, new, sentence):
    edit(project / "params.yaml", old, new)
    said = refusal()
    assert said.startswith(sentence)
    assert not re.search("hydra|omegaconf|pydantic|input should|override", said, re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("--- \n...\n", "the file is no list of `key: value` lines"),
        ("- a\n", "the file is no list of `key: value` lines"),
        ("text\n", "the file is no list of `key: value` lines"),
        ("title: ${x\n", "line 1: a `${` opens a reference, and none ends well: a settings file holds plain values only"),
        ("{}\n", "key 'title' is missing"),
    ],
)
def test_an_empty_or_foreign_settings_file_is_told_in_our_own_words(project, text, sentence):
    (project / "conf/study/first.yaml").write_text(text)
    assert refusal() == f"conf/study/first.yaml: {sentence}"


@pytest.mark.parametrize("name", ["true", "null", "1", "1.5", "on"])
def test_a_settings_file_may_bear_a_name_that_is_read_as_something_else(project, name):
    shutil.copy(project / "conf/runner/default.yaml", project / f"conf/runner/{name}.yaml")
    edit(project / "params.yaml", "runner: default", f"runner: '{name}'")
    matters()
    assert Path("data/work/matters.jsonl").exists()


def test_a_settings_file_whose_name_would_be_taken_apart_is_refused(project):
    shutil.copy(project / "conf/runner/default.yaml", project / "conf/runner/a'b.yaml")
    edit(project / "params.yaml", "runner: default", 'runner: "a\'b"')
    assert refusal() == "conf/runner/a'b.yaml: a file here is named by letters, digits, points and hyphens"


def test_a_group_or_a_file_that_nobody_would_find_is_refused(project):
    shutil.copytree(project / "conf/judge", project / "conf/judges")
    assert refusal() == "conf/judges: no group of settings is called 'judges'; the nearest is 'judge'"
    shutil.rmtree(project / "conf/judges")
    shutil.copy(project / "conf/judge/qwen-1500m.yaml", project / "conf/judge/other.yml")
    assert refusal() == "conf/judge/other.yml: a settings file ends in .yaml: its name must be other.yaml"


ODD = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "link to nothing": lambda path: path.symlink_to("gone"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "UTF-16": lambda path: path.write_bytes("a: 1".encode("utf-16")),
    "Latin-1": lambda path: path.write_bytes(b"a: caf\xe9\n"),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["params.yaml", "conf/runner/default.yaml", "data/matters/Q01.md", "data/matters/Q91.md"])
def test_what_stands_in_the_place_of_a_source_is_named_and_never_waited_on(project, name, odd):
    (project / name).unlink(missing_ok=True)
    ODD[odd](project / name)
    assert refusal().startswith(f"{name}: ")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/mem is a plain file that nobody can read from its beginning")
@pytest.mark.parametrize("name", ["params.yaml", "conf/runner/default.yaml", "data/matters/Q01.md"])
def test_a_source_that_cannot_be_read_is_named(project, name):
    (project / name).unlink()
    (project / name).symlink_to("/proc/self/mem")
    assert refusal() == f"{name}: Input/output error"


def test_windows_line_ends_and_the_same_matters_give_the_same_rows(project):
    matters()
    before = Path("data/work/matters.jsonl").read_bytes()
    for path in (project / "data/matters").glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    for path in [project / "params.yaml", *(project / "conf").rglob("*.yaml")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    matters()
    assert Path("data/work/matters.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("scenarios", "sentence"),
    [
        ("{x: {reason: r, matters: [Q91]}}", "scenarios.x.matters: no matter 'Q91' in data/matters; the nearest is 'Q"),
        ("{x: {reason: r, rule: truncate}}", "key 'scenarios.x.rule' must be 'as_delivered', "),
        ("{x: {rule: truncated}}", "key 'scenarios.x.reason' is missing"),
    ],
)
def test_a_scenario_that_cannot_be_counted_is_refused_before_anything_is_spent(project, scenarios, sentence):
    with (project / "conf/study/first.yaml").open("a") as file:
        file.write(f"scenarios: {scenarios}\n")
    assert refusal().startswith(f"conf/study/first.yaml: {sentence}")


def test_a_scenario_may_name_a_matter_that_the_study_does_not_ask_about(project):
    with (project / "conf/study/first.yaml").open("a") as file:
        file.write("scenarios: {without_q77: {reason: r, matters: [Q77]}}\n")
    matters()
    assert len(read_rows(Path("data/work/matters.jsonl"))) == 8


def test_an_unknown_attempt_rule_is_refused_with_the_nearest(project):
    edit(project / "conf/study/first.yaml", '"1": recorded_attempt', '"1": complete_rerun')
    words = (
        "key 'attempt_rules.1' must be 'recorded_attempt' or 'completed_rerun'; the nearest is 'completed_rerun' (it is 'complete_rerun')"
    )
    assert refusal() == f"conf/study/first.yaml: {words}"


def test_a_changed_instrument_is_refused_with_both_digests_and_the_two_ways_on(project):
    edit(project / "conf/instrument/material_outcome.yaml", "at most two sentences", "at most three sentences")
    said = refusal()
    assert said.startswith("conf/study/first.yaml: instrument_sha256 pins ")
    assert "revert the instrument, or start a new study that pins the new one" in said
    assert sum(len(word.strip(":,")) == 64 for word in said.split()) == 2


def test_a_comment_in_the_instrument_changes_nothing(project):
    edit(project / "conf/instrument/material_outcome.yaml", "# The instrument of the first", "# The very same instrument of the first")
    matters()
    assert Path("data/work/matters.jsonl").exists()


def test_two_matters_with_one_id_are_refused(project):
    shutil.copy(project / "data/matters/Q01.md", project / "data/matters/Q99.md")
    assert refusal() == "data/matters/Q99.md and data/matters/Q01.md both have id Q01"


def test_a_file_that_does_not_bear_its_matters_id_is_refused(project):
    (project / "data/matters/Q01.md").rename(project / "data/matters/first.md")
    assert refusal() == "data/matters/first.md holds matter Q01: its name must be Q01.md"


def test_a_lone_surrogate_is_no_text(project):
    with (project / "data/matters/Q01.md").open("ab") as file:
        file.write(b"\xed\xa0\x80\n")
    assert refusal().startswith("data/matters/Q01.md: byte ")


def test_an_empty_battery_is_refused(project):
    shutil.rmtree(project / "data/matters")
    (project / "data/matters").mkdir()
    assert refusal() == "data/matters: no matter (a file such as Q01.md)"


def test_a_refusal_leaves_the_earlier_rows_as_they_were(project):
    matters()
    before = Path("data/work/matters.jsonl").read_bytes()
    edit(project / "data/matters/Q02.md", "## Law", "## Laws")
    assert refusal().startswith("data/matters/Q02.md: unknown section 'Laws'; the nearest is 'Law'")
    assert Path("data/work/matters.jsonl").read_bytes() == before


def test_the_battery_is_in_the_order_of_ids():
    ids = [matter.matter_id for matter in read_battery(ROOT / "data/matters")]
    assert ids == sorted(ids)


def test_a_second_judge_that_is_the_first_under_another_name_is_refused(project):
    text = (project / "conf/judge/qwen-1500m.yaml").read_text("utf-8")
    (project / "conf/judge/twin.yaml").write_text(text.replace("family: qwen", "family: twin").replace("matters: 4", "matters: 2"), "utf-8")
    edit(project / "params.yaml", "second_judges: []", "second_judges: [smollm-135m, twin]")
    said = "params.yaml: panel.second_judges: twin decides its replies by the same settings as qwen-1500m: it is the same judge"
    assert refusal() == said
    edit(project / "conf/judge/twin.yaml", "seed: 1", "seed: 2")
    matters()
    assert Path("data/work/matters.jsonl").exists()


def test_both_orders_are_a_choice_of_the_study_yes_or_no(project):
    edit(project / "conf/study/first.yaml", "attempt_rules:", "both_orders: twice\nattempt_rules:")
    assert refusal() == "conf/study/first.yaml: key 'both_orders' must be true or false (it is 'twice')"
    edit(project / "conf/study/first.yaml", "both_orders: twice", "both_orders: true")
    matters()
    assert Path("data/work/matters.jsonl").exists()
