"""Digests of large files."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

from stress.bench.workloads.cores import CORES

__all__ = ["prepare"]

LINES = 60
NAME = "{n:,} files of 8 MiB hashed"
Digests = dict[str, str]


def prepare(folder: Path, n: int) -> None:
    (folder / "blobs").mkdir()
    for i in range(n):
        (folder / "blobs" / f"{i:04}").write_bytes(random.Random(i).randbytes(8 << 20))


def digest(path: Path) -> tuple[str, str]:
    return path.name, hashlib.sha3_256(path.read_bytes()).hexdigest()


def ours(folder: Path) -> Digests:
    from actors_rs import Sink, Source

    paths = Source.from_iterable((folder / "blobs").iterdir())
    return dict(paths.map_async(digest, CORES).run(Sink.list()))


def loop(folder: Path) -> Digests:
    return dict(map(digest, (folder / "blobs").iterdir()))


def executor(folder: Path) -> Digests:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(CORES) as pool:
        return dict(pool.map(digest, (folder / "blobs").iterdir()))


def pool(folder: Path) -> Digests:
    from multiprocessing import Pool

    with Pool(CORES) as pool:
        return dict(pool.imap_unordered(digest, (folder / "blobs").iterdir()))


def joblib(folder: Path) -> Digests:
    from joblib import Parallel, delayed

    return dict(Parallel(CORES)(delayed(digest)(path) for path in (folder / "blobs").iterdir()))


def dask(folder: Path) -> Digests:
    from dask import bag

    paths = bag.from_sequence((folder / "blobs").iterdir(), partition_size=1)
    return dict(paths.map(digest).compute(scheduler="threads", num_workers=CORES))


def ray(folder: Path) -> Digests:
    from ray.data import read_binary_files

    def hashed(row: dict[str, Any]) -> dict[str, str]:
        name = Path(row["path"]).name
        return {"name": name, "digest": hashlib.sha3_256(row["bytes"]).hexdigest()}

    rows = read_binary_files(str(folder / "blobs"), include_paths=True).map(hashed).take_all()
    return {row["name"]: row["digest"] for row in rows}
