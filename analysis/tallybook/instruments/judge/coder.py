"""Verdicts of judges: numbers and labels as they stand in cells or in JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.instruments.reading import VERDICT, failed, require_columns
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.judge.instrument import JudgeInstrument

_NUMBER = (
    r"(?i)^(?:(?:score|rating|verdict|grade)\s*[:=]\s*)?\[*\s*([-+]?\d+(?:\.\d+)?)\s*\]*"
    r"(?:\s*(?:/|out of)\s*(\d+(?:\.\d+)?))?$"
)
_AROUND = " \t\r\n.\"'`*[]"
_LONGEST = 80
"""The greatest length of a label, in characters: anything longer is a text."""


def read(responses: pl.DataFrame, instrument: JudgeInstrument) -> Reading:
    """Read verdicts."""
    require_columns(responses, instrument.reads)
    made = responses
    faults: list[pl.Expr] = []
    for name, judge in instrument.judges.items():
        cell = pl.col(judge.column).cast(pl.String)
        if judge.path is not None:
            keys = judge.path.split(".")
            said = responses.get_column(judge.column).cast(pl.String)
            made = made.with_columns(pl.Series("_said", [_at(text, keys) for text in said], dtype=pl.String))
            cell = pl.col("_said")
        cell = pl.when(~failed()).then(cell.str.strip_chars(_AROUND))
        cell = pl.when(cell.str.len_bytes() > 0).then(cell)
        parts = cell.str.extract_groups(_NUMBER)
        number, top = (parts.struct.field(place).cast(pl.Float64, strict=False) for place in ("1", "2"))
        # The rest of a verdict of a number, and what is beyond its scale, is no label.
        is_of_scale = top.is_null() | (top == pl.lit(instrument.highest)).fill_null(value=False)
        is_on = _within(number, instrument) & is_of_scale
        is_label = number.is_null() & (cell.str.len_chars() <= _LONGEST) & ~cell.str.contains("[\n{]")
        made = made.with_columns(
            pl.when(is_on).then(number).alias(f"{name}_score"),
            pl.when(is_label).then(cell.str.to_lowercase()).alias(f"{name}_label"),
            pl.when(cell.is_null())
            .then(pl.lit("no-verdict"))
            .when(number.is_not_null() & ~is_on)
            .then(pl.lit("off-scale"))
            .when(number.is_null() & ~is_label)
            .then(pl.lit("unreadable"))
            .alias(f"_fault: {name}"),
        )
        faults.append(pl.col(f"_fault: {name}"))
    labels = [made.get_column(f"{name}_label") for name in instrument.judges]
    made = made.with_columns(
        pl.mean_horizontal([f"{name}_score" for name in instrument.judges]).alias("judge_score"),
        pl.Series("judge_label", [_majority(said) for said in zip(*labels, strict=True)], dtype=pl.String),
    )
    has_none = pl.col("judge_score").is_null() & pl.col("judge_label").is_null()
    is_split = pl.any_horizontal(label.is_not_null() for label in labels)
    reason = pl.when(is_split).then(pl.lit("split")).otherwise(pl.coalesce(faults))
    made = made.with_columns(
        pl.when(has_none & ~failed()).then(reason).alias("unjudged_reason"),
        pl.when(failed()).then(pl.lit("error")).alias(VERDICT),
    )
    return Reading(made.drop("_said", *(f"_fault: {name}" for name in instrument.judges), strict=False))


def _within(number: pl.Expr, instrument: JudgeInstrument) -> pl.Expr:
    low, high = instrument.lowest, instrument.highest
    least = pl.lit(value=True) if low is None else number >= low
    return (least if high is None else least & (number <= high)).fill_null(value=False)


def _majority(said: tuple[str | None, ...]) -> str | None:
    """The label of more than half of those that gave one."""
    given = [label for label in said if label is not None]
    return next((label for label in given if 2 * given.count(label) > len(given)), None)


def _at(text: str | None, keys: list[str]) -> str | None:
    """Get the value at a path of JSON, also within a fence of Markdown; the cell itself where it is not JSON."""
    if text is None:
        return None
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        found: Any = json.loads(bare)
    except (ValueError, RecursionError):
        return bare
    for key in keys:
        if isinstance(found, list) and key.isdecimal() and int(key) < len(cast("list[Any]", found)):
            found = cast("list[Any]", found)[int(key)]
        else:
            found = cast("dict[str, Any]", found).get(key) if isinstance(found, dict) else None
    if found is None or isinstance(found, dict | list):
        return None
    return json.dumps(found) if isinstance(found, bool) else str(found)
