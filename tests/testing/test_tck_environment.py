"""The kit's environment: deadlines, dilation, errors from other threads, subscribers by hand."""

import threading
import weakref

import pytest

from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import Environment, Failure, Latch, ManualSubscriber, NotVerified
from actors_rs.testing.tck.environment import DILATION_VARIABLE
from actors_rs.testing.tck.verification import Verification, optional, required
from tests.testing.support import impatient, patient


@pytest.mark.parametrize("name", ["timeout", "no_signals_timeout"])
@pytest.mark.parametrize("value", [-1, -0.001, float("nan"), float("inf"), "1", None, 10**400])
def test_a_time_that_is_none_is_refused_with_its_name(name, value):
    with pytest.raises(InvalidArgumentError, match=f"^{name} needs seconds of 0 or more, got"):
        Environment(**{name: value})


@pytest.mark.parametrize("dilation", [0, -1, float("nan"), "1", 10**400])
def test_a_dilation_that_is_none_is_refused(dilation):
    with pytest.raises(InvalidArgumentError, match="dilation needs a number above 0"):
        Environment(dilation=dilation)


def test_dilation_stretches_every_time(monkeypatch):
    env = Environment(timeout=2, no_signals_timeout=0.5, dilation=3)
    assert (env.timeout, env.no_signals_timeout) == (6, 1.5)
    monkeypatch.setenv(DILATION_VARIABLE, "2")
    assert Environment(timeout=2).timeout == 4
    monkeypatch.setenv(DILATION_VARIABLE, "slow")
    with pytest.raises(InvalidArgumentError, match="ACTORS_RS_TCK_DILATION needs a number"):
        Environment()


def test_the_option_of_pytest_stretches_every_time(pytestconfig, monkeypatch):
    from actors_rs.testing import pytest_plugin

    class Config:
        """As the one of this session, but for one option."""

        def __getattr__(self, name):
            return getattr(pytestconfig, name)

        def getoption(self, name, default=None):
            return "5" if name == "--tck-dilation" else pytestconfig.getoption(name, default)

    monkeypatch.setenv(DILATION_VARIABLE, "1")
    pytest_plugin.pytest_configure(Config())
    assert Environment(timeout=1).timeout == 5


def test_errors_of_other_threads_fail_the_test_that_verifies():
    env = impatient()
    thread = threading.Thread(target=env.flop, args=("rule 1.1: too much",))
    thread.start()
    thread.join()
    with pytest.raises(Failure, match=r"^rule 1\.1: too much$"):
        env.verify_no_async_errors()


def test_what_a_collection_drops_counts_as_dropped_however_long_the_collection_took():
    class Cyclic:
        def __init__(self):
            self.itself = self

    dropped, kept = weakref.ref(Cyclic()), Cyclic()
    env = Environment(timeout=0)  # less than any collection takes
    env.wait_until_dropped(dropped, "rule 3.13: still there")
    with pytest.raises(Failure, match=r"rule 3\.13: still there"):
        env.wait_until_dropped(weakref.ref(kept), "rule 3.13: still there")


def test_an_error_noted_meanwhile_is_told_beside_the_one_that_ended_the_test():
    class Both(Verification):
        @required("1.1")
        def test_both(self):
            self.env.flop("rule 1.7: the cause")
            raise Failure("rule 1.5: the consequence")

    with pytest.raises(Failure, match=r"rule 1\.5: the consequence; rule 1\.7: the cause"):
        Both().test_both()


def test_an_optional_rule_that_is_not_kept_is_skipped_with_what_was_seen():
    class Absent(Verification):
        @optional("1.11")
        def test_absent(self):
            raise Failure("rule 1.11: one subscriber only")

    with pytest.raises(NotVerified, match=r"not kept here: rule 1\.11: one subscriber only"):
        Absent().test_absent()


def test_a_latch_is_waited_for_with_a_deadline():
    with pytest.raises(Failure, match="never closed"):
        Latch(impatient()).expect_closed("never closed")
    latch = Latch(patient())
    threading.Thread(target=latch.close).start()
    latch.expect_closed("never closed")
    assert latch.closed


@pytest.fixture
def subscriber():
    subscriber: ManualSubscriber = ManualSubscriber(impatient())
    ReferencePublisher(["a", "b"]).subscribe(subscriber)
    subscriber.expect_subscription()
    return subscriber


def test_a_manual_subscriber_takes_signals_one_by_one(subscriber):
    subscriber.expect_nothing("1.1", "before a request")
    assert subscriber.request_next() == "a"
    subscriber.request(5)
    assert subscriber.expect_elements(1) == ["b"]
    subscriber.expect_completion()
    subscriber.env.verify_no_async_errors()


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        (
            lambda s: s.expect_completion(),
            r"rule 1\.5: .* expected on_complete, got on_next\('a'\)",
        ),
        (lambda s: s.expect_error(OSError), r"rule 1\.4: .* on_error with a OSError, got on_next"),
        (lambda s: s.expect_nothing("3.6", "now"), r"rule 3\.6: .* no signal now, got on_next"),
        (lambda s: s.expect_elements(2), r"rule 1\.1: .* expected an element, nothing came"),
        (lambda s: s.expect_elements(0), "expect_elements needs n >= 1, got 0"),
    ],
)
def test_a_manual_subscriber_says_what_it_expected_and_what_came(subscriber, expect, said):
    subscriber.request(1)
    with pytest.raises((Failure, InvalidArgumentError), match=said):
        expect(subscriber)


def test_an_error_of_another_type_than_expected_is_told(subscriber):
    subscriber.request(0)
    with pytest.raises(Failure, match="expected on_error with a OSError, got InvalidArgumentError"):
        subscriber.expect_error(OSError)


def test_a_call_that_does_not_return_in_time_is_told_and_one_that_raises_too():
    never = threading.Event()
    with pytest.raises(Failure, match="must return, it has not"):
        impatient().returns_in_time("must return", never.wait, 5)
    never.set()
    env = patient()
    env.returns_in_time("must return", [].pop)
    with pytest.raises(Failure, match="must return, it raised IndexError"):
        env.verify_no_async_errors()
