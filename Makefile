# Everything here sets itself up: a machine with Python 3.11+, pip, make and a C++ compiler
# is enough. LATEST=1 tries the newest versions of all dependencies: make test LATEST=1.

PYTHON ?= python3
# constraints.txt lists versions that were tested together. LATEST=1 takes the newest of the
# day instead, into an environment of its own: the stamp, which contains the date, is
# missing on the next day.
ifeq ($(LATEST),1)
VENV ?= .venv-latest
INSTALLED := $(VENV)/.installed-$(shell date +%F)
VERSIONS := --upgrade --upgrade-strategy eager
else
VENV ?= .venv
INSTALLED := $(VENV)/.installed
CONSTRAINTS := constraints.txt
VERSIONS := --constraint $(CONSTRAINTS)
endif
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Settings of scikit-build-core, such as CONFIG=cmake.define.HILABEL_CHECKED=ON. The engine
# is built in a folder of its environment, so that no two environments share one.
CONFIG ?=
BUILD := --no-build-isolation $(addprefix --config-settings=,build-dir=$(VENV)/engine $(CONFIG))
COMPILERS = $(shell for name in $(firstword $(CXX)) c++ clang++; do command -v $$name; done; :)
NO_COMPILER := hilabel needs a C++17 compiler: install g++ or clang++ (Debian, Ubuntu: \
apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install)

.DEFAULT_GOAL := help
.PHONY: help setup engine demo test lint format types check nightly fuzz sanitize bench bench-real docs figures page site dist constraints clean

help:  ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

setup: $(READY)  ## Make the virtual environment and install hilabel into it

# A stamp is newer than what it depends on only when its installation has ended well. The
# tools that build the engine come first and stay: were pip to fetch them for each build,
# everything would be compiled again. cmake and ninja are among them where there are none.
$(INSTALLED): pyproject.toml $(CONSTRAINTS)
	$(if $(COMPILERS),,$(error $(NO_COMPILER)))
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import tomllib; \
	project = tomllib.load(open("pyproject.toml", "rb")); \
	print(*project["build-system"]["requires"], sep="\n")' > $(VENV)/tools.txt
	$(PIP) install --quiet $(VERSIONS) --requirement $(VENV)/tools.txt
	@$(BIN)/python -c 'from scikit_build_core import build; \
	print(*build.get_requires_for_build_editable(), sep="\n")' > $(VENV)/tools.txt
	$(PIP) install --quiet $(VERSIONS) --requirement $(VENV)/tools.txt
	$(PIP) install --quiet $(VERSIONS) $(BUILD) --editable ".[dev]"
	@touch $(INSTALLED)

