"""What verify holds a record to: one changed byte of any kind is named, and so is what a dishonest author would try."""

import importlib.util
import json
import random
import re

import pytest
import yaml

from stages.runtime.errors import BadInput
from stages.schema.calls import seal
from stages.schema.canonical import text_digest
from stages.schema.jsonl import rows_text
from stages.schema.orders import AnswerOrder, RerunOrder
from tests.whole.kept import compared, files_of, put_back, verified
from tests.whole.project import ROOT, Project

ORDER = AnswerOrder("abandon", "the model was withdrawn", "A. Author", "2026-11-30T09:00:00.000Z", "dogwood", "Q01")
RERUN = RerunOrder("rerun", "it was cut off", "A. Author", "2026-11-30T09:00:00.000Z", "dogwood", "Q01", 2, "4be07c1d" * 8)
ORDERS = {f"data/orders/{order.about}/{order.file_name}": order for order in (ORDER, RERUN)}


@pytest.fixture(scope="module")
def recorded(made_once, tmp_path_factory):
    """A copy of the project with results, and orders about somebody who is not in the study."""
    project = made_once[0].copy(tmp_path_factory.mktemp("verify") / "project")
    for name, order in ORDERS.items():
        (project.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / name).write_text(rows_text([order.row()]), "utf-8")
    return project, files_of(project)


@pytest.fixture
def project(recorded):
    whole, files = recorded
    yield whole
    put_back(whole, files)


def rows_of(project, recording):
    return [json.loads(line) for line in project.read(f"data/recordings/{recording}.jsonl").decode().splitlines()]


def write(project, recording, rows):
    """Rows as a forger would leave them: each sealed again, in the order given."""
    sealed = [seal({key: value for key, value in row.items() if key != "row_sha256"}) for row in rows]
    (project.folder / f"data/recordings/{recording}.jsonl").write_text(rows_text(sealed), "utf-8")


def said_instead(row, text):
    """The row with another reply in it, its digest made right."""
    body = json.loads(row["body"])
    body["choices"][0]["message"]["content"] = text
    new = json.dumps(body)
    return {**row, "body": new, "response_sha256": text_digest(new)}


def flip(path, chance):
    """Put another letter in the place of one byte, whichever, that is in no comment."""
    text = path.read_bytes()
    commented = (
        {at for found in re.finditer(rb"(?m)^\s*#.*$|(?<=\s)#.*$", text) for at in range(*found.span())}
        if path.suffix == ".yaml"
        else set()
    )
    at = chance.choice([at for at in range(len(text)) if at not in commented])
    path.write_bytes(text[:at] + (b"x" if text[at : at + 1] != b"x" else b"y") + text[at + 1 :])


def test_nothing_fails_where_nothing_was_changed(project):
    assert verified(project) == []


@pytest.mark.parametrize(
    ("file", "named"),
    [
        *(
            (f"data/recordings/{name}.jsonl", f"data/recordings/{name}.jsonl: line")
            for name in ("answers", "assignments", "verdicts", "readings")
        ),
        ("data/matters/Q02.md", "Q02"),
        ("conf/instrument/material_outcome.yaml", "material_outcome.yaml|pins the instrument"),
        ("conf/contestant/birch.yaml", "birch"),
        ("conf/judge/owl.yaml", "owl.yaml"),
        ("conf/study/first.yaml", "first.yaml"),
        ("conf/runner/default.yaml", "default.yaml"),
        ("params.yaml", r"params.yaml"),
        *((name, f"{name}: ") for name in ORDERS),
        ("uv.lock", "uv.lock"),
        *(
            (f"metrics/{name}.json", rf"metrics/{name}.json: ")
            for name in ("coverage", "disclosures", "judge", "pairs", "provenance", "qualification", "scenarios", "scores", "timing")
        ),
    ],
)
def test_one_changed_byte_is_named_with_its_place(project, file, named):
    flip(project.folder / file, random.Random(file))
    failures = verified(project)
    assert any(re.search(named, failure) for failure in failures), failures


