"""Hooks of the documentation site, which `mkdocs.yml` names."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

DOCS = Path(__file__).parent
LINK = re.compile(r"\[((?:`[^`]*`|[^\[\]`])*)\]\(((?:\.\./)+[^)\s#]+)(#[^)\s]*)?\)")
"""A link to a file that lies in a folder above the page's."""
DIAGRAM = re.compile(r"<pre>.*?</pre>")
"""A marble diagram in a table: its lists are no links."""


class _ExamplesAsCode(Preprocessor):
    """Puts a fence around each example of a docstring: Markdown takes ``>>> `` for a quote."""

    def run(self, lines: list[str]) -> list[str]:
        fenced, inside = list[str](), ""
        for line in [*lines, ""]:
            if inside == "example" and not line.strip():
                fenced.append("```")
                inside = ""
            elif not inside and line.startswith(">>> "):
                fenced.append("```pycon")
                inside = "example"
            elif line.startswith("```"):
                inside = "" if inside else "fence"
            fenced.append(line)
        return fenced[:-1]


class Examples(Extension):
    """Shows the examples of docstrings as code."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is Markdown's
        before_fences_are_read = 29
        md.preprocessors.register(_ExamplesAsCode(md), "examples", before_fences_are_read)


def version() -> str:
    """The version of the package that the site describes."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def on_config(config: Any, /) -> Any:
    """Name the version, show examples as code, put the decisions in the order of their numbers."""
    config["site_name"] += f" {version()}"
    config["markdown_extensions"].append(Examples())
    if "MIKE_DOCS_VERSION" in os.environ:  # mike builds: the header lists the versions
        config["extra"]["version"] = {"provider": "mike"}
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
