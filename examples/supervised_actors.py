"""Supervised actors: an index of words that goes on although pages crash its parser.

    python examples/supervised_actors.py 300

A parser finds words in pages and tells an index, which counts them. A page that makes no sense
crashes the parser: it is restarted behind its address, with the pages that wait for it, and the
page that did it is a dead letter. A word that is none crashes the index, whose counts are lost with
it; the parser was started after it and relies on it, so it is restarted with it. Nobody who holds
a reference notices, and a warden who watches the parser hears of its end only.
"""

import argparse
from collections import Counter

from actors_rs import (
    ActorSystem,
    Backoff,
    ChildSpec,
    PooledActor,
    RestForOne,
    Supervisor,
    SupervisorRef,
    Terminated,
)


class Index(PooledActor):
    """Counts words."""

    def __init__(self) -> None:
        super().__init__()
        self.words: Counter[str] = Counter()

    def on_receive(self, word: str) -> int:
        """How often ``word`` was seen by this index."""
        if not word.isprintable():
            raise ValueError(f"no word: {word!r}")
        self.words[word] += 1
        return self.words[word]


class Parser(PooledActor):
    """Splits pages; knows the index by its name among the children of their supervisor."""

    def __init__(self) -> None:
        super().__init__()
        self.index = self.supervisor.child("index")
        self.pages = 0

    def on_receive(self, page: str) -> int:
        """How many pages this parser has seen."""
        if page.startswith("<"):
            raise RuntimeError(f"no page: {page!r}")
        for word in page.split():
            self.index.tell(word)
        self.pages += 1
        return self.pages


class Warden(PooledActor):
    """Watches the parser."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = 0

    def on_start(self) -> None:
        """Watch from the first moment on."""
        self.watch(self.supervisor.child("parser"))

    def on_receive(self, message: object) -> int:
        """How many ends it has heard of."""
        self.heard += isinstance(message, Terminated)
        return self.heard


TREE = Supervisor(
    RestForOne(max_restarts=10, within=60.0, backoff=Backoff(initial=0.1, maximum=1.0)),
    [ChildSpec(Index, name="index"), ChildSpec(Parser, name="parser"), ChildSpec(Warden)],
    name="crawler",
)


def crawl(pages: int, crawler: SupervisorRef) -> None:
    """Send so many pages, two of which make no sense, and one the index no word."""
    parser, index = crawler.child("parser"), crawler.child("index")
    for number in range(pages):
        parser.tell("<broken>" if number in (pages // 3, pages // 2) else "some words")
    print("the parser has seen", parser.ask("more words"), "pages since its last restart")
    index.tell("\0")
    print("the index has seen 'words'", index.ask("words"), "times since its last restart")


def main(pages: int) -> None:
    """Crawl, and tell what was lost on the way: what made no sense, and nothing else."""
    with ActorSystem() as system:
        crawler = system.supervise(TREE)
        crawl(pages, crawler)
        lost = [str(letter.what) for letter in system.dead_letters.recent()]
        print("dead letters:", lost)
        warden = crawler.child("Warden")
        warden.ask("back again?")  # it is the last to be restarted, and watches the parser then
        crawler.stop_child("parser")
        print("ends that the warden heard of:", warden.ask("how many?"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", type=int, help="how many are sent to the parser")
    main(parser.parse_args().pages)
