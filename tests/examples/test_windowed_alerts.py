"""examples/windowed_alerts.py: the alerts fit the lines, however often the feed breaks off."""

import json
from collections import defaultdict
from http.server import ThreadingHTTPServer
from threading import Thread

import pytest

import windowed_alerts as example
from actors_rs import Sink
from tests.graph.helpers import SECONDS


@pytest.fixture
def reader():
    with ThreadingHTTPServer(("127.0.0.1", 0), example.Feed) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        yield example.Reader(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        serving.join(SECONDS)


def expected_alerts():
    """The alerts that a loop over all lines gives."""
    minutes = defaultdict(list)
    for line in example.sent_lines():
        if line.endswith("]"):
            second, service, failed = json.loads(line)
            minutes[second // 60, service].append(failed)
    alarming: set[str] = set()
    for (minute, service), failures in sorted(minutes.items()):
        bad = sum(failures) > 0.1 * len(failures)
        if bad != (service in alarming):
            alarming ^= {service}
            change = "opens" if bad else "closes"
            counted = f"{sum(failures)} of {len(failures)}"
            yield f"minute {minute}: alert {change} for {service}, {counted}"


def test_alerts_are_those_of_a_loop_over_all_lines_though_the_connection_breaks(reader):
    alerts = example.watch(reader).to(Sink.list()).run(timeout=SECONDS)
    assert alerts == list(expected_alerts())
    assert {alert.split()[5].rstrip(",") for alert in alerts} == {"pay", "search"}
    assert reader.connections == 3
    assert reader.position == len(list(example.sent_lines()))


def test_lines_come_out_of_order():
    seconds = [json.loads(line)[0] for line in example.sent_lines() if line.endswith("]")]
    assert seconds != sorted(seconds)


def test_a_mistake_of_the_program_stops_the_run():
    assert example.policy(KeyError("second"), "{}") == "stop"
