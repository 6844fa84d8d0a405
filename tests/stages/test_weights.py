"""What elements weigh."""

from __future__ import annotations

import array
from dataclasses import dataclass

import pytest

from actors_rs.stages.chunks.weights import LIGHT, weight_of

MIB = 2**20


@dataclass
class Image:
    name: str
    data: bytes


@dataclass(slots=True)
class Blob:
    data: bytes
    unset: int = 0


class Table:
    """As arrays and Arrow tables do, it says how large it is."""

    nbytes = 5 * MIB


class Rude:
    def __sizeof__(self) -> int:
        raise OSError("nobody answers")

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"asked for {name}")


@pytest.mark.parametrize("number", [1, 2.5, True, None, 1j])
def test_numbers_are_light(number):
    assert weight_of(number) == LIGHT


@pytest.mark.parametrize(
    "heavy",
    [
        bytes(5 * MIB),
        bytearray(5 * MIB),
        "x" * 5 * MIB,
        memoryview(bytes(5 * MIB)),
        array.array("b", bytes(5 * MIB)),
        Table(),
        Image("cat", bytes(5 * MIB)),
        Blob(bytes(5 * MIB)),
        ("cat", bytes(5 * MIB)),
        {"data": bytes(5 * MIB)},
        [bytes(MIB) for _ in range(5)],
        {str(n): [bytes(MIB // 10)] for n in range(50)},
    ],
    ids=lambda heavy: type(heavy).__name__,
)
def test_a_heavy_element_weighs_what_its_buffers_do(heavy):
    assert 5 * MIB <= weight_of(heavy) < 5.6 * MIB


def test_a_long_list_is_weighed_by_a_few_of_its_elements():
    assert weight_of(["x" * 951] * 1000) == pytest.approx(1_000_000, rel=0.02)


def test_an_element_that_cannot_be_weighed_is_light():
    assert weight_of(Rude()) == LIGHT


def test_an_element_that_holds_itself_is_weighed():
    loop: list[object] = []
    loop.append(loop)
    assert weight_of(loop) < 1000


def test_what_is_no_container_is_not_iterated_over():
    elements = iter([1, 2, 3])
    weight_of(elements)
    assert list(elements) == [1, 2, 3]
