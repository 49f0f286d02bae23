"""moot verify: recomputes from recordings, settings and matters what the record claims, and names the place of whatever fails."""

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial

from stages.desk.checks.attempts import attempts_have_orders
from stages.desk.checks.blindness import judge_is_blind, names_are_counted
from stages.desk.checks.check import Check
from stages.desk.checks.dates import dates_against_commits
from stages.desk.checks.lock import results_stand, settings_stand
from stages.desk.checks.recorded import (
    RECORDINGS,
    answers_match,
    controls_match,
    orders_stand,
    pin_holds,
    readings_stand,
    rows_stand,
    sides_stand,
    verdicts_match,
)
from stages.desk.checks.results import all_results
from stages.desk.in_use import InUse, load
from stages.runtime.errors import BadInput, BadRecord, Refusal, VerifyFailed, refusing
from stages.schema.calls import Row

EXAMPLE = """example:
  moot verify
  moot verify --expect 5f0c…                       against a record digest that was published elsewhere (64 hex digits)
  moot verify --live contestant=smollm-135m        a sample asked again of a local model, byte for byte; nothing is stored

Nothing is bought and no network is touched. The exit code is 0 when every check holds, and 9 when one fails."""

_RECORD = "the record digest is the published one"
_OF_STUDY: tuple[Callable[[InUse], Check], ...] = (
    pin_holds, sides_stand, attempts_have_orders, dates_against_commits, answers_match, verdicts_match, controls_match, readings_stand,
    judge_is_blind, names_are_counted,
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect", metavar="DIGEST", help="the record digest as it was published elsewhere")
    parser.add_argument("--live", metavar="contestant=NAME", help="ask a sample of this local contestant's answers again")
    parser.add_argument("--sample", type=int, default=2, help="how many answers --live asks again (2)")


def checks(given: argparse.Namespace) -> Iterator[Check]:
    """Every check in turn. What cannot be loaded is a failure of its own, and ends them."""
    yield from (rows_stand(path) for path in RECORDINGS)
    yield from (_guarded(one) for one in (orders_stand, results_stand, settings_stand))
    try:
        study = load()
    except Refusal as refusal:
        yield Check("settings, matters and recordings can be read", 1, [str(refusal)])
        return
    yield from (_guarded(partial(one, study), one.__name__) for one in _OF_STUDY)
    try:
        yield from all_results(study)
    except Refusal as refusal:
        yield Check("tables can be rebuilt", 1, [str(refusal)])
    if given.live:
        from stages.desk.checks.live import bought_again  # noqa: PLC0415  a server is loaded only for whoever asks for it

        yield bought_again(study, given.live, given.sample)


def _guarded(check: Callable[[], Check], name: str = "") -> Check:
    """A check, or as a failed one what refuses to be read."""
    try:
        with refusing(kind=BadRecord):
            return check()
    except Refusal as refusal:
        return Check((name or check.__name__).replace("_", " "), 1, [str(refusal)])


def expected(digest: str, found: str) -> Check:
    """The recomputed record digest, and one that was published where nobody could change it."""
    failures = [] if found == digest else [f"expected {digest}, and the record here is {found or 'not computed'}"]
    return Check("the record digest is the expected one", 1, failures)


def run(given: argparse.Namespace) -> Row:
    """The table of checks. Raises VerifyFailed, with the failures as notes, when one fails; BadInput for a digest that is none."""
    if given.expect is not None and not re.fullmatch("[0-9a-f]{64}", given.expect):
        raise BadInput("--expect wants the whole record digest, 64 digits of 0-9 and a-f")
    done = list(checks(given))
    record = next((check.remark for check in done if check.name == _RECORD), "")
    if given.expect is not None:
        done.append(expected(given.expect, record))
    failed = [check for check in done if check.failures]
    if failed:
        error = VerifyFailed(f"{len(done)} checks, {len(failed)} failed")
        for check in failed:
            for failure in check.failures:
                error.add_note(f"{check.name}: {failure}")
        raise error
    return {"checks": [check.row() for check in done], "failed": 0, "record_sha256": record}


def told(result: Row) -> str:
    """What the command prints."""
    lines = [f"{check['looked_at']:>6}  {check['check']}{'; ' + check['remark'] if check['remark'] else ''}" for check in result["checks"]]
    return "\n".join([*lines, f"{len(lines)} checks, {result['failed']} failed", f"record {result['record_sha256']}", ""])
