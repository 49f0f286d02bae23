"""The stage measure as a whole, on the small record built by hand. What each metrics file says is tested in tests/metrics."""

import dataclasses
import json
import random
import sys
from pathlib import Path

import pytest

from stages import measure, record
from stages.runtime.errors import BadRecord
from stages.schema.jsonl import write_rows
from stages.schema.tables import TABLES, read_table, write_table
from tests.published import TABLES_FOLDER, constructed_tables, counted, leaves, measured
from tests.small_record import NAMES, designed_record, small_record, turned, verdict, write_project

TEXTS = {"method", "interval_method", "test", "withheld", "refused", "no_interval", "reason", "rule", "first", "last", "trained_until"}


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- over all files


def test_the_identities_hold_in_every_file():
    found = counted(small_record())
    for pair in found["pairs"].values():
        assert pair["wins_1"] + pair["wins_2"] + pair["ties"] + pair["both_inadequate"] == pair["n"]
        assert pair["n"] + pair["unreadable"] + pair["missing"] == pair["planned"] == found["coverage"]["matters"]
    for score in (found["scores"][name] for name in NAMES):
        assert score["wins"] + score["losses"] + score["ties"] + score["both_inadequate"] == score["n"]
        assert score["n"] + score["unreadable"] + score["missing"] == score["planned"]
    for own in found["coverage"]["contestants"].values():
        assert own["answers"] + own["unanswered"] == found["coverage"]["matters"]
        assert sum(own["status"].values()) == own["answers"]
    assert sum(found["judge"]["verdicts"].values()) == found["coverage"]["verdicts"]["recorded"]


def test_the_coin_of_another_day_moves_no_number():
    """Every stored side turned, every letter with it: the same record told from the other side of the table."""
    rows = small_record()
    letters = {"A": "B", "B": "A"}
    sides = [turned(assignment) for assignment in rows.assignments]
    winners = {v["pairing_id"]: v["winner"] or "unreadable" for v in record.tables(rows)["verdicts"]}
    verdicts = [verdict(side, winners[side.pairing_id], rows.attempts) for side in sides if side.pairing_id in winners]
    before, after = counted(rows), counted(dataclasses.replace(rows, assignments=sides, verdicts=verdicts))
    assert [v.verdict for v in verdicts] == [letters.get(v.verdict, v.verdict) for v in rows.verdicts]
    assert (before["pairs"], before["scores"]) == (after["pairs"], after["scores"])
    assert after["judge"]["a_share"]["a"] == 3 - before["judge"]["a_share"]["a"]


PLACE = {"a_share", "verdicts", "balance", "place_and_length"}


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate"])
def test_every_row_with_its_sides_exchanged_moves_the_numbers_of_place_and_no_other(name):
    constructed_tables(name)
    before = measured()
    for table in ("verdicts", "assignments"):
        rows = read_table(table, TABLES_FOLDER)
        sides = [{**row, "answer_a_was": row["answer_b_was"], "answer_b_was": row["answer_a_was"]} for row in rows]
        letters = {"A": "B", "B": "A"}
        told = [{**row, "verdict": letters.get(row["verdict"], row["verdict"])} if "verdict" in row else row for row in sides]
        write_table(table, told, TABLES_FOLDER)
    after = measured()
    assert {file for file in before if before[file] != after[file]} == {"judge", "provenance"}
    moved = {key for key in before["judge"] if before["judge"][key] != after["judge"][key]}
    assert {"a_share", "verdicts", "balance"} <= moved <= PLACE
    assert after["judge"]["a_share"]["a"] == before["judge"]["a_share"]["decisive"] - before["judge"]["a_share"]["a"]


def test_no_verdict_at_all_leaves_out_what_does_not_exist():
    found = counted(dataclasses.replace(small_record(), verdicts=[]))
    assert "instrument" not in found["provenance"]
    assert "share" not in found["judge"]["a_share"]
    assert found["pairs"]["alder~birch"]["missing"] == 3
    assert len(found["pairs"]) == 3


# --- the files


