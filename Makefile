# Two commands do everything: `make reproduce` and `make test`; `make quick` is for between. All set up .venv from requirements.lock first.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STUDY  ?= wang2025 kamruzzaman2024 bai2025 bbq2022 rottger2024 bloomberg2024 pikuliak2024

# Processes that test are as many as cores: more threads than one each take turns, and each compiles what others have.
test quick thorough: export POLARS_MAX_THREADS = 1
test quick thorough: export OPENBLAS_NUM_THREADS = 1
# Modules and rewritten assertions are compiled once, not by each process, even where the environment forbids it.
export PYTHONDONTWRITEBYTECODE =

.PHONY: reproduce test quick thorough check environment bench fuzz faults components audit oracle lock clean

reproduce: environment  ## regenerate the published studies from their bundled data, compare, render the reports
	@echo "reproducing $(words $(STUDY)) studies, each with its report: some minutes"
	@set -e; for study in $(STUDY); do $(BIN)/tallybook reproduce $$study --out out/$$study; done

test: environment check  ## lint, types, all tests with coverage
	@echo "all tests: about 18 minutes of processor time, some 12 minutes on two idle cores (make quick: unit and property tests, a minute and a half)"
	$(BIN)/python -W "ignore:Unable to activate pytest" -m slipcover -m pytest -p tests.probes -n auto --dist loadfile --no-loadscope-reorder --durations=15
	@printf 'lines and branches that tests reach, in per cent (.venv/bin/python -m slipcover --merge .coverage.json --skip-covered lists the others): '
	@$(BIN)/python -c 'import json; print(json.load(open(".coverage.json"))["summary"]["percent_covered_display"])'

quick: environment  ## unit and property tests: nothing is rendered or simulated at length; few examples a property
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not released" --hypothesis-profile=quick tests/unit

thorough: environment  ## property tests with many examples and whole simulations: hours
	THOROUGH=1 $(BIN)/python -m pytest -n auto --dist loadfile -m "not released" --hypothesis-profile=thorough tests/unit tests/integration/instruments

check: environment
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo --no-cache

environment: $(VENV)/installed

# Not compiled: of ten thousand modules, three thousand are ever imported, and compiled then.
$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tallybook needs Python 3.11 or newer; make PYTHON=... chooses one")'
	@echo "installing into $(VENV) what requirements.lock names: some minutes, once"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

bench: environment  ## side-by-side ratios
	for benchmark in wang2025 kamruzzaman2024_memory statistics_cells bootstrap divergence logistic validation scale; do $(BIN)/python benchmarks/$$benchmark.py; done

fuzz: environment  ## damage inputs of every kind for an hour: make fuzz SECONDS=60 SEED=2
	$(BIN)/python -m tests.hostile.fuzz $(or $(SECONDS),3600) $(or $(SEED),1)

faults: environment  ## stop commands at every file operation: an hour
	$(BIN)/python -m tests.hostile.faults

components: environment  ## bill of materials (CycloneDX) and licences of what requirements.lock names
	$(BIN)/python docs/components.py out/components

audit:  ## look up known vulnerabilities of what requirements.lock names
	pipx run pip-audit --disable-pip --require-hashes --requirement requirements.lock

oracle:  ## rerun the R scripts behind the tests' expected values and fail on any difference
	bash tests/oracle/regenerate.sh

lock:  ## resolve requirements.lock anew
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-emit-index-url --no-emit-package tallybook --upgrade --output-file requirements.lock

clean:
	rm -rf $(VENV) out
