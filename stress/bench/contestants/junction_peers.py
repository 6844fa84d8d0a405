"""What RxPY and aiostream have of the junctions that ``stress.bench.junctions`` measures.

Each function takes as many elements as there are through the junction, and drops what comes out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from actors_rs.errors import MissingExtraError

__all__ = ["PEERS"]


def _reactivex() -> Any:
    try:
        import reactivex
        import reactivex.operators  # not imported by the package itself
    except ImportError as error:
        raise _missing("reactivex") from error
    return reactivex


def _aiostream() -> Any:
    try:
        import aiostream
    except ImportError as error:
        raise _missing("aiostream") from error
    return aiostream


def _missing(package: str) -> MissingExtraError:
    return MissingExtraError(
        f"comparing junctions needs the package '{package}', which is not installed: "
        'run pip install "actors-rs[bench]"'
    )


def _by_rx(flow: Any) -> None:
    flow.subscribe(lambda _: None)


def _by_aiostream(flow: Any) -> None:
    async def run() -> None:
        async with flow.stream() as elements:
            async for _ in elements:
                pass

    asyncio.run(run())


def rx_merge(n: int) -> None:
    rx = _reactivex()
    _by_rx(rx.merge(rx.from_iterable(range(n // 2)), rx.from_iterable(range(n // 2))))


def rx_zip(n: int) -> None:
    rx = _reactivex()
    _by_rx(rx.zip(rx.from_iterable(range(n)), rx.from_iterable(range(n))))


def rx_broadcast(n: int) -> None:
    rx = _reactivex()
    shared = rx.from_iterable(range(n)).pipe(rx.operators.publish())
    for _ in range(2):
        _by_rx(shared)
    shared.connect()


def rx_partition(n: int) -> None:
    rx = _reactivex()
    subject = rx.subject.Subject()
    for flow in subject.pipe(rx.operators.partition(lambda x: x % 2)):
        _by_rx(flow)
    rx.from_iterable(range(n)).subscribe(subject)


def rx_combine_latest(n: int) -> None:
    rx = _reactivex()
    _by_rx(rx.combine_latest(rx.from_iterable(range(n // 2)), rx.from_iterable(range(n // 2))))


def aio_merge(n: int) -> None:
    stream = _aiostream().stream
    _by_aiostream(stream.merge(stream.iterate(range(n // 2)), stream.iterate(range(n // 2))))


def aio_zip(n: int) -> None:
    stream = _aiostream().stream
    _by_aiostream(stream.zip(stream.iterate(range(n)), stream.iterate(range(n))))


def aio_combine_latest(n: int) -> None:
    stream = _aiostream().stream
    _by_aiostream(stream.ziplatest(stream.iterate(range(n // 2)), stream.iterate(range(n // 2))))


PEERS: list[tuple[str, str, Callable[[int], None]]] = [
    ("merge", "RxPY", rx_merge),
    ("merge", "aiostream", aio_merge),
    ("zip", "RxPY", rx_zip),
    ("zip", "aiostream", aio_zip),
    ("broadcast(2)", "RxPY", rx_broadcast),
    ("partition(2), lambda", "RxPY", rx_partition),
    ("combine_latest", "RxPY", rx_combine_latest),
    ("combine_latest", "aiostream", aio_combine_latest),
]
"""A junction by its name there, whose it is, and what is run."""
