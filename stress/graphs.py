"""The table of graphs: a row for each shape and each junction.

A row makes a graph of a ``Load`` and says in its tallies what must arrive where. Whoever adds a
junction adds its row here: a test looks for it. ``stages`` is how many messages an element costs,
roughly: rows of many stages get fewer elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from actors_rs import ActorSystem, Feedback, Graph, Sink, Source, amb, concat, merge
from actors_rs import zip as zip_
from stress.elements import Element, Ledger, is_intact

__all__ = ["ROWS", "Load", "Row"]


class Load(Ledger):
    """What a row has to build with: a running system, sources of ``count`` elements, tallies."""

    def __init__(self, system: ActorSystem, count: int) -> None:
        super().__init__(count)
        self.system = system

    def to_one(self, flow: Any, **promises: Any) -> Graph[Any]:
        """``flow`` into one sink with these promises."""
        return Graph(flow.to(self.tally(**promises).sink()))

    def to_each(self, flows: Any) -> Graph[Any]:
        """Each of ``flows`` into a sink that must get everything."""
        tallies = [self.tally(f"sink {n}") for n in range(len(flows))]
        return Graph(*(f.to(t.sink()) for f, t in zip(flows, tallies, strict=True)))

    def to_all(self, flows: Any) -> Graph[Any]:
        """Each of ``flows`` into a sink; together they must get everything once."""
        tally = self.tally("the sinks together")
        return Graph(*(flow.to(tally.sink()) for flow in flows))


@dataclass(frozen=True)
class Row:
    """One graph of the table; ``of`` names the junction that it is about."""

    name: str
    build: Callable[[Load], Graph[Any]]
    stages: int
    of: str = ""

    def __str__(self) -> str:
        return self.name


def keep(one: Element) -> Element:
    """What passes must be whole."""
    assert is_intact(one), one
    return one


def chain(length: int) -> Callable[[Load], Graph[Any]]:
    def build(load: Load) -> Graph[Any]:
        flow = load.source()
        for _ in range(length - 2):
            flow = flow.map(keep)
        return load.to_one(flow)

    return build


def diamond(load: Load) -> Graph[Any]:
    one, other = load.source().broadcast(2)
    joined = merge(one.map(keep).map(keep), other.filter(is_intact))
    return load.to_one(joined, copies=2, order="none")


def merged(count: int) -> Callable[[Load], Graph[Any]]:
    return lambda load: load.to_one(merge(*(load.source() for _ in range(count))))


def broadcast(count: int) -> Callable[[Load], Graph[Any]]:
    return lambda load: load.to_each(load.source().broadcast(count))


def zipped(load: Load) -> Graph[Any]:
    return load.to_one(zip_(load.source(), load.source().map(keep), load.source()))


def zip_latest(load: Load) -> Graph[Any]:
    flow = load.source().zip_latest(load.source().map(keep))
    return load.to_one(flow, copies=None, order="weak")


def combine_latest(load: Load) -> Graph[Any]:
    flow = load.source().combine_latest(load.source().map(keep))
    return load.to_one(flow, copies=None, order="weak", last=True)


def balance(load: Load) -> Graph[Any]:
    return load.to_all([flow.map(keep) for flow in load.source().balance(3)])


def partition(load: Load) -> Graph[Any]:
    return load.to_all(load.source().partition(3, lambda one: one[1] % 3))


def unzip(load: Load) -> Graph[Any]:
    pairs = zip_(load.source(), load.source())
    tally = load.tally("the sinks together")
    return Graph(*(flow.to(tally.sink()) for flow in pairs.unzip()))


def interleave(load: Load) -> Graph[Any]:
    return load.to_one(load.source().interleave(load.source().map(keep), 3))


def merge_sorted(load: Load) -> Graph[Any]:
    return load.to_one(load.source().merge_sorted(load.source(), key=lambda one: one[1]))


def merge_preferred(load: Load) -> Graph[Any]:
    return load.to_one(load.source().merge_preferred(load.source(), load.source()))


def also_to(load: Load) -> Graph[Any]:
    return load.to_one(load.source().also_to(load.tally("side").sink()).map(keep))


def divert_to(load: Load) -> Graph[Any]:
    tally = load.tally("both")
    flow = load.source().divert_to(tally.sink(), lambda one: one[1] % 3 == 0)
    return Graph(flow.map(keep).to(tally.sink()))


def wire_tap(load: Load) -> Graph[Any]:
    return load.to_one(load.source().wire_tap(load.tally("tap", copies=None).sink()).map(keep))


def hub(load: Load) -> Graph[Any]:
    publisher = load.source().hub(load.system, replay=load.count)
    return load.to_each([Source.from_publisher(publisher) for _ in range(3)])


def partition_hub(load: Load) -> Graph[Any]:
    publisher = load.source().partition_hub(load.system, lambda one, count: one[1] % count)
    return load.to_all([Source.from_publisher(publisher) for _ in range(3)])


def merge_hub(load: Load) -> Graph[Any]:
    gathering: Any = Source.merge_hub()
    for _ in range(4):
        gathering.attach(load.source())
    gathering.close()
    return load.to_one(gathering.source)


def group_by(load: Load) -> Graph[Any]:
    groups = load.source().group_by(lambda one: one[1] % 7, 16)
    flow = groups.flat_map(lambda group: group.map(keep), breadth=16)
    return load.to_one(flow, lane=lambda one: (one[0], one[1] % 7))


def flat_map(load: Load) -> Graph[Any]:
    parts = load.source().batch(5).flat_map(lambda part: Source.of(*part).map(keep), breadth=4)
    return load.to_one(parts, lane=lambda one: (one[0], one[1] // 5))


def concat_map(load: Load) -> Graph[Any]:
    return load.to_one(load.source().batch(5).concat_map(lambda part: Source.of(*part).map(keep)))


def switch_map(load: Load) -> Graph[Any]:
    flow = load.source().switch_map(lambda one: Source.of(one).map(keep))
    return load.to_one(flow, copies=None, last=True)


def concatenated(load: Load) -> Graph[Any]:
    return load.to_one(concat(load.source(), load.source().map(keep), load.source()))


def catch(load: Load) -> Graph[Any]:
    """What the source gave before it failed, then another stream."""
    failing = concat(load.source(), Source.failed(KeyError("as planned")))
    instead = load.source()
    return load.to_one(failing.catch(lambda _: instead.map(keep)))


def recover_with(load: Load) -> Graph[Any]:
    failing = concat(load.source(), Source.failed(KeyError("as planned")))
    return load.to_one(failing.recover_with(load.source().map(keep)))


def first_of_two(load: Load) -> Graph[Any]:
    return load.to_one(amb(load.source(), Source.never()))


def feedback(load: Load) -> Graph[Any]:
    """Each element goes round as often as its number says."""
    loop: Any = Feedback(buffer=16)
    rounds = load.source().map(lambda one: (one, one[1] % 3))
    flow = loop.source.merge_preferred(rounds).map(lambda pair: (keep(pair[0]), pair[1] - 1))
    out = flow.divert_to(loop.sink, lambda pair: pair[1] > 0).map(lambda pair: pair[0])
    return load.to_one(out, order="none")


def boundary(load: Load) -> Graph[Any]:
    """Through a standard Publisher and a standard Processor, an element a signal."""
    from actors_rs import Flow

    processor = load.system.processor(Flow[Any, Any]().map(keep))
    load.system.publisher(load.source()).subscribe(processor)
    return load.to_one(Source.from_publisher(processor))


def map_async(load: Load) -> Graph[Any]:
    return load.to_one(load.source().map_async(keep, parallelism=4))


def map_async_unordered(load: Load) -> Graph[Any]:
    return load.to_one(load.source().map_async(keep, parallelism=4, ordered=False), order="none")


def map_async_by_key(load: Load) -> Graph[Any]:
    def lane(one: Element) -> Any:
        return one[0], one[1] % 5

    return load.to_one(load.source().map_async(keep, parallelism=4, key=lane), lane=lane)


def fused(load: Load) -> Graph[Any]:
    return load.to_one(load.source().map(keep).map(keep).filter(is_intact).fuse())


def whole(build: Callable[[Load], Graph[Any]]) -> Callable[[Load], Graph[Any]]:
    """What ``build`` makes, with each row of linear stages as one actor up to the sinks."""
    return lambda load: build(load).fuse()


def fan(load: Load) -> Graph[Any]:
    tallies = [load.tally(f"sink {n}") for n in range(3)]
    return Graph(load.source().to(Sink.fan(*(tally.sink() for tally in tallies))))


ROWS: tuple[Row, ...] = (
    Row("chain-3", chain(3), 3),
    Row("chain-30", chain(30), 30),
    Row("chain-300", chain(300), 300),
    Row("diamond", diamond, 8),
    Row("merge-64", merged(64), 200, "merge"),
    Row("broadcast-64", broadcast(64), 130, "broadcast"),
    Row("zip", zipped, 8, "zip"),
    Row("zip_latest", zip_latest, 6, "zip_latest"),
    Row("combine_latest", combine_latest, 6, "combine_latest"),
    Row("balance", balance, 6, "balance"),
    Row("partition", partition, 5, "partition"),
    Row("unzip", unzip, 8, "unzip"),
    Row("interleave", interleave, 6, "interleave"),
    Row("merge_sorted", merge_sorted, 6, "merge_sorted"),
    Row("merge_preferred", merge_preferred, 8, "merge_preferred"),
    Row("also_to", also_to, 5, "also_to"),
    Row("divert_to", divert_to, 5, "divert_to"),
    Row("wire_tap", wire_tap, 5, "wire_tap"),
    Row("hub", hub, 20, "hub"),
    Row("merge_hub", merge_hub, 12, "merge_hub"),
    Row("partition_hub", partition_hub, 10, "partition_hub"),
    Row("group_by", group_by, 20, "group_by"),
    Row("flat_map", flat_map, 30, "flat_map_merge"),
    Row("concat_map", concat_map, 30, "concat"),
    Row("switch_map", switch_map, 40, "switch_map"),
    Row("concat", concatenated, 8, "concat"),
    Row("catch", catch, 8, "catch"),
    Row("recover_with", recover_with, 8, "recover_with"),
    Row("amb", first_of_two, 4, "amb"),
    Row("feedback", feedback, 12, "feedback"),
    Row("boundary", boundary, 20),
    Row("map_async", map_async, 20),
    Row("map_async-unordered", map_async_unordered, 20),
    Row("map_async-by-key", map_async_by_key, 20),
    Row("fuse", fused, 4),
    Row("fuse-chain-30", whole(chain(30)), 4),
    Row("fuse-diamond", whole(diamond), 6),
    Row("fuse-balance", whole(balance), 5),
    Row("fan", fan, 4),
)
"""All of them."""
