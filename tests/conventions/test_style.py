"""The style check finds what the style guide forbids. Each test plants it."""

from collections import Counter

import pytest

from tests.conventions.arguments import unexplained
from tests.conventions.prose import (
    MOST_WORDS,
    problems,
    sentences_of_code,
    sentences_of_page,
)
from tests.conventions.style import beyond, place, read_exceptions, shrunk, write_exceptions


@pytest.mark.parametrize(
    "sentence",
    [
        "Whoever asks gets it.",
        "The stage behind it stops.",
        "What is in flight is dropped.",
        "Upstream is told to stop.",
        "The elements at hand are dropped.",
        "It lets go of the element.",
        "The keeper of the books.",
        "Actors are to be stopped.",
    ],
)
def test_a_planted_hard_word_is_found_with_what_to_write_instead(sentence):
    (said,) = problems(sentence)
    assert said.count(":") == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "`sink.behind(outlet)` makes a graph.",
        "``cancel()`` stops the sources and drops elements in flight.",
        "The error names what failed.",
        "word " * MOST_WORDS,
    ],
)
def test_plain_sentences_and_inline_code_pass(sentence):
    assert problems(sentence) == []


def test_a_sentence_with_a_word_too_many_is_found_and_inline_code_is_one_word():
    assert problems("word " * (MOST_WORDS + 1))
    assert problems("word " * (MOST_WORDS - 1) + "`a b c d`") == []


def test_a_page_is_read_by_sentences_and_its_code_is_not():
    page = (
        "# Title\n\nFirst goes\non. Second `a.b. c`.\n\n- item\n- other\n  goes on\n\n"
        "```python\nbehind = 1\n```\n\n| a cell. | b |\n|---|---|\n| c | d |\n"
    )
    assert [tuple(one) for one in sentences_of_page(page)] == [
        (1, "Title"),
        (3, "First goes on."),
        (3, "Second `a.b. c`."),
        (6, "item"),
        (7, "other goes on"),
        (14, "a cell."),
        (14, "b"),
        (16, "c"),
        (16, "d"),
    ]


def test_docstrings_and_comments_are_read_and_their_examples_are_not():
    code = (
        '"""First line.\n\nin:  1 2 |\n\n>>> behind\n1\n\nLast.\n"""\n'
        "x = 'behind'  # Why it is so,\n# another.\ny = 1  # noqa: E501\n"
    )
    assert [one.text for one in sentences_of_code(code)] == [
        "First line.",
        "Last.",
        "Why it is so, another.",
    ]


def test_an_indented_block_is_code_and_an_indented_item_below_prose_is_not():
    code = '"""First.\n\n    behind\n    behind\n\nname: an item\n    that goes on.\n"""\n'
    read = [one.text for one in sentences_of_code(code)]
    assert read == ["First.", "name: an item that goes on."]


class Documented:
    """Made with ``size``."""

    def __init__(self, size, colour=None): ...

    def paint(self, colour, _inner=None):
        """Paint it."""


def test_an_argument_without_a_word_is_found_in_constructors_and_methods():
    assert unexplained("it", Documented) == ["it(colour)", "it.paint(colour)"]


def test_a_method_is_counted_for_the_public_class_that_has_it():
    class Heir(Documented):
        """Made with ``size``."""

    assert unexplained("heir", Heir, [Documented]) == []


FOUND = [("docs/a.md", "word", f"docs/a.md:{line}: 'behind'") for line in (1, 2)]


def test_more_places_than_listed_are_all_shown_and_as_many_pass():
    assert beyond(FOUND, Counter({("docs/a.md", "word"): 2})) == []
    assert len(beyond(FOUND, Counter({("docs/a.md", "word"): 1}))) == 2
    assert len(beyond(FOUND, Counter({("docs/a.md", "long"): 5}))) == 2


def test_the_list_shrinks_and_never_grows():
    assert shrunk(FOUND, Counter({("docs/a.md", "word"): 9})) == {("docs/a.md", "word"): 2}
    assert shrunk(FOUND, Counter({("docs/a.md", "word"): 1})) == {("docs/a.md", "word"): 1}
    assert shrunk(FOUND, Counter()) == {}


def test_the_list_is_written_as_it_is_read_and_a_module_may_move_within_its_folder():
    allowed = Counter({("docs/a.md", "word"): 2, ("actors_rs/graph", "long"): 1})
    assert read_exceptions(write_exceptions(allowed)) == allowed
    assert place("actors_rs/graph/x/y.py") == place("actors_rs/graph/z.py") == "actors_rs/graph"