def test_metrics_are_numbers_and_texts_by_name():
    for name, tree in counted(small_record()).items():
        for path, value in leaves(tree):
            *parts, last = path.split(".")
            texts = (
                name in ("provenance", "disclosures")
                or {"abandoned", "found", "found_circles", "flips"} & set(parts)
                or path in (".judge", ".because")
            )
            texts = texts or (last in TEXTS and "status" not in parts)
            assert type(value) in ((str,) if texts else (bool,) if path in (".qualifies", ".both_orders") else (int, float)), path


def test_a_metric_path_needs_no_quotes():
    for tree in counted(small_record()).values():
        assert not [path for path, _ in leaves(tree) if not set(path) <= set(".~_-abcdefghijklmnopqrstuvwxyz0123456789ABQ:")]


def test_the_stage_writes_its_files_that_are_the_same_every_time(project):
    write_project(project, small_record())
    record.record()
    measure.measure()
    before = {path.name: path.read_bytes() for path in Path("metrics").rglob("*.json")}
    names = ("coverage", "disclosures", "judge", "pairs", "provenance", "qualification", "scenarios", "scores", "timing")
    assert sorted(before) == sorted([*(f"{name}.json" for name in ("agreement", *names)), "net_difference.json", "outcomes.json"])
    assert json.loads(before["pairs.json"]) == counted(small_record())["pairs"]
    measure.measure()
    assert {path.name: path.read_bytes() for path in Path("metrics").rglob("*.json")} == before


def test_a_missing_table_is_refused(project, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["measure"])
    write_project(project, small_record())
    record.record()
    (TABLES_FOLDER / "calls.parquet").unlink()
    with pytest.raises(SystemExit) as left:
        measure.main()
    assert left.value.code == BadRecord.exit_code
    assert (
        capsys.readouterr().err
        == "measure: data/tables/calls.parquet: no such file; stage record makes this file: `uv run dvc repro record`\n"
    )


OTHER = {"text": ["zebra", ""], "int": [0, -5], "real": [-1.0], "bool": [True, False], "time": ["2026-11-30T08:15:11.123Z"], "day": []}


def variants(name, rows, chance):
    """The rows of a table that was made by hand: none, one less, and one in which a column says something else."""
    yield []
    yield rows[1:]
    for column in chance.sample(TABLES[name].columns, 3):
        for value in [*OTHER[column.kind], *([None] if column.optional else [])]:
            yield [{**rows[0], column.name: value}, *rows[1:]]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_was_made_by_hand_is_measured_or_refused_and_nothing_else_happens(name):
    chance = random.Random(f"moot {name}")
    made = record.tables(designed_record())
    counted(designed_record())
    outcomes = []
    for rows in variants(name, made[name], chance):
        try:
            write_table(name, rows, TABLES_FOLDER)
            outcomes.append(measured())
        except ValueError as refused:
            outcomes.append(str(refused))
    assert all(outcomes)


def test_a_study_has_one_judge_with_all_of_its_thresholds_or_none():
    made = record.tables(small_record())["judges"]
    counted(small_record())
    for rows, sentence in [([], "has 0 rows, and a study has one judge"), ([{**made[0], "matters": None}], "has some of the thresholds")]:
        write_table("judges", rows, TABLES_FOLDER)
        with pytest.raises(ValueError, match=sentence):
            measured()


def test_a_verdict_on_a_matter_that_is_not_in_the_battery_is_refused(project):
    write_project(project, small_record())
    record.record()
    write_table("matters", [row for row in read_table("matters", TABLES_FOLDER) if row["matter_id"] != "Q01"], TABLES_FOLDER)
    with pytest.raises(BadRecord, match="there is a verdict on matter 'Q01', which is not planned"):
        measure.measure()


def test_verdicts_under_two_instruments_are_refused(project):
    write_project(project, small_record())
    record.record()
    first, *rest = read_table("verdicts", TABLES_FOLDER)
    write_table("verdicts", [{**first, "instrument_sha256": "e" * 64}, *rest], TABLES_FOLDER)
    with pytest.raises(BadRecord, match=r"^data/tables: the verdicts stand under more than one instrument: e+, f+$"):
        measure.measure()


def test_a_record_without_verdicts_can_be_measured(project):
    write_project(project, small_record())
    write_rows(Path("data/work/verdicts.jsonl"), [])
    record.record()
    measure.measure()
    assert json.loads(Path("metrics/coverage.json").read_text())["verdicts"] == {"planned": 9, "recorded": 0, "unreadable": 0}
