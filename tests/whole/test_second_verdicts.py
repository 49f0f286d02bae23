"""Both orders and second judges: off by default, each buys exactly what it adds, and none of it moves a score."""

import json
import re
import shutil

import pytest

from stages.desk.plan import told
from stages.schema.controls import KINDS
from stages.schema.tables import SECOND, read_table, write_table
from tests.loopback import Loopback
from tests.whole.at_the_desk import asked
from tests.whole.kept import audited, compared, verified
from tests.whole.project import ROOT, Project, Till, model
from tests.whole.test_blindness import declared, opened

NAMES = ["alder", "birch", "cedar"]  # of falling worth to a judge that is right by content
PAIRINGS = 3
THRESHOLDS = {"passing_rate": 0.9, "order_consistency": 0.9, "matters": 1}


def reply(question):
    """Owl always says A. Elm, and every other judge, finds for the better text wherever it stands. A contestant names itself."""
    if "response_format" not in question:
        return f"Constructed answer of {question['model']}."
    shown = question["messages"][-1]["content"]
    places = [shown.index(f"model-{name}") for name in NAMES if f"model-{name}" in shown]
    right = "tie" if len(places) < 2 else "A" if places[0] < places[1] else "B"  # a control shows no contestant's text
    right = "A" if question["model"] == "model-owl" else right
    return json.dumps({"material_difference": True, "rationale": "Constructed.", "rejected_points": [], "verdict": right})


@pytest.fixture(scope="module")
def sold(tmp_path_factory):
    """A project that asked for neither, then for both orders, then for a second judge as well; and what stood there at each time."""
    with Loopback(reply=reply) as server:
        project, till = Project(tmp_path_factory.mktemp("second") / "project", server.base_url, matters=1), Till(server)
        project.conf("judge", "elm", model(server.base_url, "elm", decoding={"max_tokens": 256, "temperature": 0.0, "seed": 1}))
        states, sales = {}, {}
        both = {"both_orders": True, "judges": ["elm"]}
        for name, ask in [("off", {}), ("orders", {"both_orders": True}), ("panel", {"judges": ["elm"]}), ("both", both)]:
            asking(project, **ask)
            supposed = asked(project, "plan")["calls"]
            project.flow(pages=True)
            sales[name] = till.sold()
            states[name] = state(project)
            project.commit(name)
            assert supposed == {"at_least": sum(sales[name]), "at_most": sum(sales[name])}, name
        yield project, till, sales, states


def asking(project, both_orders=False, judges=()):
    project.change("study", "first", both_orders=both_orders)
    project.choose(panel={"second_judges": list(judges)})


def state(project):
    places = [*(project.folder / "data/tables").glob("*.parquet"), *(project.folder / "metrics").glob("*.json")]
    files = {path.relative_to(project.folder).as_posix(): path.read_bytes() for path in places}
    return {**files, **project.recordings()}


def rows_of(data):
    return [json.loads(line) for line in data.splitlines()]


def test_each_design_buys_exactly_what_it_adds(sold):
    _, _, sales, _ = sold
    assert sales["off"] == (3, PAIRINGS)
    assert sales["orders"] == (0, PAIRINGS), "one more verdict for each pairing"
    assert sales["panel"] == (0, PAIRINGS), "one verdict of the second judge for each pairing; the other order is off again"
    assert sales["both"] == (0, PAIRINGS), "the second judge's on the other order; the first's are recorded"


def test_no_score_no_headline_table_and_no_earlier_row_moves(sold):
    _, _, _, states = sold
    headline = ["verdicts", "assignments", "answers", "attempts", "judges", "controls", "rejected_points"]
    same = [
        *(f"data/tables/{name}.parquet" for name in headline),
        *(f"metrics/{name}.json" for name in ("pairs", "scores", "judge", "qualification")),
    ]
    for name, after in states.items():
        kept = [file for file in same if name in ("off", "orders") or file != "metrics/qualification.json"]
        assert [file for file in kept if states["off"][file] != after[file]] == [], name
        for recording in ("answers.jsonl", "assignments.jsonl", "verdicts.jsonl", "readings.jsonl"):
            assert set(states["off"][recording].splitlines()) <= set(after[recording].splitlines())
    records = {json.loads(after["metrics/provenance.json"])["record"] for after in states.values()}
    assert len(records) == 1


