"""What the type checker makes of streams that are combined and taken apart.

``assert_type`` does its work in the type checker; here the lines only have to run.
"""

from typing import Never, assert_type

from actors_rs import Flow, Group, Sink, Source, concat, merge, pipe, zip

numbers: Source[int] = Source.range(0, 3)
words: Source[str] = Source.of("a", "b")


def test_zip_knows_the_types_of_up_to_four_streams():
    assert_type(zip(numbers, words), Flow[Never, tuple[int, str]])
    assert_type(zip(numbers, words, numbers), Flow[Never, tuple[int, str, int]])
    assert_type(zip(numbers, words, numbers, words), Flow[Never, tuple[int, str, int, str]])
    assert_type(numbers.zip(words), Flow[Never, tuple[int, str]])
    assert_type(numbers.zip(words, words), Flow[Never, tuple[int, str, str]])
    assert_type(numbers.zip(words, words, numbers), Flow[Never, tuple[int, str, str, int]])


def test_the_latest_of_several_are_tuples_too():
    assert_type(numbers.combine_latest(words), Flow[Never, tuple[int, str]])
    assert_type(numbers.zip_latest(words, words), Flow[Never, tuple[int, str, str]])


def test_unzip_gives_back_what_was_zipped():
    one, other = numbers.zip(words).unzip()
    assert_type(one, Flow[Never, int])
    assert_type(other, Flow[Never, str])
    first, second, third = zip(numbers, words, numbers).unzip(3)
    assert_type((first, second, third), tuple[Source[int], Source[str], Source[int]])


def test_what_hangs_on_a_stream_leaves_its_type():
    assert_type(numbers.also_to(Sink.ignore()), Flow[Never, int])
    assert_type(numbers.wire_tap(Sink.count()), Flow[Never, int])
    assert_type(numbers.divert_to(Sink.ignore(), lambda n: n > 1), Flow[Never, int])


def test_streams_of_one_type_stay_of_it():
    assert_type(merge(numbers, numbers), Flow[Never, int])
    assert_type(numbers.merge_sorted(numbers, key=lambda n: -n), Flow[Never, int])
    assert_type(numbers.interleave(numbers, 2), Flow[Never, int])
    assert_type(numbers.balance(2), tuple[Flow[Never, int], ...])
    assert_type(Source.combine(numbers, numbers), Flow[Never, int])


def test_streams_of_streams_have_the_types_of_what_is_within():
    assert_type(numbers.flat_map(lambda n: [str(n)]), Flow[Never, str])
    assert_type(numbers.flat_map(lambda n: words, breadth=4), Flow[Never, str])
    assert_type(numbers.concat_map(lambda n: words), Flow[Never, str])
    assert_type(numbers.switch_map(lambda n: words), Flow[Never, str])
    assert_type(numbers.catch(lambda error: words), Flow[Never, int | str])
    assert_type(numbers.append(words), Flow[Never, int | str])
    assert_type(numbers.concat(words), Flow[Never, int | str])
    assert_type(numbers.if_empty(words), Flow[Never, int | str])
    assert_type(concat(numbers, numbers), Flow[Never, int])
    groups = words.group_by(len, max_groups=3, on_overflow="divert")
    assert_type(groups, Flow[Never, Group[int, str]])
    assert_type(groups.flat_map(lambda group: group.count(), breadth=3), Flow[Never, int])
    assert_type(pipe(words, Flow[str, str]().map(len), Flow[int, int]().sum()), Flow[Never, int])
