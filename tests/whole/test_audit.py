"""The walk of audit on a recorded project: every kind of word, both directions, and what it says of a word that names nothing."""

import json
import re
from contextlib import chdir

import pytest

from stages.desk import audit
from stages.desk.walk.numbers import Place, explained, tables
from stages.recount.files import FILES
from stages.recount.opened import opened, rows
from stages.recount.rules import recounted
from stages.runtime.errors import BadInput
from stages.schema.canonical import bytes_digest, digest
from tests.whole.kept import audited, files_of


@pytest.fixture(scope="module")
def project(made_once, tmp_path_factory):
    return made_once[0].copy(tmp_path_factory.mktemp("audit") / "project")


@pytest.mark.parametrize(
    "word", ["alder~birch.wins_1", "pairs.alder~birch.wins_1", "pairs:alder~birch.wins_1", "metrics/pairs.json:alder~birch.wins_1"]
)
def test_a_count_is_walked_to_its_rows_however_its_path_is_written(project, word):
    found = audited(project, word)
    assert found["number"] == "metrics/pairs.json:alder~birch.wins_1"
    assert found["published"] == found["counted"] == project.metrics("pairs")["alder~birch"]["wins_1"] == len(found["enter"])
    assert found["agrees"]
    assert found["rows"]["among"] == found["rows"]["enter"] + found["rows"]["left_out"] == 2
    assert {*found["enter"], *found["left_out"]} == {"Q01:alder~birch", "Q02:alder~birch"}
    assert all(found["left_out"].values())


def test_a_number_of_each_kind_is_walked(project):
    with chdir(project.folder), tables() as connection:
        for name in FILES:
            for path, value in audit_leaves(project.metrics(name)).items():
                if isinstance(value, int | float):
                    found = explained(connection, Place(name, path), value)
                    assert found.get("agrees", "how" in found), found
                    assert found["how"]


def test_a_number_of_a_scenario_is_walked_to_its_rows(project):
    found = audited(project, "scenarios:without_blocked.pairs.alder~birch.wins_1")
    assert found["number"] == "metrics/scenarios.json:without_blocked.pairs.alder~birch.wins_1"
    assert found["counted"] == found["published"] == project.metrics("pairs")["alder~birch"]["wins_1"] == len(found["enter"])
    corrected = audited(project, "scenarios:as_delivered.pairs.alder~birch.p_holm")
    assert corrected["agrees"]
    assert set(corrected["from"]) == {f"as_delivered.pairs.alder~birch.{name}" for name in ("wins_1", "wins_2", "n")}


def test_a_sentence_is_walked_to_the_rows_that_it_counts(project):
    found = audited(project, "disclosures:scope.scope")["counts"]
    assert {path: (own["published"], own["counted"]) for path, own in found.items()} == {
        "scope.scope.matters": (2, 2), "scope.scope.contestants": (3, 3),
    }  # fmt: skip
    assert set(found["scope.scope.contestants"]["enter"]) == {"alder", "birch", "cedar"}
    assert "counts" not in audited(project, "disclosures:attempt_rules.1")


def audit_leaves(tree):
    """One leaf of each kind: the first of each name, for there are hundreds."""
    from stages.recount.rules import all_leaves, split

    found = {}
    for path, value in all_leaves(tree).items():
        found.setdefault(split(path)[-2:], (path, value))
    return dict(found.values())


def test_the_first_row_of_a_number_is_shown_to_its_bytes(project):
    found = audited(project, "judge:verdicts.A")
    if found["enter"]:
        assert found["first"]["id"] == next(iter(found["enter"]))
        assert found["first"]["replies"][0]["recorded_at"].startswith("data/recordings/verdicts.jsonl:")


