"""Why numbers moved, on real repositories: each cause by itself, sums that are exact, and revisions that are not there."""

import subprocess
from contextlib import chdir

import pytest

from stages.runtime.errors import BadInput
from tests.whole.kept import compared


def sums(found):
    return [
        (part["before"], part["after"], {k: v for k, v in part.items() if k not in ("before", "after")})
        for each in found["pairs"].values()
        for part in each.values()
    ]


@pytest.fixture(scope="module")
def twice(made_once, tmp_path_factory):
    """A project with a second commit: a matter edited, a contestant's prompt changed, a fourth contestant, a matter more."""
    project = made_once[0].copy(tmp_path_factory.mktemp("diff") / "project")
    project.edit("data/matters/Q02.md", "## Law\n\n", "## Law\n\nMore. ")
    project.change("contestant", "alder", system="Another prompt.")
    project.choose(contestants=["alder", "birch", "cedar", "dogwood"])
    project.flow()
    project.commit("A second state")
    return project


def test_every_moved_pairing_has_one_cause_and_the_parts_sum_exactly(twice):
    found, said = compared(twice, "HEAD~1", "HEAD")
    assert all(before + sum(causes.values()) == after for before, after, causes in sums(found))
    causes = {(each["matter_id"], each["pair"]): each["cause"] for each in found["pairings"]}
    assert all(cause == "contestants" for (_, pair), cause in causes.items() if "dogwood" in pair)
    assert all(cause == "edited_matters" for (matter, pair), cause in causes.items() if matter == "Q02" and "dogwood" not in pair)
    assert all(cause == "re_answered" for (matter, pair), cause in causes.items() if matter == "Q01" and "dogwood" not in pair)
    assert "contestant dogwood joined" in said
    assert "Q02: another law" in said
    assert "alder: system was Constructed system prompt of alder., is Another prompt." in said
    assert found["numbers"]["pairs"] > 0


def test_a_state_against_itself_has_not_moved(twice):
    found, said = compared(twice, "HEAD")
    assert (found["changed"], found["pairs"], found["pairings"], found["numbers"]) == ({}, {}, [], {})
    assert said.endswith("nothing changed\n")


def test_markdown_can_act_as_nothing(twice):
    twice.edit("data/matters/Q01.md", "title: ", "title: <b>|")
    _, said = compared(twice, "HEAD", md=True)
    twice.git("checkout", "data/matters/Q01.md")
    assert "- Q01: another title" in said
    _, said = compared(twice, "HEAD~1", "HEAD", md=True)
    assert r"| alder\~dogwood |" in said
    assert "<b>" not in said


def test_a_shallow_clone_says_that_it_is_one(twice, tmp_path):
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{twice.folder}", str(tmp_path / "clone")], check=True)
    with chdir(tmp_path / "clone"):
        from stages.desk.moved.revisions import commit_of

        with pytest.raises(BadInput, match="shallow; `git fetch --unshallow`"):
            commit_of("HEAD~1")


@pytest.mark.parametrize("revision", ["nowhere", "--help", "HEAD~99", ""])
def test_a_revision_that_is_not_there_is_refused(twice, revision):
    with pytest.raises(BadInput, match="is no commit, branch, tag or experiment"):
        compared(twice, revision)


def test_outside_git_it_says_so(tmp_path):
    with chdir(tmp_path):
        from stages.desk.moved.revisions import commit_of

        with pytest.raises(BadInput, match="git rev-parse says no"):
            commit_of("HEAD")
