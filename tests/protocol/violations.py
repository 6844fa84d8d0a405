# mypy: disable-error-code="attr-defined, union-attr, var-annotated"
"""A link between foreign peers under a monitor, and every way to break a rule on it."""

import threading

import pytest

from actors_rs.engine.monitored import link_monitor

SECONDS = 10


class Peer:
    """A foreign Subscriber; ``on[signal]`` is called within that signal, with the peer."""

    def __init__(self, **on):
        self.on = on
        self.subscription = None
        self.got = []

    def on_subscribe(self, subscription):
        self.subscription = subscription
        self._signalled("on_subscribe")

    def on_next(self, element):
        self._signalled("on_next", element)

    def on_error(self, error):
        self._signalled("on_error", error)

    def on_complete(self):
        self._signalled("on_complete")

    def _signalled(self, name, *args):
        self.got.append((name, *args))
        self.on.get(name, lambda peer: None)(self)


class Asked:
    """A foreign Subscription; ``on_request`` is called within ``request``."""

    def __init__(self, on_request=lambda n: None, on_cancel=lambda: None):
        self.on_request = on_request
        self.on_cancel = on_cancel
        self.got = []

    def request(self, n):
        self.got.append(n)
        self.on_request(n)

    def cancel(self):
        self.got.append("cancel")
        self.on_cancel()


def raiser(error):
    def throw(*_):
        raise error

    return throw


class Link:
    """A monitor, the peer behind it, and the checked subscriber that a publisher would signal."""

    def __init__(self, subscription=None, **on):
        self.called_back = []
        self.monitor = link_monitor("numbers", "sum", self.called_back.append)
        self.peer = Peer(**on)
        self.subscription = subscription or Asked()
        self.subscriber = self.monitor.wrap_subscriber(self.peer)

    def begin(self, n=None):
        self.subscriber.on_subscribe(self.subscription)
        if n is not None:
            self.peer.subscription.request(n)
        return self

    def broken(self):
        assert self.called_back == list(self.monitor.violations)
        return [violation.rule for violation in self.monitor.violations]


def too_many(link):
    link.begin(1)
    link.subscriber.on_next(1)
    link.subscriber.on_next(2)


def after_the_end(link):
    link.begin(1).subscriber.on_complete()
    link.subscriber.on_next(1)


def ends_twice(link):
    link.begin().subscriber.on_error(OSError())
    link.subscriber.on_complete()


def no_on_subscribe(link):
    link.subscriber.on_next(1)


def fails_instead_of_on_subscribe(link):
    link.subscriber.on_error(OSError())


def subscribes_twice(link):
    link.begin().begin()


def gives_none(link):
    link.begin(1).subscriber.on_next(None)


def fails_with_a_text(link):
    link.begin().subscriber.on_error("no exception")


def asks_for_nothing(link):
    link.begin(0)


def asks_for_less_than_nothing(link):
    link.begin(-1)


def asks_for_a_text(link):
    link.begin("1")


def calls_in_on_complete(link):
    link.peer.on["on_complete"] = lambda peer: peer.subscription.cancel()
    link.begin().subscriber.on_complete()


def calls_in_on_error(link):
    link.peer.on["on_error"] = lambda peer: peer.subscription.request(1)
    link.begin().subscriber.on_error(OSError())


def raises_from_on_next(link):
    link.peer.on["on_next"] = raiser(KeyError("rude"))
    link.begin(1)
    with pytest.raises(KeyError, match="rude"):
        link.subscriber.on_next(1)


def raises_from_request(link):
    link.subscription = Asked(on_request=raiser(OSError("gone")))
    with pytest.raises(OSError, match="gone"):
        link.begin(1)


def raises_from_cancel(link):
    link.subscription = Asked(on_cancel=raiser(OSError("gone")))
    with pytest.raises(OSError, match="gone"):
        link.begin().peer.subscription.cancel()


def recurs_without_end(link):
    left = list(range(65))

    def deliver(n):
        if left:
            link.subscriber.on_next(left.pop())

    link.peer.on["on_next"] = lambda peer: peer.subscription.request(1)
    link.subscription = Asked(on_request=deliver)
    link.begin(1)


def signals_from_two_threads(link):
    begun, go_on = threading.Event(), threading.Event()

    def linger(peer):
        begun.set()
        assert go_on.wait(SECONDS)

    link.peer.on["on_next"] = linger
    link.begin(1)
    first = threading.Thread(target=link.subscriber.on_next, args=(1,))
    first.start()
    assert begun.wait(SECONDS)
    link.subscriber.on_complete()
    go_on.set()
    first.join()


def asks_from_two_threads(link):
    begun, go_on = threading.Event(), threading.Event()

    def linger(n):
        begun.set()
        assert go_on.wait(SECONDS)

    link.subscription = Asked(on_request=linger)
    link.begin()
    first = threading.Thread(target=link.peer.subscription.request, args=(1,))
    first.start()
    assert begun.wait(SECONDS)
    link.peer.subscription.cancel()
    go_on.set()
    first.join()


# What happens, the rule it breaks, and both signals as the violation names them.
VIOLATIONS = [
    (too_many, "1.1", ("request(1)", "on_next")),
    (signals_from_two_threads, "1.3", ("on_next", "on_complete")),
    (after_the_end, "1.7", ("on_complete", "on_next")),
    (ends_twice, "1.7", ("on_error(OSError)", "on_complete")),
    (no_on_subscribe, "1.9", ("on_next",)),
    (fails_instead_of_on_subscribe, "1.9", ("on_error(OSError)",)),
    (calls_in_on_complete, "2.3", ("on_complete", "cancel")),
    (calls_in_on_error, "2.3", ("on_error(OSError)", "request(1)")),
    (asks_from_two_threads, "2.7", ("request(1)", "cancel")),
    (subscribes_twice, "2.12", ("on_subscribe", "on_subscribe")),
    (gives_none, "2.13", ("on_next(None)",)),
    (fails_with_a_text, "2.13", ("on_error(a str)",)),
    (raises_from_on_next, "2.13", ("on_next",)),
    (recurs_without_end, "3.3", ("request(1)", "on_next")),
    (asks_for_nothing, "3.9", ("on_subscribe", "request(0)")),
    (asks_for_less_than_nothing, "3.9", ("on_subscribe", "request(-1)")),
    (asks_for_a_text, "3.9", ("on_subscribe", "request(a str)")),
    (raises_from_cancel, "3.15", ("cancel",)),
    (raises_from_request, "3.16", ("request(1)",)),
]
