"""A stage in small, run as a process: buys COUNT answers at a loopback server, and writes what came of it as JSON.

python -m tests.store.errand PORT JOURNAL RECORDING COUNT WIDTH RESULT
"""

import asyncio
import json
import sys
from pathlib import Path

from stages.runtime.errors import Refusal
from stages.schema.calls import Exchange
from stages.store.buyer import obtain
from stages.store.journal import Journal
from stages.store.recordings import Recording
from tests.store.shopkeeper import Gave, requests, shop

port, journal, recording, count, width, result = sys.argv[1:]


async def ask(request):
    """One POST by hand: the store knows no HTTP library."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        body = request.body_bytes
        writer.write(b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        whole = await reader.read()
        writer.close()
    except OSError as error:
        raise Gave(f"{request.name}: {error}") from error
    return Exchange(200, whole.split(b"\r\n\r\n", 1)[1], "2026-11-30T08:15:11.123Z", 1)


def main():
    kept = Journal(Path(journal))
    try:
        bought = obtain(requests(int(count)), Recording(Path(recording)), kept, lambda missing: shop(ask, int(width)))
    except Refusal as refusal:
        words = [str(refusal), *getattr(refusal, "__notes__", [])]
        return {"kind": type(refusal).__name__, "words": words}, refusal.exit_code
    counts = {key: getattr(bought, key) for key in ("recorded", "from_journal", "bought", "may_repeat")}
    return {"kind": "Purchase", **counts, "rows": len(bought.rows), "set_aside": kept.set_aside}, 0


if __name__ == "__main__":
    report, code = main()
    Path(result + ".part").write_text(json.dumps(report))
    Path(result + ".part").rename(result)
    sys.exit(code)
