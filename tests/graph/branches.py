# mypy: disable-error-code="union-attr, var-annotated"
"""What property tests of stages with several outlets share: the branches against lists.

    check_branches(shared, 2, lambda s: s.broadcast(2), lambda xs: [xs, xs], trial)

As ``check_operator`` does for one outlet: several runs, in one of which the rules are watched on
every link; a subscriber with the trial's demand, a source that fails, and a subscriber that
cancels. ``check_leaving`` adds a branch that has had enough.
"""

from itertools import cycle

from actors_rs import Graph, Sink, merge
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS
from tests.graph.models import Asker, Upstream, check_cancel


def windows_of(trial):
    """A window for each branch: those that ask for equal amounts would hide who got too much."""
    return cycle((trial.window, 1, trial.last, 3))


def numbered(flows, trial):
    """All branches in one stream, each element with the number of its branch."""
    tagged = (flow.map(lambda x, n=n: (n, x)) for n, flow in enumerate(flows))
    sized = zip(tagged, windows_of(trial), strict=False)
    return merge(*(flow.with_attributes(window=window) for flow, window in sized))


def parted(elements, count):
    """The elements of each branch, of those that ``numbered`` has put together."""
    return [[x for branch, x in elements if branch == own] for own in range(count)]


def check_branches(system, count, divide, model, trial, *, view=list):
    """``divide`` makes ``count`` branches of a source; they give the lists ``model`` makes of its.

    ``view`` is applied to both before they are compared.
    """
    expected = view(model(trial.xs))
    check_lists(system, count, divide, expected, trial, view)
    assert view(parted(_driven(system, divide, trial), count)) == expected
    check_failure_of_all(system, count, divide, model, trial, view)
    check_cancel(system, lambda source: numbered(divide(source), trial), trial)


def check_lists(system, count, divide, expected, trial, view):
    """Runs of one graph with a sink for each branch; the last with an eye on each of its links."""
    flows = divide(Upstream(trial.xs).source().with_attributes(window=trial.window))
    sinks = (Sink.list().with_attributes(window=n) for n in windows_of(trial))
    graph = Graph(*(flow.to(sink) for flow, sink in zip(flows, sinks, strict=False)))
    for which, one in ("first", graph), ("second", graph), ("watched", graph.monitored()):
        got = system.start(one).result(SECONDS)
        assert view(got if count > 1 else [got]) == expected, f"the {which} run"


def check_failure_of_all(system, count, divide, model, trial, view):
    """Every branch gives what came before a failure of the source, and hears of that itself."""
    before = trial.xs[: trial.fails_behind]
    upstream = Upstream(before, KeyError("the source fails"))
    source = upstream.source().named("broken").with_attributes(window=trial.window)
    told = [flow.recover(lambda error: error) for flow in divide(source)]
    graph = numbered(told, trial).to(Sink.list().with_attributes(window=trial.last))
    parts = parted(system.start(graph).result(SECONDS), count)
    for error in [part.pop() for part in parts]:
        assert isinstance(error, StageError)
        assert (error.stage, error.__cause__) == ("broken", upstream.error)
    assert view(parts) == view(model(before))
    upstream.wait_until_released()


def check_leaving(system, count, divide, model, trial):
    """One branch has had enough behind some of its elements, and the others get all of theirs."""
    enough = trial.cancels_behind

    def leaving(source):
        first, *others = divide(source)
        return [first.take(enough), *others]

    first, *others = model(trial.xs)
    assert parted(_driven(system, leaving, trial), count) == [first[:enough], *others]


def _driven(system, divide, trial):
    """What a subscriber with the trial's demand gets of all branches together."""
    upstream, asker = Upstream(trial.xs), Asker(trial.demand, trial.inside)
    system.publisher(numbered(divide(upstream.source()), trial)).subscribe(asker)
    assert asker.drive() == "complete"
    upstream.wait_until_released()
    return asker.elements
