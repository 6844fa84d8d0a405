# Every target does its own set-up: Python 3.11 or newer and make are all a fresh machine needs.
# Another interpreter: make test PYTHON=/path/to/python, whose environment is then .venv-3.13.

PYTHON ?= $(shell sh .ci/find_python.sh)
MINUTES ?= 5
WORKERS ?= 5
VERSION = $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
VENV := .venv$(if $(filter file,$(origin PYTHON)),,-$(VERSION))
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
CODE := $(wildcard actors_rs tests examples stress hatch_build.py)
# Some images forbid Python to keep what it has compiled; the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
# A machine whose own name does not resolve can still run Spark's local mode.
export SPARK_LOCAL_IP ?= 127.0.0.1
# First on a recipe line that starts Spark. Two steps, since `export X=$$(...)` hides a failure.
WITH_JAVA = JAVA_HOME="$$($(PY) -m tests.java_home)" || exit 1; export JAVA_HOME;
# Where many JVMs start: they do in half the time with an archive, which the first call makes.
WITH_JVMS = $(WITH_JAVA) SPARK_SUBMIT_OPTS="$$($(PY) -m tests.java_archive)"; export SPARK_SUBMIT_OPTS;
# Half the time of a JVM that lives for a minute is its thorough compiler's; `make stress` runs longer.
QUICK_COMPILER = SPARK_SUBMIT_OPTS="$$SPARK_SUBMIT_OPTS -XX:TieredStopAtLevel=1"

.DEFAULT_GOAL := help
.PHONY: docs docs-release docs-serve help setup demo demo-web demo-faults test test-fast quick lint types bench stress clean
.PHONY: ruff style mypy pyright yardstick archive compiled

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## the virtual environment with all that the checks need

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "actors_rs needs Python 3.11 or newer with venv and pip, but '$(PYTHON)' is not that:" \
	    "install it (Debian: python3 and python3-venv) or name one with make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY) ## the census of the standard library, into build/census
	@$(WITH_JAVA) $(PY) examples/code_census.py --out build/census --overwrite

demo-web: $(READY) ## the census with a page in the browser, whose address it prints
	@$(WITH_JAVA) $(PY) examples/code_census.py --out build/census --overwrite --web

demo-faults: $(READY) ## two minutes of Spark with faults, killed and resumed, its output checked
	@$(WITH_JAVA) $(PY) -m stress.demo_faults

test: $(READY) ## linter, type checkers and tests, these by WORKERS=5 processes, which often wait
	@$(MAKE) --no-print-directory -j 2 -O archive compiled lint types yardstick
	@$(WITH_JVMS) $(QUICK_COMPILER) \
	  $(PY) -m pytest -q -n $(WORKERS) --ignore tests/explored/test_linear.py

# On a core of its own: a rate per core says little while tests share both.
yardstick: $(READY)
	@$(PY) -m pytest -q tests/explored/test_linear.py

# In a fresh clone each of the processes would compile all tests for itself.
compiled: $(READY)
	@ls tests/pages/__pycache__/*-pytest-*.pyc >/dev/null 2>&1 || $(PY) -m pytest --collect-only -q >/dev/null || true

archive: $(READY)
	@$(WITH_JAVA) $(PY) -m tests.java_archive >/dev/null

# The parts of the suite where a version of Python matters most, without Spark and explorations.
FAST := tests/protocol tests/contract tests/runtime \
  $(addprefix tests/graph/test_,operators.py run.py in_asyncio.py iteration_async.py)
test-fast: $(READY) ## tests of the runtime, some 2 minutes: for a second Python, PYTHON=...
	@$(PY) -m pytest -q -n $(WORKERS) -m "not spark" $(FAST)

quick: $(READY) ## within a minute: lint, types and unit tests of what changed since main
	@$(PY) -m tests.quick

lint: ruff style ## ruff: rules and format; the style of pages, docstrings and comments

ruff: $(READY)
	$(PY) -m ruff check $(CODE)
	$(PY) -m ruff format --check $(CODE)

style: $(READY)
	$(PY) -m tests.conventions.style

types: mypy pyright ## mypy, strict; pyright for what users see

mypy: $(READY)
	$(PY) -m mypy $(CODE)

pyright: $(READY)
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(PY) -m pyright --pythonpath $(PY)

docs: $(READY) ## the documentation site, into build/site
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build

docs-release: $(READY) ## commits the site of this version to the branch gh-pages, beside older ones
	@export PATH="$(abspath $(dir $(PY))):$$PATH" NO_MKDOCS_2_WARNING=1; \
	  mike deploy --update-aliases "$$($(PY) -c 'import actors_rs; print(actors_rs.__version__.rpartition(".")[0])')" latest && mike set-default latest

docs-serve: $(READY) ## shows the site, and again when a page changes
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs serve

bench: $(READY) ## the benchmarks, each a ratio measured side by side
	@$(WITH_JAVA) $(PY) -m stress.bench

# The first failure ends it. The seed is the time in minutes and goes up with each round: it
# says the order and which part of the long tables is taken, and makes the round again.
SEED ?= $(shell echo $$(($$(date +%s) / 60)))
stress: $(READY) ## real threads under load for MINUTES=5 minutes; a whole round needs about 90
	@$(WITH_JVMS) end=$$(($$(date +%s) + 60 * $(MINUTES))); seed=$(SEED); \
	while left=$$(($$end - $$(date +%s))); [ "$$left" -gt 0 ]; do \
	  $(PY) -m pytest stress -q --seed $$seed --minutes $$((left / 60 + 1)) || exit 1; \
	  seed=$$((seed + 1)); done

clean: ## back to a fresh clone: environments, build and caches go
	rm -rf .venv .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	  metastore_db derby.log spark-warehouse
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
