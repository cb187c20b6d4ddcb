# make run, make test: the two that matter. README.md lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.DELETE_ON_ERROR:

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8501
ADDRESS ?= localhost

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
TESTS ?= tests
# Two tests at a time, a file's tests in turn: they share the pair or a server that is slow to start.
PYTEST := $(PY) -m pytest -n 2 --dist loadfile

.PHONY: run link doctor test test-all check format benchmark screenshots models browser postgres clean

run: models
	@echo "Speculative Lab: http://$(ADDRESS):$(PORT) (Ctrl+C stops it)"
	@$(PY) -m core.classroom link --address=$(ADDRESS) --port=$(PORT) || true
	@$(PY) -m streamlit run Home.py --server.port=$(PORT) --server.address=$(ADDRESS) --server.headless=true

# Another link for a lecturer: each works once.
link: $(READY)
	@$(PY) -m core.classroom link --address=$(ADDRESS) --port=$(PORT)

# Is this machine ready? One line a finding; ends with an error where something must be mended first.
doctor: $(READY)
	@$(PY) -m tools.doctor --address=$(ADDRESS) --port=$(PORT)

test: $(READY_DEV) models browser postgres
	@$(PYTEST) $(TESTS)

test-all: $(READY_DEV) models browser postgres
	@$(PYTEST) -m "slow or not slow" $(TESTS)

check: $(READY_DEV)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: $(READY_DEV)
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

benchmark: models
	@$(PY) -m tools.benchmark

screenshots: $(READY_DEV) models browser
	@$(PY) -m tools.screenshots

models: $(READY)
	@$(PY) -m core.models

browser:
	@command -v chromium >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium for the browser tests"; \
	    apt-get update -qq; \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	  else \
	    echo "The browser tests need Chromium: install it (on Debian: sudo apt-get install chromium) and try again." >&2; \
	    exit 1; \
	  fi; }

# For the tests alone, which start a server of their own. Without it they run on SQLite.
postgres:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing PostgreSQL for the classroom's tests"; \
	    apt-get update -qq; \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; \
	  else \
	    echo "PostgreSQL is not installed: its tests are skipped (on Debian: sudo apt-get install postgresql)."; \
	  fi; }

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@[ -n "$(PYTHON)" ] || { echo "Python 3.11 or newer is needed: install it and try again." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and $(PYTHON) is older: name one with make PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python's venv module is missing: install it (on Debian: sudo apt-get install python3-venv)." >&2; exit 1; }

$(READY): $(PY) requirements.txt requirements-models.txt constraints.txt
	@echo "Installing the program's packages (some minutes the first time)"
	@$(PIP) -r requirements.txt
	@$(PIP) --no-deps -r requirements-models.txt
	@touch $@

$(READY_DEV): $(READY) requirements-dev.txt
	@echo "Installing what checks and tests need"
	@$(PIP) -r requirements-dev.txt
	@touch $@
