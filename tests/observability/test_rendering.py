"""The table as text: what a terminal of a given width shows of a snapshot."""

import io

import pytest
from rich.console import Console

from actors_rs import RunSnapshot, StageSnapshot
from actors_rs.observability.rendering import rendered


def stage(name, **changes):
    figures = dict.fromkeys(("demand", "requested", "buffered", "mailbox"), 1_234_567)
    counts = {"elements_in": 123_456_789, "elements_out": 987_654_321, "window": 65_536}
    shares = {"busy": 1.0, "idle": 0.0, "back_pressured": 0.0}
    return StageSnapshot(
        **{"name": name, "kind": name, "state": "running"} | figures | counts | shares | changes
    )


SPARK = stage(
    "spark",
    window=0,
    busy=0.0,
    back_pressured=1.0,
    details={"partitions": 200, "done": 7, "running": 4, "waiting": 189, "rows": 5_000},
)
DIGEST = stage("a stage with a long name of the user's own [bold]")


@pytest.fixture
def shown():
    screen = io.StringIO()
    console = Console(file=screen, width=80)
    console.print(rendered(RunSnapshot("run", "running", 2.0, (SPARK, DIGEST))))
    return screen.getvalue()


def test_a_terminal_of_80_columns_shows_every_figure_in_full(shown):
    for figure in ("123M", "988M", "61.7M", "1.23M/65.5k", "100%"):
        assert figure in shown


def test_partitions_have_a_line_below_the_table(shown):
    assert "spark: 200 partitions: 7 done, 4 running, 189 waiting, 2500 rows/s, about" in shown


def test_the_bottleneck_is_named_below_the_table_as_the_user_wrote_it(shown):
    assert f"bottleneck: {DIGEST.name}" in shown


def test_the_picture_is_plain_ascii_where_the_terminal_knows_nothing_else():
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", write_through=True) as screen:
        console = Console(file=screen, width=80)
        console.print(rendered(RunSnapshot("run", "running", 2.0, (SPARK,))))
        assert b"spark" in raw.getvalue()


BUFFER = stage("buffer", resumed=12, dead_letters=1_234, details={"dropped": 4})


def lines_of(*stages, width):
    screen = io.StringIO()
    Console(file=screen, width=width).print(rendered(RunSnapshot("run", "running", 2.0, stages)))
    return screen.getvalue().splitlines()


def test_figures_of_trouble_have_a_column_while_a_stage_has_some():
    lines = lines_of(DIGEST, BUFFER, width=140)
    assert lines[2].split()[-5:] == ["held", "resumed", "dropped", "dead", "letters"]
    (row,) = [line for line in lines if line.strip().startswith("buffer")]
    assert row.split()[-3:] == ["12", "4", "1234"]
    assert not any("dropped" in line for line in lines_of(DIGEST, SPARK, width=140))


def test_figures_of_trouble_stand_below_the_table_where_there_is_no_room_for_columns():
    lines = lines_of(DIGEST, BUFFER, width=80)
    assert "dropped" not in lines[2]
    assert "buffer: 12 resumed, 4 dropped, 1234 dead letters" in [line.strip() for line in lines]
    for figure in ("123M", "988M", "61.7M", "1.23M/65.5k", "100%"):
        assert any(figure in line for line in lines)


def test_bytes_have_a_column_in_a_system_with_a_memory_limit_and_in_no_other():
    heavy = stage("load", buffered_bytes=3 * 2**20)
    screen = io.StringIO()
    run = RunSnapshot("run", "running", 2.0, (heavy, DIGEST), memory_limit=64 * 2**20)
    Console(file=screen, width=80).print(rendered(run))
    lines = screen.getvalue().splitlines()
    assert lines[0].strip() == "run running, 2.0 s, holds 3.00MiB of 64.0MiB"
    assert lines[2].split()[6:9] == ["demand", "buffered", "bytes"]
    (row,) = [line for line in lines if line.strip().startswith("load")]
    assert "1.23M/65.5k3.00MiB" in row.replace(" ", "")
    assert "bytes" not in lines_of(heavy, width=80)[2].split()
