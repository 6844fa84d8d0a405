"""The diagrams of operators, by the file of their stage."""

from __future__ import annotations

import asyncio
import itertools
from operator import add

from actors_rs import KillSwitch, operator
from tests.pages.marbles.played import Marble, tape

EACH = {"in": "1 2 3 4 |"}
SPACED = {"in": "1 2 - - - 3 4 5 |"}
WORDS = {"in": "ant bee asp |"}


@operator
def running_sum(elements):
    total = 0
    for element in elements:
        total += element
        yield total


def _even(n):
    return n % 2 == 0


def _small(n):
    return n < 3


def _first_letter(word):
    return word[0]


async def _answer(seconds):
    await asyncio.sleep(seconds)
    return seconds


def _stopped_at(flow, last):
    switch = KillSwitch()

    def look(element):
        if element == last:
            switch.shutdown()
        return element

    return flow.map(look).kill_switch(switch)


OPERATORS = {
    "operators/aggregate_by": Marble(
        "result",
        WORDS,
        lambda a: a.aggregate_by(_first_letter, 0, lambda n, _: n + 1),
        {"out": "- - - (a,2);(b,1);|"},
    ),
    "operators/aggregate_windows": Marble(
        "time",
        {"in": "3 7 12 |"},
        lambda a: a.aggregate_by(lambda _: "k", 0, add, every=10, event_time=float).map(
            lambda one: one.value
        ),
        {"out": "- - 10 12;|"},
        note="an element is its own second; windows of 10 s",
    ),
    "operators/average": Marble(
        "result", {"in": "1 2 6 |"}, lambda a: a.average(), {"out": "- - - 3.0;|"}
    ),
    "operators/backpressure_timeout": Marble(
        "time",
        {"in": "1;2;3;4;5 |"},
        lambda a: a.backpressure_timeout(3),
        {"out": "1 - - X"},
        takes=5,
    ),
    "operators/batch": Marble(
        "elements", EACH, lambda a: a.batch(3), {"out": "- - [1,2,3] - [4];|"}
    ),
    "operators/batch_by_weight": Marble(
        "elements",
        {"in": "aa bbb cc d |"},
        lambda a: a.batch(weight=len, max_weight=5),
        {"out": "- [aa,bbb] - - [cc,d];|"},
    ),
    "operators/buffer": Marble(
        "time",
        {"in": "1;2;3;4;5;6 - |"},
        lambda a: a.buffer(2, overflow="drop_oldest"),
        {"out": "1 - 5 - 6 - |"},
        takes=2,
    ),
    "operators/catch": Marble(
        "failure", {"in": "1 2 X"}, lambda a: a.catch(lambda _: tape("8 9 |")), {"out": "1 2 8 9 |"}
    ),
    "operators/completion_timeout": Marble(
        "time", {"in": "1 2 - - - 3 |"}, lambda a: a.completion_timeout(4), {"out": "1 2 - - X"}
    ),
    "operators/conflate": Marble(
        "time",
        {"in": "1 2 3 4 5 6 7 |"},
        lambda a: a.conflate(lambda n: n, add),
        {"out": "1 - - 2 - - 7 - - 18 - - |"},
        takes=3,
    ),
    "operators/contains": Marble("result", EACH, lambda a: a.contains(2), {"out": "- True;|"}),
    "operators/count": Marble("result", WORDS, lambda a: a.count(), {"out": "- - - 3;|"}),
    "operators/debounce": Marble(
        "time", SPACED, lambda a: a.debounce(2), {"out": "- - - 2 - - - - 5;|"}
    ),
    "operators/default_if_empty": Marble(
        "elements", {"in": "- |"}, lambda a: a.default_if_empty(7), {"out": "- 7;|"}
    ),
    "operators/delay": Marble(
        "time", {"in": "1 2 - - 3 |"}, lambda a: a.delay(2), {"out": "- - 1 2 - - 3;|"}
    ),
    "operators/distinct": Marble(
        "elements", {"in": "1 2 1 3 2 |"}, lambda a: a.distinct(), {"out": "1 2 - 3 - |"}
    ),
    "operators/distinct_until_changed": Marble(
        "elements",
        {"in": "1 1 2 2 1 |"},
        lambda a: a.distinct_until_changed(),
        {"out": "1 - 2 - 1 |"},
    ),
    "operators/element_at": Marble("result", EACH, lambda a: a.element_at(1), {"out": "- 2;|"}),
    "operators/end_with": Marble(
        "elements", {"in": "1 2 |"}, lambda a: a.end_with(8, 9), {"out": "1 2 8;9;|"}
    ),
    "operators/expand": Marble(
        "time",
        {"in": "1 - - - 2 |"},
        lambda a: a.expand(itertools.repeat),
        {"out": "1 1 1 1 1 2 |"},
        takes=1,
    ),
    "operators/extreme": Marble(
        "result", {"in": "3 1 2 |"}, lambda a: a.min(), {"out": "- - - 1;|"}
    ),
    "operators/filter": Marble("elements", EACH, lambda a: a.filter(_even), {"out": "- 2 - 4 |"}),
    "operators/first": Marble("result", EACH, lambda a: a.first(), {"out": "1;|"}),
    "operators/flat_map": Marble(
        "streams",
        {"in": "1 - - 2 |"},
        lambda a: a.flat_map(lambda n: tape(f"{n}a {n}b |")),
        {"out": "1a 1b - 2a 2b |"},
    ),
    "operators/flat_map_merge": Marble(
        "streams",
        {"in": "1 2 3 |"},
        lambda a: a.flat_map(lambda n: tape(f"{n}a - {n}b |"), breadth=2),
        {"out": "1a 2a 1b 2b;3a - 3b |"},
    ),
    "operators/generated": Marble(
        "elements", EACH, lambda a: a.via(running_sum()), {"out": "1 3 6 10 |"}
    ),
    "operators/group_by": Marble(
        "streams",
        WORDS,
        lambda a: a.group_by(_first_letter, max_groups=4).flat_map(
            lambda group: group.map(lambda word: f"{group.key}:{word}"), breadth=4
        ),
        {"out": "a:ant b:bee a:asp |"},
        note="with flat_map, which merges the groups",
    ),
    "operators/identity": Marble(
        "elements", EACH, lambda a: a, {"out": "1 2 3 4 |"}, call="Flow()"
    ),
    "operators/idle_timeout": Marble(
        "time", {"in": "1 - 2 - - - - 3 |"}, lambda a: a.idle_timeout(3), {"out": "1 - 2 - - X"}
    ),
    "operators/initial_timeout": Marble(
        "time", {"in": "- - - - 1 |"}, lambda a: a.initial_timeout(3), {"out": "- - - X"}
    ),
    "operators/join": Marble(
        "streams",
        {"a": "1 9 |", "b": "3 7 |"},
        lambda a, b: a.join(b, key=lambda _: 0, within=3, event_time=float),
        {"out": "(1,3) (9,7) |"},
        note="an element is its own second; pairs within 3 s",
    ),
    "operators/keep_alive": Marble(
        "time", SPACED, lambda a: a.keep_alive(2, "?"), {"out": "1 2 - ? - ?;3 4 5 |"}
    ),
    "operators/kill_switch": Marble(
        "time",
        EACH,
        lambda a: _stopped_at(a, 2),
        {"out": "1 |"},
        call="kill_switch(switch)",
        note="switch.shutdown() with the second element",
    ),
    "operators/last": Marble("result", EACH, lambda a: a.last(), {"out": "- - - - 4;|"}),
    "operators/map": Marble(
        "elements", EACH, lambda a: a.map(lambda n: n * 10), {"out": "10 20 30 40 |"}
    ),
    "operators/map_async": Marble(
        "time",
        {"in": "3 1 2 |"},
        lambda a: a.map_async(_answer, 2),
        {"out": "- - - 3;1 2;|"},
        note="a call takes as many seconds as its element says",
    ),
    "operators/map_async_by_key": Marble(
        "time",
        {"in": "3 1 1 |"},
        lambda a: a.map_async(_answer, 3, key=_even),
        {"out": "- - - 3 1 1;|"},
        note="calls for even and odd elements",
    ),
    "operators/map_error": Marble(
        "failure",
        {"in": "1 2 X"},
        lambda a: a.map_error(lambda _: KeyError("other")),
        {"out": "1 2 X"},
    ),
    "operators/map_not_none": Marble(
        "elements",
        EACH,
        lambda a: a.map_not_none(lambda n: n * 10 if _even(n) else None),
        {"out": "- 20 - 40 |"},
    ),
    "operators/monitor": Marble(
        "elements", EACH, lambda a: a.monitor(lambda _: None, every=1), {"out": "1 2 3 4 |"}
    ),
    "operators/on_termination": Marble(
        "failure", {"in": "1 2 X"}, lambda a: a.on_termination(lambda _: None), {"out": "1 2 X"}
    ),
    "operators/recover": Marble(
        "failure", {"in": "1 2 X"}, lambda a: a.recover(lambda _: 0), {"out": "1 2 0;|"}
    ),
    "operators/recover_with": Marble(
        "failure",
        {"in": "1 X"},
        lambda a: a.recover_with(lambda _: tape("7 X"), attempts=2),
        {"out": "1 7 7 X"},
    ),
    "operators/reduce": Marble("result", EACH, lambda a: a.reduce(0, add), {"out": "- - - - 10;|"}),
    "operators/reduce_without_initial": Marble(
        "result", {"in": "1 3 2 |"}, lambda a: a.reduce_without_initial(max), {"out": "- - - 3;|"}
    ),
    "operators/sample": Marble(
        "time", {"in": "1 2 3 4 5 6 7 |"}, lambda a: a.sample(3), {"out": "- - - 3 - - 6 7;|"}
    ),
    "operators/scan": Marble("elements", EACH, lambda a: a.scan(0, add), {"out": "1 3 6 10 |"}),
    "operators/search": Marble("result", EACH, lambda a: a.some(_even), {"out": "- True;|"}),
    "operators/skip": Marble("elements", EACH, lambda a: a.skip(2), {"out": "- - 3 4 |"}),
    "operators/skip_while": Marble(
        "elements", {"in": "1 2 3 1 |"}, lambda a: a.skip_while(_small), {"out": "- - 3 1 |"}
    ),
    "operators/skip_within": Marble(
        "time", SPACED, lambda a: a.skip_within(3), {"out": "- - - - - 3 4 5 |"}
    ),
    "operators/sliding": Marble(
        "elements", EACH, lambda a: a.sliding(3), {"out": "- - (1,2,3) (2,3,4) |"}
    ),
    "operators/sort_within": Marble(
        "elements", {"in": "2 1 4 3 |"}, lambda a: a.sort_within(2), {"out": "- - 1 2 3;4;|"}
    ),
    "operators/starmap": Marble(
        "elements",
        EACH,
        lambda a: a.map(lambda n: (n, 2)).starmap(pow),
        {"out": "1 4 9 16 |"},
        note="of pairs (n, 2)",
    ),
    "operators/start_with": Marble(
        "elements", {"in": "- 1 2 |"}, lambda a: a.start_with(8, 9), {"out": "8;9 1 2 |"}
    ),
    "operators/stateful_map": Marble(
        "elements",
        EACH,
        lambda a: a.stateful_map(lambda: 0, lambda s, n: (s + n, s + n)),
        {"out": "1 3 6 10 |"},
    ),
    "operators/sum": Marble("result", EACH, lambda a: a.sum(), {"out": "- - - - 10;|"}),
    "operators/switch_map": Marble(
        "streams",
        {"in": "1 - 2 |"},
        lambda a: a.switch_map(lambda n: tape(f"{n}a {n}b {n}c {n}d |")),
        {"out": "1a 1b 2a 2b 2c 2d |"},
    ),
    "operators/take": Marble("elements", EACH, lambda a: a.take(2), {"out": "1 2;|"}),
    "operators/take_while": Marble(
        "elements", EACH, lambda a: a.take_while(_small), {"out": "1 2 |"}
    ),
    "operators/take_within": Marble("time", SPACED, lambda a: a.take_within(3), {"out": "1 2 - |"}),
    "operators/throttle": Marble(
        "time", {"in": "1;2;3 |"}, lambda a: a.throttle(1, per=2), {"out": "1 - 2 - 3;|"}
    ),
    "operators/with_index": Marble(
        "elements", {"in": "a b c |"}, lambda a: a.with_index(), {"out": "(0,a) (1,b) (2,c) |"}
    ),
}
