"""How the counts in the sentences of metrics/disclosures.json arise. The file holds words only; a count is read out of its sentence.

A count is called ``kind.id.name``. Ways of ending that share a contestant and a status have sentences of their own, and sum to one count.
"""

import re
from collections.abc import Mapping
from typing import Any

from stages.recount.rules import File, Rule

_SPOKEN = {  # of each kind: the first number that is followed, or led, by these words
    "interruptions": {"answers": r"\b(\d+) answers?\b"},
    "reruns": {"attempt": r"^Attempt (\d+) of"},
    "unanswered": {"matters": r"\bno answer to (\d+) matters?\b"},
    "self_naming": {"answers": r"^(\d+) answers?\b"},
    "addressing_the_judge": {"answers": r"^(\d+) answers?\b"},
    "judging": {"verdicts": r"^The (\d+) verdicts?\b"},
    "served": {"count": r"(?:come from |^)(\d+) (?:models|hosts|reply|replies)\b"},
    "assignments": {"assignments": r"\b(\d+) stored assignments?\b"},
    "unreadable": {"verdicts": r"^(\d+) verdicts?\b"},
    "timing": {
        "matters": r"\babout (\d+) matters?\b", "earlier": r"\b(\d+) had been published on an earlier day\b",
        "same_day": r"\b(\d+) on the same day\b", "later": r"\b(\d+) later\b",
        "after_training": r"\b(\d+) of these were published after\b", "until_training": r"\b(\d+) on it or before\b",
    },
    "scope": {"matters": r"\bthese (\d+) matters?\b", "contestants": r"\bthese (\d+) contestants?\b"},
}  # fmt: skip


def spoken(leaves: Mapping[str, Any]) -> dict[str, int]:
    """The counts that stand in sentences. leaves: the sentences by path. A sentence without a number where one belongs gives none."""
    found: dict[str, int] = {}
    for path, sentence in leaves.items():
        kind, _, name = path.partition(".")
        own = re.sub(r"(:[a-z]+):\d+$", r"\1", name) if kind == "interruptions" else name
        for what, pattern in _SPOKEN.get(kind, {}).items():
            if there := re.search(pattern, str(sentence)):
                found[f"{kind}.{own}.{what}"] = (found.get(f"{kind}.{own}.{what}", 0) if own != name else 0) + int(there[1])
    return found


_NAMED = ("name",)
_WHO = ("who",)

DISCLOSURES = File(
    rules=(
        Rule("interruptions.*.answers", "tried", "status <> 'complete'", ("who || ':' || status",), among="scored", optional=True),
        Rule("reruns.*.attempt", "ordered_again", keys=("row_id",), value="max(attempt)"),
        Rule("unanswered.*.matters", "answered", "not there", _WHO, optional=True),
        Rule("self_naming.*.answers", "answered", "names_itself", _WHO, among="there", optional=True),
        Rule("addressing_the_judge.*.answers", "answered", "addresses_the_judge", _WHO, among="there", optional=True),
        Rule("judging.one_judge.verdicts", "one_judge", optional=True),
        Rule("served.*.count", "served", "odd", _NAMED, value="count(distinct said)", optional=True),
        Rule("assignments.not_rederivable.assignments", "assigned", "not rederivable", optional=True),
        Rule("unreadable.verdicts.verdicts", "pairings", "verdict = 'unreadable'", among="verdict is not null", optional=True),
        Rule("timing.*.matters", "told", keys=_NAMED),
        Rule("timing.*.earlier", "told", "days > 0", _NAMED),
        Rule("timing.*.same_day", "told", "days = 0", _NAMED),
        Rule("timing.*.later", "told", "days < 0", _NAMED),
        Rule("timing.*.after_training", "told_of_trained", "after_training", _NAMED),
        Rule("timing.*.until_training", "told_of_trained", "not after_training", _NAMED),
        Rule("scope.scope.matters", "claimed", "what = 'matters'", optional=True),
        Rule("scope.scope.contestants", "claimed", "what = 'contestants'", optional=True),
    ),
    spoken=spoken,
)