def test_a_pairing_shows_the_whole_chain(project):
    found = audited(project, "Q01:alder~birch")
    assert {found["assignment"]["answer_a_was"], found["assignment"]["answer_b_was"]} == {"alder", "birch"}
    assert found["assignment"]["recorded_at"] == "data/recordings/assignments.jsonl:1"
    assert found["rationale"].startswith("Constructed rationale")
    assert [message["role"] for message in found["messages"]] == ["system", "user"]
    a = found["answers"]["A"]
    assert a["contestant"]["settings"]["system"] == f"Constructed system prompt of {found['assignment']['answer_a_was']}."
    assert a["text"] in found["messages"][1]["content"]
    assert found["matter"]["file"] == "data/matters/Q01.md"
    assert found["matter"]["commit"] == project.git("log", "-1", "--format=%H", "--", "data/matters/Q01.md").strip()
    assert found["matter"]["changed_since"] is False
    file, line = found["replies"][0]["recorded_at"].rsplit(":", 1)
    row = json.loads(project.read(file).decode().splitlines()[int(line) - 1])
    assert (row["request_sha256"], row["response_sha256"]) == (found["request_sha256"], found["replies"][0]["response_sha256"])


def test_from_an_answer_up_to_every_number_that_changes_without_it(project):
    found = audited(project, "Q01:alder")["changes_without_it"]
    with chdir(project.folder), tables() as whole, tables(("Q01", "alder")) as rest:
        for name, file in FILES.items():
            before, after = recounted(whole, file), recounted(rest, file)
            moved = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
            assert {path.split(".", 1)[1] for path in found if path.startswith(f"{name}.")} == moved
    assert found["coverage.contestants.alder.answers"] == {"with": 2, "without": 1}
    assert found["pairs.alder~birch.missing"] == {"with": 0, "without": 1}
    assert not any(path.startswith("pairs.birch~cedar.wins") for path in found)


def test_a_digest_a_beginning_a_file_and_a_line_find_the_same(project):
    whole = audited(project, "Q01:alder~birch")
    reply, line = whole["replies"][0], whole["replies"][0]["recorded_at"]
    words = [
        whole["request_sha256"],
        f"sha256:{reply['response_sha256'][:16]}",
        reply["row_sha256"],
        whole["presentation_id"],
        line,
        whole["verdict_id"],
    ]
    assert all(audited(project, word)["id"] == "Q01:alder~birch" for word in words)
    assert audited(project, whole["assignment"]["recorded_at"])["id"] == "Q01:alder~birch"
    assert audited(project, "data/matters/Q01.md") == audited(project, "Q01")
    assert audited(project, "conf/contestant/alder.yaml") == audited(project, "alder")
    assert audited(project, "Q02:ced")["id"] == "Q02:cedar"
    assert audited(project, "Q02:cedar:1")["id"] == "Q02:cedar"


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Q01", "matter"), ("alder", "contestant"), ("conf/instrument/material_outcome.yaml", "instrument"), ("conf/judge/owl.yaml", "judge"),
        ("conf/runner/default.yaml", "settings"), ("params.yaml", "settings"), ("data/tables/verdicts.parquet", "table"),
        ("data/recordings/verdicts.jsonl", "recording"), ("uv.lock", "file"), ("metrics/plots/outcomes.json", "file"),
    ],
)  # fmt: skip
def test_every_other_kind_of_word_is_answered(project, word, kind):
    assert audited(project, word)["kind"] == kind


def test_every_digest_that_is_shown_is_found(project):
    shown = set(re.findall("[0-9a-f]{64}", json.dumps([audited(project, "Q01:alder~birch"), audited(project, "alder")])))
    assert len(shown) > 15
    for digest_shown in shown:
        assert audited(project, f"sha256:{digest_shown}")["kind"], digest_shown


def test_a_file_is_the_same_however_its_path_is_written(project):
    recording = audited(project, "data/recordings/verdicts.jsonl")
    assert (recording["rows"], recording["made_by"], recording["read_by"]) == (6, ["judge"], ["report"])
    assert audited(project, f"{project.folder}/data/recordings/verdicts.jsonl") == recording
    assert audited(project, "./metrics/pairs.json")["numbers"] == audited(project, "metrics/pairs.json")["numbers"]
    assert audited(project, f"{project.folder}/data/matters/Q01.md")["id"] == "Q01"
    with pytest.raises(BadInput, match="is no id, digest, number or file of this record"):
        audited(project, "/etc/hostname")


