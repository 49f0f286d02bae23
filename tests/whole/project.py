"""A whole project in a temporary folder: real git, real DVC, real processes, and a loopback server in the providers' place.

Its contestants (alder, birch, cedar, dogwood) and its judge (owl) are constructed: no model stands behind them.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from stages.instrument.asking import instrument_digest
from stages.schema.settings import settings

ROOT = Path(__file__).parents[2]
COPIED = [
    "stages", "dvc.yaml", "uv.lock", ".dvcignore", ".gitignore", ".gitattributes", ".dvc/config", ".dvc/.gitignore", ".dvc/plots", "conf/instrument",
    "data/orders",
]  # fmt: skip
CONTESTANTS = ["alder", "birch", "cedar"]
RUNNER = {  # the times are patience with a test that hangs: a machine that is slow makes no try fail
    "concurrency": 8, "connect_timeout_s": 240.0, "read_timeout_s": 240.0, "tries": 2, "wait_max_s": 0.01, "budget_s": 600.0,
    "stop_after_failures": 2,
}  # fmt: skip


def model(base_url, name, **change):
    return {
        "provider": "openai", "family": f"family-{name}", "model": f"model-{name}", "route": f"loopback/{name}", "base_url": base_url,
        "decoding": {"max_tokens": 64, "temperature": 0.0}, **change,
    }  # fmt: skip


FLOW = """
import sys
from stages import conceal, generate, judge, matters, measure, pair, qualify, record, report
pages, *words = sys.argv[1:]
for stage in (matters, generate, pair, conceal, judge, qualify, record, measure, *([report] if pages == "pages" else [])):
    sys.argv[1:] = words if stage in (judge, qualify) else []
    stage.main()
"""


class Project:
    """The project. ``matters`` of the shipped matters are in it."""

    def __init__(self, folder: Path, base_url: str, matters: int = 2, key_env: str | None = None) -> None:
        self.folder = folder
        self.base_url = base_url
        self.journal = folder.parent / f"{folder.name}-journal"
        for name in COPIED:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shipped = ("*.json",) if name == "data/orders" else ()  # the shipped record's orders are not this project's
            ignored = shutil.ignore_patterns("__pycache__", *shipped)
            source = ROOT / name
            shutil.copytree(source, folder / name, ignore=ignored) if source.is_dir() else shutil.copy(source, folder / name)
        (folder / "data/matters").mkdir(parents=True)
        for name in ("controls", "keys"):
            (folder / "data" / name).mkdir()
            (folder / "data" / name / ".gitkeep").touch()  # git keeps no empty folder, and DVC asks for it
        for path in sorted((ROOT / "data/matters").glob("*.md"))[:matters]:
            shutil.copy(path, folder / "data/matters")
        extra = {"key_env": key_env} if key_env else {}
        for name in [*CONTESTANTS, "dogwood"]:
            self.conf("contestant", name, {**model(base_url, name), "system": f"Constructed system prompt of {name}.", **extra})
        self.conf("judge", "owl", {**model(base_url, "owl", decoding={"max_tokens": 256, "temperature": 0.0, "seed": 1}), **extra})
        self.conf("runner", "default", RUNNER)
        self.pin("material_outcome", "first")
        self.choose(contestants=CONTESTANTS)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@example.org")
        self.commit("A project")

    # ---- settings
    def conf(self, group, name, values):
        path = self.folder / f"conf/{group}/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), "utf-8")

    def change(self, group, name, **change):
        path = self.folder / f"conf/{group}/{name}.yaml"
        self.conf(group, name, {**yaml.safe_load(path.read_text("utf-8")), **change})

    def pin(self, instrument, study):
        values = yaml.safe_load((self.folder / f"conf/instrument/{instrument}.yaml").read_text("utf-8"))
        digest = instrument_digest(settings("instrument", values))
        self.conf("study", study, {"title": "A constructed study", "instrument_sha256": digest, "attempt_rules": {"1": "recorded_attempt"}})

    def choose(self, **change):
        path = self.folder / "params.yaml"
        base = {
            "seed": 7,
            "study": "first",
            "matters": "all",
            "contestants": CONTESTANTS,
            "instrument": "material_outcome",
            "judge": "owl",
            "panel": {"second_judges": []},
            "runner": "default",
        }
        now = yaml.safe_load(path.read_text()) if path.exists() else base
        path.write_text(yaml.safe_dump({**now, **change}, sort_keys=False))

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    # ---- processes
    def environment(self, **change):
        dropped = (
            "LOOPBACK_KEY",
            "PYTHONDONTWRITEBYTECODE",
        )  # a stage is started hundreds of times: compiled once, it starts in half the time
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "DVC_")) and k not in dropped}
        path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
        return {**kept, "PATH": path, "MOOT_JOURNAL": str(self.journal), "DVC_NO_ANALYTICS": "1", **change}

    def run(self, *command, ok=True, **environment):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=self.environment(**environment), check=False)
        said = done.stdout + done.stderr
        assert not ok or done.returncode == 0, f"{' '.join(command)}\n{said}"
        assert "Traceback" not in said, said
        return done

    def git(self, *words, ok=True):
        return self.run("git", *words, ok=ok).stdout

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def dvc(self, *words, ok=True, **environment):
        return self.run("dvc", *words, ok=ok, **environment)

    def stage(self, name, ok=True, **environment):
        chosen = self.words() if name in ("judge", "qualify") else []
        return self.run("python", "-m", f"stages.{name}", *chosen, ok=ok, **environment)

    def words(self):
        """The command line of judge and qualify, as DVC writes it."""
        beside = yaml.safe_load((self.folder / "params.yaml").read_text()).get("panel", {}).get("second_judges", [])
        return ["judge=owl", "instrument=material_outcome", "runner=default", *(["--second_judges", *beside] if beside else [])]

    def flow(self, ok=True, pages=False, **environment):
        """All stages in one process, without DVC: for what is not about DVC, because starting nine programs takes most of the time.

        The pages take longest of all stages, and few tests read them.
        """
        return self.run("python", "-c", FLOW, "pages" if pages else "no pages", *self.words(), ok=ok, **environment)

    def copy(self, folder):
        """The project as it is now, with its journal, in another folder."""
        other = Project.__new__(Project)
        other.__dict__ |= {**self.__dict__, "folder": folder, "journal": folder.parent / f"{folder.name}-journal"}
        shutil.copytree(self.folder, other.folder, symlinks=True)
        if self.journal.exists():
            shutil.copytree(self.journal, other.journal)
        return other

    def repro(self, *words, ok=True, **environment):
        return self.dvc("repro", *words, ok=ok, **environment)

    # ---- results
    def clean(self):
        return self.git("status", "--porcelain") == ""

    def read(self, name):
        return (self.folder / name).read_bytes()

    def metrics(self, name):
        return yaml.safe_load((self.folder / f"metrics/{name}.json").read_text("utf-8"))

    def recordings(self):
        return {path.name: path.read_bytes() for path in sorted((self.folder / "data/recordings").glob("*.jsonl"))}


class Till:
    """What the loopback server sold since the last look: (answers, verdicts)."""

    def __init__(self, server):
        self.server = server
        self.seen = 0

    def sold(self):
        new = self.server.received[self.seen :]
        self.seen += len(new)
        verdicts = sum("response_format" in request.json for request in new)
        return len(new) - verdicts, verdicts


def digests_of_tables(project):
    """The md5 that dvc.lock names for each table."""
    return dict(re.findall(r"path: (data/tables/\S+)\n\s+hash: md5\n\s+md5: (\w+)", project.read("dvc.lock").decode()))
