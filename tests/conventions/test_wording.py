"""The project's texts speak of the project alone. Planted words are joined at run time."""

import pytest

from tests.conventions.project import text_files
from tests.conventions.wording import forbidden_words, unknown_hosts


@pytest.mark.parametrize(
    "check", [forbidden_words, unknown_hosts], ids=lambda check: check.__name__
)
def test_no_text_of_the_project_names_what_lies_outside_it(check):
    said = [one for path, text in text_files().items() for one in check(path, text)]
    assert not said, "\n".join(said)


def test_code_settings_and_documents_are_among_the_texts_read():
    expected = {"pyproject.toml", "Makefile", ".ci/run", "CHANGELOG.md", "actors_rs/__init__.py"}
    assert expected <= text_files().keys()


@pytest.mark.parametrize(
    "parts",
    [
        ("open('/", "work/main/a.py')"),
        ("cd /", "root/project"),
        ("/", "home/somebody/a"),
        ("/", "Users/somebody/a"),
        ("/tmp/", "venv/bin/python"),
        ("--extra-index", "-url somewhere"),
        ("PIP_INDEX = 'index", "_url'"),
        ("from py", "pi.org"),
        ("files.python", "hosted.org"),
        ("# TO", "DO: later"),
        ("# FIX", "ME"),
        ("see issue", " #12"),
        ("Fixes issue", " 7"),
        ("written by an assis", "tant"),
    ],
    ids="".join,
)
def test_a_planted_forbidden_word_is_caught_with_its_line(parts):
    (said,) = forbidden_words("a.md", "fine\n" + "".join(parts))
    assert said.startswith("a.md:2: ")


@pytest.mark.parametrize(
    "text",
    [
        "build/work/x",
        "s3://bucket/root/x",
        "the workers' home",
        "/tmp/out",
        "an issue with 3 parts",
    ],
)
def test_ordinary_words_pass(text):
    assert forbidden_words("a.md", text) == []


@pytest.mark.parametrize("scheme", ["http", "https", "git", "ssh"])
def test_a_planted_url_to_an_unknown_host_is_caught(scheme):
    url = f"{scheme}:" + "//user:secret@registry.corp/simple"
    assert unknown_hosts("a.toml", f"see {url}") == [
        "a.toml:1: names the host registry.corp, which is not in ALLOWED_HOSTS"
    ]


def test_hosts_the_project_refers_to_and_hosts_in_placeholders_pass():
    assert unknown_hosts("a.md", "https://github.com/x http://localhost:4040 http://{host}/") == []
