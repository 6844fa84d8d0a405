"""Rude objects in all operators: every manner meets every policy in each of them."""

from itertools import product
from typing import Any

import pytest

from tests.graph import test_rude_objects as table
from tests.rude import MANNERS


@pytest.mark.rotated(7)
@pytest.mark.parametrize(
    ("operator", "manner", "policy"), list(product(table.FAILING, MANNERS, table.POLICIES))
)
def test_a_run_ends_whose_function_raises_a_rude_exception(
    operator: str, manner: str, policy: str, caplog: Any
) -> None:
    table.test_a_run_ends_whose_function_raises_a_rude_exception(operator, manner, policy, caplog)


@pytest.mark.rotated(7)
@pytest.mark.parametrize(
    ("operator", "manner", "policy"), list(product(table.NAMING, MANNERS, table.POLICIES))
)
def test_a_run_ends_that_names_rude_elements(
    operator: str, manner: str, policy: str, caplog: Any
) -> None:
    table.test_a_run_ends_that_names_rude_elements(operator, manner, policy, caplog)
