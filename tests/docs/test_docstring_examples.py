"""Every example in a docstring prints what the docstring says, in an empty folder."""

import pytest

from tests.docstring_examples import examples, run_example


@pytest.mark.parametrize("docstring", examples(spark=False))
def test_the_example_gives_what_it_says(docstring, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_example(docstring)
