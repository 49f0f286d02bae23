"""The stage record, on a small record built by hand (tests/small_record.py): what joins, what wins, what is refused."""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages import measure, record, report
from stages.runtime.errors import BadInput, BadRecord
from stages.schema.calls import FORMAT, seal
from stages.schema.canonical import text_digest
from stages.schema.jsonl import read_rows, write_rows
from stages.schema.rows import VerdictWord, draw, rederivable
from stages.schema.tables import TABLES, columns, ordered, read_table
from tests.small_record import (
    NAMES,
    ODD,
    SECOND,
    SEED,
    WINNERS,
    attempt,
    designed_record,
    pairing,
    rejected,
    small_record,
    turned,
    write_project,
)

ASSIGNMENTS = Path("data/recordings/assignments.jsonl")


def changed(**lists):
    """The small record with some of its lists replaced. A function takes the list and gives the new one."""
    rows = small_record()
    return dataclasses.replace(rows, **{name: change(getattr(rows, name)) for name, change in lists.items()})


def published(rows=None):
    return record.tables(rows or small_record())


def by(rows, key):
    return {row[key]: row for row in rows}


def replaced(rows, index, **changes):
    return [dataclasses.replace(row, **changes) if number == index % len(rows) else row for number, row in enumerate(rows)]


@pytest.fixture
def project(tmp_path, monkeypatch):
    write_project(tmp_path, small_record())
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- what the tables hold


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_table_has_exactly_its_columns(name):
    rows = published(designed_record())[name]
    assert rows
    assert all(set(row) == set(columns(name)) for row in rows)
    assert len(ordered(name, rows)) == len(rows)


def test_how_many_rows_there_are():
    found = {name: len(rows) for name, rows in published().items()}
    assert found == {
        "matters": 3, "contestants": 3, "attempts": 8, "answers": 8, "assignments": 7, "verdicts": 6, "rejected_points": 3, "calls": 18,
        "orders": 1, "judges": 1, "controls": 4, "scenarios": 5, "second_controls": 0, "second_judges": 0, "second_verdicts": 0,
    }  # fmt: skip


def test_what_is_asked_beside_the_scores_stands_in_tables_of_its_own_and_moves_no_other():
    plain, designed = published(), published(designed_record())
    same = set(TABLES) - {"second_controls", "second_judges", "second_verdicts", "calls"}
    assert {name for name in same if plain[name] != designed[name]} == set()
    found = {(row["pairing_id"], row["judge"], row["turned"]): row["winner"] for row in designed["second_verdicts"]}
    said = {(name, *key): winner for key, winners in SECOND.items() for name, winner in winners.items()}
    assert found == {key: None if winner == "unreadable" else winner for key, winner in said.items()}
    assert [row["judge"] for row in designed["second_judges"]] == ["elm"]
    assert [(row["judge"], row["passed"]) for row in designed["second_controls"]] == [("elm", True)] * 4
    paid = {row["request_sha256"] for row in designed["calls"]} - {row["request_sha256"] for row in plain["calls"]}
    assert len(paid) == len(said) + 4, "what they cost is counted"


def test_a_turned_verdict_shows_the_stored_sides_exchanged():
    designed = published(designed_record())
    stored = by(designed["assignments"], "pairing_id")
    for row in designed["second_verdicts"]:
        sides = [stored[row["pairing_id"]][side] for side in ("answer_a_was", "answer_b_was")]
        assert [row["answer_a_was"], row["answer_b_was"]] == (sides[::-1] if row["turned"] else sides)
        assert row["verdict_id"] == f"{row['pairing_id']}@{row['judge']}" + ("@turned" if row["turned"] else "")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"judge": "fir"}, "a verdict is of judge 'fir', which is no judge of this study; known: elm, oak"),
        ({"presentation_id": "0" * 64}, "belongs to no pairing of this study"),
        ({"instrument_sha256": "e" * 64}, "the verdicts have more than one instrument_sha256"),
    ],
)
def test_a_second_verdict_that_does_not_fit_is_refused(changes, sentence):
    rows = designed_record()  # its last verdict is elm's, on a turned presentation
    with pytest.raises(ValueError, match=sentence):
        published(dataclasses.replace(rows, verdicts=[*rows.verdicts[:-1], dataclasses.replace(rows.verdicts[-1], **changes)]))


