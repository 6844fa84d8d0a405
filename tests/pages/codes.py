"""Writes ``docs/reference/codes.md`` from the package: ``python -m tests.pages.codes``."""

from __future__ import annotations

from pathlib import Path

from actors_rs.error_codes import EXPLANATIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "codes.md"
HEAD = """\
# Error codes

Made by `python -m tests.pages.codes` from `actors_rs/error_codes.py`.
`actors-rs explain ARS-017` prints the same in a terminal. `error.code` is the code of an error.

| code | error | meaning | what to do | more |
| --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    rows = (
        f"| {code} | [`{one.name}`]({target(one.name)}) | {one.means} | {one.remedy} "
        f"| [{one.page.removesuffix('.md')}](../{one.page}) |\n"
        for code, one in EXPLANATIONS.items()
    )
    return HEAD + "".join(rows)


def target(error: str) -> str:
    """Where the reference has the error."""
    module = "spark" if error.startswith("Spark") else "errors"
    return f"{module}.md#actors_rs.{module}.{error}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
