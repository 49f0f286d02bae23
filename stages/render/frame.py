"""The frame of every page: Jinja2 that escapes everything, the policy, and the links that work from file:// and from any folder."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from stages.render.wording import FILTERS, STATUS_WORDS, is_digest

HERE = Path(__file__).parent
# Nothing is fetched but the site's own style, scripts and icon; no text becomes markup at run time (trusted types), nothing is sent.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'; trusted-types "
)
NO_SCRIPT_ADDRESS, SEARCH_ADDRESSES = "'none'", "moot-search"  # only the search loads scripts by an address, and only its own


@dataclass(frozen=True)
class Page:
    """One file of the site. address: its path below data/site, with forward slashes."""

    address: str
    text: str

    @property
    def data(self) -> bytes:
        return self.text.encode("utf-8")


def page(address: str, template: str, **content: Any) -> Page:
    """A page from its template. Raises UndefinedError for a name that nobody gave: a misspelt number must not come out as nothing."""
    root = "../" * address.count("/")
    policy = POLICY + (SEARCH_ADDRESSES if address == "search.html" else NO_SCRIPT_ADDRESS)
    return Page(address, environment().get_template(template).render(root=root, address=address, policy=policy, **content))


@cache
def environment() -> Environment:
    """The one environment: autoescape on, undefined names refused, no template from anywhere else."""
    loader = FileSystemLoader(HERE / "templates")
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters |= FILTERS
    found.tests["hexdigest"] = is_digest
    found.globals |= {"status_words": STATUS_WORDS}
    return found


def asset(name: str) -> Page:
    """A style sheet, script or icon as it stands in this folder."""
    return Page(f"assets/{name}", (HERE / "assets" / name).read_text(encoding="utf-8"))
