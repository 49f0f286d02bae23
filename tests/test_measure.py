"""The stage measure, on the small record built by hand (tests/small_record.py) and on the constructed tables."""

import csv
import dataclasses
import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages import measure, record
from stages.runtime.errors import BadRecord
from stages.schema.canonical import digest
from stages.schema.jsonl import write_rows
from stages.schema.names import pairing_id, verdict_id
from stages.schema.tables import TABLES, columns, read_table, write_table
from tests.small_record import INSTRUMENT, attempt, small_record, turned, verdict, write_project

CONSTRUCTED = Path(__file__).parent / "golden/constructed"
TABLES_FOLDER = Path("data/tables")


def counted(rows) -> dict:
    """The metrics of these rows, as the stage makes them from the files."""
    for name, found in record.tables(rows).items():
        write_table(name, found, TABLES_FOLDER)
    return measured()


def measured() -> dict:
    return measure.metrics(*measure.read_tables(TABLES_FOLDER))


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def leaves(tree, path=""):
    if not isinstance(tree, dict):
        return [(path, tree)]
    return [leaf for key, value in tree.items() for leaf in leaves(value, f"{path}.{key}")]


def five(tree):
    return tuple(tree[name] for name in ("wins_1", "wins_2", "ties", "both_inadequate", "n"))


# --- numbers by hand


def test_pairs_by_hand():
    pairs = counted(small_record())["pairs"]
    assert pairs == {
        "alder~birch": {
            "wins_1": 1, "wins_2": 0, "ties": 0, "both_inadequate": 0, "n": 1, "unreadable": 0, "missing": 2, "planned": 3,
        },
        "alder~cedar": {
            "wins_1": 1, "wins_2": 1, "ties": 1, "both_inadequate": 0, "n": 3, "unreadable": 0, "missing": 0, "planned": 3,
        },
        "birch~cedar": {
            "wins_1": 0, "wins_2": 0, "ties": 0, "both_inadequate": 1, "n": 1, "unreadable": 1, "missing": 1, "planned": 3,
        },
    }  # fmt: skip


def test_scores_by_hand():
    assert counted(small_record())["scores"] == {
        "alder": {"wins": 2, "losses": 1, "ties": 1, "both_inadequate": 0, "n": 4, "unreadable": 0, "missing": 2, "planned": 6},
        "birch": {"wins": 0, "losses": 1, "ties": 0, "both_inadequate": 1, "n": 2, "unreadable": 1, "missing": 3, "planned": 6},
        "cedar": {"wins": 1, "losses": 1, "ties": 1, "both_inadequate": 1, "n": 4, "unreadable": 1, "missing": 1, "planned": 6},
    }


def test_the_judge_by_hand():
    rows = small_record()
    judge = counted(rows)["judge"]
    a = sum(verdict.verdict == "A" for verdict in rows.verdicts)
    assert judge["decisive"] == 3
    assert judge["a_share"] == {"a": a, "decisive": 3, "share": round(a / 3, 6)}
    assert judge["verdicts"] == {"A": a, "B": 3 - a, "tie": 1, "both_inadequate": 1, "unreadable": 1}
    assert judge["names_itself"] == {"answers": 1, "verdicts": 2}
    sides = {name: side["n"] for name, side in judge["balance"].items()}
    assert sides == {"alder": 5, "birch": 4, "cedar": 5}, "over the seven assignments in use"
    assert sum(side["times_a"] for side in judge["balance"].values()) == 7


def test_rejected_points_are_counted_for_whose_answer_they_stand_in():
    rows = small_record()
    first = next(a for a in rows.assignments if a.pairing_id == "Q01:alder~birch")
    judge = counted(rows)["judge"]
    assert judge["rejected_points"][first.answer_a_was] == {"points": 1, "changes_course": 1}
    assert judge["rejected_points"][first.answer_b_was] == {"points": 2, "changes_course": 0}
    assert judge["rejected_points"]["cedar"] == {"points": 0, "changes_course": 0}