@pytest.mark.parametrize("name", ["coverage", "judge", "pairs", "scenarios", "scores", "timing"])
def test_a_number_and_dvc_lock_forged_together_are_counted_again(project, name):
    (project.folder / "dvc.lock").unlink()
    path = project.folder / f"metrics/{name}.json"
    places = [found.end(1) for found in re.finditer(r": (-?[0-9.]+)(?=,?\n)", path.read_text("utf-8"))]
    text, end = path.read_text("utf-8"), random.Random(name).choice(places)
    last = text[end - 1]
    path.write_text(text[: end - 1] + ("7" if last != "7" else "8") + text[end:], "utf-8")
    assert any(f"metrics/{name}.json: " in failure and "counted" in failure for failure in verified(project))


def test_a_count_in_a_sentence_and_a_sentence_that_is_gone_are_seen(project):
    (project.folder / "dvc.lock").unlink()
    told = project.metrics("disclosures")
    (kind, name), sentence = ("judging", "one_judge"), told["judging"]["one_judge"]
    assert sentence.startswith("The 6 verdicts are")
    place = f"metrics/disclosures.json: {kind}.{name}.verdicts"
    for forged, says in ((sentence.replace("6", "7", 1), "is 7, counted 6"), ("All is well.", "is not there, counted 6")):
        project.edit("metrics/disclosures.json", json.dumps(sentence), json.dumps(forged))
        assert any(f"{place} {says}" in failure for failure in verified(project))
        project.edit("metrics/disclosures.json", json.dumps(forged), json.dumps(sentence))


def test_an_expected_digest_that_is_another_fails_and_one_that_is_none_is_refused(project):
    record = project.metrics("provenance")["record"]
    assert verified(project, expect=record) == []
    assert verified(project, expect="0" * 64) == [
        f"the record digest is the expected one: expected {'0' * 64}, and the record here is {record}"
    ]
    with pytest.raises(BadInput, match="64 digits"):
        verified(project, expect=record[:12])


def test_a_name_in_the_instruments_words_is_seen(project):
    project.edit("conf/instrument/material_outcome.yaml", "by outcome", "by outcome, as model-birch would")
    assert any("its request names birch in words of Moot's" in failure for failure in verified(project))


@pytest.mark.parametrize("words", ["contestant=nobody", "alder", "judge=owl", "contestant=alder"])
def test_only_a_local_contestant_is_asked_again(project, words):
    with pytest.raises(BadInput, match=r"contestant=NAME|served by somebody else"):
        verified(project, live=words)


# ---- what a dishonest author would try


def test_rows_in_another_order_are_seen(project):
    rows = rows_of(project, "verdicts")
    write(project, "verdicts", [rows[1], rows[0], *rows[2:]])
    assert any("data/recordings/verdicts.jsonl: line 2" in failure and "is not in its place" in failure for failure in verified(project))


def test_two_answers_with_exchanged_texts_are_seen(project):
    rows = rows_of(project, "answers")
    one, two = (json.loads(row["body"])["choices"][0]["message"]["content"] for row in rows[:2])
    write(project, "answers", [said_instead(rows[0], two), said_instead(rows[1], one), *rows[2:]])
    failures = verified(project)
    assert any("requests of verdicts rebuilt" in failure and "Q01:" in failure for failure in failures)


def test_an_exchanged_side_is_seen(project):
    rows = rows_of(project, "assignments")
    rows[0] |= {"answer_a_was": rows[0]["answer_b_was"], "answer_b_was": rows[0]["answer_a_was"]}
    write(project, "assignments", rows)
    assert any("requests of verdicts rebuilt" in failure for failure in verified(project))