$(READY): $(INSTALLED) CMakeLists.txt src/engine $(wildcard src/engine/*)
	$(PIP) install --quiet $(BUILD) --no-deps --editable .
	@touch $(READY)

engine: $(INSTALLED)  ## Build the engine again after a change, and show the warnings
	$(PIP) install --verbose $(BUILD) --no-deps --editable .
	@touch $(READY)

demo: setup  ## Run hilabel on data made in code
	$(BIN)/hilabel demo

test: lint types check  ## Lint, check the types and run all the tests

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror src/engine/*

format: setup  ## Lay out the Python and C++ files
	$(BIN)/ruff format .
	$(BIN)/clang-format -i src/engine/*

types: setup
	$(BIN)/mypy

# Two processes share two cores, so that each does its linear algebra in one thread.
check: setup
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# The cases that Hypothesis makes up are the same in every run of check; here they are
# new ones, and those of a seed given by hand: make nightly SEED=12345.
ifndef SEED
SEED := $(shell date +%s)
endif
nightly: setup  ## Run the tests on new cases, and tell the seed that made them
	@echo "Seed of this run: $(SEED)"
	HILABEL_SLOW_TESTS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile \
	--hypothesis-profile nightly --hypothesis-seed $(SEED) || \
	{ echo "To repeat: make nightly SEED=$(SEED)"; exit 1; }

# Files that fail are kept in tests/fuzz/failures, and are tests from then on.
CASES ?= 10000
fuzz: setup  ## Try changed files, odd numbers, full disks, kills, ...; SEED=... repeats
	@echo "Seed of this run: $(SEED)"
	cd tests && $(abspath $(BIN))/python -m fuzz --cases $(CASES) --seed $(SEED)

# The sanitizers must be loaded before Python, and with them the library that throws C++
# exceptions. CPython does not free everything at exit, so leaks are not looked for. Reports
# of processes that tests start are kept in files. The test that is left out measures
# memory, of which the sanitizers take more.
SANITIZED := $(VENV)-sanitized
REPORTS := $(abspath $(SANITIZED))/reports
LEFT_OUT := tests/forests/test_classifier_quality.py::test_a_wide_sparse_matrix_is_never_laid_out
sanitize: export CXX := g++
sanitize:  ## Run the tests of the engine under AddressSanitizer and UBSan (g++)
	$(MAKE) setup VENV=$(SANITIZED) \
	CONFIG="cmake.define.HILABEL_SANITIZE=ON cmake.build-type=Debug"
	@rm -rf $(REPORTS) && mkdir $(REPORTS)
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$(REPORTS)/asan \
	UBSAN_OPTIONS=print_stacktrace=1:exitcode=87 PYTHONMALLOC=malloc \
	$(SANITIZED)/bin/python -m pytest --capture=sys --deselect $(LEFT_OUT) \
	tests/engine tests/forests tests/fuzz/test_models.py tests/persistence; \
	status=$$?; cat $(REPORTS)/* 2>/dev/null && exit 1; exit $$status

bench: setup  ## Run the benchmarks, each beside its rival
	$(BIN)/python -m benchmarks

# Jobs that have ended are not repeated; JOBS="wordnet demo" selects some.
bench-real: setup  ## Run whole commands at real size, beside rivals; needs HILABEL_DATA
	$(BIN)/python -m benchmarks.real $(JOBS)

docs: setup  ## Write the pages that are made from the code
	$(BIN)/python docs/make_methods.py
	$(BIN)/python docs/make_reproduction.py

figures: setup  ## Draw the figures of the documents
	$(BIN)/python docs/make_figures.py

# Warnings are errors. Nothing is fetched while it is built, nor when it is read. Pages
# that have not changed are not read again; `make clean` starts anew.
SITE := $(VENV)/.site
$(SITE): $(INSTALLED)
	@$(BIN)/python -c 'import tomllib; \
	extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
	print(*(name for name in extras["site"] if not name.startswith("hilabel")), sep="\n")' \
	> $(VENV)/tools.txt
	$(PIP) install --quiet $(VERSIONS) --requirement $(VENV)/tools.txt
	@touch $(SITE)

site: setup $(SITE)  ## Build the site in docs/_build/html, and search it in a browser
	rm -rf docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -n -q -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python -m pytest tests/test_site.py

# The oldest Python decides, since newer ones run what it runs. cmake and ninja are
# installed even if the machine has them, since other machines do not.
NEWEST := .venv-latest
OLDEST := $(shell sed -n 's/^requires-python = ">=\(.*\)"$$/\1/p' pyproject.toml)
constraints:  ## Install the newest versions afresh, and write them to constraints.txt
	rm -rf $(NEWEST)
	python$(OLDEST) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet cmake ninja
	$(MAKE) setup $(NEWEST)/.site LATEST=1 VENV=$(NEWEST) PYTHON=python$(OLDEST)
	$(NEWEST)/bin/python -m pip check
	{ echo "# The versions that make installs unless LATEST=1, for Python $(OLDEST) and newer."; \
	echo "# Written on $$(date +%F) by: make constraints"; \
	$(NEWEST)/bin/python -m pip freeze --exclude-editable; } > $(NEWEST)/constraints.txt
	mv $(NEWEST)/constraints.txt constraints.txt

# What it builds is checked in, so that nothing else needs Node.js.
page:  ## Build the script and the style of pages again (Node.js 20 or newer)
	cd page && npm ci --no-audit --no-fund && npm run build

dist:  ## Build sdist and wheel, and try the wheel in an environment of its own
	$(if $(COMPILERS),,$(error $(NO_COMPILER)))
	rm -rf dist
	set -e; away=$$(mktemp -d); trap 'rm -rf "$$away"' EXIT; \
	$(PYTHON) -m venv "$$away/tools"; $(PYTHON) -m venv "$$away/clean"; \
	"$$away/tools/bin/pip" install --quiet build; \
	$(addprefix PIP_CONSTRAINT=,$(CONSTRAINTS)) "$$away/tools/bin/python" -m build --outdir dist; \
	"$$away/clean/bin/pip" install --quiet $(VERSIONS) dist/hilabel-*.whl; \
	cd "$$away"; clean/bin/python "$(CURDIR)/tests/installed.py"

clean:  ## Remove the environments and all caches
	rm -rf $(VENV) $(VENV)-* .nox .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
	rm -rf docs/_build docs/benchmarks docs/gallery docs/reference
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
