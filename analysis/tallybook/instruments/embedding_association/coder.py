"""Associations of vectors with attributes: cosine similarities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.wording import counted
from tallybook.instruments.reading import failed, require_columns, silence, stopped, verdict
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.embedding_association.instrument import EmbeddingAssociationInstrument
    from tallybook.statistics.arrays import Floats


def read(responses: pl.DataFrame, instrument: EmbeddingAssociationInstrument) -> Reading:
    """Compute each word's association with the two sets of attributes.

    s(w, A, B) = mean of cos(w, a) over the vectors a of A - mean of cos(w, b) over those b of B. A word that occurs in
    several contexts has a row and an association for each; every context of an attribute word counts.

    References:
        Caliskan, A., Bryson, J. J. & Narayanan, A. (2017). Semantics derived automatically from language corpora
        contain human-like biases. Science, 356, 183-186.
    """
    require_columns(responses, instrument.reads)
    side = (
        pl.when(pl.col(instrument.sets).is_in(instrument.first))
        .then(pl.lit("first"))
        .when(pl.col(instrument.sets).is_in(instrument.second))
        .then(pl.lit("second"))
    )
    came = ~(failed() | stopped())
    made = responses.with_columns(
        pl.when(came).then(vectors(pl.col(instrument.column))).alias("_vector"), side.alias("_side")
    ).with_row_index("_row")
    parts = made.partition_by(instrument.within, maintain_order=True) if instrument.within else [made]
    problems: list[Problem] = []
    found = [_associations(part, instrument, problems) for part in parts if part.height]
    if problems:
        raise DataError(problems)
    coded = made.join(pl.concat([_NONE, *found]), on="_row", how="left", maintain_order="left")
    silent = pl.when(~came).then(silence()).when(pl.col("_vector").is_null()).then(pl.lit("no-vector"))
    coded = coded.with_columns(silent.alias("no_association"))
    return Reading(coded.with_columns(verdict(pl.col("no_association"))).drop("_row", "_vector", "_side"))


_NONE = pl.DataFrame(schema={"_row": pl.get_index_type(), "association": pl.Float64})


def vectors(text: pl.Expr) -> pl.Expr:
    """Parse cells such as `[0.1, -2e-3]` and `[0.1 -0.002]` as vectors; null if empty, all zero or not numeric."""
    parts = text.cast(pl.String).str.strip_chars("[]() \t\r\n").str.replace_all(r"[,;\s]+", " ").str.split(" ")
    numbers = parts.cast(pl.List(pl.Float64), strict=False)
    is_vector = numbers.list.eval(pl.element().is_finite().fill_null(value=False)).list.all()
    return pl.when(is_vector & numbers.list.eval(pl.element() != 0).list.any()).then(numbers)


def _associations(
    part: pl.DataFrame, instrument: EmbeddingAssociationInstrument, problems: list[Problem]
) -> pl.DataFrame:
    """Compute the associations of words with the attributes in the same part; add faults to `problems`."""
    known = part.filter(pl.col("_vector").is_not_null())
    sizes = known.get_column("_vector").list.len()
    size = next(iter(sizes.mode().sort().to_list()), 0)
    if odd := known.filter(sizes != size).head(1).select("file", "key", "_vector").rows():
        file, key, vector = odd[0]
        expected = f"{counted(size, 'number')}, as the other vectors have"
        problems.append(Problem(file, key, instrument.column, f"{len(vector):,} numbers", expected))
        return _NONE
    means: dict[str, Floats] = {}
    for side in ("first", "second"):
        own = known.filter(pl.col("_side") == side).get_column("_vector")
        if own.is_empty():
            file, key = part.select("file", "key").row(0)
            values = ", ".join(f"{name} {part.item(0, name)}" for name in instrument.within)
            names = ", ".join(getattr(instrument, side))
            expected = f"a vector of {names} beside the words of {values}" if values else f"a vector of {names}"
            problems.append(Problem(file, key, instrument.sets, "", expected))
            return _NONE
        units = _units(own)
        means[side] = units[np.lexsort(units.T)].mean(axis=0)  # sorted: the order of rows must not matter
    words = known.filter(pl.col("_side").is_null())
    if words.is_empty():
        return _NONE
    association = (_units(words.get_column("_vector")) * (means["first"] - means["second"])).sum(axis=1)
    return words.select("_row", pl.Series("association", association, pl.Float64))


def _units(vectors: pl.Series) -> Floats:
    """Return vectors as the rows of a matrix, each scaled to length 1."""
    rows = np.array(vectors.to_list(), dtype=np.float64)
    # divided by the largest number first, as squares may overflow or underflow
    rows = rows / np.abs(rows).max(axis=1, keepdims=True, initial=np.finfo(np.float64).tiny)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
