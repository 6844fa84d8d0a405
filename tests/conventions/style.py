"""``python -m tests.conventions.style``: what `make lint` checks of the project's English.

Pages, docstrings and comments: words that are hard to read, and long sentences. Public names:
docstrings, and a word on each argument. Places that do not pass yet are listed in
``style_exceptions.txt``, with a count for each rule and page, folder of the package, or name. A
count may only go down: ``--shrink`` lowers the counts to what is there now, and raises none.
"""

import argparse
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests.conventions.arguments import public_things, unexplained
from tests.conventions.faces import undocumented
from tests.conventions.project import ROOT, code_files, in_package, text_files
from tests.conventions.prose import problems, sentences_of_code, sentences_of_page

EXCEPTIONS = Path(__file__).with_name("style_exceptions.txt")
FACES = (
    "actors_rs",
    "actors_rs.delivery",
    "actors_rs.interop.anyio",
    "actors_rs.observability.web",
    "actors_rs.spark",
    "actors_rs.testing",
)

Found = tuple[str, str, str]
"""A page, folder or public name, the rule, and a line that says what to do."""


def in_prose() -> Iterator[Found]:
    """What pages, docstrings and comments say in a way that is hard to read."""
    pages = {path: text for path, text in text_files().items() if path.endswith(".md")}
    code = {path: text for path, text in code_files().items() if _is_read(path)}
    for path, text in pages.items() | code.items():
        read = sentences_of_page if path in pages else sentences_of_code
        for line, sentence in read(text):
            for problem in problems(sentence):
                rule = "long" if problem[0].isdigit() else "word"
                yield place(path), rule, f"{path}:{line}: {problem}: {sentence[:90]}"


def place(path: str) -> str:
    """The unit that the list counts by: a page, or a folder of the package, since modules move."""
    return path if path.endswith(".md") else "/".join(path.split("/")[:2])


def _is_read(path: str) -> bool:
    return in_package(path) or path.startswith("examples/")


def in_docstrings() -> Iterator[Found]:
    """Public names without a docstring, and arguments that their docstring does not mention."""
    things = public_things([import_module(face) for face in FACES])
    for name, thing in things.items():
        has_docstring = inspect.isclass(thing) or inspect.isroutine(thing)
        for missing in undocumented(name, thing) if has_docstring else ():
            yield missing, "docstring", f"{missing}: write a docstring"
        for argument in unexplained(name, thing, list(things.values())):
            called = argument.partition("(")[0]
            yield (
                ".".join(called.split(".")[:2]),
                "argument",
                f"{argument}: the docstring does not mention the argument",
            )


def read_exceptions(text: str) -> Counter[tuple[str, str]]:
    """(place or name, rule) -> how many places may be there, of the list's text."""
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return Counter({(where, rule): int(count) for where, rule, count in rows})


def write_exceptions(allowed: Counter[tuple[str, str]]) -> str:
    """The list's text, which `read_exceptions` reads."""
    rows = [f"{where} {rule} {count}\n" for (where, rule), count in sorted(allowed.items())]
    return (
        "# Places that the style check lets pass: where, rule, count. Counts may only go down.\n"
        + ("".join(rows))
    )


def beyond(found: list[Found], allowed: Counter[tuple[str, str]]) -> list[str]:
    """The lines of all places and rules with more places than the list has."""
    counts = Counter((where, rule) for where, rule, _ in found)
    over = {key for key, count in counts.items() if count > allowed[key]}
    return sorted(line for where, rule, line in found if (where, rule) in over)


def shrunk(found: list[Found], allowed: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """The list with no count above what was found."""
    return Counter((where, rule) for where, rule, _ in found) & allowed


def main(arguments: list[str]) -> int:
    """Check all, print what does not pass, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shrink", action="store_true", help="lower the counts of the list")
    parser.add_argument("--all", action="store_true", help="print the exceptions as well")
    parser.add_argument("only", nargs="*", help="print what begins with one of these")
    options = parser.parse_args(arguments)
    allowed = read_exceptions(EXCEPTIONS.read_text("utf-8"))
    found = [*in_prose(), *in_docstrings()]
    if options.shrink:
        allowed = shrunk(found, allowed)
        EXCEPTIONS.write_text(write_exceptions(allowed), encoding="utf-8")
    said = beyond(found, Counter() if options.all else allowed)
    said = [line for line in said if line.startswith(tuple(options.only) or "")]
    spare = (allowed - shrunk(found, allowed)).total()
    print(*said, sep="\n", end="\n" * bool(said))
    if spare:
        print(
            f"{spare} exceptions are no longer needed: python -m tests.conventions.style --shrink"
        )
    print(f"style: {len(said)} to rewrite, {(allowed - Counter()).total() - spare} exceptions")
    return bool(said) and not options.all


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
