"""Evidence to render, made once for each worker: tests change copies of it, never the thing itself."""

import pytest

from tests.evidences import evidence_of, hostile
from tests.small_record import designed_record, small_record


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The record built by hand, with every kind of verdict."""
    return evidence_of(small_record(), tmp_path_factory.mktemp("small-tables"))


@pytest.fixture(scope="session")
def attacked(tmp_path_factory):
    """Answers, reasons and titles that are attacks."""
    return evidence_of(hostile(), tmp_path_factory.mktemp("hostile-tables"))


@pytest.fixture(scope="session")
def designed(tmp_path_factory):
    """The small record with elm as a second judge, and both judges on both orders."""
    return evidence_of(designed_record(), tmp_path_factory.mktemp("designed-tables"))
