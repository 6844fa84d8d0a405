"""Which tests `make quick` runs for a changed file, and when it ends."""

import subprocess
import sys

import pytest

from tests import asked_of_operators
from tests.quick import MIRRORS, ROOT, TimeLimit, ordered_tests, unit_tests


@pytest.mark.parametrize(
    ("file", "first", "folder"),
    [
        ("actors_rs/runtime/actors/mailbox.py", "tests/runtime/test_mailbox.py", "tests/runtime/"),
        ("actors_rs/stages/operators/batch.py", "tests/stages/test_batch.py", "tests/stages/"),
        ("actors_rs/engine/watching/stall.py", "tests/graph/test_stall.py", "tests/graph/"),
        ("actors_rs/language/types.py", "tests/graph/test_types.py", "tests/graph/"),
        ("tests/explored/scenario.py", "tests/explored/", "tests/explored/"),
        ("examples/code_census.py", "tests/examples/test_code_census.py", "tests/examples/"),
        ("stress/bench/table.py", "tests/stress_bench/", "tests/stress_bench/"),
        ("docs/guide.md", "tests/docs/", "tests/docs/"),
        ("actors_rs/cli.py", "tests/test_cli.py", "tests/test_cli"),
        ("hatch_build.py", "tests/test_hatch_build.py", "tests/test_hatch_build.py"),
    ],
)
def test_a_changed_file_has_the_tests_named_after_it_first_then_its_folder(file, first, folder):
    found = unit_tests(file)
    assert found[0].startswith(first)
    assert all(test.startswith(folder) and (ROOT / test).is_file() for test in found)


def test_the_names_of_other_libraries_have_the_tests_of_unknown_names():
    assert unit_tests("actors_rs/graph/neighbours.py") == ["tests/test_unknown_names.py"]


def test_a_changed_test_is_run_itself_and_one_that_was_removed_is_not():
    assert unit_tests("tests/runtime/test_mailbox.py") == ["tests/runtime/test_mailbox.py"]
    assert unit_tests("tests/runtime/test_gone.py") == []


def test_what_is_named_after_a_file_goes_before_all_folders():
    changed = ["actors_rs/graph/loop_entry.py", "actors_rs/runtime/actors/mailbox.py"]
    found = list(ordered_tests(changed))
    assert found[0] == "tests/runtime/test_mailbox.py"


def test_the_tests_that_use_a_changed_table_come_after_the_conventions():
    found = list(ordered_tests(["tests/conformance/stages.py"]))
    kit = found.index("tests/conformance/test_our_stages.py")
    assert all(test.startswith("tests/conventions") for test in found[: min(kit, 5)])


def test_what_is_asked_of_each_operator_comes_before_the_conventions_if_one_has_changed():
    found = list(ordered_tests(["actors_rs/stages/operators/take_while.py"]))
    start = found.index(asked_of_operators.TESTS[0])
    assert found[start : start + len(asked_of_operators.TESTS)] == [*asked_of_operators.TESTS]
    assert found.index("tests/stages/test_take_while.py") < start
    assert start < found.index("tests/conventions/test_sizes.py")
    others = ordered_tests(["actors_rs/runtime/actors/mailbox.py"])
    assert not {*others} & {*asked_of_operators.TESTS}


def test_a_helper_in_a_folder_without_tests_has_those_of_the_folder_above():
    assert "tests/pages/test_marbles.py" in unit_tests("tests/pages/marbles/operators.py")


def test_every_folder_of_the_package_has_tests():
    folders = [path.parent for path in (ROOT / "actors_rs").glob("*/__init__.py")]
    without = [one.name for one in folders if not unit_tests(f"actors_rs/{one.name}/any.py")]
    assert without == []
    assert [one for both in MIRRORS.items() for one in both if not (ROOT / one).exists()] == []


def test_after_its_time_a_test_is_skipped_before_anything_is_made_for_it():
    TimeLimit(60).pytest_runtest_setup()
    with pytest.raises(pytest.skip.Exception, match="make test runs this one"):
        TimeLimit(-1).pytest_runtest_setup()


def run_test(folder, body, heading="", before=""):
    """How quick's run of one test ends; its file and the program begin with what is given."""
    file = folder / "test_it.py"
    file.write_text(f"{heading}def test_it():\n    {body}\n")
    call = f"quick.run_tests([{str(file)!r}], ['-p', 'no:cacheprovider'])"
    program = f"from tests import quick; {before}raise SystemExit({call})"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(("body", "code"), [("assert 1", 0), ("assert 0", 1)])
def test_it_fails_when_a_test_does(tmp_path, body, code):
    assert run_test(tmp_path, body).returncode == code


def test_the_time_in_which_tests_are_collected_does_not_count(tmp_path):
    slow = "import time\nclock = time.monotonic\ntime.monotonic = lambda: clock() + 1000\n\n\n"
    done = run_test(tmp_path, "assert 0", heading=slow)
    assert (done.returncode, "1 failed" in done.stdout) == (1, True), done.stdout


def test_it_fails_when_the_limit_skipped_all_tests(tmp_path):
    done = run_test(tmp_path, "assert 1", before="quick.SECONDS = -1; ")
    assert (done.returncode, "no test began" in done.stdout) == (1, True), done.stdout


def test_it_says_how_many_tests_the_limit_skipped(tmp_path):
    late = "quick.time = type('', (), {'monotonic': iter((0, 60)).__next__}); "
    done = run_test(tmp_path, "assert 1\n\n\ndef test_other():\n    assert 1", before=late)
    says = "make quick: 1 tests ran; 1 were skipped when their 35 s were over: make test runs them"
    assert (done.returncode, says in done.stdout) == (0, True), done.stdout + done.stderr
