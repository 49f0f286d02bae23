"""The benchmark of audit counts what it constructs; how long it takes is looked at by hand."""

from contextlib import chdir

from tests.benchmarks.audit_of_many import NUMBER, record


def test_the_number_that_is_timed_is_the_one_that_was_constructed(tmp_path):
    import argparse

    from stages.desk import audit

    won = record(tmp_path, matters=30)
    with chdir(tmp_path):
        found = audit.run(argparse.Namespace(what=NUMBER, prompt=False))
    assert (found["published"], found["counted"], found["agrees"]) == (won, won, True)
    assert found["rows"]["among"] == 30
    assert len(found["enter"]) == won > 0
    assert found["first"]["shown_by"].startswith("moot audit Q")