def test_off_there_is_nothing_beside_the_scores(sold):
    _, _, _, states = sold
    off = states["off"]
    assert json.loads(off["metrics/agreement.json"]) == {"both_orders": False, "judges": 1}
    assert not set(json.loads(off["metrics/provenance.json"])["tables"]) & set(SECOND)
    assert {row["rule"] for row in rows_of(off["assignments.jsonl"])} == {"coin-1"}


def test_switching_off_buys_nothing_leaves_every_row_and_gives_the_same_bytes_again(sold, tmp_path):
    project, till, _, states = sold
    copy = project.copy(tmp_path / "copy")
    till.sold()
    asking(copy)
    copy.flow()
    assert till.sold() == (0, 0)
    after = state(copy)
    assert copy.recordings() == project.recordings()
    assert {name for name in states["off"] if name.startswith(("data", "metrics")) and after[name] != states["off"][name]} == set()
    asking(copy, both_orders=True, judges=["elm"])
    copy.flow()
    assert till.sold() == (0, 0)
    assert state(copy) == states["both"]


def test_a_judge_that_always_says_a_is_never_consistent_and_one_that_is_right_by_content_always(sold):
    project, *_ = sold
    found = project.metrics("agreement")
    assert (found["both_orders"], found["judges"]) == (True, 2)
    owl, elm = found["by_judge"]["owl"]["orders"], found["by_judge"]["elm"]["orders"]
    assert owl["consistency"]["value"] == 0.0
    assert (owl["first_place"], owl["second_place"], owl["n"], owl["reversals"]["n"]) == (PAIRINGS, 0, PAIRINGS, PAIRINGS)
    assert elm["consistency"]["value"] == 1.0
    assert (elm["first_place"], elm["second_place"], elm["n"], elm["reversals"]["n"]) == (0, 0, PAIRINGS, 0)
    assert found["by_judge"]["elm"]["pairs"]["alder~cedar"]["wins_1"] == 1
    assert found["by_judge"]["elm"]["pairs"]["birch~cedar"]["wins_1"] == 1
    assert found["by_judge"]["owl"]["a_share"]["share"] == 1.0
    first, turned = found["between"]["elm~owl"]["first_order"], found["between"]["elm~owl"]["turned_order"]
    assert round(first["raw"] + turned["raw"], 5) == 1, "elm says A of each pairing in one of its orders"


def test_the_pages_show_them_apart_and_how_far_they_agree(sold):
    project, *_ = sold
    pages = [path.read_text("utf-8") for path in (project.folder / "data/site/pairings").glob("*.html")]
    assert [page.count("stands apart, not scored") for page in pages] == [3] * PAIRINGS
    assert [page.count('<span class="tag strong">scored</span>') for page in pages] == [1] * PAIRINGS
    judge = project.read("data/site/judges/owl.html").decode("utf-8")
    assert 'id="orders"' in judge
    assert "elm and owl" in judge


def test_winners_of_the_other_order_are_read_from_its_own_stored_row(sold):
    project, *_ = sold
    stored = rows_of(project.read("data/recordings/assignments.jsonl"))
    sides = {(row["contestant_1"], row["contestant_2"], row["rule"] == "turned-1"): row for row in stored}
    assert len(sides) == len(stored) == 2 * PAIRINGS
    rows = read_table("second_verdicts", project.folder / "data/tables")
    assert len(rows) == 3 * PAIRINGS
    for row in rows:
        own = sides[row["contestant_1"], row["contestant_2"], row["turned"]]
        assert (row["answer_a_was"], row["answer_b_was"]) == (own["answer_a_was"], own["answer_b_was"])
        assert row["winner"] == own["answer_a_was" if row["verdict"] == "A" else "answer_b_was"]


