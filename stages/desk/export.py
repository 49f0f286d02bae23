"""moot export: the record for other programs. `moot export crate DIR` writes an RO-Crate: every file of the record with its digest, and
which stage made which from which."""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from stages.desk.checkout import checkout
from stages.desk.layout import count
from stages.desk.stale import stale
from stages.desk.version import headline
from stages.runtime.compose import PARAMS, choices_file
from stages.runtime.errors import BadInput, named, refusing, words_of
from stages.schema.jsonl import Row

EXAMPLE = """example:
  moot export crate /tmp/record

DIR must not be there yet, or be empty. The crate is the same, byte for byte, wherever the same record is exported; the commit and the
package versions are printed and not in it. ro-crate-metadata.json opens in any RO-Crate 1.3 reader."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("format", choices=["crate"], help="what to write: an RO-Crate")
    parser.add_argument("folder", metavar="DIR", type=Path, help="where to write it")


def run(given: argparse.Namespace) -> Row:
    """Write the crate. Raises BadInput for a folder that holds something, and where the record is not there whole."""
    from stages.desk.crate import write_crate  # noqa: PLC0415  rocrate loads what nothing else here needs

    folder: Path = given.folder
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise BadInput(f"{folder} holds something already: name a folder that is not there yet, or an empty one")
    with refusing(str(PARAMS)):
        values = choices_file()
    with refusing():
        behind = [row["stage"] for row in stale(values) if row["runs"] != "no"]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    except OSError as error:
        raise BadInput(f"{folder} cannot be made: {named(error)}{words_of(error)}; name a folder in one that can be written to") from None
    try:
        described = write_crate(part, values)
        part.chmod(0o755)
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return {"folder": str(folder), **described, "stages_behind": behind, "checkout": checkout()}


def told(found: Row) -> str:
    """What the command prints."""
    behind = found["stages_behind"]
    warned = f"`dvc repro` would still run {', '.join(behind)}: the crate holds what was there.\n" if behind else ""
    files = f"{count(found['files'], 'file')}, record digest {found['record']}"
    return f"{found['folder']}: {files}\n{warned}exported from {headline(found['checkout'])}\n"
