# mypy: disable-error-code="union-attr, var-annotated"
"""What property tests of stages with several outlets share: the branches against lists.

    check_branches(shared, 2, lambda s: s.broadcast(2), lambda xs: [xs, xs], trial)

As ``check_operator`` does for one outlet: two runs, a subscriber with the trial's demand, a source
that fails, and a subscriber that cancels. ``check_leaving`` adds a branch that has had enough.
"""

from actors_rs import Graph, Sink, merge
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS
from tests.graph.models import Asker, Upstream, check_cancel


def numbered(flows, window):
    """All branches in one stream, each element with the number of its branch."""
    tagged = [flow.map(lambda x, n=n: (n, x)) for n, flow in enumerate(flows)]
    return merge(*(flow.with_attributes(window=window) for flow in tagged))


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
    check_cancel(system, lambda source: numbered(divide(source), trial.window), trial)


def check_lists(system, count, divide, expected, trial, view):
    """Two runs of one graph with a sink for each branch."""
    flows = divide(Upstream(trial.xs).source().with_attributes(window=trial.window))
    graph = Graph(*(flow.to(Sink.list().with_attributes(window=trial.last)) for flow in flows))
    for which in ("the first run", "the second run"):
        got = system.start(graph).result(SECONDS)
        assert view(got if count > 1 else [got]) == expected, which


def check_failure_of_all(system, count, divide, model, trial, view):
    """Every branch gives what came before a failure of the source, and hears of that itself."""
    before = trial.xs[: trial.fails_behind]
    upstream = Upstream(before, KeyError("the source fails"))
    source = upstream.source().named("broken").with_attributes(window=trial.window)
    told = [flow.recover(lambda error: error) for flow in divide(source)]
    graph = numbered(told, trial.window).to(Sink.list().with_attributes(window=trial.last))
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
    system.publisher(numbered(divide(upstream.source()), trial.window)).subscribe(asker)
    assert asker.drive() == "complete"
    upstream.wait_until_released()
    return asker.elements
