"""metrics/provenance.json, on the small record built by hand."""

import dataclasses

import pytest

from stages.schema.canonical import digest
from stages.schema.tables import SECOND, TABLES
from tests.published import counted
from tests.small_record import INSTRUMENT, attempt, designed_record, small_record


def test_provenance_names_the_parts():
    rows, found = small_record(), counted(small_record())["provenance"]
    assert found["instrument"] == INSTRUMENT
    assert found["battery"] == digest(sorted([m.matter_id, m.published, m.matter_sha256] for m in rows.matters))
    assert found["assignments"] == digest(sorted([a.pairing_id, a.answer_a_was, a.answer_b_was] for a in rows.assignments))
    parts = ("battery", "contestants", "judge", "answers", "assignments", "instrument", "verdicts", "controls", "orders")
    assert found["record"] == digest({name: found[name] for name in parts})
    assert set(found["tables"]) == set(TABLES) - set(SECOND)


def test_second_verdicts_have_digests_of_their_own_and_no_part_in_the_record():
    plain, designed = counted(small_record())["provenance"], counted(designed_record())["provenance"]
    assert set(designed["tables"]) == set(TABLES)
    assert {part for part in plain if plain[part] != designed[part]} == {"tables"}
    assert {name for name in plain["tables"] if plain["tables"][name] != designed["tables"][name]} == {"calls"}


def test_second_verdicts_under_another_instrument_are_refused():
    rows = designed_record()
    for judge in ("oak", "elm"):
        count = len(small_record().verdicts)
        strange = [dataclasses.replace(v, instrument_sha256="e" * 64) if v.judge == judge else v for v in rows.verdicts[count:]]
        with pytest.raises(ValueError, match="more than one instrument"):
            counted(dataclasses.replace(rows, verdicts=[*rows.verdicts[:count], *strange]))


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
