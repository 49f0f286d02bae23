"""moot site: serves the evidence pages of data/site on this machine alone, and opens the browser."""

import argparse
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from stages.runtime.errors import BadInput
from stages.runtime.paths import SITE
from stages.runtime.streams import say
from stages.schema.jsonl import Row

HOST = "127.0.0.1"
EXAMPLE = """example:
  moot site               serve on a free port and open the browser; Ctrl-C ends it
  moot site --port 8000   on this port
  moot site --no-browser  only say the address

The pages need no server: data/site/index.html opens from the disk as well. docs/site.md says how to publish them."""


class Pages(SimpleHTTPRequestHandler):
    """Files below one folder, to be read. The headers say of every page what its own policy says, and what only a header can."""

    server_version = "moot"
    sys_version = ""

    def end_headers(self) -> None:
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")  # the next `dvc repro` writes other pages to the same addresses
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """No folder is listed: what has no index is not there."""
        self.send_error(404, "no such page")

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads a line for each page."""


class Server(ThreadingHTTPServer):
    """It says nothing of a reader that went away in the middle, or that asked for what is no address: the next is served."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=0, help="the port; without it a free one")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of the folder's files on this machine alone. Raises BadInput where there are no pages, and for a port that cannot be had."""
    if not (folder / "index.html").is_file():
        raise BadInput(f"{folder / 'index.html'}: no such file; stage report makes it: `uv run dvc repro report`")
    try:
        return Server((HOST, port), partial(Pages, directory=str(folder)))
    except (OSError, OverflowError) as error:
        raise BadInput(f"--port {port}: {error.strerror if isinstance(error, OSError) else 'a port is a number up to 65535'}") from None


def run(given: argparse.Namespace) -> Row:
    """Serve until Ctrl-C. Returns where it was."""
    with server(SITE, given.port) as serving:
        address = f"http://{HOST}:{serving.server_address[1]}/"
        say(f"moot site: {address} (Ctrl-C ends it)")
        if not given.no_browser:
            webbrowser.open(address)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            say("")
    return {"served": address}


def told(result: Row) -> str:
    """What the command prints at its end: nothing, as it said its address when it began."""
    return ""
