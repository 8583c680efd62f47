# Memlane's commands. `make` alone prints them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Present when the environment matches the lock; a second `make` then has nothing to install.
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
CODE := memory store inference nodeagent services api workers ops benchmarks client/memlane
STYLED := $(CODE) docs tests
# Every process of every stack imports the same modules: they stay compiled, also where Python is told to keep nothing.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/$(VENV)/pycache $(BIN)/pytest
# Two files of tests run at a time: most of their time is waiting. Those that start real processes come after the others.
# PROCESSES=0 runs everything in one process, as plain pytest does.
PROCESSES ?= 2
SIDE_BY_SIDE = -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

# Search is quicker with its native part and the same without it: nothing here may end the setup.
define NATIVE
if ! command -v "$${CC:-cc}" >/dev/null; then \
	echo "No C compiler: search uses numpy. With one, make setup builds native/ too."; \
elif ! $(PIP) install --no-deps --no-build-isolation --no-index --force-reinstall ./native 2>$(VENV)/native.log; then \
	echo "The native part of search was not built, see $(VENV)/native.log: search uses numpy."; \
fi
endef

.PHONY: help setup demo up test check faults bench bench-fleet fix lock

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## prepare .venv and nothing else (PYTHON=python3.12 chooses another Python)

$(STAMP): requirements.lock pyproject.toml client/pyproject.toml $(wildcard native/*.* native/memlane_native/*.*)
	@command -v $(PYTHON) >/dev/null || { echo "Memlane needs Python 3.11 or newer; there is no $(PYTHON) here. Install one, or name another: make setup PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; found = ".".join(map(str, sys.version_info[:3])); sys.exit(0 if sys.version_info >= (3, 11) else "Memlane needs Python 3.11 or newer; $(PYTHON) is %s. Name another: make setup PYTHON=python3.12" % found)'
	@echo "Preparing $(VENV) (once: about half a minute and 870 MB) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes --no-deps -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --no-index -e . -e ./client
	@$(NATIVE)
	@touch $@

demo: $(STAMP) ## see it work: starts everything, asks three questions, serves until Ctrl-C (ONCE=1 ends after them, PORT=N)
	@$(BIN)/python -m ops demo $(if $(filter-out 0,$(ONCE)),--once) $(if $(PORT),--port $(PORT))

up: $(STAMP) ## run the local stack on ./memlane-data (DATA=folder, PORT=N)
	@$(BIN)/memlane up $(if $(DATA),--data-dir $(DATA)) $(if $(PORT),--port $(PORT))

test: $(STAMP) ## every test, with real processes
	@$(PYTEST) tests/unit tests/docs tests/property $(SIDE_BY_SIDE)
	@$(PYTEST) tests/acceptance tests/faults tests/integration $(SIDE_BY_SIDE)

check: $(STAMP) ## format, lint, types, import contracts, docs and unit tests
	@$(BIN)/ruff format --check --quiet --output-format=concise $(STYLED) || { echo "'make fix' repairs the format." >&2; exit 1; }
	@$(BIN)/ruff check --quiet --output-format=concise $(STYLED)
	@$(BIN)/mypy $(CODE)
	@$(BIN)/lint-imports --no-logo
	@$(PYTEST) tests/unit tests/docs $(SIDE_BY_SIDE)

faults: $(STAMP) ## everything goes wrong for a while, and nothing may be lost (SEED=n MINUTES=m)
	@$(BIN)/python -m tests.faults $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES))

bench: $(STAMP) ## measure speed, memory and recall; results go to benchmarks/results
	@$(BIN)/python -m benchmarks.run_all

bench-fleet: $(STAMP) ## measure a simulated fleet of eight nodes: scaling, search under load, lost nodes
	@$(BIN)/python -m benchmarks.run_all fleet

fix: $(STAMP) ## repair format and lint, write the generated pages of docs/
	@$(BIN)/ruff check --fix --quiet $(STYLED) || true
	@$(BIN)/ruff format --quiet $(STYLED)
	@$(BIN)/python docs/generate.py

lock: $(STAMP) ## choose and pin the newest allowed dependencies, with hashes
	@$(PIP) install "uv>=0.13,<0.14"
	@$(BIN)/uv pip compile pyproject.toml client/pyproject.toml --extra dev --extra flower --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --no-emit-package memlane --no-emit-package memlane-server \
		--upgrade --quiet --output-file requirements.lock
