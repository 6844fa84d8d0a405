"""What the type checker makes of streams of streams; ``assert_type`` does its work there."""

from collections.abc import AsyncIterator
from typing import Never, assert_type

from actors_rs import Emitter, Flow, Group, Source, amb, concat

numbers: Source[int] = Source.range(0, 3)
words: Source[str] = Source.of("a", "b")


def test_flat_map_gives_the_elements_of_streams_and_of_iterables():
    assert_type(numbers.flat_map(lambda n: Source.of(str(n))), Flow[Never, str])
    assert_type(numbers.flat_map(lambda n: [str(n)], breadth=4), Flow[Never, str])
    assert_type(words.flat_map(str.split), Flow[Never, str])
    assert_type(words.concat_map(lambda word: numbers), Flow[Never, int])
    assert_type(words.switch_map(lambda word: numbers), Flow[Never, int])
    assert_type(Flow[int, int]().flat_map(lambda n: words), Flow[int, str])


def test_a_stream_with_another_one_behind_it_has_the_elements_of_both():
    assert_type(numbers.append(words), Flow[Never, int | str])
    assert_type(numbers.prepend(words), Flow[Never, int | str])
    assert_type(numbers.if_empty(words), Flow[Never, int | str])
    assert_type(numbers.catch(lambda error: words), Flow[Never, int | str])
    assert_type(numbers.amb(words), Flow[Never, int | str])
    assert_type(concat(numbers, numbers), Flow[Never, int])
    assert_type(amb(words, words), Flow[Never, str])


def test_groups_have_a_key_and_elements():
    groups = numbers.group_by(str, 10)
    assert_type(groups, Flow[Never, Group[str, int]])
    pairs = groups.flat_map(lambda g: g.map(lambda n: (g.key, n)), breadth=10)
    assert_type(pairs, Flow[Never, tuple[str, int]])


def test_async_iterables_are_sources_and_inner_streams():
    async def rows(n: int = 1) -> AsyncIterator[str]:
        yield str(n)

    assert_type(Source.from_iterable(rows()), Flow[Never, str])
    assert_type(Source.from_iterable(rows), Flow[Never, str])
    assert_type(Source.from_iterable(lambda: rows(2)), Flow[Never, str])
    assert_type(numbers.flat_map(rows), Flow[Never, str])
    assert_type(numbers.concat_map(lambda n: rows(n)), Flow[Never, str])
    assert_type(numbers.switch_map(rows), Flow[Never, str])
    assert_type(numbers.catch(lambda error: rows()), Flow[Never, int | str])


def test_a_callback_source_has_the_elements_of_its_emitter():
    def register(emit: Emitter[int]) -> None:
        emit.complete()

    assert_type(Source.from_callback(register, 10, "drop_oldest"), Flow[Never, int])