def test_two_second_verdicts_of_one_judge_on_one_presentation_are_refused():
    rows = designed_record()
    again = dataclasses.replace(rows.verdicts[-1], request_sha256="1" * 64)
    with pytest.raises(ValueError, match="Q02:alder~cedar has two verdicts"):
        published(dataclasses.replace(rows, verdicts=[*rows.verdicts, again]))


def test_a_study_that_asks_for_one_order_again_takes_no_stored_turned_row_for_its_own():
    rows = designed_record()
    plain = published(dataclasses.replace(small_record(), assignments=rows.assignments))
    assert plain == published()


def test_a_turned_row_that_exchanges_nothing_is_refused():
    rows = small_record()
    same = dataclasses.replace(rows.assignments[0], rule="turned-1")
    with pytest.raises(ValueError, match="Q01:alder~birch: a turned assignment does not exchange the sides"):
        published(dataclasses.replace(rows, assignments=[*rows.assignments, same]))


def test_winners_are_who_they_should_be():
    found = {row["pairing_id"]: row["winner"] for row in published()["verdicts"]}
    assert found == {**WINNERS, "Q02:birch~cedar": None}


def test_a_pairing_without_both_answers_has_no_assignment_in_use_and_no_verdict():
    tables = published()
    for name in ("assignments", "verdicts"):
        assert not [row for row in tables[name] if row["matter_id"] == "Q03" and "birch" in (row["contestant_1"], row["contestant_2"])]


def test_a_pairing_without_a_verdict_keeps_its_assignment():
    tables = published()
    assert "Q02:alder~birch" in by(tables["assignments"], "pairing_id")
    assert "Q02:alder~birch" not in by(tables["verdicts"], "pairing_id")


def test_an_unreadable_verdict_keeps_its_raw_text_and_wins_nothing():
    row = by(published()["verdicts"], "pairing_id")["Q02:birch~cedar"]
    assert (row["verdict"], row["winner"], row["raw_text"]) == ("unreadable", None, "I would rather not.")
    assert row["unreadable_because"] == "no JSON object"


def test_ids_say_what_they_are_of():
    tables = published()
    assert {"Q01:alder:1", "Q03:cedar:1"} <= by(tables["attempts"], "attempt_id").keys()
    assert {"Q01:alder", "Q03:cedar"} <= by(tables["answers"], "answer_id").keys()
    assert "Q01:alder~birch@oak" in by(tables["verdicts"], "verdict_id")


def test_every_row_says_which_file_it_came_from():
    tables = published()
    assert {row["source_path"] for name in ("attempts", "answers") for row in tables[name]} == {"data/recordings/answers.jsonl"}
    assert {row["source_path"] for row in tables["verdicts"]} == {"data/recordings/verdicts.jsonl"}
    assert by(tables["matters"], "matter_id")["Q01"]["source_path"] == "data/matters/Q01.md"


def test_the_settings_of_a_contestant_are_whole_and_their_digest_is_of_that_very_text():
    rows = by(published()["contestants"], "contestant")
    for name in NAMES:
        assert rows[name]["config_sha256"] == text_digest(rows[name]["settings"])
    assert '"temperature":0.7' in rows["cedar"]["settings"]
    assert '"limit_key":"max_tokens"' in rows["alder"]["settings"], "a default decides replies as much as what is written"


def test_a_local_contestant_names_its_weights_and_a_hosted_one_its_route():
    rows = by(published()["contestants"], "contestant")
    assert (rows["alder"]["provider"], rows["alder"]["model"], rows["alder"]["weights_sha256"]) == ("local", "alder", text_digest("alder"))
    assert rows["alder"]["route"] == f"weights:{text_digest('alder')}"
    assert (rows["cedar"]["provider"], rows["cedar"]["model"], rows["cedar"]["route"]) == ("openai", "cedar-large", "example/cedar-large")
    assert (rows["cedar"]["weights_sha256"], rows["cedar"]["trained_until"]) == (None, "2026-01-31")


def test_rejected_points_stand_under_the_name_of_who_wrote_them():
    tables = published()
    sides = by(tables["assignments"], "pairing_id")["Q01:alder~birch"]
    assert [(row["contestant"], row["point_number"], row["point"], row["changes_course"]) for row in tables["rejected_points"]] == [
        (sides["answer_a_was"], 1, "<b>ten days</b>", True),
        (sides["answer_b_was"], 2, "a holiday", False),
        (sides["answer_b_was"], 3, "a holiday", False),  # a judge may say a thing twice; neither is lost
    ]


