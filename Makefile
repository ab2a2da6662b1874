# make run    the environment, every session indexed, a summary
# make test   the environment, linters, types, tests
# make proof  the longer proofs: kills, real transcripts, LanceDB
# make bench  figures on a folder of transcripts (FOLDER=…)

VENV   ?= .venv
FOLDER ?= ../shared/bench/transcripts
BIN    := $(VENV)/bin
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)

.PHONY: run test lint types unit proof bench docs clean

run: $(VENV)/.run
	@$(BIN)/axm start

test: lint types unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	$(BIN)/pytest -m "not slow"

proof: $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,lance]'
	$(BIN)/pytest tests/vectors/test_stores.py
	$(BIN)/pytest -m slow -s
	AXM_EXAMPLES=10 $(BIN)/pytest tests/test_laws.py tests/memory/test_memory_laws.py tests/memory/test_task_laws.py \
		tests/memory/test_conflict_laws.py tests/memory/test_promotion_laws.py tests/memory/test_recorded.py

bench: $(VENV)/.dev
	$(BIN)/python bench/index.py $(FOLDER)
	$(BIN)/python bench/learn.py $(FOLDER)

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

$(VENV)/.venv:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed; none was found on the PATH." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.venv pyproject.toml
	@echo "Making the environment in $(VENV) …" >&2
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.venv pyproject.toml
	@echo "Making the environment in $(VENV) …" >&2
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.run

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