def test_every_verdict_is_in_the_one_recording_under_its_judge(sold):
    project, *_ = sold
    rows = rows_of(project.read("data/recordings/verdicts.jsonl"))
    assert sorted(row["judge"] for row in rows) == ["elm"] * 2 * PAIRINGS + ["owl"] * 2 * PAIRINGS
    assert {row["judge"] for row in read_table("verdicts", project.folder / "data/tables")} == {"owl"}


def test_verify_rebuilds_reads_and_counts_the_second_verdicts_too(sold, tmp_path):
    project, *_ = sold
    assert verified(project) == []
    said = project.run("python", "-m", "stages", "verify").stdout
    assert "    12  requests of verdicts rebuilt" in said
    assert "    12  verdicts read again" in said
    assert "     6  stored assignments name their two contestants" in said
    for file, old, new, place in [
        ("data/recordings/verdicts.jsonl", '"model":"model-elm"', '"model":"model-fir"', "verdicts.jsonl: line 1"),
        ("metrics/agreement.json", '"first_place": 3', '"first_place": 2', "by_judge.owl.orders.first_place is 2, counted 3"),
        ("metrics/agreement.json", '"raters": 2', '"raters": 3', "between.elm~owl.first_order.raters is 3, counted 2"),
    ]:
        before = project.read(file)
        project.edit(file, old, new)
        failed = verified(project)
        (project.folder / file).write_bytes(before)
        assert place in "\n".join(failed)


def test_a_changed_second_table_is_found(sold, tmp_path):
    project, *_ = sold
    copy = project.copy(tmp_path / "copy")
    rows = read_table("second_verdicts", copy.folder / "data/tables")
    write_table(
        "second_verdicts", [{**row, "rationale": "Another."} if row["turned"] else row for row in rows], copy.folder / "data/tables"
    )
    assert any("second_verdicts.parquet: row 2 (Q01:alder~birch@elm@turned): rationale is not what" in each for each in verified(copy))


def test_diff_names_what_a_design_adds_and_no_pairing_moves(sold):
    project, *_ = sold
    found, said = compared(project, "HEAD~3", "HEAD")
    assert (found["pairs"], found["pairings"]) == ({}, [])
    assert found["changed"]["second judges"] == ["second judge elm joined"]
    (new,) = found["changed"]["second verdicts"]
    assert new.startswith("9 new: Q01:alder~birch@elm, Q01:alder~birch@elm@turned, Q01:alder~birch@owl@turned")
    assert "both_orders was False, is True" in said
    assert found["numbers"]["agreement"] > 0
    assert "scores" not in found["numbers"]


def test_plan_says_why_a_second_verdict_is_bought_and_what_waits_for_an_answer(sold, tmp_path):
    project, *_ = sold
    copy = project.copy(tmp_path / "copy")
    path = copy.folder / "data/recordings/verdicts.jsonl"
    lines = [row for row in path.read_text("utf-8").splitlines(keepends=True) if '"judge":"elm"' not in row]
    path.write_text("".join(lines), "utf-8")
    shutil.rmtree(copy.journal)
    found = asked(copy, "plan")
    assert (found["verdicts"]["to_buy"], found["second_verdicts"]["to_buy"]) == (0, 2 * PAIRINGS)
    assert {row["because"] for row in found["missing"]} == {"new judge: nothing of elm is recorded"}
    assert [(buyer["name"], buyer["calls_at_most"]) for buyer in found["buyers"]] == [("elm", 2 * PAIRINGS)]
    assert "second verdicts" in told(found)
    copy.change("contestant", "alder", system="Another prompt.")
    waiting = asked(copy, "plan")
    assert waiting["calls"] == {"at_least": 1 + 2 * PAIRINGS, "at_most": 1 + 2 * PAIRINGS + 4}, "owl's four on alder's may be taken again"
    assert (waiting["verdicts"]["perhaps"], waiting["second_verdicts"]["perhaps"]) == (2, 2)