def test_every_recorded_call_in_use_is_there_once():
    rows, calls = small_record(), published()["calls"]
    used = {("answer", a.request_sha256) for a in rows.attempts} | {("verdict", v.request_sha256) for v in rows.verdicts}
    used |= {("control", row.request_sha256) for row in rows.controls}
    assert {(row["kind"], row["request_sha256"]) for row in calls} == used
    assert len(calls) == len(used)
    assert [row["replies"] for row in calls if row["request_sha256"] == text_digest("request Q02 cedar 1")] == [2]
    assert {row["endpoint"] for row in calls} == {"example/route"}


def test_an_unscored_attempt_is_an_attempt_and_a_call_and_no_answer():
    tables = published(changed(attempts=lambda found: [*found, attempt("Q01", "alder", attempt=2, scored=False, text="Again.")]))
    assert "Q01:alder:2" in by(tables["attempts"], "attempt_id")
    assert [row["attempt"] for row in tables["answers"] if row["answer_id"] == "Q01:alder"] == [1]
    assert len(tables["calls"]) == 19


# --- stored assignments are the authority


def test_a_stored_row_that_the_coin_does_not_give_is_kept_used_and_counted():
    row = by(published()["assignments"], "pairing_id")
    assert {name: row[name]["rederivable"] for name in row} == {name: name != ODD for name in row}
    drawn = draw(SEED, pairing("Q01", "alder", "cedar"), ordinal=0)
    assert row[ODD]["answer_a_was"] == drawn.answer_b_was


@pytest.mark.parametrize("word", ["A", "B"])
def test_the_winner_is_read_from_the_stored_sides_whatever_the_coin_says_today(word):
    for stored in small_record().assignments:
        sides = {"A": stored.answer_a_was, "B": stored.answer_b_was}
        today = draw(SEED + 1, pairing(stored.matter_id, stored.contestant_1, stored.contestant_2), ordinal=0)
        assert record.winner(stored, word) == sides[word]
        assert rederivable(today), "the coin of another seed is as good a coin"


@given(st.sampled_from(small_record().assignments), st.sampled_from(["A", "B", "tie", "both_inadequate", "unreadable"]))
def test_turning_sides_and_letter_together_leaves_the_winner(assignment, word):
    assert record.winner(turned(assignment), {"A": "B", "B": "A"}.get(word, word)) == record.winner(assignment, word)


def test_a_further_ordinal_that_is_not_needed_changes_nothing():
    further = dataclasses.replace(small_record().assignments[0], ordinal=3)
    assert published(changed(assignments=lambda stored: [further, *stored])) == published()


def test_a_stored_assignment_of_a_pairing_that_is_not_in_use_changes_nothing():
    other = draw(SEED, pairing("Q09", "elm", "fir"), ordinal=0)
    assert published(changed(assignments=lambda stored: [*stored, other])) == published()


def test_all_verdict_words_have_a_meaning():
    words = VerdictWord.__args__
    assert [record.winner(small_record().assignments[0], word) for word in words][2:] == ["tie", "both_inadequate", None]


# --- what is refused, one sentence each


def twin(rows):
    """Birch's answer to Q01 becomes alder's, so that two of cedar's pairings can show the same two texts."""
    same = next(a for a in rows if (a.matter_id, a.contestant) == ("Q01", "alder"))
    return [
        dataclasses.replace(a, text=same.text, text_sha256=same.text_sha256) if (a.matter_id, a.contestant) == ("Q01", "birch") else a
        for a in rows
    ]


def same_sides(rows):
    """Cedar stands as B against both."""
    return [dataclasses.replace(a, answer_a_was=a.contestant_1, answer_b_was=a.contestant_2) if a.matter_id == "Q01" else a for a in rows]


