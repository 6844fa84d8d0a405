"""A supervised scraper: it reads a whole site, although pages crash its scrapers.

    python examples/supervised_scraper.py

The program starts a site on this machine. An index gives its pages to two scrapers. Some pages
answer 503 at first, and one makes no sense: both crash the scraper. A supervisor starts it anew,
and keeps the pages that wait for it. The index asks for a failed page again, two times at most.
"""

import re
from collections import Counter
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar, NamedTuple
from urllib.request import urlopen

from actors_rs import ActorSystem, Backoff, ChildSpec, OneForOne, PooledActor, Supervisor

PAGES, SCRAPERS, ATTEMPTS = 40, 2, 3


class Site(BaseHTTPRequestHandler):
    """Page n links to pages 2n and 2n + 1. Each seventh fails at first, page 13 has no title."""

    calls: ClassVar[Counter[int]] = Counter()

    def do_GET(self) -> None:
        number = int(self.path[1:])
        self.calls[number] += 1
        self.send_response(503 if number % 7 == 0 and self.calls[number] == 1 else 200)
        self.end_headers()
        title = "" if number == 13 else f"<title>page {number}</title>"
        links = "".join(f'<a href="/{n}">' for n in (2 * number, 2 * number + 1) if n <= PAGES)
        self.wfile.write((title + links).encode())

    def log_message(self, format: str, *args: object) -> None: ...  # print nothing


class Page(NamedTuple):
    """The report of a scraper. Without a title, it has crashed at this page."""

    path: str
    title: str = ""
    links: tuple[str, ...] = ()


class Index(PooledActor):
    """Knows all pages, and completes ``done`` with their titles when no page is under way."""

    def __init__(self, done: Future[dict[str, str]]) -> None:
        super().__init__()
        self.done, self.titles = done, dict[str, str]()
        self.attempts: Counter[str] = Counter()
        self.under_way: set[str] = set()

    def on_start(self) -> None:
        self.ask_for("/1")

    def on_receive(self, page: Page) -> None:
        """Note a page and follow its links, or ask again for a page that has failed."""
        self.under_way.discard(page.path)
        if page.title:
            self.titles[page.path] = page.title
            for link in page.links:
                if link not in self.attempts:
                    self.ask_for(link)
        elif self.attempts[page.path] < ATTEMPTS:
            self.ask_for(page.path)
        if not self.under_way:
            self.done.set_result(self.titles)

    def ask_for(self, path: str) -> None:
        self.attempts[path] += 1
        self.under_way.add(path)
        self.supervisor.child(f"scraper-{self.attempts.total() % SCRAPERS}").tell(path)


class Scraper(PooledActor):
    """Reads pages. It catches no errors: they are for its supervisor."""

    def __init__(self, site: str) -> None:
        super().__init__()
        self.site, self.path = site, ""
        self.index = self.supervisor.child("index")

    def on_receive(self, path: str) -> None:
        """Read one page. Raises an error for a bad answer, and for a page without a title."""
        self.path = path
        with urlopen(self.site + path, timeout=5.0) as answer:
            text = answer.read().decode()
        (title,) = re.findall("<title>(.*)</title>", text)
        self.index.tell(Page(path, title, tuple(re.findall('href="(.*?)"', text))))

    def on_failure(self, exception_type: Any, exception_value: Any, traceback: Any) -> None:
        """Report the page to the index, before the supervisor replaces this scraper."""
        self.index.tell(Page(self.path))


def tree(site: str, done: Future[dict[str, str]]) -> Supervisor:
    """The index and the scrapers. One that crashes is started anew, the others go on."""
    scrapers = [ChildSpec(Scraper, args=(site,), name=f"scraper-{n}") for n in range(SCRAPERS)]
    strategy = OneForOne(max_restarts=20, within=60.0, backoff=Backoff(0.1, maximum=1.0))
    return Supervisor(strategy, [ChildSpec(Index, args=(done,), name="index"), *scrapers])


def main() -> None:
    """Read the site and say which pages are missing."""
    done: Future[dict[str, str]] = Future()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server, ActorSystem() as system:
        Thread(target=server.serve_forever, daemon=True).start()
        system.supervise(tree(f"http://127.0.0.1:{server.server_port}", done))
        titles = done.result(timeout=60)
        print(f"{len(titles)} pages read, the scrapers crashed {system.dead_letters.total} times")
        print(f"/13 was called {Site.calls[13]} times and given up: {'/13' not in titles}")
        server.shutdown()


if __name__ == "__main__":
    main()
