"""A directory that ``Source.parquet`` cannot read whole is an error, and no empty stream."""

from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check above

from actors_rs import Sink, Source  # noqa: E402
from actors_rs.errors import StageError  # noqa: E402


@pytest.mark.parametrize("name", ["day=1/part-0.parquet", "part-0.pq", "rows.parquet/part-0.pq"])
def test_a_directory_without_files_that_are_read_is_an_error_that_says_what_to_do(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    parquet.write_table(pa.table({"a": [1]}), tmp_path / name)
    told = rf"could not read .*expected files .*found '{Path(name).parts[0]}'.*Source.files"
    with pytest.raises(StageError, match=told):
        Source.parquet(tmp_path).run(Sink.count())


def test_directories_beside_files_that_are_read_are_an_error(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "part-0.parquet")
    (tmp_path / "day=1").mkdir()
    (tmp_path / "a.txt").touch()
    with pytest.raises(StageError, match="found 'day=1'"):
        Source.parquet(tmp_path).run(Sink.count())


def test_a_directory_that_may_not_be_read_is_an_error(tmp_path, monkeypatch):
    def denied(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", denied)  # the superuser may read whatever there is
    with pytest.raises(StageError, match=r"could not read .*Permission denied"):
        Source.parquet(tmp_path).run(Sink.count())


def test_what_is_hidden_does_not_count(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "part-0.parquet")
    for name in ("_SUCCESS", ".part-1.parquet.tmp"):
        (tmp_path / name).touch()
    assert Source.parquet(tmp_path).run(Sink.count()) == 1