def test_coverage_by_hand():
    coverage = counted(small_record())["coverage"]
    contestants = coverage.pop("contestants")
    assert coverage == {
        "matters": 3,
        "answers": {"planned": 9, "recorded": 8},
        "verdicts": {"planned": 9, "recorded": 6, "unreadable": 1},
        "assignments": {"in_use": 7, "not_rederivable": 1},
        "abandoned": {"Q03:birch": "the model was withdrawn (A. Author, 2026-11-30)"},
        "calls": 14,
        "requests_with_two_replies": 1,
        "tokens": {"prompt": 1400, "completion": 260, "unknown_calls": 1},
        "cost_usd": 0.001,
        "cost_unknown_calls": 13,
    }
    assert contestants["birch"] == {
        "attempts": 2, "answers": 2, "unanswered": 1, "names_itself": 0, "addresses_the_judge": 0,
        "status": {"complete": 1, "truncated": 1, "filtered": 0, "blocked": 0, "refused": 0, "empty": 0},
    }  # fmt: skip
    assert contestants["alder"]["status"]["empty"] == 1
    assert contestants["cedar"]["names_itself"] == 1


def test_provenance_names_the_parts():
    rows, found = small_record(), counted(small_record())["provenance"]
    assert found["instrument"] == INSTRUMENT
    assert found["battery"] == digest(sorted([m.matter_id, m.published, m.matter_sha256] for m in rows.matters))
    assert found["assignments"] == digest(sorted([a.pairing_id, a.answer_a_was, a.answer_b_was] for a in rows.assignments))
    parts = ("battery", "contestants", "answers", "assignments", "instrument", "verdicts")
    assert found["record"] == digest({name: found[name] for name in parts})
    assert set(found["tables"]) == set(TABLES)


# --- identities, and the second implementation


def test_the_identities_hold_in_every_file():
    found = counted(small_record())
    for pair in found["pairs"].values():
        assert pair["wins_1"] + pair["wins_2"] + pair["ties"] + pair["both_inadequate"] == pair["n"]
        assert pair["n"] + pair["unreadable"] + pair["missing"] == pair["planned"] == found["coverage"]["matters"]
    for score in found["scores"].values():
        assert score["wins"] + score["losses"] + score["ties"] + score["both_inadequate"] == score["n"]
        assert score["n"] + score["unreadable"] + score["missing"] == score["planned"]
    for own in found["coverage"]["contestants"].values():
        assert own["answers"] + own["unanswered"] == found["coverage"]["matters"]
        assert sum(own["status"].values()) == own["answers"]
    assert sum(found["judge"]["verdicts"].values()) == found["coverage"]["verdicts"]["recorded"]


def test_sql_over_the_tables_gives_the_same_pairs():
    pairs = counted(small_record())["pairs"]
    query = """
        with planned as (
            select a.contestant as one, b.contestant as two, m.matter_id
            from 'data/tables/contestants.parquet' a join 'data/tables/contestants.parquet' b on a.contestant < b.contestant,
                 'data/tables/matters.parquet' m)
        select one || '~' || two,
            count(*) filter (where winner = one), count(*) filter (where winner = two), count(*) filter (where winner = 'tie'),
            count(*) filter (where winner = 'both_inadequate'), count(*) filter (where verdict = 'unreadable'),
            count(*) filter (where verdict is null), count(*)
        from planned left join 'data/tables/verdicts.parquet' v
            on v.matter_id = planned.matter_id and v.contestant_1 = one and v.contestant_2 = two
        group by one, two order by one, two
    """
    names = ("wins_1", "wins_2", "ties", "both_inadequate", "unreadable", "missing", "planned")
    assert {pair: tuple(tree[name] for name in names) for pair, tree in pairs.items()} == {
        pair: tuple(numbers) for pair, *numbers in duckdb.sql(query).fetchall()
    }


def test_sql_over_the_tables_gives_the_same_share_of_a():
    share = counted(small_record())["judge"]["a_share"]
    counts = "count(*) filter (where verdict = 'A'), count(*) filter (where verdict in ('A', 'B'))"
    assert duckdb.sql(f"select {counts} from 'data/tables/verdicts.parquet'").fetchall() == [(share["a"], share["decisive"])]


# --- the constructed tables, through Parquet


