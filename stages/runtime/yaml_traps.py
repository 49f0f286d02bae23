"""YAML that two readers read differently, refused before either reads it: DVC's reader and Hydra's must never disagree on a setting."""

import re
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

# plain scalars on which YAML 1.1 and YAML 1.2 differ, and what to write instead
_TRAPS = (
    (r"[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+", "is text to one reader and a number to another: write it with a point, such as 1.0e-5"),
    (r"(?i:on|off|yes|no)", "is text to one reader and a truth value to another: write true or false, or quote it"),
    (r"[-+]?0[oO]?[0-9]+", "is octal to one reader and something else to another: write the decimal number, or quote it"),
    (r"(?=.*_)[-+.]*[0-9][0-9_.:eExXoObB+-]*", "is a number to one reader and text to another: write it without underscores"),
    (r"[-+][0-9]*_[0-9_]*|[-+]?\.[0-9]*_[0-9_.eE+-]*", "is a number to one reader and something else to another: quote it"),
    (r"[-+]\.[0-9]+([eE][-+]?[0-9]+)?", "is a number to one reader and text to another: write a nought before the point"),
    (r"[-+]?[0-9]+(:[0-9]*)+(\.[0-9]*)?", "is base sixty to one reader and text to another: quote it"),
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?", "is a date to one reader and text to another: quote it"),
)
_DEEPEST = 32  # a reply schema nests eight levels


_BEGIN, _WORDS = frozenset("+-.0123456789"), {"on", "off", "yes", "no"}  # how a scalar begins, or what it is, that may be a trap


def check_yaml(text: str) -> None:
    """Raise ValueError, naming the line, for a trap, an anchor, an alias or a tag; for a key that stands twice or is no text; and for
    what is no YAML mapping."""
    _parsed(text)


def values_of(text: str) -> Any:
    """The values of a text that ``check_yaml`` lets through, as Hydra's reader reads them. Raises ValueError as it does, and YAMLError
    for a lone ``=``, which stands for nothing."""
    tree, document = _parsed(text)
    return tree.construct_document(document)


class _Tree(Composer, SafeConstructor, Resolver):
    """Makes nodes of events that were parsed before, and values of nodes: parsing takes longest, so it is done once.

    What a plain scalar is, is said as OmegaConf's reader says it, where that differs from PyYAML's and nothing is refused: no times, and
    numbers whose exponent has no sign.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own name and kind
        first: [(tag, wanted) for tag, wanted in known if not tag.endswith(":timestamp")]
        for first, known in Resolver.yaml_implicit_resolvers.items()
    }

    def __init__(self, events: list[yaml.Event]) -> None:
        for part in (Composer, SafeConstructor, Resolver):
            part.__init__(self)
        self._events, self._at = events, 0

    def check_event(self, *kinds: type[yaml.Event]) -> bool:
        return self._at < len(self._events) and (not kinds or isinstance(self._events[self._at], kinds))

    def peek_event(self) -> yaml.Event:
        return self._events[self._at]

    def get_event(self) -> yaml.Event:
        self._at += 1
        return self._events[self._at - 1]


_Tree.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+\.[0-9]*[eE][0-9]+$"), list("-+0123456789"))


def _parsed(text: str) -> tuple[_Tree, yaml.Node]:
    try:
        tree = _Tree(_events(text))
        document = tree.get_single_node()
    except yaml.YAMLError as error:
        raise ValueError(_no_yaml(error)) from None
    if document is None:
        raise ValueError("the file is empty")
    if not isinstance(document, yaml.MappingNode):
        raise ValueError("the file is no list of `key: value` lines")
    _check_keys(document)
    if any(isinstance(event, yaml.ScalarEvent) and event.value == "defaults" for event in tree._events):
        raise ValueError("`defaults` would bring in another file that nobody tracks: a settings file is flat")
    if re.search(r"^\s*#\s*@package", text, re.MULTILINE):
        raise ValueError("`# @package` would move the settings elsewhere: a settings file is flat")
    return tree, document


def _events(text: str) -> list[yaml.Event]:
    """What the text is made of, each piece checked. It ends where nesting gets senseless: 20,000 open brackets would take a minute."""
    found, depth = [], 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        _check(event)
        found.append(event)
    return found


def _no_yaml(error: yaml.YAMLError) -> str:
    """Where a text stops being YAML, and what the reader says of that place."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    where = f"line {mark.line + 1}: " if mark else ""
    return f"{where}this is no YAML ({' '.join(str(problem or error).split())[:160]})"


def _check_keys(node: yaml.Node) -> None:
    """Raise ValueError for a key that stands twice at one place, and for one that is no text."""
    if isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _check_keys(value)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError(f"line {line}: a key is one word, and here stands a list or a group")
        if key.tag != "tag:yaml.org,2002:str":
            raise ValueError(f"line {line}: the key {key.value or 'null'} is read as something else than text: quote it")
        if key.value in seen:
            raise ValueError(f"line {line}: duplicate key {key.value!r}")
        seen.add(key.value)
        _check_keys(value)


def _check(event: yaml.Event) -> None:
    line = event.start_mark.line + 1 if event.start_mark else 0
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise ValueError(f"line {line}: an anchor or alias (& or *), which can make a small file huge: write the value out")
    if tag := getattr(event, "tag", None):
        raise ValueError(f"line {line}: a tag ({tag}): a settings file holds plain values only")
    if isinstance(event, yaml.ScalarEvent) and event.style is None and (event.value[:1] in _BEGIN or event.value.lower() in _WORDS):
        for trap, reason in _TRAPS:
            if re.fullmatch(trap, event.value):
                raise ValueError(f"line {line}: {event.value} {reason}")
