"""The check that every combination of the design occurs exactly once."""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.study.base import Identifier, require_declared
from tallybook.study.check_base import DataCheck
from tallybook.validation.model import failures_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.study.model import Study
    from tallybook.validation.checks.context import Context


_LONGEST = 60


class CompleteCheck(DataCheck):
    """Whether the design is complete: every combination of models, items and samples occurs exactly once."""

    kind: Literal["complete"]
    cross: Annotated[tuple[Identifier | tuple[Identifier, ...], ...], Field(min_length=1)] | None = None
    """The columns whose values are combined, by default those of the study's `key`. Columns in brackets are taken
    together, in the combinations that the data hold: `["model", ["group", "item"], "sample"]`."""
    values: dict[Identifier, tuple[str, ...] | Annotated[int, Field(ge=1, strict=True)]] = {}
    """Column -> the values that are expected; a whole number n stands for 0 to n - 1. Otherwise those that the data
    hold."""

    holds: ClassVar[str] = "Every combination of the design occurs exactly once."

    def check(self, study: Study, place: str) -> None:
        super().check(study, place)
        require_declared(self.values, crossed(self, study.key), f"{place}.values", "column of the design")

    def named(self, study: Study) -> dict[str, Iterable[str]]:
        return {"cross": crossed(self, study.key)}

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        columns = crossed(self, context.study.key)
        rows = context.chosen(self.where).with_columns(pl.col(name).cast(pl.String) for name in columns)
        held = rows.group_by(columns).agg(pl.col("count").sum().alias("_times")).collect(engine="streaming")
        kept = [*dict.fromkeys(["file", "key", *columns])]
        odd = _odd(self, held, context.study.key)
        sound = held.join(odd, on=columns, how="anti", nulls_equal=True)
        design = _design(self, sound, context.study.key)
        absent = design.join(held, on=columns, how="anti", nulls_equal=True, maintain_order="left")
        twice = held.filter(pl.col("_times") > 1)
        beyond = sound.join(design, on=columns, how="anti", nulls_equal=True)
        told = ", ".join(columns)
        for (name,), causes in odd.partition_by("_odd", as_dict=True, maintain_order=True).items():
            others = [other for other in columns if other != name]
            absent = absent.join(causes.filter("_is_explained"), on=others, how="anti", nulls_equal=True)
            places = rows.select(kept).join(causes.lazy(), on=columns, nulls_equal=True, maintain_order="left")
            meant = pl.format("{} {}", pl.lit(name), _shortened(pl.col("_meant")))
            words = pl.coalesce(meant, pl.lit(f"one of the values of {name} that other responses have"))
            value = pl.col(str(name))
            yield from context.failures(places, self.severity, column=str(name), value=value, expectation=words)
        texts = [pl.format(f"{name} {{}}", _shortened(pl.col(name).fill_null(""))) for name in columns]
        cell = pl.concat_str(texts, separator=", ")
        nowhere = absent.rechunk().with_columns(file=pl.lit(""), key=pl.lit(""))
        words = pl.format("a response with {}", cell)
        yield failures_at(nowhere, context.name, self.severity, column=told, value=pl.lit(""), expectation=words)
        for cells, form in (
            (twice, "just one response with {}"),
            (beyond, "none with {}, which the design does not have"),
        ):
            if cells.height:
                places = rows.select(kept).join(
                    cells.lazy(), on=columns, how="semi", nulls_equal=True, maintain_order="left"
                )
                words = pl.format(form, cell)
                yield from context.failures(places, self.severity, column=told, value=pl.lit(""), expectation=words)


def _parts(check: CompleteCheck, key: tuple[str, ...]) -> list[list[str]]:
    """Return the columns of a design, those together that are taken together."""
    return [[part] if isinstance(part, str) else list(part) for part in check.cross or key]


def crossed(check: CompleteCheck, key: tuple[str, ...]) -> list[str]:
    """Return the columns of a design."""
    return [name for part in _parts(check, key) for name in part]


def _design(declared: CompleteCheck, held: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    """Return every expected combination, in the order of the columns."""
    parts: list[pl.DataFrame] = []
    for names in _parts(declared, key):
        values = held.select(names).unique().sort(names)
        for name in names:
            if name in declared.values:
                expected = declared.values[name]
                listed = [str(one) for one in range(expected)] if isinstance(expected, int) else list(expected)
                wanted = pl.DataFrame({name: listed})
                values = wanted if len(names) == 1 else values.join(wanted, on=name, how="semi")
        parts.append(values)
    return reduce(partial(pl.DataFrame.join, how="cross", maintain_order="left_right"), parts)


def _odd(declared: CompleteCheck, held: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    """Find combinations with a likely damaged value, which few have, in the place of one that lacks just these.

    `_odd` names its column; `_meant` is the value that they lack, where it is the only one.
    """
    columns = crossed(declared, key)
    nothing: dict[str, pl.DataType] = {"_odd": pl.String(), "_meant": pl.String(), "_is_explained": pl.Boolean()}
    found = held.select(columns).clear().with_columns(pl.lit(None, dtype).alias(one) for one, dtype in nothing.items())
    for name in columns if len(columns) > 1 else ():
        times = held.group_by(name).len()
        few = times.filter(pl.col("len") * 2 <= pl.col("len").max(), pl.col("len").max() > 1)
        if name in declared.values or few.height * 2 >= times.height or (times["len"] > 1).sum() <= 1:
            continue
        others = [other for other in columns if other != name]
        cells = held.join(few, on=name, how="semi", nulls_equal=True)
        cells = cells.join(found, on=columns, how="anti", nulls_equal=True).select(columns)
        sound = held.join(pl.concat([cells, found.select(columns)]), on=columns, how="anti", nulls_equal=True)
        absent = _design(declared, sound, key).join(held, on=columns, how="anti", nulls_equal=True)
        lacking = absent.group_by(others).agg(pl.len().alias("_absent"), pl.col(name).first().alias("_meant"))
        is_explained = (pl.len().over(others) == pl.col("_absent")).fill_null(value=False)
        odd = cells.join(lacking, on=others, how="left", nulls_equal=True).select(
            *columns,
            pl.lit(name).alias("_odd"),
            pl.when(is_explained & (pl.col("_absent") == 1)).then("_meant"),
            is_explained.alias("_is_explained"),
        )
        is_alone = pl.len().over(name) == 1
        found = pl.concat([found, odd.filter(pl.col("_is_explained").all().over(name) | is_alone)])
    return found


def _shortened(text: pl.Expr) -> pl.Expr:
    begun = pl.concat_str(text.str.slice(0, _LONGEST - 1), pl.lit("…"))
    return pl.when(text.str.len_chars() > _LONGEST).then(begun).otherwise(text)
