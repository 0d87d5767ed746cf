"""Tallybook: from dumps of model responses to validated data, exact statistics and publication-ready reports.

The public face of the library:

- `Study.load(name_or_path, settings, data)`: a study whose responses, estimates, tables and figures are there when
  they are asked for, and show themselves in a notebook; `Study.draft(dump)`: one of a dump that nobody has described.

The same in steps:

- `load(name_or_path, settings)`: read a study file;
- `compute(loaded, data)`: from its dump to its tables; nothing is written;
- `read_and_code(loaded, data)`: only the coded responses;
- `audit(tables)`: check printed tables without the data behind them;
- the errors that these raise: `TallybookError` and its kinds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybook.api import Study
    from tallybook.core.errors import DataError, MismatchError, Problem, TallybookError, UsageError
    from tallybook.pipeline import Coded, Results, compute, read_and_code
    from tallybook.published.audit.auditing import audit
    from tallybook.study.loading import LoadedStudy, load

__all__ = [
    "Coded",
    "DataError",
    "LoadedStudy",
    "MismatchError",
    "Problem",
    "Results",
    "Study",
    "TallybookError",
    "UsageError",
    "audit",
    "compute",
    "load",
    "read_and_code",
]

_HOMES = {
    "tallybook.core.errors": ("DataError", "MismatchError", "Problem", "TallybookError", "UsageError"),
    "tallybook.pipeline": ("Coded", "Results", "compute", "read_and_code"),
    "tallybook.api": ("Study",),
    "tallybook.published.audit.auditing": ("audit",),
    "tallybook.study.loading": ("LoadedStudy", "load"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  what it gives depends on the name
    """Import a public name on first use: the command line must start before polars is there."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
