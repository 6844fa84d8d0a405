"""``actors-rs tck``: the rules that somebody's Publisher keeps and breaks."""

import sys

import pytest

from actors_rs.cli import main

PUBLISHERS = """
from threading import Event

from actors_rs.testing.misbehaving.publishers import NeverCompletes
from actors_rs.testing.reference import ReferencePublisher, ReferenceSubscription
from actors_rs.testing.tck import Environment, PublisherVerification

number = 42

def honest(elements):
    return ReferencePublisher(range(elements))

class Broken(PublisherVerification):
    def create_environment(self):
        return Environment(0.2, 0.02)

    def create_publisher(self, elements):
        return NeverCompletes(range(elements))

never = Event()

class Locked(ReferenceSubscription):
    held = False

    def run(self):  # signals inside request, and keeps a lock meanwhile
        if self.held:
            never.wait()
            return
        self.held = True
        super().run()
        self.held = False

class Deadlocking(Broken):
    def create_publisher(self, elements):
        publisher = ReferencePublisher(range(elements))
        publisher.subscription = lambda one: Locked(one, publisher.elements)
        return publisher

def gives_a_list(elements):
    return [elements]

def raises(elements):
    raise OSError("no feed")

def exits(elements):
    raise SystemExit(0)

class Exits(PublisherVerification):
    def create_publisher(self, elements):
        raise SystemExit(0)

class ExitsInRequest(Broken):
    def create_publisher(self, elements):
        publisher = ReferencePublisher(range(elements))
        publisher.subscription = lambda one: Exiting(one, publisher.elements)
        return publisher

class Exiting(ReferenceSubscription):
    def request(self, n, /):
        if n < 1:
            raise SystemExit(0)
        super().request(n)
"""


@pytest.fixture
def feeds(tmp_path, monkeypatch):
    """The path of a file of publishers."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "feeds_under_test.py"
    path.write_text(PUBLISHERS)
    yield path
    if (imported := sys.modules.pop("feeds_under_test", None)) is not None:
        imported.never.set()


def test_a_publisher_that_keeps_the_rules_is_told_so_with_code_0(feeds, capsys):
    assert main(["tck", f"{feeds}:honest"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("kept: 1.1, 1.2, 1.3")
    assert "broken" not in printed
    assert "skipped 1.10: " in printed


def test_a_broken_rule_is_named_with_its_message_and_code_1(feeds, capsys):
    assert main(["tck", f"{feeds}:Broken"]) == 1
    printed = capsys.readouterr().out
    assert "broken 1.5: the subscriber expected an element or on_complete, nothing came" in printed
    assert "1.5" not in printed.splitlines()[0]


def test_a_publisher_that_never_returns_ends_its_test_and_not_the_run(feeds, capsys):
    assert main(["tck", f"{feeds}:Deadlocking"]) == 1
    kept, *broken = capsys.readouterr().out.splitlines()
    assert kept.startswith("kept: 1.1, 1.2, 1.3, 1.5")
    assert broken[0].startswith("broken 3.2: request(1) inside a signal must return in time, it")


def test_a_publisher_that_exits_breaks_a_rule_and_does_not_choose_the_exit_code(feeds, capsys):
    assert main(["tck", f"{feeds}:ExitsInRequest"]) == 1
    kept, *broken = capsys.readouterr().out.splitlines()
    assert kept.startswith("kept: 1.1, 1.2, 1.3")
    assert broken[0] == "broken 3.16: request(0) must return normally, it raised SystemExit(0)"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "expected package.module:factory or path/to/file.py:factory, got"),
        ("missing", "to exist, there is no missing"),
        ("number", "to be a function factory(elements) that gives a Publisher, or a Publ"),
        ("gives_a_list", "to give a Publisher, got [1]"),
        ("raises", "to give a Publisher, got OSError: no feed"),
        ("exits", "to give a Publisher, got SystemExit: 0"),
        ("Exits", "expected a result or an error, got SystemExit: 0"),
    ],
)
def test_what_is_no_publisher_is_answered_in_one_sentence_with_code_2(feeds, name, said, capsys):
    assert main(["tck", f"{feeds}:{name}"]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert (printed.err.count("\n"), printed.out) == (1, "")
