"""moot diff: says why numbers moved between two commits, and splits each pair's change into its causes, which sum exactly."""

import argparse

from stages.desk.moved.changes import changes
from stages.desk.moved.revisions import changed_files, laid_out
from stages.desk.moved.split import CAUSES, moved, split
from stages.desk.moved.state import State, state
from stages.schema.calls import Row

EXAMPLE = """example:
  moot diff HEAD                       the last commit against the working tree
  moot diff main my-branch             two commits, branches, tags or experiments
  moot diff main --md                  for a pull request

Both states are read with the code of this checkout; what an earlier reader read is taken from the readings that were recorded."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("one", metavar="REV1", help="the earlier revision")
    parser.add_argument("two", metavar="REV2", nargs="?", help="the later one; without it, the working tree")
    parser.add_argument("--md", action="store_true", help="print Markdown")


def run(given: argparse.Namespace) -> Row:
    """What changed, and what it did to every pair. Raises BadInput for a revision that there is not, and as ``load`` does."""
    code = changed_files(given.one, given.two, "stages", "dvc.yaml")
    one, two = _state(given.one), _state(given.two)
    found = changes(one, two)
    if code:
        found["code"] = code
    return {
        "from": one.name, "to": two.name, "changed": found, "pairs": split(one, two),
        "pairings": [vars(each) for each in moved(one, two)], "numbers": _numbers(one, two), "doubts": doubts(one, two), "md": given.md,
    }  # fmt: skip


def _state(revision: str | None) -> State:
    with laid_out(revision) as name:
        found = state(name)
        found.study.verdict_requests, found.study.second_rounds  # noqa: B018  computed while the revision's folder is there
        return found


def _numbers(one: State, two: State) -> dict[str, int]:
    """How many numbers and words of each metrics file differ."""
    from stages.recount.rules import all_leaves  # noqa: PLC0415  duckdb takes longer to load than all before

    found = {}
    for name in sorted(one.metrics.keys() | two.metrics.keys()):
        before, after = all_leaves(one.metrics.get(name, {})), all_leaves(two.metrics.get(name, {}))
        found[name] = sum(before.get(path) != after.get(path) for path in before.keys() | after.keys())
    return {name: count for name, count in found.items() if count}


def doubts(*states: State) -> list[str]:
    """What must stand beside the counts of a state whose judge does not qualify; what two states share is said once."""
    found = []
    for each in states:
        tested = each.metrics.get("qualification")
        if isinstance(tested, dict) and tested.get("qualifies") is False:
            found.append(f"the judge {tested.get('judge')} does not qualify, so these are counts of what it said: {tested.get('because')}")
    return list(dict.fromkeys(found))


def told(result: Row) -> str:
    """What the command prints."""
    return markdown(result) if result["md"] else plain(result)


def plain(result: Row) -> str:
    lines = [f"from {result['from']} to {result['to']}"]
    for about, sentences in result["changed"].items():
        lines += [about, *(f"  {sentence}" for sentence in sentences)]
    for pair, outcomes in result["pairs"].items():
        lines.append(pair)
        for outcome, parts in outcomes.items():
            lines.append(f"  {outcome:16} {parts['before']} -> {parts['after']}  {_causes(parts)}")
    lines += result["doubts"] if result["pairs"] else []
    lines += [
        f"{each['matter_id']}:{each['pair']}  {each['before'] or '-'} -> {each['after'] or '-'}  ({each['cause']})"
        for each in result["pairings"]
    ]
    lines += [f"metrics/{name}.json: {count} values differ" for name, count in result["numbers"].items()]
    return "\n".join([*lines, "" if len(lines) > 1 else "nothing changed\n"])


def _causes(parts: dict[str, int]) -> str:
    return ", ".join(f"{cause} {count:+d}" for cause, count in parts.items() if cause in CAUSES)


def markdown(result: Row) -> str:
    """The same as Markdown. Whatever stands in a cell or a line was escaped: names and texts are not ours."""
    lines = [f"### What moved from {_cell(result['from'])} to {_cell(result['to'])}", ""]
    for about, sentences in result["changed"].items():
        lines += [f"**{about}**", "", *(f"- {_cell(sentence)}" for sentence in sentences), ""]
    if result["pairs"]:
        lines += ["| pair | count | before | after | why |", "|---|---|--:|--:|---|"]
        for pair, outcomes in result["pairs"].items():
            lines += [
                f"| {_cell(pair)} | {name} | {part['before']} | {part['after']} | {_causes(part)} |" for name, part in outcomes.items()
            ]
        lines += ["", *(f"- **Beside these counts**: {_cell(sentence)}" for sentence in result["doubts"])]
        lines += [""] if result["doubts"] else []
    return "\n".join([*lines, "" if len(lines) > 2 else "Nothing changed.\n"])


def _cell(text: str) -> str:
    """Text that can act as nothing in Markdown or HTML."""
    one_line = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_{}[]()#+!|<>~&" else char for char in one_line)
