"""Errors that users meet have a code, and `actors-rs explain CODE` says what to do."""

import importlib
import re
from pathlib import Path

import pytest

from actors_rs import Sink, Source, errors
from actors_rs.cli import main
from actors_rs.error_codes import EXPLANATIONS, code_of, explained

DOCS = Path(__file__).parents[1] / "docs"
ROOTS = {"ActorsRsError", "UserError", "StreamError"}
OF_SPARK = {"SparkPartitionError", "SparkSessionLost"}


def test_every_public_error_has_a_code_and_every_code_an_error():
    assert {one.name for one in EXPLANATIONS.values()} == {*errors.__all__} - ROOTS | OF_SPARK


@pytest.mark.spark
def test_the_errors_of_spark_with_a_code_are_there():
    assert {*importlib.import_module("actors_rs.spark").__all__} >= OF_SPARK


def test_a_subclass_has_the_code_of_the_nearest_class_with_one():
    class Mine(errors.GraphError):
        pass

    assert code_of(Mine) == code_of(errors.GraphError) == "ARS-003"
    assert code_of(errors.ArgumentTypeError) == "ARS-002"
    assert code_of(KeyError) == ""


def test_a_failure_of_a_run_and_a_wrong_call_have_their_code():
    with pytest.raises(errors.StageError) as failed:
        Source.of(0).map(lambda n: 1 // n).run(Sink.list())
    with pytest.raises(errors.InvalidArgumentError) as wrong:
        Source.range(0, -1)
    assert (failed.value.code, wrong.value.code) == ("ARS-013", "ARS-001")


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_an_explanation_names_the_error_the_remedy_and_a_page_there_is(code):
    text = explained(code) or ""
    found = EXPLANATIONS[code]
    assert text.startswith(f"{code}  {found.name}\n\n")
    assert "\n\nWhat to do: " in text
    assert (DOCS / found.page).is_file()


def test_the_command_explains_a_code_in_either_case(capsys):
    assert main(["explain", "ars-017"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("ARS-017  Stalled\n")
    assert re.search(r"What to do: Break the circle", said)


def test_the_command_names_the_codes_there_are(capsys):
    assert main(["explain", "ARS-999"]) == 2
    expected = f"expected a code from ARS-001 to {max(EXPLANATIONS)}, got ARS-999"
    assert expected in capsys.readouterr().err


def test_a_run_that_fails_on_the_command_line_ends_with_its_code(tmp_path, capsys):
    file = tmp_path / "jobs.py"
    file.write_text(
        "from actors_rs import Sink, Source\n"
        "graph = Source.of(0).map(lambda n: 1 // n).to(Sink.list())\n"
    )
    assert main(["run", f"{file}:graph"]) == 1
    assert capsys.readouterr().err.endswith(" [ARS-013]\n")
