"""The page as a program sees it: states, buttons, and what is left behind."""

import json
import logging
import socket
import sys
import threading

import pytest

from actors_rs import (
    ActorSystem,
    ChildSpec,
    OneForOne,
    PooledActor,
    RateLimit,
    Sink,
    Source,
    Supervisor,
)
from actors_rs.errors import MissingExtraError
from actors_rs.observability.web import serve, serving
from actors_rs.runtime._primitives import Event, Thread, living_threads
from tests.graph.helpers import wait_until
from tests.observability.web.conftest import ask, endless, press, state_when


def test_the_newest_run_is_shown_live(system):
    with serve(system) as page:
        assert state_when(page, lambda state: True)["runs"] == []
        system.start(endless("first"))
        system.start(endless("second"))
        state = state_when(page, lambda s: len(s["runs"]) == 2 and s["run"]["stages"][1]["in"])
        assert [stage["name"] for stage in state["run"]["stages"]] == ["second", "ignore"]
        first = state_when(page, lambda s: "run" in s, "?run=1")
        assert first["run"]["stages"][0]["name"] == "first"


def test_a_run_is_shown_after_its_end_also_if_nobody_saw_it_alive(system):
    with serve(system) as page:
        assert system.start(Source.of(1, 2).to(Sink.list())).result(20) == [1, 2]
        state = state_when(page, lambda s: s["runs"] and s["run"]["state"] == "completed")
        assert state["run"]["stages"][-1]["in"] == 2
        assert [line["event"] for line in state["log"]] == ["run started", "run ended"]
        assert ask(page, "/api/runs/1/stage?name=list").json()["kind"] == "list"
        assert press(page, "drain").status == 400


def test_the_page_goes_on_when_its_system_has_shut_down():
    with ActorSystem() as system:
        with serve(system) as page:
            system.start(Source.of(1).to(Sink.list())).result(20)
            system.shutdown()
            state = state_when(page, lambda s: s["system"]["state"] == "shut down" and s["runs"])
            assert state["run"]["state"] == "completed"


def test_neither_a_thread_nor_the_port_is_left_behind(system):
    before = {thread.name for thread in living_threads()}
    with serve(system) as page:
        viewers = [state_when(page, lambda state: True) for _ in range(3)]
        watching = socket.create_connection(("127.0.0.1", page.port))
        watching.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
        assert watching.recv(15) == b"HTTP/1.1 200 OK"
        assert len(viewers) == 3
        assert "actors-web" in {thread.name for thread in living_threads()}
    watching.close()
    assert {thread.name for thread in living_threads()} <= before | {"actors-timers"}
    assert system.watchers == ()
    with socket.create_server(("127.0.0.1", page.port)):
        pass


def test_a_taken_port_is_named(system):
    with serve(system) as page:
        with pytest.raises(OSError, match=f"127.0.0.1:{page.port} to be free"):
            with serve(system, port=page.port):
                pass


def test_without_the_libraries_it_says_what_to_install(system, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'actors-rs\[web\]'"), serve(system):
        pass


def test_drain_and_cancel_end_the_run_and_are_in_its_log(system, caplog):
    drained, cancelled = system.start(endless()), system.start(endless())
    with serve(system) as page, caplog.at_level(logging.WARNING, "actors_rs.web"):
        assert press(page, "drain", run=1).status == 200
        assert press(page, "cancel", run=2).status == 200
        assert drained.wait(20)
        assert cancelled.wait(20)
        assert (drained.state, cancelled.state) == ("completed", "cancelled")
        state = state_when(page, lambda s: s["run"]["state"] == "completed", "?run=1")
        assert "drain" in [line["event"] for line in state["log"]]
    assert [record.event for record in caplog.records] == ["drain", "cancel"]


def test_a_source_is_paused_and_resumed(system):
    run = system.start(endless())
    with serve(system) as page:
        assert press(page, "pause", {"stage": "numbers"}).status == 200
        state_when(page, lambda s: s["run"]["stages"][0]["paused"])
        given = run.snapshot().stages[0].elements_out
        assert press(page, "resume", {"stage": "numbers"}).status == 200
        wait_until(lambda: run.snapshot().stages[0].elements_out > given)


def test_a_rate_and_a_parallelism_are_adjusted(system):
    limit = RateLimit(10)
    graph = (
        Source.from_iterable(range(10**9)).throttle(limit).named("brake")
        .map_async(str, parallelism=2).named("calls").to(Sink.ignore())
    )  # fmt: skip
    system.start(graph)
    with serve(system) as page:
        assert press(page, "rate", {"stage": "brake", "value": 99}).status == 200
        assert press(page, "parallelism", {"stage": "calls", "value": 5}).status == 200
        state = state_when(page, lambda s: s["run"]["stages"][2]["parallelism"] == 5)
        assert state["run"]["stages"][1]["adjustable"] == {"rate": 99}
        assert limit.n == 99


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("rate", {"stage": "numbers", "value": 1}),
        ("rate", {"stage": "numbers", "value": "fast"}),
        ("parallelism", {"stage": "ignore", "value": 1}),
        ("pause", {"stage": "nobody"}),
        ("pause", {"stage": ["numbers"]}),
        ("explode", {}),
    ],
)
def test_an_order_that_cannot_be_done_is_answered_with_the_reason(system, action, body):
    system.start(endless())
    with serve(system) as page:
        answer = press(page, action, body)
        assert answer.status == 400
        assert answer.text
        assert press(page, "drain", run=77).status == 400


