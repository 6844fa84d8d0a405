"""``Source.parquet`` reads a directory whole, as ``pyarrow.dataset`` does, or fails."""

from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import dataset, parquet  # noqa: E402 - behind the check above

from actors_rs import Sink, Source  # noqa: E402
from actors_rs.errors import StageError  # noqa: E402

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


def write(root, *names, **columns):
    """A file of a row of its own at each of ``names``."""
    for number, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table({"n": [number], **columns}), root / name)


def read(root, columns=None):
    return pa.Table.from_batches(Source.parquet(root, columns).run(Sink.list()))


@pytest.mark.parametrize(
    "names",
    [
        ["a=1/b=x/0.parquet", "a=2/b=y/0.parquet", "a=2/b=y/1.pq"],
        ["a=1/0.parquet", "a=x/0.parquet"],
        ["a=01/0.parquet", f"a={HIVE_NULL}/0.parquet"],
        ["a=99999999999/0.parquet"],
        ["day=2024-01-01/a%20b=c%2Fd/0.parquet"],
        ["z=1/a=2/0.parquet", "z=1/a=/0.parquet"],
        ["0.pq", "more/0.parquet", "more.parquet/0.pq"],
        ["0.parquet", "a=1/0.parquet", "b=2/a=3/0.parquet"],
    ],
    ids=" ".join,
)
def test_what_pyarrow_reads_of_a_directory_is_what_comes(tmp_path, names):
    write(tmp_path, *names)
    expected = dataset.dataset(tmp_path, partitioning="hive", format="parquet").to_table()
    got = read(tmp_path)
    assert dict(zip(got.schema.names, got.schema.types, strict=True)) == dict(
        zip(expected.schema.names, expected.schema.types, strict=True)
    )
    assert sorted(got.to_pylist(), key=str) == sorted(
        expected.select(got.schema.names).to_pylist(), key=str
    )


def test_partition_columns_are_behind_the_files_own_and_may_be_chosen(tmp_path):
    write(tmp_path, "z=1/a=x/0.parquet", "z=2/a=y/0.parquet", m=["?"])
    assert read(tmp_path).schema.names == ["n", "m", "z", "a"]
    assert read(tmp_path, ["a", "n"]).to_pylist() == [{"n": 0, "a": "x"}, {"n": 1, "a": "y"}]
    assert read(tmp_path, ["z"]).to_pylist() == [{"z": 1}, {"z": 2}]
    with pytest.raises(StageError, match=r"z=1.a=x.0\.parquet: expected a column 'b'"):
        read(tmp_path, ["b", "z"])


def test_a_column_that_is_in_the_file_too_is_as_the_directory_says_or_an_error(tmp_path):
    write(tmp_path, "a=7/0.parquet", a=pa.array([1], pa.int32()))
    assert read(tmp_path).to_pylist() == [{"n": 0, "a": 7}]
    write(tmp_path, "a=8/0.parquet", a=["x"])
    with pytest.raises(StageError, match="expected column 'a' to be int32, as the name of the dir"):
        read(tmp_path)


def test_what_was_read_is_written_and_read_again(tmp_path):
    write(tmp_path / "in", "a=1/b=x/0.parquet", f"a=2/b={HIVE_NULL}/0.parquet")
    Source.parquet(tmp_path / "in").run(Sink.parquet(tmp_path / "out"))
    assert read(tmp_path / "out").to_pylist() == read(tmp_path / "in").to_pylist()


def test_a_file_that_is_named_has_no_partition_columns(tmp_path):
    write(tmp_path, "a=1/0.parquet")
    assert read(tmp_path / "a=1" / "0.parquet").to_pylist() == [{"n": 0}]
    assert read(tmp_path / "a=1").to_pylist() == [{"n": 0}]


def test_a_link_back_to_a_directory_above_is_not_followed(tmp_path):
    write(tmp_path, "in/0.parquet")
    (tmp_path / "in" / "again").symlink_to(tmp_path)
    assert read(tmp_path).to_pylist() == [{"n": 0}]


def test_a_directory_that_has_other_files_only_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").touch()
    with pytest.raises(StageError, match=r"could not read .*expected files .*'a\.txt'.*Source\.f"):
        Source.parquet(tmp_path).run(Sink.count())


@pytest.mark.parametrize("denied", ["", "a=1"])
def test_a_directory_that_may_not_be_read_is_an_error(tmp_path, monkeypatch, denied):
    write(tmp_path, "a=1/0.parquet", "a=2/0.parquet")
    iterdir = Path.iterdir

    def refuse(self):
        if self == tmp_path / denied:
            raise PermissionError(13, "Permission denied", str(self))
        return iterdir(self)

    monkeypatch.setattr(Path, "iterdir", refuse)  # the superuser may read whatever there is
    with pytest.raises(StageError, match=rf"could not read .*{denied}: .*Permission denied"):
        Source.parquet(tmp_path).run(Sink.count())


def test_what_is_hidden_does_not_count(tmp_path):
    write(tmp_path, "part-0.parquet", "_temporary/0.parquet", ".staging/0.parquet")
    for name in ("_SUCCESS", ".part-1.parquet.tmp"):
        (tmp_path / name).touch()
    assert Source.parquet(tmp_path).run(Sink.count()) == 1
