"""The instrument `embedding-association`: vectors of words, compared with those of two sets of attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.study.base import Characters, Identifier
from tallybook.study.instrument_base import Instrument, Outputs

if TYPE_CHECKING:
    from collections.abc import Mapping

REASONS = ("no-response", "declined", "no-vector")
"""Every reason why a word has no association; `no-vector` is that of a cell that holds no numbers, or zeros alone."""


class EmbeddingAssociationInstrument(Instrument):
    """A word's mean cosine similarity with one set of attribute words, less that with another (WEAT).

    The vectors of attribute words stand in the same files, and have no association themselves.
    """

    kind: Literal["embedding-association"]
    column: Identifier = "text"
    """The column that holds the vector: numbers in brackets, as JSON or numpy write them."""
    sets: Identifier = "set"
    """The column that names the set of each word."""
    first: tuple[Characters, ...] = Field(min_length=1)
    """The sets of attributes on one side: associations with these are above 0."""
    second: tuple[Characters, ...] = Field(min_length=1)
    """The sets of attributes on the other side."""
    within: tuple[Identifier, ...] = ("model",)
    """Columns: a word is compared with the attributes that have the same values there."""

    outputs: ClassVar[Outputs] = {"association": "number", "no_association": REASONS}
    is_row_by_row: ClassVar[bool] = False
    reads_text: ClassVar[bool] = False
    roles: ClassVar[tuple[str, ...]] = ("sets",)
    undetected: ClassVar[str] = (
        "no column holds vectors beside one that names sets of words; --set sets=COLUMN names it"
    )

    def _check_itself(self) -> None:
        if both := sorted({*self.first} & {*self.second}):
            raise ValueError(f"second: {both[0]!r} is a set of 'first' too")

    @property
    def reads(self) -> dict[str, str]:
        return {"column": self.column, "sets": self.sets} | {f"within.{name}": name for name in self.within}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        return {"association": (-2, 2)}
