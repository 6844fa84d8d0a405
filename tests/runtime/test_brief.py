"""What is logged of an exception first: what was raised, and the user's own code."""

import json
import logging
import sysconfig

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.runtime.dead_letters.brief import brief


def parse(line):
    return int(line)


def throw(error):
    raise error


def raised(f, *args):
    try:
        f(*args)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_it_names_the_error_and_the_code_that_raised_it():
    first, *code = brief(raised(parse, "x")).splitlines()
    assert first == "ValueError: invalid literal for int() with base 10: 'x'"
    assert code[-2].endswith(", in parse")
    assert code[-1] == "    return int(line)"


def test_frames_of_the_library_are_left_out():
    error = raised(Source.of("1", "x").map(parse).run, Sink.list())
    text = brief(error)
    assert isinstance(error, StageError)
    assert "in parse" in text
    assert "/actors_rs/stages/" not in text
    assert "/actors_rs/graph/" not in text


def test_the_code_of_a_worker_comes_out_of_the_text_that_it_sent():
    remote = RuntimeError(
        "An exception was thrown: Traceback (most recent call last):\n"
        '  File "job.py", line 3, in f\n'
        '    return 1 / 0\n  File "/x/pyspark/worker.py", line 9, in main\n    process()\n'
        "ZeroDivisionError: division by zero\n\tat org.apache.spark.api.python.BasePythonRunner\n"
    )
    assert brief(remote).splitlines()[1:] == ['  File "job.py", line 3, in f', "    return 1 / 0"]


def test_the_code_of_a_worker_is_told_once_though_several_errors_of_the_chain_have_its_text():
    code = '  File "job.py", line 3, in f\n    return 1 / 0\n'
    head, tail = "Traceback (most recent call last):\n", "ZeroDivisionError: division by zero\n"
    error = RuntimeError(f"the partition failed: {head}{code}           ~~^~~\n{tail}")
    error.__cause__ = RuntimeError(f"an exception was thrown: {head}{code}{tail}")
    assert brief(error).splitlines()[1:] == code.splitlines()


def test_it_is_short_however_long_the_chain_and_the_texts_are():
    error: BaseException = ValueError("x" * 100_000 + "\n" * 500)
    for _ in range(100):
        above = RuntimeError("y\n" * 500)
        above.__cause__ = error
        error = raised(throw, above)
    assert len(brief(error).splitlines()) <= 13
    assert len(brief(ValueError("x" * 100_000))) < 600


def test_an_error_whose_methods_raise_is_told_of_all_the_same():
    class Rude(Exception):  # noqa: N818
        def __str__(self):
            raise SystemExit

    assert brief(Rude()).startswith("Rude: <Rude whose __str__ raised")


def test_the_truth_of_an_exception_is_not_asked_for():
    class Odd(Exception):  # noqa: N818
        def __bool__(self):
            raise ValueError

    above = RuntimeError("above")
    above.__cause__ = raised(throw, Odd())
    first, *code = brief(above).splitlines()
    assert first == "RuntimeError: above"
    assert code[-1] == "    raise error"


def test_a_dead_letter_logs_the_short_text_as_a_warning_and_all_of_it_for_debugging(caplog):
    caplog.set_level(logging.DEBUG, "actors_rs")
    with ActorSystem() as system:
        flow = Source.of("x").map(parse).on_failure("resume")
        system.start(flow.to(Sink.list())).result(10)
    warning, full = (record for record in caplog.records if "on_failure" in record.getMessage())
    assert warning.levelno == logging.WARNING
    assert warning.exc_info is None
    assert "in parse" in warning.getMessage()
    assert isinstance(warning.error, StageError)  # for handlers that collect exceptions
    assert full.levelno == logging.DEBUG
    assert full.exc_info
    assert full.exc_info[1] is warning.error


@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING])
def test_the_whole_chain_is_not_logged_above_debug(caplog, level):
    caplog.set_level(level, "actors_rs")
    with ActorSystem() as system:
        flow = Source.of("x").map(parse).on_failure("resume")
        system.start(flow.to(Sink.list())).result(10)
    records = [record for record in caplog.records if record.name != "actors_rs.events"]
    assert [record.levelno for record in records] == [logging.WARNING]


def program_at(path, code, **names):
    """Names of a program whose code is ``code``, in a file at ``path``."""
    space = dict(names)
    exec(compile(code, str(path), "exec"), space)
    return space


def test_frames_of_the_standard_library_are_left_out():
    text = brief(raised(lambda: json.loads("{")))
    assert "json.loads" in text
    assert f"{sysconfig.get_path('stdlib')}/json" not in text
    assert brief(raised(json.loads, "{")).count("  File ") == 1, "the frame of this test"


@pytest.mark.parametrize(
    "path",
    [
        "/srv/app/.venv/lib/python3.12/site-packages/requests/api.py",
        r"C:\Python312\Lib\site-packages\requests\api.py",
        "/usr/lib/python3/dist-packages/requests/api.py",
    ],
)
def test_frames_of_installed_packages_are_shown_only_where_the_user_has_none(path):
    get = program_at(path, "def get(): return 1 // 0")["get"]
    error = raised(get)
    assert [line for line in brief(error).splitlines() if "requests" in line] == []
    error.__traceback__ = error.__traceback__.tb_next
    assert brief(error).splitlines()[1] == f'  File "{path}", line 1, in get'


def test_frames_of_python_and_of_packages_are_left_out_of_the_code_of_a_worker():
    remote = RuntimeError(
        "Traceback (most recent call last):\n"
        '  File "/opt/py/lib/python3.13t/json/decoder.py", line 3, in decode\n    scan()\n'
        '  File "/opt/env/lib/python3.13/site-packages/pandas/core.py", line 4, in apply\n'
        '  File "<frozen runpy>", line 5, in _run\n'
        '  File "/srv/lib/job.py", line 6, in parse\n    return json.loads(line)\n'
        "ValueError: no JSON\n"
    )
    assert brief(remote).splitlines()[1:] == [
        '  File "/srv/lib/job.py", line 6, in parse',
        "    return json.loads(line)",
    ]
