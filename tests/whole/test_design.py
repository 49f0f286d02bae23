"""Choices of a study that are off by default: an unreadable reply asked for again, with every reply kept."""

import json

from tests.loopback import Loopback
from tests.whole.project import Project, Till

GOOD = json.dumps({"material_difference": True, "rationale": "R.", "rejected_points": [], "verdict": "A"})


def stubborn(failures):
    """A judge whose first replies to each question cannot be read."""
    asked_before = {}

    def reply(asked):
        if "response_format" not in asked:
            return f"Answer of {asked['model']}."
        question = asked["messages"][1]["content"]
        asked_before[question] = asked_before.get(question, 0) + 1
        return GOOD if asked_before[question] > failures else "I cannot decide."

    return reply


def test_by_default_an_unreadable_reply_is_not_asked_for_again(tmp_path):
    with Loopback(reply=stubborn(1)) as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        project.flow()
        assert till.sold() == (3, 3)
        assert project.metrics("judge")["verdicts"]["unreadable"] == 3
        assert project.metrics("pairs")["alder~birch"] | {"planned": 1} == {
            "wins_1": 0, "wins_2": 0, "ties": 0, "both_inadequate": 0, "n": 0, "unreadable": 1, "missing": 0, "planned": 1,
        }  # fmt: skip


def test_asking_again_keeps_every_reply_counts_the_last_and_pays_for_all(tmp_path):
    with Loopback(reply=stubborn(2)) as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        project.change("judge", "owl", ask_again=3)
        project.flow()
        assert till.sold() == (3, 9)
        assert project.metrics("judge")["verdicts"] == {"A": 3, "B": 0, "tie": 0, "both_inadequate": 0, "unreadable": 0}
        rows = [json.loads(line) for line in project.read("data/work/verdicts.jsonl").splitlines()]
        assert [row["scored"] for row in rows] == [False, False, True] * 3
        assert project.metrics("coverage")["calls"] == 12
        assert "0 failed" in project.run("python", "-m", "stages", "verify").stdout
        project.commit("Results")
        project.flow()
        assert till.sold() == (0, 0)
        assert project.clean()


def test_a_reply_that_never_becomes_readable_stays_unreadable(tmp_path):
    with Loopback(reply=stubborn(99)) as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        project.change("judge", "owl", ask_again=1)
        project.flow()
        assert till.sold() == (3, 6)
        assert project.metrics("judge")["verdicts"]["unreadable"] == 3


def test_a_better_reader_rereads_for_free_and_lists_what_changed(tmp_path):
    said = f"The verdict follows.\n{GOOD}"
    with Loopback(reply=lambda asked: said if "response_format" in asked else f"Answer of {asked['model']}.") as server:
        project, till = Project(tmp_path / "project", server.base_url, matters=1), Till(server)
        project.flow()
        assert project.metrics("judge")["verdicts"]["unreadable"] == 3
        till.sold()
        lenient = '    lines = text.strip(_JSON_SPACE).split("\\n")\n'
        project.edit(
            "stages/instrument/reader.py", lenient, lenient + '    lines = lines[1:] if lines[0].startswith("The verdict") else lines\n'
        )
        refused = project.flow(ok=False)
        assert "a changed reader needs a new version" in refused.stderr
        project.edit("stages/instrument/reader.py", 'READER = "reader-1"', 'READER = "reader-2"')
        told = project.flow()
        assert (told.stderr + told.stdout).count("reader-1 read unreadable, reader-2 reads A") == 3
        assert till.sold() == (0, 0)
        assert project.metrics("judge")["verdicts"]["A"] == 3
        rows = [json.loads(line) for line in project.read("data/recordings/readings.jsonl").splitlines()]
        assert sorted(row["reader"] for row in rows) == ["reader-1"] * 3 + ["reader-2"] * 3