def test_a_stage_opens_with_its_site_policy_settings_and_errors(system):
    def fails(number):
        raise ValueError("no such order")

    graph = (
        Source.of(1, 2).map(fails).named("look up").on_failure("resume").to(Sink.list())
    )  # fmt: skip
    system.start(graph).result(20)
    with serve(system) as page:
        system.start(graph).result(20)
        state_when(page, lambda s: s["runs"] and s["run"]["state"] == "completed")
        stage = ask(page, "/api/runs/1/stage?name=look%20up").json()
        assert "test_serving.py" in stage["site"]
        assert stage["policy"] == "resume"
        assert stage["settings"]["dispatcher"] == "pool"
        assert "ValueError: no such order" in stage["errors"][0]


@pytest.mark.parametrize("show", [False, True])
def test_contents_of_elements_are_shown_only_if_asked_for(system, show):
    with serve(system, show_elements=show) as page:
        secret = {"card": "4111-1111"}
        system.dead_letters.publish(secret, where="stage 'pay'", why="refused")
        state = state_when(page, lambda s: s["letters"]["total"] == 1)
        assert ("4111-1111" in json.dumps(state)) is show
        [letter] = state["letters"]["letters"]
        assert (letter["where"], letter["why"]) == ("stage 'pay'", "refused")


class Worker(PooledActor):
    def on_receive(self, message):
        raise RuntimeError(message)


def test_supervisors_are_shown_with_their_children_and_restarts(system):
    tree = Supervisor(OneForOne(), [ChildSpec(Worker, name="parser")], name="workers")
    ref = system.supervise(tree)
    ref.child("parser").tell("fail")
    with serve(system) as page:
        state = state_when(page, lambda s: [row["restarts"] for row in s["tree"]] == [0, 1])
        names = [(row["name"], row["depth"]) for row in state["tree"]]
        assert names == [("workers", 0), ("parser", 1)]
    ref.stop()


def test_a_run_is_saved_as_one_file(system):
    system.start(endless("numbers <b>"))
    with serve(system) as page:
        state_when(page, lambda s: "run" in s)
        answer = ask(page, "/api/runs/1/report.html")
        assert "attachment" in answer.headers["content-disposition"]
        assert "numbers <b>" not in answer.text
        assert "numbers \\u003cb>" in answer.text
        saved = ask(page, "/api/runs/1/report.json").json()
        assert saved["run"]["stages"][0]["name"] == "numbers <b>"


def test_prometheus_reads_the_figures_of_the_system_from_the_page(system):
    pytest.importorskip("prometheus_client")
    with serve(system) as page:
        system.start(Source.of(1, 2, 3).to(Sink.list())).result(20)
        answer = ask(page, "/metrics")
    assert answer.status == 200
    kind = next(v for k, v in answer.headers.items() if k.lower() == "content-type")
    assert kind.startswith("text/plain")
    assert "actors_system_turns_total" in answer.text


def test_a_block_that_is_left_by_ctrl_c_before_the_server_has_begun_leaves_no_server(
    system, monkeypatch
):
    gate, begin = threading.Event(), serving._Server._serve

    async def begins_late(self, bound):
        assert gate.wait(20)
        await begin(self, bound)

    class Interrupted(Event):
        def wait(self, timeout=None):
            raise KeyboardInterrupt

    class Opens(Thread):
        def join(self, timeout=None):
            gate.set()
            super().join(20)
            ended.append(not self.is_alive())

    ended: list[bool] = []
    monkeypatch.setattr(serving._Server, "_serve", begins_late)
    monkeypatch.setattr(serving, "Event", Interrupted)
    monkeypatch.setattr(serving, "Thread", Opens)
    with pytest.raises(KeyboardInterrupt), serve(system):
        pass
    assert ended == [True]
