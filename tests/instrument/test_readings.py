"""Readings: a better reader re-reads for free, every change it makes is listed, and a silent change is refused."""

import pytest

from stages.instrument.readings import changes
from stages.schema.calls import seal

BASE = {
    "format": 1, "kind": "reading", "attempt": 1, "judge": "owl", "matter_id": "Q01", "presentation_id": "f" * 64,
    "request_sha256": "1" * 64, "response_sha256": "2" * 64, "instrument_sha256": "3" * 64,
}  # fmt: skip


def reading(reader, verdict, **change):
    return seal({**BASE, "reader": reader, "verdict": verdict, **change})


def test_a_reply_read_the_same_way_is_no_change():
    assert changes([reading("reader-1", "A")], [reading("reader-2", "A")]) == []
    assert changes([], [reading("reader-1", "A")]) == []


def test_every_changed_verdict_is_listed():
    before = [reading("reader-1", "unreadable"), reading("reader-1", "B", response_sha256="4" * 64)]
    now = [reading("reader-2", "A"), reading("reader-2", "B", response_sha256="4" * 64)]
    assert changes(before, now) == ["Q01, presentation ffffffffffff: reader-1 read unreadable, reader-2 reads A"]


def test_each_earlier_version_is_compared():
    before = [reading("reader-1", "unreadable"), reading("reader-2", "tie")]
    assert len(changes(before, [reading("reader-3", "A")])) == 2


@pytest.mark.parametrize("other", [{"response_sha256": "9" * 64}, {"request_sha256": "9" * 64}, {"instrument_sha256": "9" * 64}])
def test_another_reply_or_instrument_is_not_compared(other):
    assert changes([reading("reader-1", "A")], [reading("reader-1", "B", **other)]) == []


def test_a_reader_changed_without_a_new_version_is_refused():
    with pytest.raises(ValueError, match="reader-1 read A and now reads B from the same reply: a changed reader needs a new version"):
        changes([reading("reader-1", "A")], [reading("reader-1", "B")])
