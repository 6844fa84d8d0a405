"""A ``TimeoutError`` says what was waited for, for how long, and what to do."""

import pickle
import threading

import pykka
import pytest

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Supervisor
from actors_rs.runtime.actors.future import PooledFuture


class Clerk(PooledActor):
    """Handles nothing until it may."""

    dispatcher = "pinned"
    price = 3

    def __init__(self, may):
        super().__init__()
        self.may = may

    def on_receive(self, message):
        self.may.wait()

    def stamp(self, letter):
        return letter


@pytest.fixture
def busy(may):
    with ActorSystem() as system:
        clerk = system.spawn(Clerk, may)
        proxy = clerk.proxy()
        clerk.tell("the first")
        yield clerk, proxy
        may.set()


def test_an_ask_names_the_actor_the_message_and_the_seconds(busy):
    clerk, _ = busy
    with pytest.raises(
        TimeoutError, match=r"Clerk .*no answer to \{'order': 7\} within 0\.01 seconds: .*block="
    ):
        clerk.ask({"order": 7}, timeout=0.01)


def test_so_does_a_future_that_is_looked_at_later(busy):
    clerk, _ = busy
    answer = clerk.ask("order", block=False)
    with pytest.raises(pykka.Timeout, match=r"Clerk .*no answer to 'order' within 0\.01 seconds"):
        answer.get(timeout=0.01)


def test_a_proxy_names_the_method_or_the_attribute(busy):
    _, proxy = busy
    longer = r"within 0\.01 .*; get\(timeout=\.\.\.\) with more seconds waits longer"
    with pytest.raises(TimeoutError, match=rf"Clerk .*no answer to stamp\(\.\.\.\) {longer}"):
        proxy.stamp("a letter").get(timeout=0.01)
    with pytest.raises(TimeoutError, match=rf"Clerk .*no answer to the attribute price {longer}"):
        proxy.price.get(timeout=0.01)


def test_a_stop_says_that_it_goes_on(busy):
    clerk, _ = busy
    with pytest.raises(TimeoutError, match=r"Clerk .*has not stopped within 0\.01 seconds: "):
        clerk.stop(timeout=0.01)


def test_so_does_the_stop_of_a_child(may):
    with ActorSystem() as system:
        office = system.supervise(
            Supervisor(OneForOne(), [ChildSpec(Clerk, args=(may,), name="clerk")])
        )
        office.child("clerk").tell("the first")
        with pytest.raises(TimeoutError, match=r"Clerk .*has not stopped within 0\.01 seconds"):
            office.stop_child("clerk", timeout=0.01)
        may.set()


def test_a_future_that_nobody_asked_for_says_who_sets_it():
    with pytest.raises(TimeoutError, match=r"no result after 0\.01 seconds: .*set_exception"):
        PooledFuture().get(timeout=0.01)


def test_a_hook_that_another_thread_runs_is_named(may):
    future: PooledFuture[None] = PooledFuture()
    runs = threading.Event()

    def hook(timeout):
        runs.set()
        may.wait()

    future.set_get_hook(hook)
    threading.Thread(target=future.get, daemon=True).start()
    runs.wait()
    with pytest.raises(TimeoutError, match=r"another thread still computes .*0\.01 seconds"):
        future.get(timeout=0.01)


def test_the_error_can_be_pickled_and_holds_no_actor(busy):
    clerk, _ = busy
    with pytest.raises(TimeoutError) as caught:
        clerk.ask("order", timeout=0.01)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert vars(caught.value) == {}


def test_an_answer_lets_the_question_go(may):
    may.set()
    with ActorSystem() as system:
        answer = system.spawn(Clerk, may).ask("order", block=False)
        assert isinstance(answer, PooledFuture)
        answer.get()
        assert answer.question is None
