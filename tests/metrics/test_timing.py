"""metrics/timing.json: days between a matter's publication and the call that answered it, by hand."""

import dataclasses
import json
from datetime import date

import pytest

from stages.metrics.timing import Answered, one_series
from tests.published import counted
from tests.small_record import NAMES, attempt, matter, small_record

DAY = date.fromisoformat


def timed(published=(), started=(), **changes):
    """The timing of the small record with other publication days and call times, by matter and by (matter, contestant)."""
    rows, published, started = small_record(), dict(published), dict(started)
    matters = [dataclasses.replace(m, published=published.get(m.matter_id, m.published)) for m in rows.matters]
    attempts = [
        dataclasses.replace(a, started_at=started.get((a.matter_id, a.contestant), a.started_at))
        for a in changes.get("attempts", rows.attempts)
    ]
    return counted(dataclasses.replace(rows, matters=matters, attempts=attempts))["timing"]["contestants"]


def test_answers_of_the_day_of_publication():
    found = timed()
    assert set(found) == set(NAMES)
    assert found["alder"] == {
        "series": {
            "1": {
                "answers": 3, "public_before": 0, "same_day": 3, "public_after": 0, "days": {"smallest": 0, "largest": 0},
                "published": {"first": "2026-11-30", "last": "2026-11-30"}, "generated": {"first": "2026-11-30", "last": "2026-11-30"},
            }
        }
    }  # fmt: skip
    assert found["birch"]["series"]["1"]["answers"] == 2


def test_days_are_counted_from_publication_to_the_call_and_never_called_anything_else():
    found = timed(
        {"Q01": "2026-11-20", "Q02": "2026-12-02"},
        {("Q01", "alder"): "2026-12-01T00:00:00.000Z", ("Q03", "alder"): "2026-11-30T23:59:59.999Z"},
    )
    own = found["alder"]["series"]["1"]
    assert (own["public_before"], own["same_day"], own["public_after"]) == (1, 1, 1)
    assert own["days"] == {"smallest": -2, "largest": 11}
    assert own["published"] == {"first": "2026-11-20", "last": "2026-12-02"}
    assert own["generated"] == {"first": "2026-11-30", "last": "2026-12-01"}
    assert "clean" not in json.dumps(found)


def test_the_declared_end_of_training_is_compared_where_it_is_given():
    found = timed({"Q01": "2026-01-31", "Q02": "2026-02-01"})
    assert found["cedar"]["trained_until"] == "2026-01-31"
    own = found["cedar"]["series"]["1"]
    assert (own["published_after_training"], own["published_until_training"]) == (2, 1)
    assert "trained_until" not in found["alder"]
    assert "published_after_training" not in found["alder"]["series"]["1"]


def test_the_scored_attempt_is_the_one_whose_call_counts():
    rows = small_record()
    first = dataclasses.replace(rows.attempts[0], scored=False)
    again = attempt("Q01", "alder", attempt=2, started_at="2026-12-09T08:00:00.000Z", ordered_by="A. Author", reason="cut off")
    own = timed(attempts=[first, again, *rows.attempts[1:]])["alder"]["series"]["1"]
    assert (first.matter_id, first.contestant) == ("Q01", "alder")
    assert (own["answers"], own["days"]["largest"]) == (3, 9)


def test_series_stand_apart_and_one_without_an_answer_has_counts_only():
    rows = small_record()
    matters = [dataclasses.replace(matter(m.matter_id), series="2" if m.matter_id == "Q03" else "1") for m in rows.matters]
    found = counted(dataclasses.replace(rows, matters=matters))["timing"]["contestants"]
    assert found["alder"]["series"]["1"]["answers"] == 2
    assert found["alder"]["series"]["2"]["answers"] == 1
    assert found["birch"]["series"]["2"] == {"answers": 0, "public_before": 0, "same_day": 0, "public_after": 0}


@pytest.mark.parametrize("trained", [None, DAY("2026-11-15")])
@pytest.mark.parametrize("days", [[], [0], [-3, 0, 0, 7], [1, 2]])
def test_the_identities(days, trained):
    found = [Answered(DAY("2026-11-10"), date.fromordinal(DAY("2026-11-10").toordinal() + n)) for n in days]
    own = one_series(found, trained)
    assert own["public_before"] + own["same_day"] + own["public_after"] == own["answers"] == len(days)
    if trained:
        assert own["published_after_training"] + own["published_until_training"] == len(days)
    assert ("days" in own) == bool(days)
