"""Choices and settings: params.yaml names a file of each group, Hydra composes it in this process.

A settings file is flat, so what Hydra makes of it is what stands in it. Stages let Hydra compose; the commands people type, which only
look, read the text: loading Hydra and composing takes half a second.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from yaml import YAMLError

from stages.runtime.errors import refusing
from stages.runtime.yaml_traps import check_yaml, values_of

Check = Callable[[str, Any], Any]
CONF = Path("conf")
PARAMS = Path("params.yaml")


def _text(path: Path) -> str:
    """The text of a settings file. Raises ValueError for what is no plain file (a pipe would be waited on for ever) and no UTF-8:
    the rule of stages/schema/plain_files.py, and these two shelves know nothing of each other."""
    if path.exists() and not path.is_file():
        raise ValueError("it is no plain file")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None


@contextmanager
def _in_our_words(text: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn what a reader says of a text that is sound YAML into a sentence of ours. What is left to it are references."""
    try:
        yield
    except kinds:
        line = text.count("\n", 0, max(text.find("${"), 0)) + 1
        what = f"line {line}: a `${{` opens a reference, and none ends well" if "${" in text else "its values cannot be taken as they stand"
        raise ValueError(f"{what}: a settings file holds plain values only") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def choices_file(path: Path = PARAMS) -> Any:
    """What stands in params.yaml, untyped. Raises ValueError when it is no YAML, OSError when it cannot be read."""
    return values_in(_text(path))


def values_in(text: str) -> Any:
    """The values of a settings file from its text, untyped: what ``composed`` gives, because a settings file is flat.

    Raises ValueError when it is no plain YAML, and for a reference that is none.
    """
    with _in_our_words(text, YAMLError):
        values = values_of(text)
    if "${" in text:
        _check_references(text)
    return values


def _check_references(text: str) -> None:
    """Raise ValueError where OmegaConf, which may have to make sense of a ``${``, makes none."""
    from omegaconf import OmegaConf  # noqa: PLC0415  takes longer to load than all settings to read, and few hold a reference
    from omegaconf.errors import OmegaConfBaseException  # noqa: PLC0415  see above

    with _in_our_words(text, OmegaConfBaseException):
        OmegaConf.create(text)


def names(group: str, conf: Path = CONF) -> list[str]:
    """The choices of one group: its files without their ending."""
    return sorted(path.stem for path in (conf / group).glob("*.yaml"))


def composed(group: str, name: str, conf: Path = CONF) -> Any:
    """The values of ``conf/<group>/<name>.yaml``, untyped. Raises ValueError for a name that there is not, and for a file that cannot
    be composed; OSError for one that cannot be read."""
    from hydra import compose, initialize_config_dir  # noqa: PLC0415  takes 0.2 s to import, and whoever only looks needs none of it
    from hydra.errors import HydraException  # noqa: PLC0415  see above
    from omegaconf import OmegaConf  # noqa: PLC0415  see above
    from omegaconf.errors import OmegaConfBaseException  # noqa: PLC0415  see above

    text = _chosen_text(group, name, conf)
    check_yaml(text)
    with (
        _in_our_words(text, HydraException, YAMLError, OmegaConfBaseException),
        initialize_config_dir(str(conf.resolve()), version_base="1.3"),
    ):
        whole = compose(overrides=[f"+{group}='{name}'"])  # quoted: `true` and `1` are names, too
        return OmegaConf.to_container(whole[group], resolve=False)


def _chosen_text(group: str, name: str, conf: Path) -> str:
    """The text of one choice. Raises ValueError and OSError as ``composed`` does."""
    _check_choice(group, name, conf)
    return _text(conf / group / f"{name}.yaml")


def _check_choice(group: str, name: str, conf: Path) -> None:
    """Raise ValueError, with the nearest right name, for one that no file of the group bears, and one that Hydra would take apart."""
    there = names(group, conf)
    if name not in there:
        near = get_close_matches(name, there, 1, 0.5)
        raise ValueError("no such file; " + (f"the nearest is {near[0]!r}" if near else f"known: {', '.join(there) or 'none'}"))
    if not re.fullmatch(r"[\w.-]+", name):
        raise ValueError("a file here is named by letters, digits, points and hyphens")


def setting(group: str, name: str, check: Check) -> Any:
    """The checked settings of one choice. ``check(group, values)`` types them; what it raises is refused with the file's name."""
    with refusing(f"{CONF / group / name}.yaml"):
        return check(group, composed(group, name))


def settings_of(chosen: Sequence[tuple[str, str]], check: Check) -> list[Any]:
    """The checked settings of several choices, each a group and a name, in that order: what ``setting`` gives for each, without Hydra.

    The first that is wrong is refused with its file's name.
    """
    found = []
    for group, name in chosen:
        with refusing(f"{CONF / group / name}.yaml"):
            found.append(check(group, values_in(_chosen_text(group, name, CONF))))
    return found


def choices(check: Check) -> Any:
    """The checked choices of params.yaml."""
    with refusing(str(PARAMS)):
        return check("choices", choices_file())
