"""Wheel and source distribution: fit to be uploaded, and installed where nothing else is."""

import importlib.metadata
import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path

import pytest
from trove_classifiers import classifiers

from hatch_build import tracked_files

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
AFTER_A_SESSION = {"actors_rs.spark.fetching.collected"}
"""Derived of pyspark's classes, and imported when there is a DataFrame."""
IMPORTS = """
import importlib, json, pkgutil
import actors_rs
from actors_rs import Sink, Source

def failing(error):
    raise error

names = [one.name for one in pkgutil.walk_packages(actors_rs.__path__, "actors_rs.", failing)]
refused = {}
for name in names:
    if not name.endswith("__main__"):
        try:
            importlib.import_module(name)
        except ImportError as error:
            refused[name] = str(error)
total = Source.range(1, 100).map(lambda n: n * n).run(Sink.sum())
print(json.dumps({"file": actors_rs.__file__, "total": total, "names": names, "refused": refused}))
"""

NEEDS = {
    "Source.of(1).run(Sink.parquet('out'))": "spark",
    "Source.json('a.json', items='rows.item').run(Sink.list())": "json",
    "Source.lines('a.zst').run(Sink.list())": "zstd",
    "Source.of(1).map_processes(abs).run(Sink.list())": "processes",
    "spark.local_session()": "spark",
    "reactivex.to_rx(Source.of(1), system)": "rx",
    "rsocket.to_rsocket(system.publisher(Source.of(1)))": "rsocket",
    "asyncio.run(anyio.run_async(Source.of(1).to(Sink.list())))": "anyio",
    "prometheus.Collector(system)": "prometheus",
    "opentelemetry.Metrics(system)": "opentelemetry",
    "opentelemetry.Tracing(system)": "opentelemetry",
    "web.serve(system).__enter__()": "web",
}
"""Calls, and the extra that each of them needs."""
CALLS = """
import asyncio, json, sys
from actors_rs import ActorSystem, Sink, Source, spark
from actors_rs.interop import anyio, reactivex, rsocket
from actors_rs.observability import opentelemetry, prometheus, web

messages = {}
with ActorSystem() as system:
    for code in json.loads(sys.argv[1]):
        try:
            eval(code)
        except Exception as error:
            messages[code] = str(error)
print(json.dumps(messages))
"""


def done(*command, cwd):
    ended = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def built(folder, kind, target):
    done(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target), cwd=folder)
    (archive,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """A source distribution of this checkout, and the wheel that is built of it."""
    folder = tmp_path_factory.mktemp("package")
    tree = folder / "tree"
    tracked = tracked_files(ROOT)
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("actors_rs/**/*.py")}
    new = sorted(modules - set(tracked))
    assert not new, f"git add or remove {', '.join(new)}: a wheel has only files that git tracks"
    for name in tracked:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    source = built(tree, "sdist", folder / "dist")
    with tarfile.open(source) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return source, built(unpacked, "wheel", folder / "dist")


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory, distributions):
    """The interpreter of an environment that has the wheel and pykka, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    pykka = importlib.metadata.distribution("pykka")
    for path in {path.parts[0] for path in pykka.files or ()}:
        shutil.copytree(str(pykka.locate_file(path)), packages / path)
    python = folder / "bin/python"
    pip = (sys.executable, "-m", "pip", "--python", str(python))
    done(*pip, "install", "--quiet", "--no-index", str(distributions[1]), cwd=folder)
    done(*pip, "check", cwd=folder)
    return python


@pytest.fixture(scope="module")
def imported(empty_environment):
    said = done(str(empty_environment), "-I", "-c", IMPORTS, cwd=empty_environment.parent)
    return json.loads(said)


def test_both_distributions_may_be_uploaded(distributions):
    for path in distributions:
        done(sys.executable, "-m", "twine", "check", "--strict", str(path), cwd=path.parent)


def test_the_wheel_alone_runs_a_stream(imported, empty_environment):
    assert Path(imported["file"]).is_relative_to(empty_environment.parents[1])
    assert imported["total"] == 338350


def test_all_modules_can_be_imported_without_an_extra_or_say_which_one(imported):
    assert "actors_rs.language.flow" in imported["names"]
    refused = imported["refused"]
    silent = {name for name, message in refused.items() if "actors-rs[" not in message}
    assert silent <= AFTER_A_SESSION


def test_a_call_that_needs_an_extra_names_it(empty_environment, tmp_path):
    command = (str(empty_environment), "-I", "-c", CALLS, json.dumps([*NEEDS]))
    messages = json.loads(done(*command, cwd=tmp_path))
    silent = {
        code for code, extra in NEEDS.items() if f"actors-rs[{extra}]" not in messages.get(code, "")
    }
    assert not silent, messages


def test_the_command_of_the_wheel_starts(empty_environment):
    command = empty_environment.with_name("actors-rs")
    assert "usage: actors-rs" in done(str(command), "--help", cwd=command.parent)
    assert "ARS-017" in done(str(command), "explain", "ARS-017", cwd=command.parent)


def test_each_classifier_is_one_that_the_index_knows():
    assert {*PROJECT["classifiers"]} <= classifiers


def test_the_classifiers_begin_with_the_least_python_that_is_required():
    said = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if ":: Python :: 3." in one]
    assert f">={said[0]}" == PROJECT["requires-python"]
