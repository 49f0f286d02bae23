"""How the numbers of metrics/coverage.json arise."""

from stages.recount.rules import File, Rule

STATUSES = ("complete", "truncated", "filtered", "blocked", "refused", "empty")
_OWN = ("who",)

COVERAGE = File(
    rules=(
        Rule("matters", "asked"),
        Rule("answers.planned", "answered"),
        Rule("answers.recorded", "answered", "there"),
        Rule("verdicts.planned", "pairings"),
        Rule("verdicts.recorded", "pairings", "verdict is not null"),
        Rule("verdicts.unreadable", "pairings", "verdict = 'unreadable'", among="verdict is not null"),
        Rule("contestants.*.attempts", "tried", "why is not null", _OWN),
        Rule("contestants.*.answers", "answered", "there", _OWN),
        Rule("contestants.*.unanswered", "answered", "not there", _OWN),
        *(Rule(f"contestants.*.status.{status}", "answered", f"status = '{status}'", _OWN, among="there") for status in STATUSES),
        *(Rule(f"contestants.*.{flag}", "answered", flag, _OWN, among="there") for flag in ("names_itself", "addresses_the_judge")),
        Rule("assignments.in_use", "assigned"),
        Rule("assignments.not_rederivable", "assigned", "not rederivable"),
        Rule("calls", "called"),
        Rule("requests_with_two_replies", "called", "replies > 1"),
        Rule("tokens.prompt", "called", "prompt_tokens is not null", value="sum(prompt_tokens)"),
        Rule("tokens.completion", "called", "completion_tokens is not null", value="sum(completion_tokens)"),
        Rule("tokens.unknown_calls", "called", "prompt_tokens is null or completion_tokens is null"),
        Rule("cost_usd", "called", "cost_usd is not null", value="fsum(cost_usd)", optional=True),
        Rule("cost_unknown_calls", "called", "cost_usd is null"),
    )
)  # fmt: skip