def test_a_missing_turned_row_and_a_missing_second_verdict_are_found(sold, tmp_path):
    project, *_ = sold
    copy = project.copy(tmp_path / "copy")
    path = copy.folder / "data/recordings/verdicts.jsonl"
    path.write_text("".join(line for line in path.read_text("utf-8").splitlines(keepends=True) if '"judge":"elm"' not in line), "utf-8")
    failed = copy.run("python", "-m", "stages", "verify", ok=False).stderr
    assert "Q01:alder~birch@elm: no recorded reply" in failed
    assert "Q01:alder~birch@elm@turned: no recorded reply" in failed
    path = copy.folder / "data/recordings/assignments.jsonl"
    path.write_text("".join(line for line in path.read_text("utf-8").splitlines(keepends=True) if "turned-1" not in line), "utf-8")
    failed = copy.run("python", "-m", "stages", "verify", ok=False).stderr
    assert "Q01:alder~birch has no stored assignment of its other order" in failed


def test_audit_shows_what_a_second_verdict_rests_on(sold):
    project, *_ = sold
    first, other = (audited(project, name) for name in ("Q01:alder~birch", "Q01:alder~birch@elm@turned"))
    sides = [(each["assignment"]["answer_a_was"], each["assignment"]["answer_b_was"]) for each in (first, other)]
    assert sides[0] == sides[1][::-1]
    assert (first["judge"]["judge"], other["judge"]["judge"], other["assignment"]["rule"]) == ("owl", "elm", "turned-1")
    assert first["assignment"]["recorded_at"] != other["assignment"]["recorded_at"]
    assert other["verdict_id"] == "Q01:alder~birch@elm@turned"
    assert audited(project, other["request_sha256"])["id"] == other["id"]
    assert audited(project, other["assignment"]["recorded_at"])["id"] == "Q01:alder~birch@owl@turned"
    assert len(audited(project, "conf/judge/elm.yaml")["verdicts"]) == 2 * PAIRINGS


def test_audit_walks_from_a_number_beside_the_scores_to_its_rows(sold):
    project, *_ = sold
    found = audited(project, "agreement:by_judge.owl.orders.first_place")
    assert len(found["enter"]) == PAIRINGS
    assert audited(project, next(iter(found["enter"])))["kind"] == "verdict"
    units = audited(project, "agreement:between.elm~owl.turned_order.units")
    assert audited(project, next(iter(units["enter"])))["id"].endswith("@turned")


def test_a_second_judge_is_tested_on_the_same_controls_and_stands_apart(sold, tmp_path):
    project, till, _, states = sold
    copy = project.copy(tmp_path / "copy")
    shutil.copy(ROOT / "tests/golden/controls/Q01.md", copy.folder / "data/controls")
    copy.edit("data/controls/Q01.md", "use: settling", "use: testing")
    asking(copy)
    till.sold()
    copy.flow()
    assert till.sold() == (0, 0), "neither judge has thresholds, so neither is asked a control"
    for judge in ("owl", "elm"):
        copy.change("judge", judge, qualifies=THRESHOLDS)
    controls = 2 * len(KINDS)
    copy.flow()
    assert till.sold() == (0, controls)
    alone = copy.metrics("qualification")
    asking(copy, judges=["elm"])
    assert asked(copy, "plan")["controls"]["to_buy"] == controls
    copy.flow()
    assert till.sold() == (0, controls)
    assert verified(copy) == []
    found = copy.metrics("qualification")
    assert {key: value for key, value in found.items() if key != "second_judges"} == alone
    assert found["second_judges"]["elm"]["testing"]["matters"] == 1
    assert audited(copy, "Q01:identical:1@elm")["judge"]["judge"] == "elm"
    assert len(read_table("controls", copy.folder / "data/tables")) == controls
    assert {row["judge"] for row in read_table("second_controls", copy.folder / "data/tables")} == {"elm"}
    assert copy.metrics("pairs") == json.loads(states["off"]["metrics/pairs.json"])
    copy.change("judge", "elm", qualifies=None)
    copy.flow()
    assert "sets no thresholds" in copy.metrics("qualification")["second_judges"]["elm"]["because"]
    assert read_table("second_controls", copy.folder / "data/tables") == []
    assert verified(copy) == []


