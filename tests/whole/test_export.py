"""moot export crate: a valid RO-Crate of a recorded project, whole, the same on every day, and never over what is there."""

import hashlib
import json
import re
from contextlib import chdir
from importlib import resources

import pytest
from rocrate.rocrate import ROCrate

from stages.desk.crate import _paths
from stages.runtime.compose import choices_file
from stages.runtime.errors import BadInput, Refusal
from tests.loopback import Loopback
from tests.whole.at_the_desk import asked
from tests.whole.project import Project

MADE_BY = {
    "data/recordings/answers.jsonl": "generate",
    "data/recordings/assignments.jsonl": "conceal",
    "data/work/presentations.jsonl": "conceal",
    "data/recordings/verdicts.jsonl": "judge",
    "data/tables/verdicts.parquet": "record",
    "metrics/pairs.json": "measure",
    "data/site/index.html": "report",
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A project with results, without DVC."""
    with Loopback() as server:
        project = Project(tmp_path_factory.mktemp("export") / "project", server.base_url)
        project.flow(pages=True)
        project.commit("Results")
        yield project


def export(project, folder):
    return asked(project, "export", "crate", folder)


@pytest.fixture(scope="module")
def crate(recorded, tmp_path_factory):
    """An exported crate: its folder, and its entities by id."""
    folder = tmp_path_factory.mktemp("crate") / "record"
    export(recorded, folder)
    listed = json.loads((folder / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    entities = {entity["@id"]: entity for entity in listed}
    assert len(entities) == len(listed), "an id stands twice"
    return folder, entities


def references(value):
    """Every id that a property points at."""
    if isinstance(value, dict):
        return [value["@id"]]
    return [found for each in value for found in references(each)] if isinstance(value, list) else []


def ids(entity, key):
    return set(references(entity.get(key, [])))


def test_what_the_specification_demands_of_a_crate_is_there(crate):
    _, entities = crate
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.3"}
    assert root["@type"] == "Dataset"
    assert root["name"] == "A constructed study"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["datePublished"])
    assert root["description"]
    assert root["license"]
    assert all(entity["@type"] for entity in entities.values())


def test_every_reference_leads_to_an_entity(crate):
    _, entities = crate
    wanted = {found for entity in entities.values() for key, value in entity.items() if key != "@id" for found in references(value)}
    assert {each for each in wanted - entities.keys() if not each.startswith("https://")} == set()


def test_every_term_is_one_of_the_vocabulary(crate):
    _, entities = crate
    context = json.loads((resources.files("rocrate") / "data/ro-crate.jsonld").read_text("utf-8"))["@context"]
    known = {term for part in (context if isinstance(context, list) else [context]) if isinstance(part, dict) for term in part}
    terms = {key for entity in entities.values() for key in entity if not key.startswith("@")}
    types = {kind for entity in entities.values() for kind in ([entity["@type"]] if isinstance(entity["@type"], str) else entity["@type"])}
    assert terms - known == set()
    assert types - known == set()


def test_every_file_is_described_by_its_digest_and_every_description_has_its_file(crate):
    folder, entities = crate
    described = {path: entity for path, entity in entities.items() if entity["@type"] == "File"}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {"ro-crate-metadata.json"}
    assert there == described.keys() == ids(entities["./"], "hasPart")
    for path, entity in described.items():
        data = (folder / path).read_bytes()
        assert (entity["sha256"], entity["contentSize"]) == (hashlib.sha256(data).hexdigest(), str(len(data)))


def test_the_library_reads_it_back(crate):
    folder, entities = crate
    again = ROCrate(folder)
    assert {entity.id for entity in again.get_entities()} == entities.keys()
    assert again.root_dataset["identifier"]["value"] == json.loads((folder / "metrics/provenance.json").read_text())["record"]


def test_from_a_metric_the_chain_leads_back_to_matters_settings_and_replies(crate):
    _, entities = crate
    actions = {name: entity for name, entity in entities.items() if entity["@type"] == "CreateAction"}
    makers = {path: name for name, action in actions.items() for path in ids(action, "result")}
    for path, stage in MADE_BY.items():
        assert makers[path] == f"#run-{stage}"
    reached, todo = set(), ["metrics/pairs.json"]
    while todo:
        path = todo.pop()
        reached.add(path)
        before = ids(actions[makers[path]], "object") if path in makers else set()
        todo += before - reached
    assert {"data/matters/Q01.md", "conf/contestant/alder.yaml", "conf/judge/owl.yaml", "conf/instrument/material_outcome.yaml"} <= reached
    assert "data/site/index.html" not in reached


def test_the_judges_action_reads_nothing_that_names_a_contestant(crate):
    _, entities = crate
    read = ids(entities["#run-judge"], "object")
    assert {path for path in read if re.search(r"params|contestant|answers|attempts|assignments|pairings", path)} == set()
    assert "data/work/presentations.jsonl" in read


def test_whoever_was_asked_is_an_instrument_of_the_stage_that_asked(crate):
    _, entities = crate
    assert ids(entities["#run-generate"], "instrument") == {
        "#stage-generate",
        "#contestant-alder",
        "#contestant-birch",
        "#contestant-cedar",
    }
    assert ids(entities["#run-judge"], "instrument") == {"#stage-judge", "#judge-owl"}
    assert entities["#contestant-alder"]["name"] == "model-alder"
    assert entities["#run-judge"]["startTime"] <= entities["#run-judge"]["endTime"]
    settings = entities["#contestant-alder-settings"]["value"]
    assert re.fullmatch(r"[0-9a-f]{64}", settings)


def test_the_same_record_is_the_same_crate_and_names_no_commit_and_no_machine(recorded, crate, tmp_path):
    folder, _ = crate
    recorded.git("commit", "-q", "--allow-empty", "-m", "Another commit")
    found = export(recorded, tmp_path / "again")
    assert found["files"] == sum(path.is_file() for path in folder.rglob("*")) - 1
    ours = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    theirs = {path.relative_to(tmp_path / "again"): path.read_bytes() for path in (tmp_path / "again").rglob("*") if path.is_file()}
    assert ours == theirs
    metadata = (folder / "ro-crate-metadata.json").read_text("utf-8")
    assert found["checkout"]["commit"] == recorded.git("rev-parse", "HEAD").strip()
    assert found["checkout"]["commit"] not in metadata
    assert str(recorded.folder) not in metadata


def test_the_authors_keys_and_the_journal_stay_out(recorded, crate):
    folder, _ = crate
    assert not (folder / "data/keys").exists()
    assert not [path for path in folder.rglob("*") if "journal" in path.name]


@pytest.mark.parametrize("kind", ["file", "full folder", "link"])
def test_nothing_that_is_there_is_written_over(recorded, tmp_path, kind):
    target = tmp_path / "target"
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        target.symlink_to(tmp_path / "elsewhere")
    else:
        target.mkdir()
        (target / "mine").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match="holds something already"):
        export(recorded, target)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_cannot_be_made_is_named(recorded, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInput, match=r"file/crate cannot be made: .*; name a folder in one that can be written to"):
        export(recorded, tmp_path / "file/crate")


def test_the_settings_of_second_judges_belong_to_the_record(recorded):
    with chdir(recorded.folder):
        choices = {**choices_file(), "panel": {"second_judges": ["nightjar"]}}
        with pytest.raises(BadInput, match=r"conf/judge/nightjar\.yaml: no such file, and the record rests on it"):
            _paths(choices)


def test_an_empty_folder_is_taken(recorded, tmp_path):
    export(recorded, tmp_path)
    assert (tmp_path / "ro-crate-metadata.json").is_file()


@pytest.mark.parametrize(
    ("lost", "said", "code"),
    [
        ("data/tables", "data/tables holds no tables; `uv run dvc repro` makes them", 2),
        ("metrics/provenance.json", "metrics/provenance.json: no such file", 3),
        ("conf/judge/owl.yaml", "conf/judge/owl.yaml: no such file", 2),
        ("data/matters/Q02.md", "data/matters/Q02.md: no such file", 2),
    ],
)
def test_a_record_that_is_not_there_whole_is_refused_and_nothing_is_left_behind(recorded, tmp_path, lost, said, code):
    project = recorded.copy(tmp_path / "copy")
    path = project.folder / lost
    path.rename(tmp_path / "lost")
    with pytest.raises(Refusal) as refused:
        export(project, tmp_path / "out/record")
    assert refused.value.exit_code == code
    assert said in str(refused.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_checkout_that_is_behind_says_so(recorded, tmp_path):
    said = recorded.run("python", "-m", "stages", "export", "crate", str(tmp_path / "record")).stdout
    assert "`dvc repro` would still run matters, generate, pair, conceal, judge, qualify, record, measure, report" in said
    assert re.search(r"exported from moot \S+, commit [0-9a-f]{40}", said)
