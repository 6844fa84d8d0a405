"""The source distribution, built of a working tree with stray files, holds what git tracks."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from hatch_build import tracked_files

ROOT = Path(__file__).parents[1]
STRAY = [
    "notes.txt",
    "actors_rs/dump.json",
    "docs/draft.md",
    ".env",
    "build/old.txt",
    "deep/a/b.py",
]


def git(folder, *command):
    options = ("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "safe.directory=*")
    subprocess.run(["git", *options, *command], cwd=folder, check=True, capture_output=True)


def built(folder, kind):
    """The archive that the project's own back end makes of ``folder``."""
    target = folder.parent / f"{folder.name}-{kind}"
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = target.iterdir()
    return archive


def names_in(archive):
    with tarfile.open(archive) as packed:
        return [one.name.partition("/")[2] for one in packed.getmembers() if one.isfile()]


@pytest.fixture(scope="module")
def tracked():
    """Of this checkout; a release need not be one."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout: there is nothing that git tracks")
    return tracked_files(ROOT)


@pytest.fixture(scope="module")
def dirty(tmp_path_factory, tracked):
    """A checkout with all that this one tracks, and with files that nobody meant to publish."""
    folder = tmp_path_factory.mktemp("dirty") / "tree"
    for name in tracked:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "all")
    for name in STRAY:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("not to be published")
    return folder


@pytest.fixture(scope="module")
def source_distribution(dirty):
    return built(dirty, "sdist")


def test_it_holds_what_git_tracks_and_nothing_else(source_distribution, tracked):
    assert sorted(names_in(source_distribution)) == sorted([*tracked, "PKG-INFO"])


def test_what_is_built_of_it_is_the_same_again(source_distribution, tmp_path, tracked):
    with tarfile.open(source_distribution) as packed:
        packed.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert sorted(names_in(built(unpacked, "sdist"))) == sorted([*tracked, "PKG-INFO"])
    with zipfile.ZipFile(built(unpacked, "wheel")) as wheel:
        in_wheel = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert in_wheel == {name for name in tracked if name.startswith("actors_rs/")}


def test_a_file_that_was_removed_is_no_longer_in_it(tmp_path):
    git(tmp_path, "init", "--quiet")
    for name in ("stays", "goes"):
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", "--all")
    (tmp_path / "goes").unlink()
    assert tracked_files(tmp_path) == ["stays"]


def test_a_repository_that_git_cannot_read_ends_the_build(tmp_path):
    (tmp_path / ".git").write_text("gitdir: nowhere")
    with pytest.raises(RuntimeError, match="expected git to list the files of"):
        tracked_files(tmp_path)
