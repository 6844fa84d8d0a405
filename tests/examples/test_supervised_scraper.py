"""examples/supervised_scraper.py: all pages that can be read are read, crashes or not."""

from collections import Counter
from concurrent.futures import Future
from http.server import ThreadingHTTPServer
from threading import Thread

import supervised_scraper as example
from actors_rs import ActorSystem
from tests.graph.helpers import SECONDS


def test_all_pages_are_read_but_the_one_that_makes_no_sense(monkeypatch):
    calls: Counter[int] = Counter()
    monkeypatch.setattr(example.Site, "calls", calls)
    done: Future[dict[str, str]] = Future()
    with ThreadingHTTPServer(("127.0.0.1", 0), example.Site) as server, ActorSystem() as system:
        serving = Thread(target=server.serve_forever)
        serving.start()
        system.supervise(example.tree(f"http://127.0.0.1:{server.server_port}", done))
        titles = done.result(timeout=SECONDS)
        letters = [str(letter.what) for letter in system.dead_letters.recent()]
        server.shutdown()
        serving.join(SECONDS)
    reached = set(range(1, example.PAGES + 1)) - {13, 26, 27}
    assert titles == {f"/{n}": f"page {n}" for n in reached}
    at_first = [n for n in reached if n % 7 == 0]
    assert calls == {n: 1 + (n in at_first) for n in reached} | {13: example.ATTEMPTS}
    assert sorted(letters) == sorted([f"/{n}" for n in at_first] + ["/13"] * example.ATTEMPTS)
