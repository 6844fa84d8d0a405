"""Our stages in the hands of the kit: verifications of a stage on a system, and their outcomes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from actors_rs import ActorSystem, Flow, Source
from actors_rs.testing.tck import (
    Environment,
    IdentityProcessorVerification,
    Outcome,
    PublisherVerification,
    SubscriberBlackboxVerification,
    run_verification,
)
from tests.conformance.stages import FLOWS, HUBS, ROWS, SINKS, SOURCES, VARIANTS, from_publisher

SECONDS = 10.0  # an honest signal may take on a busy machine; some are waited for in vain
SILENCE = 0.01  # seconds without a signal that count as "nothing came"


class Ours:
    """Where the verifications below make their stages."""

    system: ActorSystem
    frames: bool

    def create_environment(self):
        return Environment(SECONDS, SILENCE)

    def given(self, publisher):
        """``publisher``, with a processor of ours behind it if frames are to flow."""
        if not self.frames:
            return publisher
        behind: Any = self.system.processor(Flow())
        publisher.subscribe(behind)
        return behind

    def fed(self, subscriber):
        """``subscriber``, with a processor of ours before it if frames are to flow."""
        if not self.frames:
            return subscriber
        before: Any = self.system.processor(Flow())
        before.subscribe(subscriber)
        return before


class Between:
    """Processors in a row as one: signals go to the first, subscribers to the last."""

    def __init__(self, first, last):
        self.on_subscribe, self.on_next = first.on_subscribe, first.on_next
        self.on_error, self.on_complete = first.on_error, first.on_complete
        self.subscribe = last.subscribe


def publisher_of(source, folder):
    """A verification of ``source(n, folder)`` as a Publisher."""

    class Verification(Ours, PublisherVerification):
        def create_publisher(self, elements):
            return self.given(self.system.publisher(source(elements, folder)))

        def create_failed_publisher(self):
            return self.given(self.system.publisher(Source.failed(OSError("failed"))))

    return Verification


def publisher_of_hub(hub, _):
    """A verification of ``hub(source, system)`` as a Publisher."""

    class Verification(Ours, PublisherVerification):
        def create_publisher(self, elements):
            return self.given(hub(Source.range(0, elements), self.system))

        def create_failed_publisher(self):
            return self.given(hub(Source.failed(OSError("failed")), self.system))

    return Verification


def processor_of(flow):
    """A verification of ``flow()`` as a Processor."""

    class Verification(Ours, IdentityProcessorVerification):
        def create_identity_processor(self, buffer_size):
            middle = self.system.processor(flow())
            return Between(self.fed(middle), self.given(middle)) if self.frames else middle

    return Verification


def subscriber_of(sink, rows, folder):
    """A verification of ``sink(folder)`` as a Subscriber."""

    class Verification(Ours, SubscriberBlackboxVerification):
        def create_element(self, index):
            return {"n": index} if rows else index

        def create_subscriber(self):
            return self.fed(self.system.subscriber(sink(folder)))

    return Verification


def cases() -> Iterator[tuple[str, Any]]:
    """Each stage in each of its roles, as a name and ``folder`` -> a verification."""
    for name, source in SOURCES.items():
        yield f"{name}-publisher", lambda folder, source=source: publisher_of(source, folder)
    for name, flow in FLOWS.items():
        yield f"{name}-processor", lambda _, flow=flow: processor_of(flow)
        yield f"{name}-publisher", lambda folder, flow=flow: publisher_of(behind(flow), folder)
    for name, hub in HUBS.items():
        yield f"{name}-publisher", lambda folder, hub=hub: publisher_of_hub(hub, folder)
    for name, sink in SINKS.items():
        rows = name in ROWS
        yield (
            f"{name}-subscriber",
            lambda folder, sink=sink, rows=rows: subscriber_of(sink, rows, folder),
        )
    for name, flow in VARIANTS.items():  # whose role as a processor has those of the others in it
        yield f"{name}-processor", lambda _, flow=flow: processor_of(flow)
    yield "from_publisher-publisher", lambda folder: publisher_of(from_publisher, folder)


def behind(flow):
    return lambda n, _: Source.range(0, n).via(flow())


def outcomes(case: Any, setting: Any, folder: Path, streams: int = 100) -> list[Outcome]:
    """The verdicts of the kit on one stage under one setting; ``streams`` play rule 1.3."""
    window, workers = setting.window, setting.workers
    with ActorSystem(workers=workers, window=window, shutdown_timeout=SECONDS) as system:
        verification = case(folder)
        verification.system, verification.frames = system, setting.frames
        verification.stochastic_streams = streams
        return list(run_verification(verification))


def complaints(found: list[Outcome]) -> list[str]:
    """Required or optional tests that failed, and required ones that were not done."""
    return [
        f"{one.entry.standard_id}: {one.message}"
        for one in found
        if one.verdict == "failed" or (one.verdict == "skipped" and one.entry.kind == "required")
    ]
