"""A sample of answers bought again from a model on this machine, and compared byte for byte. The journal is neither read nor written."""

import asyncio
import random

from stages.desk.checks.check import Check
from stages.desk.in_use import InUse
from stages.providers.asking import GaveUp
from stages.providers.reading import recorded_reply
from stages.providers.switchboard import Switchboard
from stages.runtime.compose import setting
from stages.runtime.errors import BadInput, Gaps
from stages.schema.calls import Request, call_row
from stages.schema.names import nearest
from stages.schema.settings import settings


def chosen(study: InUse, words: str, sample: int) -> list[Request]:
    """The requests to ask again: recorded answers of one local contestant, drawn by the study's seed.

    Raises BadInput for anything but ``contestant=NAME`` of a contestant whose weights are on this machine.
    """
    group, _, name = words.partition("=")
    if group != "contestant" or name not in study.contestants:
        raise BadInput(f"--live wants contestant=NAME, not {words!r}; {nearest(name or words, study.contestants)}")
    if study.contestants[name].provider != "local":
        raise BadInput(f"--live contestant={name}: only local weights are deterministic, and {name} is served by somebody else")
    there = [asked.request for asked in study.attempts if asked.key[1] == name and asked.rows]
    return random.Random(study.choices.seed).sample(there, min(sample, len(there)))  # noqa: S311  a sample, not a secret


def bought_again(study: InUse, words: str, sample: int) -> Check:
    """Text and finish reason of each, as recorded and as delivered now. Raises NothingBought where weights or runtime are missing."""
    requests = chosen(study, words, sample)
    check = Check(f"answers of {words.partition('=')[2]} bought again are the recorded ones, byte for byte", len(requests))
    name = words.partition("=")[2]
    for request, row in asyncio.run(_asked(study, name, requests)):
        before, now = recorded_reply(study.answers[request.sha256][0]), recorded_reply(row)
        if (before.text.encode(), before.finish_reason) != (now.text.encode(), now.finish_reason):
            at = next(
                (n for n, (a, b) in enumerate(zip(before.text, now.text, strict=False)) if a != b), min(len(before.text), len(now.text))
            )
            check.failures.append(f"{request.name}: the reply is another one from character {at + 1} on")
    return check


async def _asked(study: InUse, name: str, requests: list[Request]) -> list[tuple[Request, dict[str, object]]]:
    runner = setting("runner", study.choices.runner, settings)
    async with Switchboard({name: study.contestants[name]}, runner) as board:
        try:
            return [(request, call_row(request, await board.ask(request))) for request in requests]
        except GaveUp as error:
            raise Gaps(f"{name}: {error}") from None
