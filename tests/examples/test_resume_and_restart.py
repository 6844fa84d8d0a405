"""The example leaves out what is broken, nothing else, and survives a service that hangs up."""

import subprocess
import sys

from resume_and_restart import Service, add_up, policy

from .conftest import EXAMPLES


def test_all_readings_that_make_sense_are_added_up_once():
    service = Service()
    total, letters = add_up(service)
    assert total == sum(n for n in range(1, 1001) if n % 100 != 7)
    assert service.connections == 3
    assert sum("JSONDecodeError" in one for one in letters) == 10
    assert sum("the service hung up" in one for one in letters) == 2
    assert len(letters) == 12


def test_what_the_policy_does_not_know_stops_the_run():
    assert policy(KeyError("value"), "{}") == "stop"


def test_it_runs_as_a_program_and_prints_the_sum():
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "resume_and_restart.py")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("sum 495930, and 12 dead letters:")
