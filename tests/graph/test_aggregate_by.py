# mypy: disable-error-code="var-annotated, arg-type, call-overload, union-attr, attr-defined"
"""``aggregate_by`` over a whole stream: a value for each key, none of which is a stream."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError, TooManyKeysError
from tests.graph.helpers import run


@pytest.fixture
def system():
    with ActorSystem() as system:
        yield system


def counted(flow, key=lambda x: x, **options):
    return flow.aggregate_by(key, 0, lambda n, _: n + 1, **options)


def details_of(done):
    return next(one.details for one in done.snapshot().stages if one.kind == "aggregate_by")


@given(st.lists(st.integers(0, 9)))
def test_it_gives_what_a_loop_over_a_dict_gives(numbers):
    expected = {}
    for number in numbers:
        expected.setdefault(number % 3, []).append(number)
    flow = Source.of(*numbers).aggregate_by(lambda n: n % 3, list, lambda got, n: [*got, n])
    assert run(flow.to(Sink.list())) == list(expected.items())


@pytest.mark.parametrize("init", [[], list])
def test_each_key_and_each_run_begins_with_a_value_of_its_own(init):
    def added(values, element):
        values.append(element)
        return values

    graph = Source.of("ab", "cd", "ax").aggregate_by(lambda s: s[0], init, added).to(Sink.list())
    for _ in range(2):
        assert run(graph) == [("a", ["ab", "ax"]), ("c", ["cd"])]


def test_nothing_comes_of_an_empty_stream_and_of_one_that_fails():
    assert run(counted(Source.empty()).to(Sink.list())) == []
    seen = []
    broken = Source.of(1, 0).map(lambda n: 1 // n)
    with pytest.raises(StageError, match="ZeroDivisionError"):
        run(counted(broken).to(Sink.for_each(seen.append)))
    assert seen == []


def test_one_key_too_many_fails_the_stage_at_its_element():
    with pytest.raises(StageError, match="failed at element 3") as caught:
        run(counted(Source.of("a", "b", "a", "c"), max_keys=2).to(Sink.list()))
    assert isinstance(caught.value.__cause__, TooManyKeysError)
    assert "max_keys=2, on_overflow='fail'): key 'c'" in str(caught.value)


def test_with_drop_elements_of_further_keys_are_left_out_and_counted(system):
    flow = counted(Source.of(*"abacbc"), max_keys=2, on_overflow="drop")
    done = system.start(flow.to(Sink.list()))
    assert done.result(20) == [("a", 2), ("b", 2)]
    assert details_of(done)["dropped"] == 2


@pytest.mark.parametrize("window", [1, 2, 1000])
def test_with_emit_oldest_the_oldest_key_is_given_as_it_is_and_may_come_again(system, window):
    flow = counted(Source.of(*"abacaa"), max_keys=2, on_overflow="emit_oldest")
    done = system.start(flow.to(Sink.list().with_attributes(window=window)))
    assert done.result(20) == [("a", 2), ("b", 1), ("c", 1), ("a", 2)]
    assert details_of(done)["emitted_early"] == 2


@given(st.lists(st.integers(0, 20)), st.integers(1, 5), st.integers(1, 3))
def test_with_emit_oldest_no_element_is_lost(numbers, most, window):
    flow = counted(Source.of(*numbers), max_keys=most, on_overflow="emit_oldest")
    got = run(flow.to(Sink.list().with_attributes(window=window)))
    total = Counter()
    for key, count in got:
        total[key] += count
    assert total == Counter(numbers)


def test_elements_that_a_function_raises_for_follow_on_failure(system):
    flow = Source.of(1, 0, 2, 0).aggregate_by(lambda n: 6 // n % 2, 0, lambda a, b: a + b)
    done = system.start(flow.on_failure("resume").to(Sink.list()))
    assert done.result(20) == [(0, 1), (1, 2)]
    assert [one.what for one in system.dead_letters.recent()] == [0, 0]


def test_a_key_without_a_hash_is_named():
    with pytest.raises(StageError, match=r"aggregate_by: key: expected something hashable, got \["):
        run(counted(Source.of(1), key=lambda x: [x]).to(Sink.list()))


REFUSED = {
    "key": (lambda s: s.aggregate_by(3, 0, max), "aggregate_by: key"),
    "fold": (lambda s: s.aggregate_by(abs, 0, 3), "aggregate_by: fold"),
    "init": (lambda s: s.aggregate_by(abs, iter(()).__iter__().__class__, 3), "aggregate_by: fold"),
    "most": (lambda s: counted(s, max_keys=0), "aggregate_by: max_keys"),
    "policy": (lambda s: counted(s, on_overflow="wait"), "on_overflow must be one of 'fail'"),
    "no copy": (lambda s: s.aggregate_by(abs, (n for n in ()), max), "aggregate_by: init"),
    "option": (lambda s: counted(s, evry=3), "no option 'evry': did you mean 'every'"),
    "two": (lambda s: counted(s, every=3, session=4), "one kind of windows"),
    "none": (lambda s: counted(s, event_time=abs), "one kind of windows"),
    "every": (lambda s: counted(s, every=0), "aggregate_by: every"),
    "sliding": (lambda s: counted(s, sliding=3), r"sliding must be \(size, step\)"),
    "session": (lambda s: counted(s, session=-1), "aggregate_by: session"),
    "session offset": (lambda s: counted(s, session=1, offset=1), "a session begins with"),
    "merge": (lambda s: counted(s, every=1, merge=max), "merge needs session"),
    "lateness": (lambda s: counted(s, every=1, lateness=1), "lateness needs event_time"),
    "negative": (lambda s: counted(s, every=1, lateness=-1, event_time=abs), "at least 0 seconds"),
    "late": (lambda s: counted(s, every=1, late=3), "late"),
    "merged": (lambda s: counted(s, every=1, merged_with=s), "merged_with must be a list"),
    "merged with": (lambda s: counted(s, every=1, merged_with=[3]), "needs Sources or Flows"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_where_it_is_written(what):
    make, text = REFUSED[what]
    with pytest.raises(ValueError, match=text):
        make(Source.of(1))
