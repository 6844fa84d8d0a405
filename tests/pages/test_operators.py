"""tests/pages/operators.py: the page says all that the stages' files say, and they say all."""

import ast
import re
from textwrap import dedent

from actors_rs import Flow, Sink
from tests.conformance.stages import FLOWS, HUBS, SINKS, SOURCES
from tests.pages.compositions import COMPOSED
from tests.pages.operators import KINDS, PAGE, PARTS, ROOT, page, stage_of, stages, told

ALL = [stage for kind in KINDS for stage in stages(kind)]


def test_the_page_is_what_the_files_say_now():
    again = "docs/operators.md is out of date: python -m tests.pages.operators"
    assert PAGE.read_text(encoding="utf-8") == page(), again


def test_every_file_names_its_stage_and_says_what_it_does_and_how_it_ends():
    said = [one for stage in ALL for one in stage.missing()]
    assert not said, "\n".join(said)


def test_every_stage_is_on_the_page_and_nothing_else_is():
    files = {stage.file.removesuffix(".py") for stage in ALL}
    assert files == {*SOURCES, *FLOWS, *HUBS, *SINKS}


def test_every_method_of_the_language_is_on_the_page():
    heads = " ".join(line.split(" | ")[0] for line in page().splitlines() if line.startswith("| "))
    names = {name for kind in (Flow, Sink) for name in dir(kind) if name[0] != "_"}
    missing = sorted(name for name in names if not re.search(rf"\b{name}\b", heads))
    assert not missing, f"not on docs/operators.md, nor in tests/pages/compositions.py: {missing}"


def test_compositions_tell_as_much_as_stages_and_link_to_files_there_are():
    for file, text in COMPOSED:
        assert (ROOT / "actors_rs" / file).is_file(), file
        stage = told(file, dedent(" " * 8 + text).strip())
        assert not stage.missing(), text


def test_a_file_is_taken_apart():
    text = '''"""twice(f)

    in:  1 |
    out: 1 1 |   (a*b)

    in:  x

What it does.
And more.

Back-pressure: asks for
  its window.
Completes: with upstream.
Cancels: upstream.
"""'''
    stage = stage_of("operators/twice.py", ast.parse(text))
    assert stage.name == "twice(f)"
    assert stage.marble == "in:  1 |\nout: 1 1 |   (a*b)\n\nin:  x"
    assert stage.what == "What it does. And more."
    assert [stage.parts[part] for part in PARTS] == [
        "Asks for its window.",
        "With upstream.",
        "",
        "Upstream.",
    ]
    assert stage.missing() == ["operators/twice.py: no Fails"]


def test_a_sink_has_no_marble_line_and_a_source_has_one_without_a_name():
    sink = stage_of("sinks/all.py", ast.parse('"""all(f): everything.\n\nAnd more."""'))
    assert (sink.name, sink.marble, sink.what) == ("all(f)", "", "Everything. And more.")
    source = stage_of("sources/one.py", ast.parse('"""one(lambda: 1)\n\n1 |\n\nGives it."""'))
    assert (source.name, source.marble, source.what) == ("one(lambda: 1)", "1 |", "Gives it.")


def test_a_file_without_a_sentence_has_that_of_its_class():
    text = '"""map(f)\n\nin: 1\n"""\nclass _Part:\n    """No."""\nclass Map:\n    """Yes."""'
    assert stage_of("operators/map.py", ast.parse(text)).what == "Yes."
