"""A recorded project that every test may spoil: it is put back afterwards. Commands run in this process, for a start costs a second."""

import argparse
from contextlib import chdir

from stages.desk import audit, diff, verify
from stages.runtime.errors import VerifyFailed


def files_of(project):
    """Every file of the working tree but git's own and compiled sources."""
    skipped = (".git/", "__pycache__/")
    return {p: p.read_bytes() for p in project.folder.rglob("*") if p.is_file() and not any(word in str(p) for word in skipped)}


def put_back(project, files):
    for path in files_of(project).keys() - files.keys():
        path.unlink()
    for path, data in files.items():
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def verified(project, **words):
    """The sentences of failed checks; none where all hold."""
    with chdir(project.folder):
        try:
            verify.run(argparse.Namespace(**{"expect": None, "live": None, "sample": 2, **words}))
        except VerifyFailed as failed:
            return failed.__notes__
    return []


def audited(project, what, prompt=False):
    with chdir(project.folder):
        return audit.run(argparse.Namespace(what=what, prompt=prompt))


def compared(project, one, two=None, md=False):
    with chdir(project.folder):
        found = diff.run(argparse.Namespace(one=one, two=two, md=md))
    return found, diff.told(found)
