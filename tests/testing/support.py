"""Verifications made on the fly, and running one test of the kit by its standard id."""

from actors_rs.testing.tck import Environment, NotVerified, PublisherVerification
from actors_rs.testing.tck.catalogue import python_name


def impatient():
    """An environment for what is expected to fail: it waits only a little for it."""
    return Environment(timeout=0.3, no_signals_timeout=0.03)


def publisher_verification(publisher, failed=None):
    """A verification of the publishers that `publisher(elements)` and `failed()` make."""

    class Made(PublisherVerification):
        def create_environment(self):
            return impatient()

        def create_publisher(self, elements):
            return publisher(range(elements))

        def create_failed_publisher(self):
            return failed and failed()

    return Made()


def verdict(verification, standard_id):
    """What a test of the kit says: the message of its failure or skip, empty if it passes."""
    try:
        getattr(verification, python_name(standard_id))()
    except (AssertionError, NotVerified) as said:
        return str(said)
    return ""
