"""Five records made once: the folder of each with its tables under data/tables, and the metrics that the first implementation makes."""

from contextlib import chdir

import pytest

from tests.published import constructed_tables, counted, measured
from tests.small_record import designed_record, small_record

OWN = {"small": small_record, "designed": designed_record}
RECORDS = ["small", "designed", "s1_four_by_eighty", "s2_both_inadequate", "s4_all_ties"]


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A record by its name, made when it is first asked for."""
    known = {}

    def record(name):
        if name not in known:
            folder = tmp_path_factory.mktemp(name)
            with chdir(folder):
                if name in OWN:
                    known[name] = folder, counted(OWN[name]())
                else:
                    constructed_tables(name)
                    known[name] = folder, measured()
        return known[name]

    return record
