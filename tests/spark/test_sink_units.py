# mypy: disable-error-code="no-untyped-def, assignment, arg-type"
"""Which units ``SparkSink`` writes under their numbers: those of one ledger, and no others."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from actors_rs.delivery.ack import Disposition, Unit
from actors_rs.errors import InvalidArgumentError, LedgerError
from actors_rs.spark.sinks.sink_stages import UnitSparkWrite
from actors_rs.stages.failure import OnFailure


def taken(sink: UnitSparkWrite, run_key: str | None, column: str = "n") -> None:
    """A partition 0 goes through ``sink``."""
    entry = None if run_key is None else SimpleNamespace(run_key=run_key, path="nowhere")
    unit = Unit(0, lambda outcomes: None, entry)
    element = unit.track(pa.table({"id": [0], column: [1]}))
    unit.seal()
    sink.consume(iter([element]))
    sink.settle_ready()


@pytest.fixture
def written() -> list[object]:
    return []


@pytest.fixture
def sink(written: list[object]) -> UnitSparkWrite:
    sink = UnitSparkWrite(
        lambda table, number: written.append(number),
        lambda owner: written.append(owner),
        lambda table, number: written.append("appended"),
        "unit",
    )
    sink.context = SimpleNamespace(name="rows", post=lambda action: None)
    return sink


def test_a_second_source_with_a_ledger_is_refused_as_it_has_the_same_numbers(sink, written):
    taken(sink, "one")
    taken(sink, "one")
    with pytest.raises(LedgerError, match="stage 'rows' takes the partitions of one source"):
        taken(sink, "two")
    assert written == ["one rows", 0, 0]


def test_units_that_are_in_no_ledger_are_appended(sink, written):
    taken(sink, None)
    taken(sink, None)
    assert written == ["appended", "appended"]


@pytest.mark.parametrize("first", [None, "one"])
def test_units_of_a_ledger_and_of_none_are_not_mixed(sink, written, first):
    taken(sink, first)
    before = list(written)
    with pytest.raises(LedgerError, match="got others too, whose numbers are the same"):
        taken(sink, None if first else "one")
    assert written == before


@pytest.mark.parametrize("column", ["unit", "Unit"])
def test_a_column_that_the_numbers_of_units_would_hide_is_refused_whatever_the_policy(
    sink, written, column
):
    said = f"'unit=<number>', which would hide the column '{column}': rename it"
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        taken(sink, "one", column)
    sink.context.decide = lambda error, element: "resume"
    assert sink._decide(caught.value, None) == ("stop", None)
    assert written == [], "the directory is still anybody's"


def test_where_no_number_is_written_a_column_may_have_any_name(sink, written):
    taken(sink, None, "unit")
    assert written == ["appended"]


def test_an_element_with_other_columns_is_passed_over_and_the_rest_of_its_unit_is_written(
    sink, written
):
    sink.on_failure = OnFailure("resume")
    sink.context.passed_over = lambda element, error, position, policy: written.append(position)
    sink._loose = lambda table, number: written.append(table["n"].to_pylist())
    outcomes: list[object] = []
    unit = Unit(0, outcomes.append)
    tables = [pa.table({"n": [1]}), pa.table({"m": [2]}), pa.table({"n": [3]})]
    elements = [unit.track(table) for table in tables]
    unit.seal()
    sink.consume(iter(elements))
    sink.settle_ready()
    assert written == [1, [1, 3]]
    assert outcomes == [{Disposition.DELIVERED: 2, Disposition.DEAD_LETTERED: 1}]
