"""The files of the page: plain HTML, CSS and JavaScript, loaded from this folder alone."""

from functools import cache
from importlib.resources import files

__all__ = ["FILES", "SCRIPTS", "static_text"]

SCRIPTS = ("dom.js", "graph.js", "table.js", "charts.js", "panels.js", "page.js")
"""In the order in which they are loaded; each adds to one object, ``Page``."""
FILES = frozenset({"index.html", "page.css", "icon.svg", *SCRIPTS})
"""All files that a browser may load."""


@cache
def static_text(name: str) -> str:
    """The text of one of ``FILES``."""
    return files(__name__).joinpath(name).read_text("utf-8")
