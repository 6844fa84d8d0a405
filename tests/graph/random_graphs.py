# mypy: disable-error-code="var-annotated"
"""Random graphs, and counters of what has to arrive in all their sinks together."""

import random
from collections import Counter

from actors_rs import Graph, Sink, Source, merge

KINDS = ["map", "async", "filter", "flat", "broadcast", "partition", "merge"]


class Maker:
    """Draws a graph and says, with counters, what has to arrive in all its sinks together.

    The elements of source n are numbers from ``n * 1000`` on, so each tells where it comes from.
    ``sink()`` makes a sink; ``kinds`` are the kinds of stages to draw from.
    """

    def __init__(self, seed, sink=Sink.list, kinds=tuple(KINDS), sizes=(0, 1, 5, 100, 400)):
        self.draw = random.Random(seed)
        self.expected = Counter()
        self.lost = Counter()  # what "resume" puts into the dead letters
        self.sinks = []
        self._kinds = kinds
        self._sizes = sizes
        open_ends = [self.source(n) for n in range(self.draw.randint(1, 3))]
        for _ in range(self.draw.randint(2, 14)):
            self.grow(open_ends)
        for flow, elements in open_ends:
            self.expected += elements
            self.sinks.append(flow.to(sink().with_attributes(window=self.window())))

    def window(self):
        return self.draw.choice([None, None, 1, 2, 3, 16, 100])

    def source(self, number):
        size = self.draw.choice(self._sizes)
        elements = [number * 1000 + n for n in range(size)]
        of_iterator = Source.from_iterable(lambda: iter(elements))
        source = self.draw.choice([of_iterator, Source.of(*elements)])
        return source.named(f"source {number}"), Counter(elements)

    def grow(self, ends):
        flow, elements = ends.pop(self.draw.randrange(len(ends)))
        kind = self.draw.choice(self._kinds)
        if kind == "map":
            ends.append((flow.map(lambda n: n), elements))
        elif kind == "async":
            ordered = self.draw.random() < 0.5
            ends.append((flow.map_async(lambda n: n, self.draw.randint(1, 8), ordered), elements))
        elif kind == "filter":
            kept = Counter({n: c for n, c in elements.items() if n % 3})
            ends.append((flow.filter(lambda n: n % 3), kept))
        elif kind == "resume":
            fails = {n: c for n, c in elements.items() if n % 7 == 0}
            self.lost += Counter(fails)
            kept = elements - Counter(fails)
            ends.append((flow.map(fails_at_7).on_failure("resume"), kept))
        elif kind == "flat":
            flow = flow.batch(self.draw.randint(1, 20)).flat_map(lambda batch: batch)
            ends.append((flow, elements))
        elif kind == "broadcast":
            count = self.draw.randint(1, 3)
            ends.extend((branch, elements) for branch in flow.broadcast(count))
        elif kind == "partition":
            count = self.draw.randint(1, 3)
            for index, branch in enumerate(flow.partition(count, lambda n: n % count)):
                ends.append(
                    (branch, Counter({n: c for n, c in elements.items() if n % count == index}))
                )
        elif ends:
            other, more = ends.pop(self.draw.randrange(len(ends)))
            ends.append((merge(flow, other), elements + more))
        else:
            ends.append((flow, elements))
        flow, elements = ends[-1]
        if kind not in ("broadcast", "partition"):
            ends[-1] = (flow.with_attributes(window=self.window()), elements)

    def graph(self):
        return Graph(*self.sinks)


def fails_at_7(n):
    if n % 7 == 0:
        raise ValueError(n)
    return n
