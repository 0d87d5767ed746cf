"""A sheet for people to code responses on: what the rules could not code, and others to compare the rules with."""

from __future__ import annotations

import heapq
from hashlib import sha256
from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources.annotations import codable
from tallybook.study.coding import CODED_BY, Categories

if TYPE_CHECKING:
    from tallybook.study.model import Study

_UNCODED = ("partial", "invalid")


def sheet(study: Study, coded: pl.LazyFrame, sample: int = 0) -> pl.DataFrame:
    """Lay out the responses that people should code.

    A row for each response that is `partial` or `invalid`, and those drawn, in the order of the dump: the columns that
    identify it, model, item, sample and factors, the text; and, blank, a column for each outcome, `status`, `coder` and
    `note`. What the rules say is not told: it would sway people. Responses that were coded by hand are left out.
    """
    if CODED_BY in coded.collect_schema().names():
        coded = coded.filter(pl.col(CODED_BY) != "hand")
    by_rules = coded.filter(pl.col("status").is_in(["ok", "refused"]))
    positions = by_rules.select("position").collect(engine="streaming").to_series().sort().to_list()
    drawn = heapq.nsmallest(sample, positions, key=lambda position: _random_key(study.seed, position))
    rows = coded.filter(pl.col("status").is_in(_UNCODED) | pl.col("position").is_in(drawn))
    on = ("response_id",) if study.overrides is None else study.overrides.on
    shown = dict.fromkeys([*on, "model", "item", "sample", *study.key, *study.factors, "text"])
    blank = dict.fromkeys([*codable(study), "status", "coder", "note"])
    columns = [name for name in shown if name not in blank]
    laid_out = rows.sort("position").select(columns).collect(engine="streaming")
    return laid_out.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in blank)


def _random_key(seed: int, position: int) -> bytes:
    """Draw a number for a response: the same in every run, and on every machine."""
    return sha256(f"{seed} {position}".encode()).digest()


def codes(study: Study) -> list[str]:
    """List the codes that people can write into the sheet."""
    lines: list[str] = []
    for name, outcome in codable(study).items():
        known = ", ".join(outcome.labels) if isinstance(outcome, Categories) else f"a {outcome.kind}"
        lines.append(f"{name}: {known}")
    return [*lines, "status: refused or invalid, of a response without answer"]
