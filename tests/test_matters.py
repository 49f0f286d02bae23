"""The matters stage: everything is composed and validated before anything is spent, and each refusal names its place."""

import shutil
from pathlib import Path

import pytest

from stages.matters import matters
from stages.runtime.errors import BadInput
from stages.schema.jsonl import read_rows
from stages.schema.matter import read_battery

ROOT = Path(__file__).parents[1]


@pytest.fixture
def project(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    shutil.copytree(ROOT / "data/matters", tmp_path / "data/matters")
    shutil.copy(ROOT / "params.yaml", tmp_path)
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
            "temperature: 0.0",
            "temprature: 0.0",
            "conf/contestant/qwen-500m.yaml: unknown key 'decoding.temprature'; the nearest is 'temperature'",
        ),
        ("contestant/qwen-500m", "max_tokens: 256", "max_tokens: many", "conf/contestant/qwen-500m.yaml: key 'decoding.max_tokens'"),
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


def test_a_changed_instrument_is_refused_with_both_digests_and_the_two_ways_on(project):
    edit(project / "conf/instrument/material_outcome.yaml", "at most two sentences", "at most three sentences")
    said = refusal()
    assert said.startswith("conf/study/first.yaml: instrument_sha256 pins ")
    assert "revert the instrument, or start a new study that pins the new one" in said
    assert sum(len(word.strip(":,")) == 64 for word in said.split()) == 2


def test_a_comment_in_the_instrument_changes_nothing(project):
    edit(project / "conf/instrument/material_outcome.yaml", "# The instrument:", "# The very same instrument:")
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
