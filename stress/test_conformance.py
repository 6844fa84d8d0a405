"""Every stage of ours under the complete kit, with every number of workers, window and peer.

Three thousand cases: a round takes some of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kit import cases, complaints, outcomes
from tests.conformance.stages import ALL

CASES = [
    pytest.param(case, setting, id=f"{name}-{setting}") for name, case in cases() for setting in ALL
]


@pytest.mark.rotated(47)
@pytest.mark.parametrize(("case", "setting"), CASES)
def test_a_stage_keeps_every_rule_under_every_setting(
    case: Any, setting: Any, tmp_path: Path
) -> None:
    assert complaints(outcomes(case, setting, tmp_path)) == []
