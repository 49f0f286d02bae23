"""Choices and settings: params.yaml names a file of each group, Hydra composes it in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stages.runtime.errors import refusing
from stages.runtime.yaml_traps import check_yaml

Check = Callable[[str, Any], Any]
CONF = Path("conf")
PARAMS = Path("params.yaml")


def _plain(config: Any) -> Any:
    return OmegaConf.to_container(config, resolve=False)


def choices_file(path: Path = PARAMS) -> Any:
    """What stands in params.yaml, untyped. Raises ValueError when it is no YAML."""
    text = path.read_bytes().decode("utf-8")
    check_yaml(text)
    try:
        return _plain(OmegaConf.load(path))
    except (YAMLError, OmegaConfBaseException) as error:
        raise ValueError(_first_line(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def names(group: str, conf: Path = CONF) -> list[str]:
    """The choices of one group: its files without their ending."""
    return sorted(path.stem for path in (conf / group).glob("*.yaml"))


def composed(group: str, name: str, conf: Path = CONF) -> Any:
    """The values of ``conf/<group>/<name>.yaml``, untyped. Raises ValueError for what Hydra cannot compose."""
    path = conf / group / f"{name}.yaml"
    if path.exists():  # where it is absent, Hydra says what there is
        check_yaml(path.read_bytes().decode("utf-8"))
    try:
        with initialize_config_dir(str(conf.resolve()), version_base="1.3"):
            return _plain(compose(overrides=[f"+{group}={name}"])[group])
    except (HydraException, YAMLError, OmegaConfBaseException) as error:
        raise ValueError(_first_line(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or "it holds no settings that can be composed"  # Hydra has no words for a key of nothing


def setting(group: str, name: str, check: Check) -> Any:
    """The checked settings of one choice. ``check(group, values)`` types them; what it raises is refused with the file's name."""
    with refusing(f"{CONF / group / name}.yaml"):
        return check(group, composed(group, name))


def choices(check: Check) -> Any:
    """The checked choices of params.yaml."""
    with refusing(str(PARAMS)):
        return check("choices", choices_file())
