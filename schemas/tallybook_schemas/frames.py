"""Pandera models of every frame that crosses a stage boundary, for programs that check frames with pandera.

They are built from `tallybook_schemas.columns`, which Tallybook itself uses to check frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandera.polars as pa
import polars as pl

from tallybook_schemas import columns

if TYPE_CHECKING:
    from tallybook_schemas.columns import Frame


class _Finite(pa.DataFrameModel):
    """The check that all frames with numbers share."""

    @pa.dataframe_check
    def finite(cls, data: pa.PolarsData) -> pl.LazyFrame:  # noqa: N805  pandera makes a class method of it
        """No number is infinite or NaN."""
        return data.lazyframe.select(
            pl.all_horizontal(
                pl.lit(value=True), pl.selectors.float().is_finite() | pl.selectors.float().is_null()
            ).alias("finite")
        )


def _model(frame: Frame) -> type[pa.DataFrameModel]:
    base = _Finite if frame.is_finite else pa.DataFrameModel
    parts: dict[str, Any] = {"__module__": __name__, "__doc__": frame.description}
    parts["__annotations__"] = {
        name: column.kind | None if column.optional else column.kind for name, column in frame.columns.items()
    }
    for name, column in frame.columns.items():
        limits: dict[str, Any] = {
            limit: value for limit in ("ge", "le", "gt", "lt") if (value := getattr(column, limit)) is not None
        }
        if column.isin:
            limits["isin"] = column.isin
        parts[name] = pa.Field(description=column.description, nullable=column.nullable, **limits)
    if frame.unique:
        parts["Config"] = type("Config", (pa.DataFrameModel.Config,), {"unique": list(frame.unique)})
    made: Any = type(base)(frame.name, (base,), parts)
    return made


Responses = _model(columns.Responses)
CodedResponses = _model(columns.CodedResponses)
Tallies = _model(columns.Tallies)
Estimates = _model(columns.Estimates)
References = _model(columns.References)
TableCells = _model(columns.TableCells)
PublishedValues = _model(columns.PublishedValues)
Comparison = _model(columns.Comparison)

FRAMES: dict[str, type[pa.DataFrameModel]] = {
    "responses": Responses,
    "coded-responses": CodedResponses,
    "tallies": Tallies,
    "estimates": Estimates,
    "references": References,
    "tables": TableCells,
    "published": PublishedValues,
    "comparison": Comparison,
}
"""Name on the command line -> the pandera model of the frame."""
