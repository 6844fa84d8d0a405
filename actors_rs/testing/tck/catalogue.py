# ruff: noqa: E501 - the standard's ids are longer than a line
"""The standard kit's tests as data: id, rule and kind, and the scheme of their names here.

An id's first word is its kind, unless a third column says it. The rule "-" is a test of the harness.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from actors_rs.testing.tck.verification import Kind

__all__ = [
    "BLACKBOX",
    "CATALOGUE",
    "IDENTITY_PROCESSOR",
    "PUBLISHER",
    "WHITEBOX",
    "CatalogueEntry",
    "python_name",
]

# Exceptions of the JVM, and the exception or signal of Python in its place; in this order.
EXCEPTIONS = (
    ("MustSignalIllegalArgumentException", "MustSignalOnError"),
    ("MaySignalIllegalArgumentException", "MaySignalOnError"),
    ("NullPointerException", "TypeError"),
    ("NPE", "TypeError"),
)


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One test of the standard's kit; ``rule`` is empty for a test of the harness itself."""

    standard_id: str
    rule: str
    kind: Kind

    @property
    def name(self) -> str:
        """The name of the method that does it here."""
        return python_name(self.standard_id)


def python_name(standard_id: str) -> str:
    """The name of a test here: the standard's id in snake case, with Python's exceptions.

    >>> python_name("required_spec309_requestZeroMustSignalIllegalArgumentException")
    'test_required_spec309_request_zero_must_signal_on_error'
    """
    text = standard_id
    for theirs, ours in EXCEPTIONS:
        text = text.replace(theirs, ours)
    return "test_" + re.sub(r"(?<=[a-zA-Z0-9])(?=[A-Z])", "_", text).lower()


def _tests(table: str) -> tuple[CatalogueEntry, ...]:
    return tuple(_entry(*line.split()) for line in table.strip().splitlines())


def _entry(standard_id: str, rule: str, kind: str = "") -> CatalogueEntry:
    kind = kind or standard_id.partition("_")[0]
    return CatalogueEntry(standard_id, rule.removeprefix("-"), cast(Kind, kind))


PUBLISHER = _tests(
    """
    required_createPublisher1MustProduceAStreamOfExactly1Element -
    required_createPublisher3MustProduceAStreamOfExactly3Elements -
    required_validate_maxElementsFromPublisher -
    required_validate_boundedDepthOfOnNextAndRequestRecursion -
    required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements 1.1
    required_spec102_maySignalLessThanRequestedAndTerminateSubscription 1.2
    stochastic_spec103_mustSignalOnMethodsSequentially 1.3
    optional_spec104_mustSignalOnErrorWhenFails 1.4
    required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates 1.5
    optional_spec105_emptyStreamMustTerminateBySignallingOnComplete 1.5
    untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled 1.6
    required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled 1.7
    untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled 1.7
    untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals 1.8
    untested_spec109_subscribeShouldNotThrowNonFatalThrowable 1.9
    required_spec109_subscribeThrowNPEOnNullSubscriber 1.9
    required_spec109_mustIssueOnSubscribeForNonNullSubscriber 1.9
    required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThemRejectionMustTriggerOnErrorAfterOnSubscribe 1.9
    untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice 1.10
    optional_spec111_maySupportMultiSubscribe 1.11
    optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals 1.11
    optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne 1.11
    optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfront 1.11
    optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected 1.11
    required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe 3.2
    required_spec303_mustNotAllowUnboundedRecursion 3.3
    untested_spec304_requestShouldNotPerformHeavyComputations 3.4
    untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation 3.5
    required_spec306_afterSubscriptionIsCancelledRequestMustBeNops 3.6
    required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops 3.7
    required_spec309_requestZeroMustSignalIllegalArgumentException 3.9
    required_spec309_requestNegativeNumberMustSignalIllegalArgumentException 3.9
    optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage 3.9
    required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling 3.12
    required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber 3.13
    required_spec317_mustSupportAPendingElementCountUpToLongMaxValue 3.17
    required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue 3.17
    required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue 3.17
    """
)

