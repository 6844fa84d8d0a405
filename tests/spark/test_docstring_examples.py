"""Every example in a docstring that uses Spark prints what the docstring says."""

import pytest

from tests.docstring_examples import examples, run_example

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("docstring", examples(spark=True))
def test_the_example_gives_what_it_says(docstring, spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_example(docstring, spark=spark)
