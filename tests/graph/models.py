# mypy: disable-error-code="var-annotated, union-attr"
"""What property tests of operators share: an operator against a plain-list model.

    @quick
    @given(trial=trials())
    def test_take_gives_what_a_slice_gives(shared, trial):
        check_operator(shared, lambda s: s.take(3), lambda xs: xs[:3], trial)

``shared`` is a fixture of tests/graph: one system for the tests of a module. ``check_operator``
runs the operator in a graph twice, behind a foreign subscriber with the trial's demand, with a
source that fails, and with a subscriber that cancels.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from actors_rs import UNBOUNDED, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, Book, wait_until

quick = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
"""For a property of one operator: there are some eighty of them."""

numbers = st.lists(st.integers(-20, 20), max_size=60)
windows = st.integers(1, 1024) | st.sampled_from([1, 2, 3, 16])
demands = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple) | st.just((UNBOUNDED,))


@dataclass(frozen=True)
class Trial:
    """The input of an operator, and under which conditions it is run."""

    xs: list
    fails_behind: int  # how many elements come before the source fails
    window: int  # of the operator
    last: int  # of the sink
    demand: tuple  # what the subscriber asks for, in turn and over again
    inside: bool  # whether it asks from inside on_next
    cancels_behind: int  # how many elements the subscriber takes before it cancels


def trials(elements=numbers):
    """Random trials; ``elements`` gives the input."""
    return st.builds(
        Trial,
        xs=elements,
        fails_behind=st.integers(0, 60),
        window=windows,
        last=windows,
        demand=demands,
        inside=st.booleans(),
        cancels_behind=st.integers(0, 12),
    )


@dataclass
class Upstream:
    """An iterable for a source that notes whether it was begun and released, and may fail."""

    xs: Iterable[Any]
    error: Exception | None = None
    begun: int = 0
    released: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self):
        with self.lock:
            self.begun += 1
        try:
            yield from self.xs
            if self.error is not None:
                raise self.error
        finally:
            with self.lock:
                self.released += 1

    def source(self):
        return Source.from_iterable(self)

    def wait_until_released(self):
        """Whatever was begun must be released."""
        wait_until(lambda: self.begun == self.released)


class Asker(Book):
    """A foreign subscriber that asks for ``demand`` in turn, each when the last is used up."""

    def __init__(self, demand, inside, cancels_behind=None):
        super().__init__(on_element=self._on_element)
        self.amounts = cycle(demand)
        self.inside = inside
        self.cancels_behind = cancels_behind
        self.cancelled = False

    def on_subscribe(self, subscription):
        self.subscription = subscription
        if self.inside:
            self.request(next(self.amounts))

    def _on_element(self, _book, _element):
        if len(self.elements) == self.cancels_behind:
            self.cancel()
        elif self.inside and self.used_up():
            self.request(next(self.amounts))

    def used_up(self):
        return len(self.elements) >= self.requested

    def cancel(self):
        self.cancelled = True
        self.subscription.cancel()

    def drive(self):
        """Ask from this thread whenever the demand is used up, until the end; returns the end."""
        wait_until(lambda: self.subscription is not None)
        while not self.inside and not self.stopped():
            self.request(next(self.amounts))
            wait_until(lambda: self.used_up() or self.stopped())
        wait_until(self.stopped)
        return None if self.cancelled and not self.ends else self.wait()

    def stopped(self):
        return self.cancelled or self.over.is_set()


def check_operator(
    system, operator, model, trial, *, failed=None, enough=None, view=list, within=False
):
    """``operator`` makes of a source what ``model`` makes of its list, under all of ``trial``.

    ``failed`` is what is delivered of the elements that came before a failure of the source; by
    default what ``model`` gives for them. ``enough`` says of which elements the operator completes
    without the end of its source. ``view`` is applied to both sides before they are compared:
    ``sorted`` where the order is open. ``within`` is true where the source runs as a stream within
    a stage, so that a number is part of its name.
    """
    check_list(system, operator, model, trial, view=view)
    check_demand(system, operator, model, trial, view=view)
    check_failure(system, operator, failed or model, trial, enough=enough, view=view, within=within)
    check_cancel(system, operator, trial)


def check_list(system, operator, model, trial, *, view=list):
    """Two runs of one graph give what the model gives."""
    flow = operator(Upstream(trial.xs).source()).with_attributes(window=trial.window)
    graph = flow.to(Sink.list().with_attributes(window=trial.last))
    expected = view(model(list(trial.xs)))
    for which in ("the first run", "the second run"):
        assert view(system.start(graph).result(SECONDS)) == expected, which


def check_demand(system, operator, model, trial, *, view=list):
    """A foreign subscriber gets the same, and never more than it asked for."""
    upstream = Upstream(trial.xs)
    expected = view(model(list(trial.xs)))
    if None in expected:
        return  # rule 2.13: no foreign subscriber takes it
    asker = Asker(trial.demand, trial.inside)
    flow = operator(upstream.source()).with_attributes(window=trial.window)
    system.publisher(flow).subscribe(asker)
    assert asker.drive() == "complete"
    assert view(asker.elements) == expected
    upstream.wait_until_released()


def check_failure(system, operator, failed, trial, *, enough=None, view=list, within=False):
    """What comes of the elements before a failure of the source is delivered before it."""
    before = trial.xs[: trial.fails_behind]
    error = KeyError("the source fails")
    upstream = Upstream(before, error)
    flow = operator(upstream.source().named("broken")).with_attributes(window=trial.window)
    seen = []
    run = system.start(flow.to(Sink.for_each(seen.append).with_attributes(window=trial.last)))
    if enough is not None and enough(before):
        assert run.wait(SECONDS)  # the failure may come first, or the cancellation
    else:
        with pytest.raises(StageError) as caught:
            run.result(SECONDS)
        name, number, _ = caught.value.stage.partition("#")
        assert (name, bool(number), caught.value.__cause__) == ("broken", within, error)
    assert view(seen) == view(failed(list(before)))
    upstream.wait_until_released()


def check_cancel(system, operator, trial):
    """A cancellation reaches the source, of few elements or of elements without end."""
    upstream = Upstream(trial.xs)
    asker = Asker(trial.demand, trial.inside, max(1, trial.cancels_behind))
    system.publisher(operator(upstream.source())).subscribe(asker)
    asker.drive()
    upstream.wait_until_released()
    endless = Upstream(cycle(trial.xs or [1]))
    asker = Asker((1,), inside=True)
    system.publisher(operator(endless.source())).subscribe(asker)
    wait_until(lambda: asker.subscription is not None)
    asker.cancel()
    endless.wait_until_released()


def check_function(system, operator, model, trial, *, ahead=0):
    """All before the element at which a user's function raises is delivered; the error names it.

    ``operator(source, touch)`` makes its stage last, with ``touch``, a function that returns the
    number it gets, or raises; ``model(numbers)`` is what comes of 0, 1, 2 ... before that. The
    stage has taken ``ahead`` elements more than those.
    """
    bad, length = trial.fails_behind, len(trial.xs)

    def touch(x):
        if x == bad:
            raise KeyError(x)
        return x

    flow = operator(Source.range(0, length), touch).named("suspect")
    flow = flow.with_attributes(window=trial.window)
    seen = []
    run = system.start(flow.to(Sink.for_each(seen.append).with_attributes(window=trial.last)))
    if bad >= length:
        run.result(SECONDS)
        return
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    assert (caught.value.stage, caught.value.position) == ("suspect", bad + ahead)
    assert isinstance(caught.value.__cause__, KeyError)
    assert ".py:" in caught.value.site
    assert seen == model(list(range(bad)))
