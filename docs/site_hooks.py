"""Hooks of the documentation site, which `mkdocs.yml` names."""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
LINK = re.compile(r"\[((?:`[^`]*`|[^\[\]`])*)\]\(((?:\.\./)+[^)\s#]+)(#[^)\s]*)?\)")
"""A link to a file that lies in a folder above the page's."""
DIAGRAM = re.compile(r"<pre>.*?</pre>")
"""A marble diagram in a table: its lists are no links."""


def on_config(config: Any, /) -> Any:
    """Put the decisions after their index, in the order of their numbers."""
    for section in config["nav"]:
        for entry in section.get("Explanation", ()) if isinstance(section, dict) else ():
            if isinstance(entry, dict) and "Decisions" in entry:
                pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
                entry["Decisions"] = [
                    "decisions/README.md",
                    *(f"decisions/{page.name}" for page in pages),
                ]
    return config


def on_page_markdown(markdown: str, /, *, page: Any, **_: Any) -> str:
    """Keep the text of a link that leads out of ``docs``: the site has no source files."""
    folder = (DOCS / page.file.src_path).parent

    def stays(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        return link[0] if target.is_relative_to(DOCS.resolve()) else link[1]

    linked = LINK.sub(stays, markdown)
    return DIAGRAM.sub(lambda found: found[0].replace("[", "&#91;").replace("]", "&#93;"), linked)
