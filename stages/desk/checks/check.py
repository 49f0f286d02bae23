"""One check: how many things it looked at, and a sentence for each that fails."""

from dataclasses import dataclass, field

from stages.schema.calls import Row


@dataclass
class Check:
    """name: what holds when nothing failed. remark: what a reader should know beside."""

    name: str
    looked_at: int = 0
    failures: list[str] = field(default_factory=list)
    remark: str = ""

    def row(self) -> Row:
        return {"check": self.name, "looked_at": self.looked_at, "failures": self.failures, "remark": self.remark}