REFUSED = {
    "attempt of an unknown matter": (
        {"attempts": lambda rows: [*rows, attempt("Q09", "alder")]},
        "attempt Q09:alder:1 is of matter 'Q09', which is not in the battery",
    ),
    "attempt of an unknown contestant": (
        {"attempts": lambda rows: [*rows, attempt("Q01", "elm")]},
        "attempt Q01:elm:1 is of contestant 'elm', which is not in the study",
    ),
    "attempt with an unknown status": (
        {"attempts": lambda rows: replaced(rows, 0, status="done")},
        "attempt Q01:alder:1 has status 'done'; the statuses are complete, truncated, filtered, blocked, refused, empty",
    ),
    "attempt with another text": (
        {"attempts": lambda rows: replaced(rows, 0, text="Mended.")},
        "attempt Q01:alder:1: text_sha256 does not match the text",
    ),
    "two scored attempts": (
        {"attempts": lambda rows: [*rows, attempt("Q01", "alder", attempt=2)]},
        "answer Q01:alder has two scored attempts: 1 and 2",
    ),
    "no scored attempt": (
        {"attempts": lambda rows: replaced(rows, 0, scored=False)},
        "answer Q01:alder has attempts and none of them is scored",
    ),
    "a pairing of strangers": (
        {"pairings": lambda rows: [*rows, pairing("Q01", "elm", "fir")]},
        "pairing Q01:elm~fir is not of this study's matters and contestants",
    ),
    "a pairing the wrong way round": (
        {"pairings": lambda rows: [*rows[1:], pairing("Q01", "birch", "alder")]},
        "pairing Q01:birch~alder is not of this study's matters and contestants",
    ),
    "a pairing twice": ({"pairings": lambda rows: [*rows, rows[0]]}, "pairing Q01:alder~birch stands twice"),
    "a pairing under another's id": (
        {"pairings": lambda rows: replaced(rows, 0, pairing_id="Q01:alder~cedar")},
        "pairing Q01:alder~cedar does not name its own matter and contestants",
    ),
    "a pairing that is not planned for": ({"pairings": lambda rows: rows[1:]}, "pairing Q01:alder~birch is planned and has no row"),
    "contradictory assignments": (
        {"assignments": lambda rows: [*rows, turned(rows[0])]},
        "Q01:alder~birch: two stored assignments contradict each other about which answer was A",
    ),
    "contradictory assignments with different ordinals": (
        {"assignments": lambda rows: [*rows, dataclasses.replace(turned(rows[0]), ordinal=1)]},
        "Q01:alder~birch: two stored assignments contradict each other about which answer was A",
    ),
    "contradictory assignments of a pairing that is not in use": (
        {"assignments": lambda rows: [*rows, *(f(draw(1, pairing("Q09", "elm", "fir"), 0)) for f in (turned, lambda same: same))]},
        "Q09:elm~fir: two stored assignments contradict each other about which answer was A",
    ),
    "sides that are not the contestants": (
        {"assignments": lambda rows: replaced(rows, 0, answer_a_was="elm")},
        "Q01:alder~birch: the sides elm and ",
    ),
    "no assignment": (
        {"assignments": lambda rows: rows[1:]},
        "pairing Q01:alder~birch has both answers and no stored assignment",
    ),
    "two pairings behind one presentation": (
        {"attempts": twin, "assignments": same_sides, "verdicts": lambda _: []},
        "pairing Q01:birch~cedar shares its presentation with another pairing, and no stored ordinal tells them apart",
    ),
    "a verdict of no pairing": (
        {"verdicts": lambda rows: replaced(rows, 0, presentation_id="0" * 64)},
        f"the verdict on presentation {'0' * 64} of Q01 belongs to no pairing of this study",
    ),
    "a verdict under another matter": (
        {"verdicts": lambda rows: replaced(rows, 0, matter_id="Q02")},
        "of Q02 belongs to no pairing of this study",
    ),
    "a verdict on texts that have changed since": (
        {"attempts": lambda rows: replaced(rows, 0, text="New.", text_sha256=text_digest("New."))},
        "of Q01 belongs to no pairing of this study",
    ),
    "two verdicts on one pairing": (
        {"verdicts": lambda rows: [*rows, rows[0]]},
        "pairing Q01:alder~birch has two verdicts",
    ),
    "two judges": ({"verdicts": lambda rows: replaced(rows, 0, judge="ash")}, "the verdicts have more than one judge: ash, oak"),
    "two instruments": (
        {"verdicts": lambda rows: replaced(rows, 0, instrument_sha256="e" * 64)},
        f"the verdicts have more than one instrument_sha256: {'e' * 64}, {'f' * 64}",
    ),
    "an unknown verdict": (
        {"verdicts": lambda rows: replaced(rows, 0, verdict="C")},
        "Q01:alder~birch: 'C' is no verdict; the words are A, B, tie, both_inadequate, unreadable",
    ),
    "a rejected point in no answer": (
        {"verdicts": lambda rows: replaced(rows, 0, rejected_points=[rejected("C", "x")])},
        "Q01:alder~birch: rejected point 1: key 'answer' must be 'A' or 'B' (it is 'C')",
    ),
    "a rejected point without its reason": (
        {"verdicts": lambda rows: replaced(rows, 0, rejected_points=[{"answer": "A", "point": "x", "changes_course": True}])},
        "Q01:alder~birch: rejected point 1: key 'why' is missing",
    ),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_does_not_fit_is_refused_in_one_sentence(case):
    changes, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(sentence)) as refusal:
        published(changed(**changes))
    assert "\n" not in str(refusal.value)