BLACKBOX = _tests(
    """
    required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest 2.1
    untested_spec202_blackbox_shouldAsynchronouslyDispatch 2.2
    required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete 2.3
    required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnError 2.3
    untested_spec204_blackbox_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError 2.4
    required_spec205_blackbox_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal 2.5
    untested_spec206_blackbox_mustCallSubscriptionCancelIfItIsNoLongerValid 2.6
    untested_spec207_blackbox_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization 2.7
    untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel 2.8
    required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall 2.9
    required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall 2.9
    required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall 2.10
    required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall 2.10
    untested_spec211_blackbox_mustMakeSureThatAllCallsOnItsMethodsHappenBeforeTheProcessingOfTheRespectiveEvents 2.11
    untested_spec212_blackbox_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality 2.12
    untested_spec213_blackbox_failingOnSignalInvocation 2.13
    required_spec213_blackbox_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull 2.13
    required_spec213_blackbox_onNext_mustThrowNullPointerExceptionWhenParametersAreNull 2.13
    required_spec213_blackbox_onError_mustThrowNullPointerExceptionWhenParametersAreNull 2.13
    untested_spec301_blackbox_mustNotBeCalledOutsideSubscriberContext 3.1
    untested_spec308_blackbox_requestMustRegisterGivenNumberElementsToBeProduced 3.8
    untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber 3.10
    untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError 3.11
    untested_spec314_blackbox_cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists 3.14
    untested_spec315_blackbox_cancelMustNotThrowExceptionAndMustSignalOnError 3.15
    untested_spec316_blackbox_requestMustNotThrowExceptionAndMustOnErrorTheSubscriber 3.16
    """
)

WHITEBOX = _tests(
    """
    required_exerciseWhiteboxHappyPath -
    required_spec201_mustSignalDemandViaSubscriptionRequest 2.1
    untested_spec202_shouldAsynchronouslyDispatch 2.2
    required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete 2.3
    required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnError 2.3
    untested_spec204_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError 2.4
    required_spec205_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal 2.5
    untested_spec206_mustCallSubscriptionCancelIfItIsNoLongerValid 2.6
    untested_spec207_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization 2.7
    required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel 2.8
    required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall 2.9
    required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall 2.9
    required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall 2.10
    required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall 2.10
    untested_spec211_mustMakeSureThatAllCallsOnItsMethodsHappenBeforeTheProcessingOfTheRespectiveEvents 2.11
    untested_spec212_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality_specViolation 2.12
    untested_spec213_failingOnSignalInvocation 2.13
    required_spec213_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull 2.13
    required_spec213_onNext_mustThrowNullPointerExceptionWhenParametersAreNull 2.13
    required_spec213_onError_mustThrowNullPointerExceptionWhenParametersAreNull 2.13
    untested_spec301_mustNotBeCalledOutsideSubscriberContext 3.1
    required_spec308_requestMustRegisterGivenNumberElementsToBeProduced 3.8
    untested_spec310_requestMaySynchronouslyCallOnNextOnSubscriber 3.10
    untested_spec311_requestMaySynchronouslyCallOnCompleteOrOnError 3.11
    untested_spec314_cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists 3.14
    untested_spec315_cancelMustNotThrowExceptionAndMustSignalOnError 3.15
    untested_spec316_requestMustNotThrowExceptionAndMustOnErrorTheSubscriber 3.16
    """
)

_PROCESSOR_ONLY = _tests(
    """
    required_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError 1.4
    mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream 4.2 required
    required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo 2.1
    """
)

IDENTITY_PROCESSOR = PUBLISHER + _PROCESSOR_ONLY + WHITEBOX

CATALOGUE: dict[str, tuple[CatalogueEntry, ...]] = {
    "PublisherVerification": PUBLISHER,
    "SubscriberBlackboxVerification": BLACKBOX,
    "SubscriberWhiteboxVerification": WHITEBOX,
    "IdentityProcessorVerification": IDENTITY_PROCESSOR,
}
"""The tests of each verification, by its name."""
