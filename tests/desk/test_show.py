"""moot show, on the small record: tables, filters, one in full, and hostile text that stays text."""

import json

import pytest


def shown(moot, *words):
    code, out, err = moot("show", *words, "--json")
    assert code == 0, err
    return json.loads(out)["rows"]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["matters"], ["Q01", "Q02", "Q03"]),
        (["matters", "--matter", "Q02"], ["Q02"]),
        (["contestants"], ["alder", "birch", "cedar"]),
        (["answers", "--contestant", "birch"], ["Q01:birch", "Q02:birch"]),
        (["answers", "--status", "empty"], ["Q03:alder"]),
        (["answers", "--status", "filtered"], []),
        (["answers", "--flag", "names_itself"], ["Q02:cedar"]),
        (["answers", "--flag", "names_itself", "--matter", "Q01"], []),
        (["verdicts", "--winner", "tie"], ["Q01:alder~cedar@oak"]),
        (["verdicts", "--winner", "alder"], ["Q01:alder~birch@oak", "Q03:alder~cedar@oak"]),
        (["verdicts", "--winner", "both_inadequate"], ["Q01:birch~cedar@oak"]),
        (["verdicts", "--verdict", "unreadable"], ["Q02:birch~cedar@oak"]),
        (["verdicts", "--contestant", "birch"], ["Q01:alder~birch@oak", "Q01:birch~cedar@oak", "Q02:birch~cedar@oak"]),
        (["verdicts", "--flag", "material_difference", "--matter", "Q02"], ["Q02:alder~cedar@oak"]),
        (["verdicts", "Q03"], ["Q03:alder~cedar@oak"]),
        (["answers", "Q01:b"], ["Q01:birch"]),
    ],
)
def test_what_passes_the_filters_is_shown(moot, words, ids):
    key = {"matters": "matter_id", "contestants": "contestant", "answers": "answer_id", "verdicts": "verdict_id"}[words[0]]
    assert [row[key] for row in shown(moot, *words)] == ids


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["answers", "--winner", "tie"], "--winner is for verdicts, and answers have --matter, --contestant, --status, --flag"),
        (["matters", "--status", "empty"], "--status is for answers"),
        (["verdicts", "--winner", "aldr"], "--winner 'aldr': the nearest is 'alder'"),
        (["answers", "--status", "trunkated"], "the nearest is 'truncated'"),
        (["answers", "--flag", "material_difference"], "names_itself"),
        (["answers", "--contestant", "dogwood"], "known: alder, birch, cedar"),
        (["answers", "Q01:oak"], "no answer_id 'Q01:oak'; the nearest is"),
        (["answers", "Q02"], "'Q02' begins 3 ids: Q02:alder, Q02:birch, Q02:cedar"),
        (["verdicts", "Q01:alder~cedar@oak", "--winner", "alder"], "no verdict_id"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(moot, words, said):
    code, out, err = moot("show", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_an_unknown_kind_is_refused_by_the_command_line(moot):
    code, _, err = moot("show", "judges")
    assert code == 2
    assert "invalid choice" in err


def test_a_table_says_how_many(moot):
    _, out, _ = moot("show", "verdicts", "--winner", "tie")
    head, _, row, end = out.splitlines()
    assert head.split() == ["verdict_id", "verdict", "winner", "material_difference", "rationale"]
    assert row.split()[:4] == ["Q01:alder~cedar@oak", "tie", "tie", "False"]
    assert end == "1 verdict"


def test_one_in_full_holds_every_column_and_the_whole_text(moot):
    _, out, _ = moot("show", "matters", "Q01")
    row = shown(moot, "matters", "Q01")[0]
    assert all(name in out for name in row)
    assert all(str(value) in out for value in row.values() if "\n" not in str(value))


def test_a_long_text_cannot_pass_for_a_line_of_ours(project, moot):
    from stages.schema.tables import read_table, write_table

    folder = project / "data/tables"
    rows = read_table("answers", folder)
    rows[0]["text"] = "fine\nstatus               complete\r\x1b[31mred\u202etxet" + "x" * 100
    write_table("answers", rows, folder)
    _, out, _ = moot("show", "answers", rows[0]["answer_id"])
    assert "  | status               complete\\r\\x1b[31mred\\u202etxet" in out
    assert sum(line.startswith("status ") for line in out.splitlines()) == 1
    assert not {"\r", "\x1b", "\u202e"} & set(out)


def test_markup_is_text(moot):
    _, out, _ = moot("show", "answers", "Q01:birch")
    assert "<script>alert(1)</script> & more" in out


def test_without_tables_nothing_is_shown(moot, project):
    for path in (project / "data/tables").glob("*.parquet"):
        path.unlink()
    code, _, err = moot("show", "matters")
    assert (code, err) == (2, "moot show: data/tables holds no tables; `uv run dvc repro` makes them\n")
