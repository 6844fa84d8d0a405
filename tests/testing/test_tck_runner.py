"""The kit without pytest, and under a strict one."""

from collections import Counter
from functools import partial

import pytest

from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.misbehaving.publishers import NeverCompletes
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import PublisherVerification, run_verification
from tests.testing.support import patient, publisher_verification, python

KIT_ALONE = """
import sys
sys.modules["pytest"] = None  # importing it fails, as if it was not installed
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import PublisherVerification, run_verification

class Mine(PublisherVerification):
    def create_publisher(self, elements):
        return ReferencePublisher(range(elements))

print(*(one.verdict for one in run_verification(Mine)))
"""
STRICT = """
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import PublisherVerification

class TestMine(PublisherVerification):
    def create_publisher(self, elements):
        return ReferencePublisher(range(elements))
"""


def test_an_honest_publisher_passes_all_but_what_does_not_apply_to_it():
    honest = partial(publisher_verification, ReferencePublisher, environment=patient)
    outcomes = list(run_verification(honest))
    assert Counter(one.verdict for one in outcomes) == {"passed": 35, "skipped": 3}
    assert all(one.message for one in outcomes if one.verdict == "skipped")


def test_a_broken_rule_is_an_outcome_and_the_other_tests_go_on():
    outcomes = list(run_verification(lambda: publisher_verification(NeverCompletes)))
    failed = {one.entry.rule: one.message for one in outcomes if one.verdict == "failed"}
    assert "expected on_complete, nothing came" in failed["1.5"]
    assert len(outcomes) == 38


def test_what_is_no_verification_is_refused():
    with pytest.raises(InvalidArgumentError, match="needs a subclass of PublisherVerification"):
        list(run_verification(object))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="needs a method create_publisher"):
        list(run_verification(PublisherVerification))


def test_the_kit_runs_without_pytest():
    done = python("-c", KIT_ALONE)
    assert done.stdout.split().count("passed") == 35, done.stderr


@pytest.mark.parametrize(
    ("conftest", "said"),
    [
        ("", "pytest is strict about markers and does not know the kit's"),
        (
            'pytest_plugins = ["actors_rs.testing.pytest_plugin"]',
            "21 passed, 1 skipped, 16 deselected",
        ),
    ],
    ids=["without_the_plugin", "with_it"],
)
def test_a_strict_pytest_needs_the_plugin_and_then_selects_by_kind(tmp_path, conftest, said):
    (tmp_path / "conftest.py").write_text(conftest, "utf-8")
    (tmp_path / "test_mine.py").write_text(STRICT, "utf-8")
    options = ["-q", "--strict-markers", "-m", "tck_required", "-p", "no:cacheprovider"]
    options += ["--tck-dilation", "0.5"] if conftest else []
    done = python("-m", "pytest", *options, cwd=tmp_path)
    assert said in done.stdout