# --- the stage: files in, files out


def test_the_stage_writes_every_table(project):
    record.record()
    expected = published()
    assert sorted(path.name for path in (project / "data/tables").iterdir()) == [f"{name}.parquet" for name in sorted(TABLES)]
    for name in TABLES:
        assert read_table(name, project / "data/tables") == ordered(name, expected[name])


def test_the_stage_writes_the_same_bytes_every_time(project):
    record.record()
    before = {path.name: path.read_bytes() for path in (project / "data/tables").iterdir()}
    record.record()
    assert {path.name: path.read_bytes() for path in (project / "data/tables").iterdir()} == before


def test_the_order_of_the_rows_it_reads_changes_no_byte(project):
    record.record()
    before = {path.name: path.read_bytes() for path in (project / "data/tables").iterdir()}
    for path in [ASSIGNMENTS, *Path("data/work").iterdir()]:
        write_rows(path, reversed(read_rows(path)))
    record.record()
    assert {path.name: path.read_bytes() for path in (project / "data/tables").iterdir()} == before


def test_another_process_with_another_hash_seed_writes_the_same_bytes(project, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    write_project(other, small_record())
    program = "from stages import measure, record, report; record.record(); measure.measure(); report.report()"
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # this process has another: a random one unless the environment fixes it
    subprocess.run([sys.executable, "-c", program], cwd=other, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    for stage in (record.record, measure.measure, report.report):
        stage()
    written = {path.relative_to(other) for name in ("data", "metrics") for path in (other / name).rglob("*.*")}
    assert {Path(f"data/tables/{name}.parquet") for name in TABLES} | {Path("metrics/pairs.json"), Path("data/site/index.html")} <= written
    for path in written:
        assert (other / path).read_bytes() == (project / path).read_bytes(), path


def test_sql_finds_the_same_winners(project):
    record.record()
    query = """
        select v.pairing_id, case v.verdict when 'A' then a.answer_a_was when 'B' then a.answer_b_was
               when 'unreadable' then null else v.verdict end as winner, v.winner as stated
        from 'data/tables/verdicts.parquet' v join 'data/tables/assignments.parquet' a using (pairing_id)
    """
    found = duckdb.sql(query).fetchall()
    assert len(found) == len(WINNERS)
    assert all(winner == stated for _, winner, stated in found)


def test_every_key_of_one_table_is_found_in_the_other(project):
    record.record()
    orphans = """
        select count(*) from 'data/tables/{one}.parquet' one anti join 'data/tables/{two}.parquet' two using ({key})
    """
    for one, two, key in [
        ("answers", "attempts", "matter_id, contestant, attempt, text_sha256"),
        ("attempts", "matters", "matter_id"),
        ("attempts", "contestants", "contestant"),
        ("attempts", "calls", "request_sha256, response_sha256"),
        ("verdicts", "assignments", "pairing_id, answer_a_was, answer_b_was"),
        ("verdicts", "calls", "request_sha256, response_sha256"),
        ("rejected_points", "verdicts", "verdict_id"),
    ]:
        assert duckdb.sql(orphans.format(one=one, two=two, key=key)).fetchall() == [(0,)], (one, two)


def test_a_record_without_any_verdict_still_makes_tables(project):
    write_rows(Path("data/work/verdicts.jsonl"), [])
    record.record()
    assert read_table("verdicts", Path("data/tables")) == []
    assert len(read_table("assignments", Path("data/tables"))) == 7


def test_a_text_passes_through_unchanged(project):
    text = "{{ x }} {0} ${y} \u2028 \x00 \U0001f600 \u202eright to left\r\n\tend "
    rows = changed(attempts=lambda found: replaced(found, -1, text=text, text_sha256=text_digest(text)), verdicts=lambda _: [])
    write_project(project, rows)
    record.record()
    assert text in [row["text"] for row in read_table("answers", Path("data/tables"))]


def test_a_hand_edited_assignment_is_refused(project):
    rows = read_rows(ASSIGNMENTS)
    sides = {"answer_a_was": rows[2]["answer_b_was"], "answer_b_was": rows[2]["answer_a_was"]}
    write_rows(ASSIGNMENTS, [*rows[:2], {**rows[2], **sides}, *rows[3:]])
    with pytest.raises(BadRecord, match=r"^data/recordings/assignments\.jsonl: line 3: row_sha256 does not match the row's content"):
        record.record()
    assert not Path("data/tables").exists()


def test_a_row_of_another_kind_among_the_assignments_is_refused(project):
    assignment = small_record().assignments[0]
    write_rows(ASSIGNMENTS, [seal({"format": FORMAT, "kind": "answer", **assignment.row()})])
    with pytest.raises(
        BadRecord, match=r"line 1: the row is of kind 'answer', and belongs in answers\.jsonl; here stand rows of kind 'assignment'"
    ):
        record.record()


def test_a_cut_off_last_line_is_refused(project):
    path = Path("data/work/attempts.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(BadRecord, match=r"^data/work/attempts\.jsonl: line 8 is cut off"):
        record.record()


def test_a_row_without_a_key_is_refused(project):
    path = Path("data/work/verdicts.jsonl")
    rows = read_rows(path)
    del rows[1]["raw_text"]
    write_rows(path, rows)
    with pytest.raises(
        BadRecord,
        match=r"^data/work/verdicts\.jsonl: line 2: key 'raw_text' is missing; stage judge makes this file: `uv run dvc repro judge`",
    ):
        record.record()


def test_a_matter_whose_text_was_changed_is_refused(project):
    path = Path("data/work/matters.jsonl")
    first, *rest = read_rows(path)
    write_rows(path, [{**first, "facts": "Other facts."}, *rest])
    with pytest.raises(BadRecord, match=r"matters\.jsonl: line 1: Q01: matter_sha256 does not match the text"):
        record.record()


def test_a_matter_with_a_key_too_many_is_refused(project):
    path = Path("data/work/matters.jsonl")
    first, *rest = read_rows(path)
    write_rows(path, [{**first, "judge": "oak"}, *rest])
    with pytest.raises(BadRecord, match=r"matters\.jsonl: line 1: unknown key 'judge'; "):
        record.record()


def test_a_time_that_is_none_is_refused(project):
    write_project(project, changed(attempts=lambda rows: replaced(rows, 0, started_at="noon")))
    with pytest.raises(
        BadRecord,
        match=r"^data/work/attempts\.jsonl: line 1: key 'started_at' must be a time such as 2026-11-30T08:15:11.123Z \(it is 'noon'\)",
    ):
        record.record()


def test_a_missing_file_is_named(project):
    Path("data/work/pairings.jsonl").unlink()
    with pytest.raises(BadRecord, match=r"^data/work/pairings\.jsonl: no such file"):
        record.record()


def test_an_unknown_key_in_a_contestants_settings_is_refused(project):
    path = Path("conf/contestant/cedar.yaml")
    path.write_text(path.read_text() + "temprature: 1\n")
    with pytest.raises(BadInput, match=r"^conf/contestant/cedar\.yaml: unknown key 'temprature'; the nearest is 'temperature'"):
        record.record()


def test_a_contestant_called_tie_is_refused(project):
    Path("params.yaml").write_text(Path("params.yaml").read_text().replace("cedar", "tie"))
    with pytest.raises(BadInput, match=r"^params\.yaml: a contestant is called 'tie', which column winner says of a tie"):
        record.record()


def test_the_command_leaves_with_one_sentence_and_the_exit_code_of_a_bad_record(project, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["record"])
    write_project(project, changed(assignments=lambda rows: [*rows, turned(rows[0])]))
    with pytest.raises(SystemExit) as left:
        record.main()
    assert left.value.code == BadRecord.exit_code
    sentence = "record: the rows in use: Q01:alder~birch: two stored assignments contradict each other about which answer was A\n"
    assert capsys.readouterr().err == sentence
