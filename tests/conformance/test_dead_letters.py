"""The dead letters of a system as a Publisher, under the complete conformance kit."""

import pytest

from actors_rs import ActorSystem
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
from actors_rs.testing.tck import Environment, PublisherVerification, run_verification
from tests.conformance.kit import SECONDS, SILENCE, complaints


class LettersVerification(PublisherVerification):
    """A fresh box of letters that has ended, on the threads of ``schedule``."""

    max_elements_from_publisher = 1000
    schedule = None

    def create_environment(self):
        return Environment(SECONDS, SILENCE)

    def create_publisher(self, elements):
        letters = DeadLetters(schedule=self.schedule)
        for number in range(elements):
            letters.record(number, where="here", why="because")
        letters.complete()
        return letters


def broken_by(verification):
    """What the kit complains of, but for tests of a publisher that fails: this one never does."""
    found = complaints(list(run_verification(verification)))
    return [one for one in found if "create_failed_publisher" not in one]


def test_the_dead_letters_keep_every_rule_that_the_kit_checks():
    assert broken_by(LettersVerification) == []


@pytest.mark.parametrize("workers", [1, 4])
def test_the_dead_letters_keep_the_rules_on_a_pool(workers):
    class Growing(LettersVerification):
        def create_publisher(self, elements):
            letters = DeadLetters(schedule=system._dispatcher.schedule)

            def fill():
                for number in range(elements):
                    letters.record(number, where="here", why="because")
                letters.complete()

            system._dispatcher.schedule(fill)  # while the kit subscribes
            return letters

    with ActorSystem(workers=workers) as system:
        assert broken_by(Growing) == []
