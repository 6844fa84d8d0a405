"""Lint, types and unit tests of what changed, within a minute: ``make quick``.

What changed: the files that differ from where this branch left ``main`` (another base: ``--base``),
uncommitted and new ones included. `unit_tests` says which tests a file has. The order:

1. tests that are named after a changed file;
2. if an operator has changed, the tests that ask something of each operator;
3. the conventions;
4. the other tests in the folders of the changed files.

35 seconds after the first test
began the rest is skipped, and a last line says how many. Tests that need Spark never run here:
``make test`` runs everything. mypy needs a minute more when it has no cache yet.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests import asked_of_operators

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 35.0
"""For the tests; the last one to begin is waited for."""
ALWAYS = "tests/conventions"
MIRRORS = {
    "actors_rs/engine": "tests/graph",
    "actors_rs/language": "tests/graph",
    "stress/bench": "tests/stress_bench",
    "docs": "tests/docs",
    "examples": "tests/examples",
    "actors_rs/graph/neighbours.py": "tests/test_unknown_names.py",
}
"""Source -> its tests, where they are not in the folder of the same name below ``tests``."""


def unit_tests(file: str) -> list[str]:
    """The test files of a changed file, those that are named after it first.

    A test has itself. Another file below ``tests`` has the tests of its folder, or of the next one
    above that has some. A module of the package
    has ``tests/<folder>/**/test_*<name>*.py``, then all of ``tests/<folder>``: ``<folder>`` is its
    first folder in the package, or what `MIRRORS` says. A file that lies in no folder has
    ``tests/test_<name>*.py``.
    """
    path = Path(file)
    if path.name.startswith("test_") and path.suffix == ".py":
        return [file] if (ROOT / file).is_file() else []
    folder = ROOT / _tests_folder(path)
    if folder.is_file():
        return [_shown(folder)]
    if folder == ROOT / "tests":
        return sorted(_shown(one) for one in folder.glob(f"test_{path.stem}*.py"))
    found = sorted(_shown(one) for one in folder.rglob("test_*.py"))
    return sorted(found, key=lambda test: path.stem not in Path(test).name)


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _tests_folder(path: Path) -> Path:
    """Where the tests of a file lie; ``tests`` itself for a file that has no folder of its own."""
    for source in (path, *path.parents):
        if source.as_posix() in MIRRORS:
            return Path(MIRRORS[source.as_posix()])
    if path.parts[0] == "tests":
        return next(one for one in path.parents if any((ROOT / one).glob("test_*.py")))
    if path.parts[0] == "actors_rs" and len(path.parts) > 2:
        return Path("tests", path.parts[1])
    return Path("tests")


def changed(base: str) -> list[str]:
    """The files that differ from where this branch left ``base``, new ones included."""
    known = _git("rev-parse", "--verify", "--quiet", base)
    since = _git("merge-base", "HEAD", base)[0] if known else "HEAD"
    differ = _git("diff", "--name-only", since)
    return sorted({*differ, *_git("ls-files", "--others", "--exclude-standard")})


def _git(*command: str) -> list[str]:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode and command[0] != "rev-parse":
        sys.exit(f"make quick: git {' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout.splitlines()


class TimeLimit:
    """Skips the tests that would begin later than ``seconds`` after the first one.

    The time in which pytest collects the tests does not count.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end: float | None = None
        self.begun = self.skipped = 0
        """How many tests the limit let begin, and how many it skipped."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Called by pytest before it makes what a test needs."""
        now = time.monotonic()
        if self._end is None:
            self._end = now + self._seconds
        if now > self._end:
            self.skipped += 1
            pytest.skip(f"make quick runs tests for {self._seconds:.0f} s; make test runs this one")
        self.begun += 1


def run_tests(files: Sequence[str], options: Sequence[str] = ()) -> int:
    """Run them in this process; pytest's exit code, 0 where all of them need Spark."""
    limit = TimeLimit(SECONDS)
    code = pytest.main(["-q", "-m", "not spark", *options, *files], plugins=[limit])
    if limit.skipped and not limit.begun:
        print(f"make quick: no test began: the limit of {SECONDS:.0f} s skipped all of them")
        return 1
    if limit.skipped:
        print(
            f"make quick: {limit.begun} tests ran; {limit.skipped} were skipped when their "
            f"{SECONDS:.0f} s were over: make test runs them"
        )
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


def ordered_tests(files: Sequence[str]) -> Iterator[str]:
    """The tests of ``files``: first each file's own tests, last the tests of its folder.

    Between them come the tests that ask for something of each operator, if one has changed, and the
    conventions. A table or helper of the tests has none of its own: all tests that use it may take
    long.
    """
    found = [unit_tests(file) for file in files]
    for file, tests in zip(files, found, strict=True):
        if not file.startswith("tests/") or file in tests:
            yield from (test for test in tests if Path(file).stem in Path(test).stem)
    if any(file.startswith(asked_of_operators.FOLDERS) for file in files):
        yield from asked_of_operators.TESTS
    yield from (_shown(path) for path in sorted((ROOT / ALWAYS).glob("test_*.py")))
    for tests in found:
        yield from tests


def main() -> int:
    """Run the three checks; 1 if one of them fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.quick", description=__doc__)
    parser.add_argument("--base", default="main", help="the branch to compare with (main)")
    files = changed(parser.parse_args().base)
    code = [file for file in files if file.endswith(".py") and (ROOT / file).is_file()]
    print(f"{len(files)} files changed")
    python = [sys.executable, "-m"]
    failed = False
    for check in (["ruff", "check"], ["ruff", "format", "--check"]) if code else ():
        failed |= subprocess.run([*python, *check, *code], cwd=ROOT, check=False).returncode != 0
    with subprocess.Popen([*python, "mypy", *code] if code else ["true"], cwd=ROOT) as types:
        failed |= run_tests(list(dict.fromkeys(ordered_tests(files)))) != 0
    return int(failed or types.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
