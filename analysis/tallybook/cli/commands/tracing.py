"""`tallybook trace`: a number's responses, as text, JSON, a page or a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.output import csv_text, write_text
from tallybook.report.trace import Trace, as_html, as_text, sampled
from tallybook.report.trace import trace as traced_to

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.cli.commands.wanted import Wanted


def trace(wanted: Wanted, number: str, *, sample: int, seed: int, output: Path | None, as_json: bool) -> str:
    """Compute a study, find a number and its responses, and write or return them."""
    if output is not None and output.suffix not in {".html", ".json", ".txt", ".csv"}:
        raise UsageError(f"-o {output}: expected .html, .json, .txt or .csv")
    with wanted.computed() as results:
        found = traced_to(results.loaded.study, results.estimates, results.source.rows, number)
        some = sampled(found.responses, sample, seed)
        if output is None:
            return _json(found, some) if as_json else as_text(found, some)
        match output.suffix:
            case ".html":
                text = as_html(found, some)
            case ".json":
                text = _json(found, some) + "\n"
            case ".csv":
                text = csv_text(found.responses.collect())
            case _:
                text = as_text(found, some) + "\n"
        write_text(output, text)
    return ""


def _json(found: Trace, sample: pl.DataFrame) -> str:
    shown = {
        "number": found.number,
        "estimate": found.estimate,
        "conventions": found.conventions,
        "counts": found.counts.to_dicts(),
        "responses": sample.to_dicts(),
    }
    return json.dumps(shown, indent=2, ensure_ascii=False)
