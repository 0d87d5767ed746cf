"""Tallybook: from dumps of model responses to validated data, exact statistics and publication-ready reports.

`import tallybook as tb` offers:

- a study, whose responses, estimates, tables and figures are there when they are asked for, and show themselves in a
  notebook: `tb.init(dump)` of a file, or a frame, that nobody has described, `tb.Study.load(name_or_path)`;
- each analysis of study files as a method: `study.difference("hired", between="race", cluster="name")`;
- the same in steps: `load` reads a study file, `read_and_code` its dump, `compute` goes on to its tables;
- statistics of frames of counts, cell by cell: `two_proportions`, `goodness_of_fit`, `agreement`, `pearson`,
  `rank_association`, `logistic_regression`, and `divergence` of arrays;
- `audit`: printed tables checked without their data;
- `write_tables`: tables to CSV, HTML, LaTeX, typst, Markdown, Word and Excel files;
- the errors: `TallybookError` and its kinds `UsageError`, `DataError` (with its `Problem`s) and `MismatchError`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybook.api import Study, init
    from tallybook.core.errors import DataError, MismatchError, Problem, TallybookError, UsageError
    from tallybook.pipeline import Coded, Results, compute, read_and_code
    from tallybook.published.audit_files.auditing import audit
    from tallybook.statistics.association.correlation import pearson
    from tallybook.statistics.association.rank_association import rank_association
    from tallybook.statistics.categories.agreement import agreement
    from tallybook.statistics.categories.goodness_of_fit import goodness_of_fit
    from tallybook.statistics.divergences.divergence import divergence
    from tallybook.statistics.logistic.regression import logistic_regression
    from tallybook.statistics.proportions.two_proportions import two_proportions
    from tallybook.study.loading import LoadedStudy, load
    from tallybook.tables.table_format import write_tables

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
    "agreement",
    "audit",
    "compute",
    "divergence",
    "goodness_of_fit",
    "init",
    "load",
    "logistic_regression",
    "pearson",
    "rank_association",
    "read_and_code",
    "two_proportions",
    "write_tables",
]

_HOMES = {
    "tallybook.api": ("Study", "init"),
    "tallybook.core.errors": ("DataError", "MismatchError", "Problem", "TallybookError", "UsageError"),
    "tallybook.pipeline": ("Coded", "Results", "compute", "read_and_code"),
    "tallybook.published.audit_files.auditing": ("audit",),
    "tallybook.statistics.association.correlation": ("pearson",),
    "tallybook.statistics.association.rank_association": ("rank_association",),
    "tallybook.statistics.categories.agreement": ("agreement",),
    "tallybook.statistics.categories.goodness_of_fit": ("goodness_of_fit",),
    "tallybook.statistics.divergences.divergence": ("divergence",),
    "tallybook.statistics.logistic.regression": ("logistic_regression",),
    "tallybook.statistics.proportions.two_proportions": ("two_proportions",),
    "tallybook.study.loading": ("LoadedStudy", "load"),
    "tallybook.tables.table_format": ("write_tables",),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  what it gives depends on the name
    """Import a public name on first use: the command line must start before polars is there."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, for completion in notebooks."""
    return __all__
