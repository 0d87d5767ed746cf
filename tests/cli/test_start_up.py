"""What commands import: a library that takes as long to import as a small study takes is imported where it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tallybook.core.resources import BUNDLED_DATA
from tallybook.study.analysis_base import ANALYSES
from tallybook.study.figure_base import FIGURES
from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tallybook.core.registry import Registry

HEAVY = ("hypothesis", "matplotlib", "numpy", "pandas", "pandera", "pingouin", "plotnine", "scipy", "statsmodels")
PROGRAM = """
import sys
from tallybook.cli.app import app
try:
    app(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code
print(*sorted({name for name in sys.modules if "." not in name or name.startswith("tallybook.")}))
"""


def _imported(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(shown.splitlines()[-1].split())


def test_help_imports_no_library_of_data() -> None:
    assert not _imported("--help") & {*HEAVY, "polars", "pydantic"}


def test_validating_imports_no_library_that_computes_or_draws() -> None:
    found = _imported("validate", "kamruzzaman2024", "--data", str(BUNDLED_DATA / "kamruzzaman2024"))
    assert not found & set(HEAVY)
    assert "tallybook.instruments.attribute_choice" in found
    assert not found & {"tallybook.analyses.logistic", "tallybook.instruments.ranking"}


def test_computing_imports_the_declared_analyses(tmp_path: Path) -> None:
    found = _imported("run", "kamruzzaman2024", "--numbers-only", "--out", str(tmp_path / "out"))
    assert "tallybook.analyses.differences" in found
    assert not found & {"tallybook.analyses.multiverse", "tallybook.analyses.each_estimate"}


def test_a_command_ends_without_a_search_for_garbage_and_has_one_thread_of_linear_algebra() -> None:
    shown = "import atexit, gc, os; atexit.register(lambda: print(gc.get_freeze_count() > 0)); import tallybook.cli"
    command = [sys.executable, "-c", f"{shown}; print(os.environ['OPENBLAS_NUM_THREADS'])"]
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert found.split() == ["1", "True"]


def test_intervals_of_proportions_import_only_special_functions() -> None:
    used = "from tallybook.statistics.proportions.intervals import newcombe; newcombe((7, 50), (9, 50))"
    shown = "import sys; print(*{'pandas', 'scipy.special', 'scipy.stats', 'statsmodels'} & {*sys.modules})"
    command = [sys.executable, "-c", f"{used}; {shown}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "scipy.special"


@pytest.mark.parametrize("registry", [ANALYSES, FIGURES, INSTRUMENTS], ids=lambda one: one.noun)
def test_a_class_is_found_without_the_others(registry: Registry[Any]) -> None:
    alone = type(registry)(registry.package, registry.base, registry.tag, registry.noun, "tallybook.nothing")
    assert {name: alone.find(name) for name in registry.classes if name in alone._modules} == {
        name: kind for name, kind in registry.classes.items() if kind.__module__.startswith("tallybook.")
    }
    assert "classes" not in vars(alone)
    assert alone.find("nothing") is None