def constructed_tables(name: str) -> None:
    """Write a constructed verdict table as published tables; what it does not say is filled with the same dummy everywhere."""
    with (CONSTRUCTED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sides = {"A": "answer_a_was", "B": "answer_b_was"}
    filled = {table: {column.name: dummy(column) for column in TABLES[table].columns} for table in TABLES}
    verdicts, assignments = [], []
    for row in rows:
        pairing = pairing_id(row["matter_id"], row["contestant_1"], row["contestant_2"])
        own = {"pairing_id": pairing, "verdict_id": verdict_id(pairing, "x")}
        winner = row[sides[row["verdict"]]] if row["verdict"] in sides else row["verdict"]
        verdicts.append({**filled["verdicts"], **row, **own, "winner": winner})
        assignments.append({**filled["assignments"], **{k: v for k, v in row.items() if k != "verdict"}, "pairing_id": pairing})
    matters = [{**filled["matters"], "matter_id": matter} for matter in {row["matter_id"] for row in rows}]
    names = {row[side] for row in rows for side in ("contestant_1", "contestant_2")}
    contestants = [{**filled["contestants"], "contestant": contestant} for contestant in names]
    found = {"matters": matters, "contestants": contestants, "verdicts": verdicts, "assignments": assignments}
    for table in TABLES:
        write_table(table, found.get(table, []), TABLES_FOLDER)


def dummy(column):
    filling = {"text": "x", "int": 1, "real": 0.0, "bool": True, "time": "2026-11-30T08:15:11.123Z", "day": "2026-11-30"}
    return None if column.optional else filling[column.kind]


@pytest.mark.parametrize("name", ["s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"])
def test_a_constructed_table_gives_its_known_metrics(name):
    constructed_tables(name)
    expected = json.loads((CONSTRUCTED / f"{name}.expected.json").read_text(encoding="utf-8"))
    found = measured()
    assert {pair.replace("~", "|"): five(tree) for pair, tree in found["pairs"].items()} == {
        pair: five(tree) for pair, tree in expected["pairs"].items()
    }
    for contestant, known in expected["per_contestant"].items():
        score, side = found["scores"][contestant], found["judge"]["balance"][contestant]
        assert [score[number] for number in ("wins", "losses", "ties", "both_inadequate")] == list(known.values())[:4]
        assert (side["times_a"], side["times_b"]) == (known["times_as_A"], known["times_as_B"])
    share = expected["position"]["A_share"]
    assert found["judge"]["a_share"].get("share") == (None if share is None else round(share, 6))


def test_dogwood_against_alder_is_six_four_seventy():
    constructed_tables("s1_four_by_eighty")
    assert five(measured()["pairs"]["alder~dogwood"]) == (4, 6, 70, 0, 80)


def test_where_nothing_is_decisive_there_is_no_share():
    constructed_tables("s4_all_ties")
    assert measured()["judge"]["a_share"] == {"a": 0, "decisive": 0}


# --- what moves a number, and what does not


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


@pytest.mark.parametrize(
    ("changes", "moved"),
    [
        ({"matters": {"title": "Another title"}}, set()),
        ({"matters": {"published": "2026-12-01"}}, {"battery"}),
        ({"attempts": {"response_sha256": "0" * 64}}, {"answers"}),
        ({"attempts": {"elapsed_ms": 7}}, set()),
        ({"verdicts": {"response_sha256": "0" * 64}}, {"verdicts"}),
        ({"verdicts": {"rationale": "Because."}}, set()),
    ],
)
def test_a_change_moves_the_digest_of_its_own_part_and_the_records(changes, moved):
    rows, before = small_record(), counted(small_record())["provenance"]
    ((name, values),) = changes.items()
    first, *rest = getattr(rows, name)
    after = counted(dataclasses.replace(rows, **{name: [dataclasses.replace(first, **values), *rest]}))["provenance"]
    differ = {part for part in before if part != "tables" and before[part] != after[part]}
    assert differ == (moved | {"record"} if moved else set())
    assert before["tables"] != after["tables"]


def test_an_attempt_that_is_not_scored_is_in_the_tables_and_in_no_digest_of_the_answers():
    rows, before = small_record(), counted(small_record())
    after = counted(dataclasses.replace(rows, attempts=[*rows.attempts, attempt("Q01", "alder", attempt=2, scored=False)]))
    assert after["provenance"]["record"] == before["provenance"]["record"]
    assert after["provenance"]["tables"]["attempts"] != before["provenance"]["tables"]["attempts"]
    assert after["coverage"]["contestants"]["alder"]["attempts"] == 4
    assert after["coverage"]["contestants"]["alder"]["answers"] == 3


def test_no_verdict_at_all_leaves_out_what_does_not_exist():
    found = counted(dataclasses.replace(small_record(), verdicts=[]))
    assert "instrument" not in found["provenance"]
    assert "share" not in found["judge"]["a_share"]
    assert found["pairs"]["alder~birch"]["missing"] == 3
    assert len(found["pairs"]) == 3


def test_a_cost_that_nobody_knows_is_left_out():
    rows = small_record()
    attempts = [dataclasses.replace(attempt, cost_usd=None) for attempt in rows.attempts]
    coverage = counted(dataclasses.replace(rows, attempts=attempts))["coverage"]
    assert "cost_usd" not in coverage
    assert coverage["cost_unknown_calls"] == coverage["calls"]


def test_costs_are_summed_exactly_and_rounded_once():
    rows = small_record()
    attempts = [dataclasses.replace(attempt, cost_usd=0.1) for attempt in rows.attempts]
    assert counted(dataclasses.replace(rows, attempts=attempts))["coverage"]["cost_usd"] == 0.8


SMALL = small_record()
WORDS = ["A", "B", "tie", "both_inadequate", "unreadable"]


@given(st.lists(st.sampled_from([*WORDS, None]), min_size=len(SMALL.verdicts), max_size=len(SMALL.verdicts)))
@settings(max_examples=40)
def test_whatever_the_judge_says_or_fails_to_say_the_pairs_add_up(words):
    said = [dataclasses.replace(v, verdict=word) for v, word in zip(SMALL.verdicts, words, strict=True) if word]
    tables = record.tables(dataclasses.replace(SMALL, verdicts=said))
    frames = {name: pd.DataFrame(tables[name], columns=columns(name)) for name in ("verdicts", "contestants", "matters")}
    pairs = measure.pairs_tree(measure.counted_pairs(frames))
    winners = [row["winner"] for row in tables["verdicts"]]
    assert all(sum(five(pair)[:4]) == pair["n"] == 3 - pair["unreadable"] - pair["missing"] for pair in pairs.values())
    assert sum(pair["wins_1"] + pair["wins_2"] for pair in pairs.values()) == sum(words.count(word) for word in "AB")
    assert sum(pair["ties"] for pair in pairs.values()) == winners.count("tie")
    assert sum(pair["unreadable"] for pair in pairs.values()) == winners.count(None)
    assert sum(pair["missing"] for pair in pairs.values()) == 9 - len(said)


# --- the files


def test_metrics_are_numbers_and_texts_by_name():
    for name, tree in counted(small_record()).items():
        for path, value in leaves(tree):
            texts = name == "provenance" or ".abandoned." in f".{path}"
            assert type(value) in ((str,) if texts else (int, float)), path


def test_a_metric_path_needs_no_quotes():
    for tree in counted(small_record()).values():
        assert not [path for path, _ in leaves(tree) if not set(path) <= set(".~_-abcdefghijklmnopqrstuvwxyz0123456789ABQ:")]


def test_a_metrics_file_reads_well():
    assert measure.metric_text({"b": 1, "a": {"d": 0.5, "c": "x"}}) == '{\n  "a": {\n    "c": "x",\n    "d": 0.5\n  },\n  "b": 1\n}\n'


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ({"a": {"b": [1]}}, r"metric a\.b is \[1\], and a metric is a number or a text"),
        ({"a": None}, "metric a is None"),
        ({"a": {"b": {"c": float("nan")}}}, r"metric a\.b\.c is nan"),
        ({"a": float("inf")}, "metric a is inf"),
        ({"a": True}, "metric a is True"),
    ],
)
def test_what_dvc_would_drop_is_refused(tree, sentence):
    with pytest.raises(ValueError, match=sentence):
        measure.metric_text(tree)


def test_the_stage_writes_five_files_that_are_the_same_every_time(project):
    write_project(project, small_record())
    record.record()
    measure.measure()
    before = {path.name: path.read_bytes() for path in Path("metrics").iterdir()}
    assert sorted(before) == ["coverage.json", "judge.json", "pairs.json", "provenance.json", "scores.json"]
    assert json.loads(before["pairs.json"]) == counted(small_record())["pairs"]
    measure.measure()
    assert {path.name: path.read_bytes() for path in Path("metrics").iterdir()} == before


def test_a_missing_table_is_refused(project, capsys):
    write_project(project, small_record())
    record.record()
    (TABLES_FOLDER / "calls.parquet").unlink()
    with pytest.raises(SystemExit) as left:
        measure.main()
    assert left.value.code == BadRecord.exit_code
    assert capsys.readouterr().err == "measure: data/tables/calls.parquet: no such file\n"


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
