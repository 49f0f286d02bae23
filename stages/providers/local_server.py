"""The child process of a local model: llama.cpp's own server, set so that equal requests get equal replies.

Started by stages/providers/local.py as a file, alone: it imports nothing of ours, so that it runs the same from any directory.
Settings come as one line of JSON on stdin, because a command line shows in the process list. stdin then stays open as a leash:
when it ends, the parent is gone or done, and so is this process. The one line on stdout says where it listens, or what failed.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any


def leash(parent: int) -> None:
    """Die with the parent even while the weights load, when no Python runs to see stdin end. Linux only; elsewhere stdin is enough."""
    if sys.platform == "linux":
        set_parent_death_signal = 1  # PR_SET_PDEATHSIG, linux/prctl.h
        ctypes.CDLL(None, use_errno=True).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the leash was on
        os._exit(0)


def serve(settings: dict[str, Any]) -> Any:
    """A running llama.cpp server. Raises ImportError when the runtime is not installed, RuntimeError when it does not start."""
    import xllamacpp  # noqa: PLC0415  the leash is on before this takes its time

    wanted = xllamacpp.CommonParams()
    wanted.model.path = settings["path"]
    wanted.model_alias = {settings["name"]}  # else every reply would hold this machine's path to the weights
    wanted.api_keys = [settings["key"]]
    wanted.hostnames, wanted.port = ["127.0.0.1"], 0
    # Measured: with the prompt cache on, 2 of 12 replies changed on rerun. One slot and fixed threads, for the same reason.
    wanted.n_parallel, wanted.cache_prompt, wanted.cache_ram_mib, wanted.cache_idle_slots = 1, False, 0, False
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = settings["threads"]
    # No fitting to the machine's memory and nothing on a graphics card: either would make the reply the machine's.
    wanted.n_ctx, wanted.fit_params, wanted.n_gpu_layers, wanted.no_op_offload = settings["context"], False, 0, True
    wanted.ui, wanted.endpoint_slots, wanted.endpoint_props, wanted.endpoint_metrics = False, False, False, False
    wanted.offline, wanted.verbosity = True, 1  # errors only; they are the parent's to read
    return xllamacpp.Server(wanted)


def main() -> None:
    """Serve until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent drains first and then lets go of the leash
    say = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever llama.cpp prints is log
    line = sys.stdin.readline()
    if not line:  # the parent died, or changed its mind
        os._exit(0)
    settings = json.loads(line)
    leash(settings["parent"])
    try:
        server = serve(settings)
        said = {"listening": server.listening_address}
    except (ImportError, RuntimeError) as error:
        said = {"failed": str(error)}
    print(json.dumps(said), file=say, flush=True)
    if "listening" in said:
        sys.stdin.read()
    os._exit(0)  # llama.cpp's threads would otherwise be waited for


if __name__ == "__main__":
    main()