def test_instrument_record_and_tables_are_found_by_digest(project):
    tree = project.metrics("provenance")
    assert audited(project, tree["instrument"])["pin_holds"] is True
    assert audited(project, f"sha256:{tree['record'][:12]}")["published_as"] == "metrics/provenance.json:record"
    assert audited(project, tree["tables"]["verdicts"])["published_as"] == "metrics/provenance.json:tables.verdicts"


def test_a_file_or_a_path_lists_its_numbers(project):
    assert audited(project, "metrics/pairs.json")["numbers"]["pairs:alder~birch.n"] == 2
    assert set(audited(project, "alder~birch.sign_test")["numbers"]) == set(audited(project, "pairs.alder~birch.sign_test")["numbers"])


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("Q01:aldr", "the nearest is 'Q01:alder'"),
        ("Q0", "is the beginning of"),
        ("alder~birch.wins_3", "is no id, digest, number or file of this record"),
        ("data/recordings/answers.jsonl:99", "has 6 rows, and no row 99"),
        ("sha256:zz", "is no id, digest, number or file of this record"),
        ("", "is the beginning of"),
    ],
)
def test_a_word_that_names_nothing_is_refused(project, word, sentence):
    with pytest.raises(BadInput, match=sentence):
        audited(project, word)


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("pairs.birch~alder.wins_1", "pairs.alder~birch.wins_1"),
        ("birch~alder.n", "alder~birch.n"),
        ("pairs.birch~alder", "pairs.alder~birch"),
        ("scenarios:as_delivered.pairs.birch~alder.n", "scenarios:as_delivered.pairs.alder~birch.n"),
        ("Q01:birch~alder", "Q01:alder~birch"),
        ("Q01:birch~alder@owl", "Q01:alder~birch@owl"),
    ],
)
def test_a_pair_in_the_other_order_is_told_its_right_name(project, word, right):
    with pytest.raises(BadInput) as refused:
        audited(project, word)
    assert str(refused.value).endswith(f"the right name is {right!r}")


def test_the_prompt_proves_itself(project):
    found = audited(project, "Q01:alder~birch", prompt=True)
    parts = found["proof"]["digest_of"]
    assert parts[-1] == bytes_digest(found["prompt"].encode())
    assert digest(parts) == found["request_sha256"]
    with pytest.raises(BadInput, match="is not something that was asked"):
        audited(project, "Q01", prompt=True)


def test_what_a_model_wrote_cannot_act_on_the_terminal():
    said = audit.told({"text": "red \x1b[31m\nand \x07 bell", "line": "a\x9bb", "none": None, "yes": True})
    assert said.splitlines() == [
        "text",
        r"  | red \u001b[31m",
        r"  | and \u0007 bell",
        r"line                       a\u009bb",
        "none                       -",
        "yes                        true",
    ]


def test_without_tables_a_number_is_counted_from_the_recordings(made_once, tmp_path):
    project = made_once[0].copy(tmp_path / "bare")
    for path in (project.folder / "data/tables").glob("*"):
        path.unlink()
    (project.folder / "data/tables").rmdir()
    before = files_of(project)
    assert audited(project, "alder~birch.n")["counted"] == 2
    assert files_of(project) == before


def test_a_forged_number_does_not_agree(made_once, tmp_path):
    project = made_once[0].copy(tmp_path / "forged")
    n = project.metrics("pairs")["alder~birch"]["n"]
    project.edit("metrics/pairs.json", f'"n": {n},\n    "net', f'"n": {n + 1},\n    "net')
    found = audited(project, "alder~birch.n")
    assert (found["published"], found["counted"], found["agrees"]) == (n + 1, n, False)


def test_the_rows_of_a_view_are_those_of_the_tables(project):
    connection = opened(project.folder / "data/tables")
    assert rows(connection, "select count(*), count(distinct row_id) from pairings") == [(6, 6)]
    assert rows(connection, "select count(*) from seats") == [(12,)]
    connection.close()
