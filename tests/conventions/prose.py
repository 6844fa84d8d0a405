"""The sentences of a page or a Python file, and what is wrong with each. Pure.

Python files have sentences in docstrings and comments. Code is no prose: fenced blocks,
doctests, indented examples and marble lines are left out, and inline code counts as one word.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.conventions.faces import is_string

MOST_WORDS = 35
"""Words of the longest sentence that passes."""

WORDS = {
    r"\b(?:who|whom|what)ever\b|\b(?:for|of) whom\b": "name the person or the part",
    r"\b(?:is|are|was|were|be|been) told\b|\btells? of\b": "say 'reports', 'receives' or 'raises'",
    r"(?:^|[.;:] |, )what (?:is|was|has|had|it|a|the|they|cannot|can|could|does|fits|waits)\b": (
        "name the thing instead of 'what'"
    ),
    r"\bbehind\b": "say 'after' (time) or 'downstream of' (place)",
    r"\b(?:at|in) hand\b": "say 'already available' or 'in flight'",
    r"\blets? go\b|\bletting go\b": "say 'release'",
    r"\bdear(?:er|est)?\b": "say 'expensive'",
    r"\bbooks\b|\bbookkeeping\b": "say 'counters'",
    r"\bthose (?:who|that|which|of)\b|\bthat of (?:its|the|a|each|one)\b": "repeat the noun",
    r"\bsuch (?:a one|ones?)\b|\bof such\b": "repeat the noun",
    r"\bsome(?:body|one)(?:'s)?\b": "name the part",
    r"\bshall\b|\bhence\b|\bthereof\b|\bwherein\b": "use a plain modern word",
    r"\b(?:is|are) to be\b|\bis of (?:no|any) use\b": "say 'must', 'should' or 'is useful'",
}
"""Pattern -> what to write instead. A sentence is matched without its inline code."""

FENCE = re.compile(r"^\s*(```|~~~)")
NO_PROSE = re.compile(r":::|<|    :|[-|: ]+$")
"""Lines of a page that are for tools: generated parts, HTML, rules of tables."""
TARGET = re.compile(r"\]\([^)]*\)")
"""Where a link leads."""
INLINE = re.compile(r"``[^`]+``|`[^`]+`")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>|\|)\s?")
END = re.compile(r"[.!?][)\"'*_]*(?=\s|$)")
DIRECTIVE = re.compile(r"^(?:type: |noqa|pragma:|ruff:|pyright:|!|-\*-)")


class Sentence(NamedTuple):
    """One sentence and the line that its paragraph begins in."""

    line: int
    text: str


def problems(sentence: str) -> list[str]:
    """The rules of the style guide that a sentence breaks, each with its remedy."""
    text = INLINE.sub("x", sentence)
    found = [
        f"{match.group().strip(' .;:,')!r}: {advice}"
        for pattern, advice in WORDS.items()
        if (match := re.search(pattern, text, re.IGNORECASE))
    ]
    words = sum(1 for word in text.split() if re.search(r"\w", word))
    if words > MOST_WORDS:
        found.append(f"{words} words: make it sentences of at most {MOST_WORDS}")
    return found


def sentences_of_page(text: str) -> Iterator[Sentence]:
    """The sentences of a Markdown text; each list item, heading and table cell stands alone."""
    fenced, lines = False, []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = bool(FENCE.match(line))
        fenced ^= fence
        skipped = fence or fenced or NO_PROSE.match(line)
        lines.append((number, "" if skipped else TARGET.sub("]", line)))
    yield from sentences(lines)


def sentences_of_code(text: str) -> Iterator[Sentence]:
    """The sentences of the docstrings and of the comments of a Python file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and is_string(node):
            yield from sentences(prose_lines(node.lineno, ast.literal_eval(ast.unparse(node))))
    yield from sentences(comment_lines(text))


def prose_lines(first: int, docstring: str) -> Iterator[tuple[int, str]]:
    """The lines of a docstring, code and marble lines replaced by empty ones."""
    lines = docstring.splitlines()
    base = min((len(x) - len(x.lstrip()) for x in lines[1:] if x.strip()), default=0)
    code = block = False
    for offset, line in enumerate(lines):
        bare = line.strip()
        indented = offset > 0 and len(line) - len(line.lstrip()) >= base + 4
        code = bool(bare) and (code or bare.startswith(">>>"))
        block = indented and (block or not _continues(lines, offset))
        yield first + offset, "" if code or block or _is_marble(bare) else bare


def _continues(lines: list[str], offset: int) -> bool:
    """Whether an indented line below prose goes on with an item of a list of arguments."""
    above = lines[offset - 1].strip()
    return bool(above) and not above.endswith("::")


def _is_marble(line: str) -> bool:
    return bool(re.match(r"[a-z]\w*( \d|\(\w+\))?:\s{2,}|(in|out|put|asks for|asks):\s", line))


def comment_lines(text: str) -> Iterator[tuple[int, str]]:
    """The comments of a Python file; comments on adjacent lines are one text."""
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            said = token.string.lstrip("#: ")
            if token.start[0] != last + 1 or token.line.split("#")[0].strip():
                yield token.start[0], ""
            last = token.start[0]
            yield last, "" if DIRECTIVE.match(said) else said


def sentences(lines: Iterable[tuple[int, str]]) -> Iterator[Sentence]:
    """The sentences of lines with their numbers; an empty line or a list item ends a paragraph."""
    paragraph: list[str] = []
    begin = 0
    for number, line in [*lines, (0, "")]:
        begins = ITEM.match(line)
        if not line.strip() or begins:
            yield from _split(begin, " ".join(paragraph))
            paragraph, begin = [], number
        if line.startswith("|"):
            for part in line.split(" | "):
                yield from _split(number, part.strip("| "))
        elif line.strip():
            begin = begin if paragraph else number
            paragraph.append(ITEM.sub("", line).strip() if begins else line.strip())


def _split(line: int, text: str) -> Iterator[Sentence]:
    hidden = INLINE.sub(lambda code: code.group().replace(".", "\0").replace("?", "\1"), text)
    start = 0
    for end in [*(match.end() for match in END.finditer(hidden)), len(hidden)]:
        sentence = hidden[start:end].replace("\0", ".").replace("\1", "?").strip()
        if sentence:
            yield Sentence(line, sentence)
        start = end
