"""Coding of equal responses only once, as most dumps have few distinct texts, which recur in all their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.coder import NOTHING_UNMAPPED, Coding, code, counted, settled
from tallybook.instruments.first_answers import prompts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.instrument_base import Instrument
    from tallybook.study.model import Study

_ID = "_coded_like"
_REMEMBERED = 2**17
"""The number of different responses remembered between parts."""
_FEW = 2**10
"""The number of rows up to which a part is too small to tell whether responses repeat."""


class CodingOnce:
    """Codes the responses of a source part by part; those that are equal in all relevant columns are coded once.

    Where responses rarely repeat, or a problem must be reported for each of them, every response is coded.
    """

    def __init__(self, study: Study, instrument: Instrument, lists: Sequence[pl.DataFrame]) -> None:
        """Initialise without any responses."""
        self._study, self._instrument, self._lists = study, instrument, lists
        outcomes = (outcome.model_dump_json() for outcome in study.outcomes.values())
        self._declared = "\n".join([instrument.model_dump_json(), *outcomes])
        # Which columns instruments of other packages read is not known.
        self._is_useful = instrument.is_row_by_row and type(instrument).__module__.startswith("tallybook.")
        self._forget()

    def code(self, responses: pl.DataFrame) -> Coding:
        """Code a part of the responses."""
        used = self.used(responses)
        coding = None if used is None else self._coded_once(responses, used)
        return coding or code(responses, self._study, self._instrument, lists=self._lists)

    def used(self, responses: pl.DataFrame) -> list[str] | None:
        """List the columns that determine how a response is coded; None if each response is coded separately."""
        read = {"text", "status", *prompts_of(responses, self._instrument).meta.root_names()}
        used = [name for name in responses.columns if name in read or f'"{name}"' in self._declared]
        # These columns hold placeholders while coding, so nothing may depend on them.
        self._is_useful &= not {"file", "key", "count"} & {*used}
        return used if self._is_useful else None

    def code_representatives(self, responses: pl.DataFrame, used: list[str]) -> Coding | None:
        """Code representatives of equal responses; None if a problem must be reported for each response."""
        unnamed = responses.with_columns(file=pl.lit(""), key=pl.lit(""))
        try:
            coding = self._coded_once(unnamed, used) or code(unnamed, self._study, self._instrument, lists=self._lists)
        except DataError:
            return None
        finally:
            self._is_useful = True  # representatives are mostly distinct, whether or not responses repeat
        return None if coding.findings else coding

    def _coded_once(self, responses: pl.DataFrame, used: list[str]) -> Coding | None:
        if self._keys is not None and self._keys.drop(_ID).schema != responses.select(used).schema:
            self._forget()
        different = responses.unique(used, keep="first", maintain_order=True)
        self._is_useful = not different.height * 2 > responses.height > _FEW and self._learn(different, used)
        if self._keys is None or not self._is_useful:
            return None
        like = responses.select(used).join(self._keys, on=used, how="left", nulls_equal=True, maintain_order="left")
        places = like.get_column(_ID)
        # Coding may overwrite a column that it reads.
        coded = responses.with_columns(self._made.select(pl.all().gather(places)).get_columns())
        coded = coded.select(name for name in self._columns if name in coded.columns)
        times = responses.select("count", places).group_by(_ID).agg(pl.col("count").sum())
        unmapped = self._unmapped.join(times, on=_ID) if self._unmapped.height else NOTHING_UNMAPPED
        findings = self._named(responses.select("file", "key", places))
        if self._keys.height > _REMEMBERED:
            self._forget()
        return Coding(coded, counted(unmapped), findings)

    def _learn(self, different: pl.DataFrame, used: list[str]) -> bool:
        """Code new rows and remember the result; return whether it holds for all equal responses."""
        new = different if self._keys is None else different.join(self._keys, on=used, how="anti", nulls_equal=True)
        if not new.height:
            return True
        ids = pl.int_range(pl.len(), dtype=pl.Int64) + (0 if self._keys is None else self._keys.height)
        new = new.with_columns(ids.alias(_ID)).with_columns(
            pl.lit("").alias("file"), pl.col(_ID).cast(pl.String).alias("key"), pl.lit(1, dtype=pl.Int64).alias("count")
        )
        try:
            made = settled(new.drop(_ID), self._study, self._instrument, lists=self._lists)
        except DataError:
            return False
        self._columns = made.coded.columns
        own = made.coded.select(name for name in self._columns if name in used or name not in new.columns)
        # A finding about a file, or about all responses, cannot be repeated for each equal response.
        if not {one.key for one in made.findings} <= {*new.get_column("key")}:
            return False
        for one in made.findings:
            self._findings.setdefault(int(one.key), []).append(one)
        unmapped = made.unmapped.select(pl.col("key").cast(pl.Int64).alias(_ID), "outcome", "label")
        keys = new.select(*used, _ID)
        if self._keys is not None:
            keys, own = pl.concat([self._keys, keys]), pl.concat([self._made, own], how="vertical_relaxed")
            unmapped = pl.concat([self._unmapped, unmapped])
        self._keys, self._made, self._unmapped = keys, own, unmapped
        return True

    def _named(self, rows: pl.DataFrame) -> tuple[Problem, ...]:
        """Return the remembered findings, repeated for each response that they concern."""
        found = rows.filter(pl.col(_ID).is_in(list(self._findings))) if self._findings else rows.clear()
        return tuple(
            Problem(file, key, one.column, one.value, one.expected, one.check)
            for file, key, place in found.iter_rows()
            for one in self._findings[place]
        )

    def _forget(self) -> None:
        self._keys: pl.DataFrame | None = None
        self._made, self._unmapped = pl.DataFrame(), pl.DataFrame()
        self._columns: list[str] = []
        self._findings: dict[int, list[Problem]] = {}
