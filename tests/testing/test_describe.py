# mypy: disable-error-code="type-arg"
"""How the log of a world describes values: by what they hold, the same in every process."""

from collections import Counter, OrderedDict, defaultdict, deque
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from uuid import UUID

import pytest

from actors_rs import Sink, Source
from actors_rs.testing.explore import Plan, search
from actors_rs.testing.world.describe import Describer

pytestmark = pytest.mark.usefixtures("by_itself")


class Colour(Enum):
    RED = object()


class Number(IntEnum):
    ONE = 1


class Word(StrEnum):
    YES = "y"


class Rights(Flag):
    READ = 1
    WRITE = 2


class Name(str):
    __slots__ = ()

    def __repr__(self):
        return f"<{id(self)}>"


class Count(int):
    def __str__(self):
        raise ValueError


class Row(list):
    def __iter__(self):
        raise TypeError


class Table(dict):
    def items(self):
        raise TypeError


class Names(frozenset):
    pass


class Broken(tzinfo):
    def utcoffset(self, when):
        raise LookupError

    dst = tzname = utcoffset


class Opaque:
    pass


MOVED = OrderedDict(a=1, b=2)
MOVED.move_to_end("a")

DESCRIBED = [
    (Decimal("1.50"), "Decimal(1.50)"),
    (Fraction(1, 3), "Fraction(1/3)"),
    (datetime(2024, 2, 3, 4, 5, tzinfo=UTC), "datetime(2024-02-03T04:05:00+00:00)"),
    (datetime(2024, 2, 3, tzinfo=Broken()), "datetime"),
    (date(2024, 2, 3), "date(2024-02-03)"),
    (time(4, 5), "time(04:05:00)"),
    (timedelta(days=1, seconds=2), "timedelta(1 day, 0:00:02)"),
    (UUID(int=5), "UUID(00000000-0000-0000-0000-000000000005)"),
    (PurePosixPath("a/b"), "PurePosixPath(a/b)"),
    (Path("a/b"), f"{type(Path()).__name__}(a/b)"),
    (Colour.RED, "Colour(RED)"),
    (Number.ONE, "Number(ONE)"),
    (Word.YES, "Word(YES)"),
    (Rights.READ, "Rights(READ)"),
    (Name("x"), "Name('x')"),
    (Count(7), "Count(7)"),
    (bytearray(b"ab"), "bytearray(b'ab')"),
    (deque([1, {2}, Opaque()], 5), "deque(1, {2}, Opaque)"),
    (Row([1, "x"]), "Row(1, 'x')"),
    (Table(a=Row([1])), "Table({'a': Row(1)})"),
    (Names({"b", "a"}), "Names({'a', 'b'})"),
    (Counter("aab"), "Counter({'a': 2, 'b': 1})"),
    (defaultdict(list, x=[1]), "defaultdict({'x': [1]})"),
    (MOVED, "OrderedDict({'b': 2, 'a': 1})"),
    (Opaque(), "Opaque"),
]


@pytest.mark.parametrize(("value", "text"), DESCRIBED, ids=[text for _, text in DESCRIBED])
def test_a_value_is_described_by_what_it_holds(value, text):
    assert Describer(dict).value(value) == text


def behaviours(*prices):
    def scenario(world):
        price = world.pick("price", prices)
        world.start(Source.of(price).to(Sink.ignore())).result()

    plan = Plan(runs=60, windows=(4,), portfolio=("random",))
    return search(scenario, plan).behaviours


def test_runs_whose_values_differ_are_different_behaviours():
    alike = behaviours(Decimal("1.5"), Decimal("1.5"))
    assert len(behaviours(Decimal("1.5"), Decimal("1.6"))) > len(alike)
