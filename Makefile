# Everything here sets itself up: a machine with Python 3.11+, pip and make is enough.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types check bench docs figures clean

help:  ## Show what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(READY)  ## Make the virtual environment and install hilabel into it

# The stamp is newer than pyproject.toml only when an installation has ended well.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $(READY)

demo: setup  ## Run hilabel on data made in code
	$(BIN)/hilabel demo

test: lint types check  ## Lint, check the types and run all the tests

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

check: setup
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

bench: setup  ## Run the benchmarks, each beside its rival
	$(BIN)/python -m benchmarks

docs: setup  ## Write the pages that are made from the code
	$(BIN)/python docs/make_methods.py
	$(BIN)/python docs/make_reproduction.py

figures: setup  ## Draw the figures of the documents
	$(BIN)/python docs/make_figures.py

clean:  ## Remove the environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
