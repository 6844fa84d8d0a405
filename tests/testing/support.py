"""Verifications made on the fly, one test of the kit by its standard id, other interpreters."""

import subprocess
import sys
from pathlib import Path

from actors_rs.testing.tck import (
    Environment,
    IdentityProcessorVerification,
    NotVerified,
    PublisherVerification,
    SubscriberBlackboxVerification,
    SubscriberWhiteboxVerification,
)
from actors_rs.testing.tck.catalogue import python_name

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments, cwd=ROOT, seconds=60):
    """Run a new interpreter that finds the project; returns its ``CompletedProcess``.

    A pytest in it loads only the plugins that its arguments name: all of them take half its time.
    """
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def impatient():
    """An environment for what is expected to fail: it waits only a little for it."""
    return Environment(timeout=0.3, no_signals_timeout=0.03)


def patient():
    """An environment for what is expected to pass, on a machine that may be busy."""
    return Environment(timeout=30, no_signals_timeout=0.03)


def publisher_verification(publisher, failed=None, environment=impatient):
    """A verification of the publishers that `publisher(elements)` and `failed()` make."""

    class Made(PublisherVerification):
        def create_environment(self):
            return environment()

        def create_publisher(self, elements):
            return publisher(range(elements))

        def create_failed_publisher(self):
            return failed and failed()

    return Made()


def blackbox_verification(subscriber):
    """A verification of the subscribers that `subscriber()` makes."""

    class Made(SubscriberBlackboxVerification):
        def create_environment(self):
            return impatient()

        def create_subscriber(self):
            return subscriber()

    return Made()


def whitebox_verification(subscriber):
    """A verification of the subscribers that `subscriber(probe=...)` makes."""

    class Made(SubscriberWhiteboxVerification):
        def create_environment(self):
            return impatient()

        def create_subscriber(self, probe):
            return subscriber(probe=probe)

    return Made()


def processor_verification(processor):
    """A verification of the processors that `processor(buffer_size)` makes."""

    class Made(IdentityProcessorVerification):
        def create_environment(self):
            return impatient()

        def create_identity_processor(self, buffer_size):
            return processor(buffer_size)

    return Made()


def verdict(verification, standard_id):
    """What a test of the kit says: the message of its failure or skip, empty if it passes."""
    try:
        getattr(verification, python_name(standard_id))()
    except (AssertionError, NotVerified) as said:
        return str(said)
    return ""
