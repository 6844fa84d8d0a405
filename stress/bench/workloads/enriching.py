"""Orders completed by what an HTTP service says of them, 32 requests at a time.

Requests wait, so contestants use threads. Ray has none: it would start 32 processes.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterable
from pathlib import Path

from stress.bench.workloads.service import running

__all__ = ["prepare", "running"]

LINES = 1_000
NAME = "{n:,} HTTP requests, answered after 20 ms, 32 at a time"
AT_A_TIME = 32
Names = list[str]


def prepare(folder: Path, n: int) -> None:
    (folder / "ids.txt").write_text("".join(f"{i}\n" for i in range(n)))


def name(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(json.load(answer)["name"])


def urls(folder: Path) -> Iterable[str]:
    address = (folder / "address").read_text()
    with open(folder / "ids.txt") as ids:
        for one in ids:
            yield f"{address}/customers/{one.strip()}"


def ours(folder: Path) -> Names:
    from actors_rs import Sink, Source

    return Source.from_iterable(urls(folder)).map_async(name, AT_A_TIME).run(Sink.list())


def loop(folder: Path) -> Names:
    return list(map(name, urls(folder)))


def threads(folder: Path) -> Names:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(name, urls(folder)))


def pool(folder: Path) -> Names:
    from multiprocessing.pool import ThreadPool

    with ThreadPool(AT_A_TIME) as pool:
        return list(pool.imap(name, urls(folder)))


def joblib(folder: Path) -> Names:
    from joblib import Parallel, delayed

    return list(Parallel(AT_A_TIME, prefer="threads")(delayed(name)(url) for url in urls(folder)))


def dask(folder: Path) -> Names:
    from dask import bag

    requests = bag.from_sequence(urls(folder), partition_size=1).map(name)
    return list(requests.compute(scheduler="threads", num_workers=AT_A_TIME))
