"""``Source.files``: what ``glob`` finds, but that nothing unreadable is taken for empty."""

import os
from contextlib import suppress
from glob import glob
from pathlib import Path

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import InvalidArgumentError, ReadError, StageError
from tests.graph.helpers import run

TREE = [
    "1.csv",
    "x.txt",
    ".h/2.csv",
    "a/3.csv",
    "a/.4.csv",
    "a/b/5.csv",
    "a/b/c/6.csv",
    "[d]/7.csv",
]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in TREE:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    Path("dir.csv").mkdir()
    Path("to_file.csv").symlink_to("1.csv")
    Path("to_nothing.csv").symlink_to("nowhere")
    Path("to_itself.csv").symlink_to("to_itself.csv")
    Path("to_a").symlink_to("a")
    return tmp_path


def found(pattern):
    return run(Source.files(pattern).to(Sink.list()))


PATTERNS = [
    "*.csv", "**/*.csv", "**", "*", "*/*.csv", "a/**/*.csv", "a/*/../*.csv", "a/**", "**/b/*.csv",
    ".h/*", ".*/*", "**/.*.csv", "?.csv", "[0-9].csv", "[!1].csv", "a/b/5.csv",
    "a/none*", "*/b/5.csv", "[[]d]/*.csv", "./*.csv", "a//*.csv", "**/c/**",
]  # fmt: skip


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_glob_finds_is_found(tree, pattern, absolute):
    if absolute:
        pattern = f"{tree}/{pattern}"
    expected = [path for path in glob(pattern, recursive=True) if Path(path).is_file()]
    assert found(pattern) == [Path(path) for path in sorted(set(expected))]


def test_a_pattern_without_a_match_gives_nothing_and_a_warning_that_names_it(tree, caplog):
    assert found("a/**/*.csv")
    assert not caplog.records
    assert found("a/*.parquet") == []
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "stage 'files': no file matches 'a/*.parquet'" in record.getMessage()


def test_a_link_to_a_directory_it_is_in_is_not_followed_for_ever(tree):
    Path("a/b/up").symlink_to(tree / "a")
    assert found("a/**/*.csv") == [Path("a/3.csv"), Path("a/b/5.csv"), Path("a/b/c/6.csv")]


@pytest.fixture
def closed(monkeypatch):
    """Says no to whoever lists or looks at what is called ``closed``, whoever runs the tests."""

    def refusing(function):
        def called(path, *args, **kwargs):
            if Path(path).name == "closed":
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return function(path, *args, **kwargs)

        return called

    return lambda name: monkeypatch.setattr(os, name, refusing(getattr(os, name)))


@pytest.mark.parametrize("pattern", ["**/*.csv", "*/*.csv", "a/closed/*.csv", "a/c*/*.csv", "**"])
def test_a_directory_that_cannot_be_listed_is_named_and_not_taken_for_empty(tree, closed, pattern):
    Path("a/closed").mkdir()
    if pattern == "*/*.csv":
        Path("a").rename("closed")
    closed("scandir")
    with pytest.raises(StageError, match=r"could not read .*closed: .*Permission denied") as caught:
        found(pattern)
    assert isinstance(caught.value.__cause__, ReadError)
    assert Path(caught.value.__cause__.path).name == "closed"


@pytest.mark.parametrize("pattern", ["**/*.csv", "a/**/*.csv", "a/b/*/**"])
def test_a_directory_that_goes_away_behind_its_listing_is_taken_for_empty(
    tree, monkeypatch, pattern
):
    looked = os.stat

    def stat(path, **kwargs):
        if Path(path).name == "c":
            with suppress(FileNotFoundError):
                Path("a/b/c").rename("gone")
        return looked(path, **kwargs)

    expected = [path for path in found(pattern) if "c" not in path.parts]
    monkeypatch.setattr(os, "stat", stat)
    assert found(pattern) == expected


@pytest.mark.parametrize("pattern", ["a/closed", "a/c*", "**", "a/closed/*"])
def test_what_cannot_be_looked_at_is_named_and_not_taken_for_nothing(tree, closed, pattern):
    Path("a/closed").write_text("")
    closed("stat")
    with pytest.raises(StageError, match=r"could not read .*closed: .*Permission denied") as caught:
        found(pattern)
    assert isinstance(caught.value.__cause__, ReadError)


def test_the_name_of_a_directory_is_refused_with_the_pattern_that_was_meant(tree):
    with pytest.raises(StageError, match=r"could not read a: .*did you mean 'a/\*'\?"):
        found("a")
    with pytest.raises(StageError, match=r"could not read \.: .*did you mean '\*'\?"):
        found(".")
    with pytest.raises(
        InvalidArgumentError, match=r"got 'a/', which matches directories.* mean 'a/\*'\?"
    ):
        Source.files("a/")


def test_a_home_directory_that_nobody_expanded_is_refused(tree, monkeypatch):
    monkeypatch.setenv("HOME", "/mine")
    with pytest.raises(InvalidArgumentError, match=r"got '~/\*.csv': .* mean '/mine/\*.csv'\?"):
        Source.files("~/*.csv")
    Path("~x").write_text("")
    assert found("~*") == [Path("~x")]
    Path("~").mkdir()
    assert found("./~/*.csv") == []


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("none.csv", "none.csv: expected a file, found none of this name"),
        ("to_nothing.csv", "to_nothing.csv: expected a file, found none"),
        ("none/a/*.csv", "none/a: expected a directory with files that match '"),
        ("1.csv/*", "1.csv: expected a directory with files that match"),
        ("a/none/**/x.csv", "a/none: expected a directory with files that match"),
    ],
)
def test_a_name_without_a_file_or_directory_fails_instead_of_giving_nothing(tree, pattern, says):
    for where in ("", f"{tree}/"):
        with pytest.raises(StageError, match=f"could not read {where}{says}") as caught:
            found(where + pattern)
        assert isinstance(caught.value.__cause__, ReadError)
