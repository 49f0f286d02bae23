"""Scenarios: the same table with a named, reasoned set of pairings left out. These five always stand; a study may add more."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from stages.schema.calls import Row
from stages.schema.canonical import canonical
from stages.schema.shapes import MatterId, Shape, Words, spelled

ScenarioRule = Literal["as_delivered", "blocked", "truncated", "rerun", "names_itself"]
ScenarioName = Annotated[str, spelled(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", "one plain word of lower-case letters, digits and underscores")]


class Scenario(Shape):
    """What is left out, and why: by a rule about the answers of a pairing, or every pairing of some matters."""

    reason: Words
    rule: ScenarioRule | None = None
    matters: Annotated[list[MatterId], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _has_one_of_them(self) -> Self:
        if (self.rule is None) == (self.matters is None):
            raise ValueError("must have either rule or matters")
        for matter in self.matters or []:
            if (self.matters or []).count(matter) > 1:
                raise ValueError(f"must name each matter once: {matter} stands twice")
        return self


ALWAYS = {
    "as_delivered": Scenario(rule="as_delivered", reason="The headline: every answer counts as it was delivered."),
    "without_blocked": Scenario(rule="blocked", reason="Moderation or a content filter kept back one of the two answers or a part of it."),
    "without_truncated": Scenario(rule="truncated", reason="One of the two answers was cut off by its length."),
    "without_reruns": Scenario(rule="rerun", reason="One of the two answers was asked for more than once."),
    "without_self_naming": Scenario(rule="names_itself", reason="One of the two answers names its own maker or model, so it is not blind."),
}


def all_scenarios(own: dict[str, Scenario]) -> dict[str, Scenario]:
    """The scenarios that always stand, with a study's own. Raises ValueError where a study gives one of the former another meaning."""
    for name, scenario in own.items():
        if name in ALWAYS and scenario.rule != ALWAYS[name].rule:
            raise ValueError(f"scenarios.{name} always has the rule {ALWAYS[name].rule!r}: give yours another name")
    return {**ALWAYS, **own}


def scenario_row(name: str, scenario: Scenario) -> Row:
    """A row of scenarios: the rule, or the matters as a canonical list."""
    listed = canonical(sorted(scenario.matters)) if scenario.matters else None
    return {"scenario": name, "rule": scenario.rule, "matters": listed, "reason": scenario.reason}
