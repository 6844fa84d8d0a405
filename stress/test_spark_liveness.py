"""A frozen JVM, with the patience that users get."""

from __future__ import annotations

import re

import pytest

from tests.spark.losing import FROZEN, FROZEN_JVM, START, TO_BE_FROZEN
from tests.spark.programs import lines_of

pytestmark = pytest.mark.spark


def test_a_frozen_jvm_ends_every_run_within_fifteen_seconds() -> None:
    lines = lines_of(START + TO_BE_FROZEN + FROZEN_JVM, "15")
    for what in ("running", "planning", "later"):
        assert re.match(FROZEN, lines[f"frozen-{what}"]), lines
    assert lines["frozen-threads"] == "[]"
