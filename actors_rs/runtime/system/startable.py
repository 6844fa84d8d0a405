"""Contracts of what a system can start: the runtime knows nothing of streams."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

from actors_rs.errors import RunCancelled
from actors_rs.runtime.settings import check_kind

__all__ = ["AsProcessor", "AsPublisher", "AsSubscriber", "Startable", "Starting"]

R = TypeVar("R")
S_contra = TypeVar("S_contra", contravariant=True)  # a system
R_co = TypeVar("R_co", covariant=True)


class Startable(Protocol[S_contra, R_co]):
    """A blueprint that a system can start."""

    def start_on(self, system: S_contra, /, *, name: str | None = None) -> R_co:
        """Start in ``system``, as a run of this ``name``."""
        ...


class AsPublisher(Protocol[S_contra, R_co]):
    """A source, which can become a standard Publisher."""

    def publisher_on(self, system: S_contra, /, *, name: str | None = None) -> R_co:
        """The Publisher, on ``system``, whose runs have this ``name``."""
        ...


class AsSubscriber(Protocol[S_contra, R_co]):
    """A sink, which can become a standard Subscriber."""

    def subscriber_on(self, system: S_contra, /, *, name: str | None = None) -> R_co:
        """The Subscriber, on ``system``, whose run has this ``name``."""
        ...


class AsProcessor(Protocol[S_contra, R_co]):
    """A flow, which can become a standard Processor."""

    def processor_on(self, system: S_contra, /, *, name: str | None = None) -> R_co:
        """The Processor, on ``system``, whose run has this ``name``."""
        ...


class Starting:
    """A part of ``ActorSystem``. All methods may be called from any thread."""

    name: str
    _draining: str
    """Why it starts no further runs; empty if it does."""

    def start(self, graph: Startable[Self, R], *, name: str | None = None) -> R:
        """Start ``graph``; returns its ``Run`` at once.

        ``name`` names the run in logs, errors, metrics, traces and on the page; ``"run"`` by
        default. Use few names: in metrics, runs of further names than the first 100 of a system
        share the name ``"others"``.

        Raises ``InvalidArgumentError`` after shutdown, ``RunCancelled`` while the system drains.

        >>> with ActorSystem() as system:
        ...     system.start(Source.of(2, 3).to(Sink.sum())).result()
        5
        """
        self._check_open()
        if self._draining:
            raise RunCancelled(f"'{self.name}' starts no further runs: {self._draining}")
        check_kind(graph, "start_on", "start needs a Graph, such as flow.to(sink) gives")
        return graph.start_on(self, name=name)

    def publisher(self, source: AsPublisher[Self, R], *, name: str | None = None) -> R:
        """``source`` as a standard Publisher: each subscriber gets a run of its own.

        ``name`` names its runs, ``"publisher"`` by default.

        >>> with ActorSystem() as system:
        ...     Source.from_publisher(system.publisher(Source.of("a"))).run(Sink.list())
        ['a']
        """
        self._check_open()
        check_kind(source, "publisher_on", "publisher needs a Source")
        return source.publisher_on(self, name=name)

    def subscriber(self, sink: AsSubscriber[Self, R], *, name: str | None = None) -> R:
        """``sink`` as a standard Subscriber; its ``run`` has the result.

        ``name`` names its run, ``"subscriber"`` by default.

        >>> with ActorSystem() as system:
        ...     subscriber = system.subscriber(Sink.list())
        ...     system.publisher(Source.of("a")).subscribe(subscriber)
        ...     subscriber.run.result()
        ['a']
        """
        self._check_open()
        check_kind(sink, "subscriber_on", "subscriber needs a Sink")
        return sink.subscriber_on(self, name=name)

    def processor(self, flow: AsProcessor[Self, R], *, name: str | None = None) -> R:
        """``flow`` as a standard Processor, for one publisher and any number of subscribers.

        ``name`` names its run, ``"processor"`` by default.

        >>> with ActorSystem() as system:
        ...     processor = system.processor(Flow().map(int))
        ...     system.publisher(Source.of("3")).subscribe(processor)
        ...     Source.from_publisher(processor).run(Sink.list())
        [3]
        """
        self._check_open()
        check_kind(flow, "processor_on", "processor needs a Flow")
        return flow.processor_on(self, name=name)

    def _check_open(self) -> None:
        raise NotImplementedError