def test_verdicts_of_another_judge_under_this_ones_name_are_seen(project):
    rows = rows_of(project, "verdicts")
    write(project, "verdicts", [{**row, "judge": "eagle"} for row in rows])
    failures = verified(project)
    assert any("its recorded row states another judge than its request" in failure for failure in failures)


def test_a_row_in_another_recording_is_seen(project):
    answers, verdicts = rows_of(project, "answers"), rows_of(project, "verdicts")
    write(project, "answers", answers[1:])
    write(project, "verdicts", [answers[0], *verdicts])
    failures = verified(project)
    assert any("belongs in answers.jsonl" in failure for failure in failures)


def test_a_backdated_call_is_seen_in_the_tables(project):
    rows = rows_of(project, "answers")
    write(project, "answers", [{**rows[0], "started_at": "2025-01-01T00:00:00.000Z"}, *rows[1:]])
    failures = verified(project)
    assert any("tables.attempts is" in failure for failure in failures)
    assert any("metrics/provenance.json: record is" in failure for failure in failures)


def test_a_forgery_that_is_consistent_all_through_shows_against_a_published_digest_and_in_the_history(made_once, tmp_path):
    """A verdict, its reading, a date and everything that follows from them, changed together: nothing in the record contradicts it."""
    project = made_once[0].copy(tmp_path / "forged")
    published = project.metrics("provenance")["record"]
    rows, readings = rows_of(project, "verdicts"), rows_of(project, "readings")
    reply = json.loads(json.loads(rows[0]["body"])["choices"][0]["message"]["content"])
    reply["verdict"] = "tie" if reply["verdict"] != "tie" else "both_inadequate"
    forged = {**said_instead(rows[0], json.dumps(reply)), "started_at": "2025-01-01T00:00:00.000Z"}
    write(project, "verdicts", [forged, *rows[1:]])
    same = [row["request_sha256"] == forged["request_sha256"] for row in readings]
    new = {"response_sha256": forged["response_sha256"], "verdict": reply["verdict"]}
    write(project, "readings", [{**row, **new} if hit else row for row, hit in zip(readings, same, strict=True)])
    (project.folder / "dvc.lock").unlink()  # `dvc repro` would write it anew
    project.flow()
    assert verified(project) == []
    assert any("the record digest is the expected one" in failure for failure in verified(project, expect=published))
    found, said = compared(project, "HEAD")
    assert "HISTORY REWRITTEN: verdict Q01" in said
    assert "another body, response_sha256, started_at" in said
    assert sum(part.get("re_judged", 0) for outcomes in found["pairs"].values() for part in outcomes.values()) == 0
    assert {name for outcomes in found["pairs"].values() for part in outcomes.values() for name in part} == {"before", "after", "re_judged"}


@pytest.mark.live
@pytest.mark.skipif(not importlib.util.find_spec("xllamacpp"), reason="needs the extra `local`")
def test_a_local_models_answer_bought_again_is_the_same_and_a_forged_one_is_not_live(server, tmp_path):
    """Eight tokens of the 135M model. The journal is as it was afterwards: what is asked again is compared and forgotten."""
    project = Project(tmp_path / "project", server.base_url, matters=1)
    local = yaml.safe_load((ROOT / "conf/contestant/smollm-135m.yaml").read_text())
    local["server"]["threads"], local["decoding"]["max_tokens"] = 1, 8
    project.conf("contestant", "sapling", local)
    project.choose(contestants=["alder", "sapling"])
    project.flow()
    journal = {path: path.read_bytes() for path in project.journal.rglob("*") if path.is_file()}
    assert verified(project, live="contestant=sapling", sample=1) == []
    rows = rows_of(project, "answers")
    write(project, "answers", [said_instead(row, "forged") if row["contestant"] == "sapling" else row for row in rows])
    assert any("the reply is another one from character" in failure for failure in verified(project, live="contestant=sapling", sample=1))
    assert {path: path.read_bytes() for path in project.journal.rglob("*") if path.is_file()} == journal
