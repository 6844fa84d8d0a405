"""What ``actors-rs run`` prints of a result: how many rows, and where each sink put them."""

import sys

import pytest

from actors_rs import Graph, Sink, Source
from actors_rs.cli import main
from actors_rs.printed import printed
from actors_rs.stages.sinks.files.writing import WriteReport

GRAPHS = """
from actors_rs import Graph, Sink, Source

def into(table, path="shop.db"):
    return Sink.sqlite(
        path, f"insert into {table} VALUES (?)", setup=f"CREATE TABLE IF NOT EXISTS {table} (n)"
    )

good, bad = Source.of((1,), (2,), (-1,)).partition(2, lambda row: row[0] < 0)
both = Graph(good.to(into("orders")), bad.to(into("rejects")))
fan = Source.of((1,), (2,)).to(Sink.fan(into("orders"), Sink.count()))
mapped = Source.of((1,), (2,)).to(into("orders").map_result(lambda rows: rows * 10))
update = Source.of((1,)).to(Sink.sqlite("shop.db", "DELETE FROM orders WHERE n = ?"))
"""


TABLES = ["orders", "main.orders", '"new orders"', '"main"."orders"', "[new orders]"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs graphs of the module by their names, and returns the lines that the last one prints."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shops.py").write_text(GRAPHS)

    def run(*names):
        for name in names:
            capsys.readouterr()
            assert main(["run", f"shops:{name}"]) == 0
        return capsys.readouterr().out

    yield run
    del sys.modules["shops"]


def test_rows_in_sqlite_are_printed_with_the_table_and_the_file_of_each_sink(run):
    assert run("both") == "2 rows in table orders of shop.db\n1 row in table rejects of shop.db\n"


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("verb", ["INSERT", "insert or replace", "REPLACE"])
def test_the_printed_table_is_the_whole_name_as_the_statement_has_it(table, verb):
    sink = Sink.sqlite("shop.db", f"{verb} INTO {table} VALUES (?)")
    (line,) = printed(Source.of((1,)).to(sink), 1)
    assert line == f"1 row in table {table} of shop.db"


def test_a_text_of_a_statement_is_not_taken_for_its_table():
    sink = Sink.sqlite("shop.db", "UPDATE orders SET why = 'goes into stock' WHERE n = ?")
    (line,) = printed(Source.of((1,)).to(sink), 1)
    assert line == "1 row in shop.db"


def test_a_statement_that_is_no_insert_is_printed_with_its_file_alone(run):
    assert run("both", "update") == "1 row in shop.db\n"


def test_a_result_that_a_function_made_is_printed_as_it_is(run):
    assert run("mapped") == "20\n"
    assert run("fan") == "2\n2\n"


def printed_files(*files):
    graph = Source.of({"n": 1}).to(Sink.parquet("out"))
    (line,) = printed(graph, WriteReport(files, 8_900))
    return line


def test_many_files_are_counted_and_the_first_few_are_named():
    files = [f"full/good/part-{n:05}.parquet" for n in range(3, 12)]
    assert printed_files(*files) == (
        "8,900 rows in 9 files of full/good: part-00003.parquet, part-00004.parquet, "
        "part-00005.parquet, and 6 more"
    )


def test_a_single_file_is_printed_with_its_path_and_files_of_two_folders_with_theirs():
    assert printed_files("good/part-00000.parquet") == "8,900 rows in good/part-00000.parquet"
    assert printed_files("a/x.parquet", "b/y.parquet") == (
        "8,900 rows in 2 files: a/x.parquet, b/y.parquet"
    )
    assert printed_files() == "8,900 rows in no files"


def test_results_of_graphs_within_a_graph_belong_to_their_own_sinks():
    insert = Sink.sqlite("shop.db", "INSERT INTO orders VALUES (?)")
    inner = Graph(Source.of(1).to(Sink.sum()), Source.of((1,)).to(insert))
    graph = Graph(inner, Source.of((1,)).to(insert), Source.of(1).to(Sink.ignore()))
    assert list(printed(graph, ((1, 5), 7, None))) == [
        "(1, 5)",
        "7 rows in table orders of shop.db",
    ]