def test_the_limits_of_a_run_hold_for_all_judges_together_and_what_cannot_be_had_is_known_before_anything_is_bought(sold, tmp_path):
    project, till, *_ = sold
    copy = project.copy(tmp_path / "copy")
    till.sold()
    copy.conf("judge", "fir", model(project.base_url, "fir", key_env="LOOPBACK_KEY"))
    copy.conf("judge", "oak", model(project.base_url, "oak"))
    asking(copy, judges=["oak", "fir"])
    refused = copy.stage("judge", ok=False)
    assert refused.returncode == 4
    assert "LOOPBACK_KEY" in refused.stderr
    assert till.sold() == (0, 0), "oak needs no key, and yet nothing of its is bought"
    copy.change("runner", "default", max_calls=2 * PAIRINGS - 1)
    limited = copy.stage("judge", ok=False, LOOPBACK_KEY="k")
    assert limited.returncode == 8
    assert till.sold()[1] <= 2 * PAIRINGS - 1
    assert copy.recordings()["assignments.jsonl"] == project.recordings()["assignments.jsonl"]


def test_a_gap_of_a_second_judge_can_be_ended_and_the_scores_stay(sold, tmp_path):
    project, till, _, states = sold
    copy = project.copy(tmp_path / "copy")
    copy.conf("judge", "fir", model(project.base_url, "fir"))
    asking(copy, both_orders=True, judges=["fir"])
    reason = ["--reason", "its endpoint refuses this text", "--by", "A. Author"]
    for name in ("Q01:alder~birch@fir", "Q01:alder~birch@fir@turned"):
        copy.run("python", "-m", "stages", "abandon", "--pairing", name, *reason)
    assert {kind: n for kind, n in asked(copy, "plan")["second_verdicts"].items() if n} == {
        "planned": 3 * PAIRINGS, "recorded": PAIRINGS, "abandoned": 2, "to_buy": 2 * (PAIRINGS - 1),
    }  # fmt: skip
    till.sold()
    copy.flow()
    assert till.sold() == (0, 2 * (PAIRINGS - 1))
    assert verified(copy) == []
    assert sorted(copy.metrics("coverage")["abandoned"]) == ["Q01:alder~birch", "Q01:alder~birch@turned"]
    found = copy.metrics("agreement")["by_judge"]
    assert (found["fir"]["pairs"]["alder~birch"]["missing"], found["owl"]["pairs"]["alder~birch"]["missing"]) == (1, 0)
    assert (found["fir"]["orders"]["missing"], found["owl"]["orders"]["missing"]) == (1, 0)
    assert copy.metrics("pairs") == json.loads(states["off"]["metrics/pairs.json"])


def test_the_stages_open_nothing_more_than_they_declare_and_the_judge_is_as_blind(sold, tmp_path):
    project, *_ = sold
    copy = project.copy(tmp_path / "project")
    rows = rows_of(copy.read("data/work/presentations.jsonl"))
    assert {frozenset(row) for row in rows} == {frozenset({"presentation_id", "matter_id", "answer_a", "answer_b"})}
    assert [row["presentation_id"] for row in rows] == sorted(row["presentation_id"] for row in rows)
    assert len(rows) == 2 * PAIRINGS
    for stage in ("conceal", "judge", "record"):
        allowed, found = declared(copy, stage), opened(copy, stage)
        assert [name for name in found if not any(name == place or name.startswith(place + "/") for place in allowed)] == []
        telling = [name for name in found if re.search("assignments|attempts|answers|contestant|pairings|params.yaml", name)]
        assert bool(telling) == (stage != "judge")


def test_dvc_hands_the_second_judges_to_the_stages_that_ask_them(project):
    for judges, words in [([], ""), (["elm"], "--second_judges elm"), (["elm", "oak"], "--second_judges elm oak")]:
        project.choose(panel={"second_judges": judges})
        for stage in ("judge", "qualify"):
            said = project.dvc("repro", "--dry", "--force", "--single-item", stage).stdout
            assert f"> python -m stages.{stage} judge=owl instrument=material_outcome runner=default {words}".strip() in said
            assert ("--second_judges" in said) == bool(judges)
