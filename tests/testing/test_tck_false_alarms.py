"""The kit blames nobody who keeps the rules, however they are made."""

from actors_rs.testing.reference import (
    ReferencePublisher,
    ReferenceSubscriber,
    ReferenceSubscription,
)
from tests.testing.support import blackbox_verification, publisher_verification, verdict

IN_ON_ERROR = "required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnError"
DEMAND = "required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest"
ONE_BY_ONE = (
    "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribers"
    "WhenRequestingOneByOne"
)


class Report:
    """Something of the user's whose methods happen to be called as signals are."""

    def __init__(self, subscriber):
        self.subscriber = subscriber

    def on_error(self, error):
        self.subscriber.signal_cancel()


class RefusesElements(ReferenceSubscriber):
    def on_next(self, element, /):
        super().on_next(element)
        Report(self).on_error(ValueError(element))


def test_a_subscriber_may_cancel_in_a_method_of_another_object_that_is_called_on_error():
    assert verdict(blackbox_verification(RefusesElements), DEMAND) == ""
    assert verdict(blackbox_verification(RefusesElements), IN_ON_ERROR) == ""


class LazyEnd(ReferenceSubscription):
    """Completes when asked for an element beyond the last one."""

    def choose(self):
        return super().choose() if self.demand else None


def test_a_publisher_may_complete_only_when_it_is_asked_beyond_its_last_element():
    class Lazy(ReferencePublisher):
        def subscription(self, subscriber):
            return LazyEnd(subscriber, self.elements)

    assert verdict(publisher_verification(Lazy), ONE_BY_ONE) == ""
