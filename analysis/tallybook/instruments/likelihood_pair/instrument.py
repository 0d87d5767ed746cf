"""The instrument `likelihood-pair`: which of two texts a model finds likelier, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.study.base import ColumnType, Identifier
from tallybook.study.instrument_base import Instrument, Outputs

if TYPE_CHECKING:
    from collections.abc import Mapping

REASONS = ("declined", "no-response", "no-likelihood")
"""Every reason: the request was declined or failed, or a likelihood is missing."""


class LikelihoodPairInstrument(Instrument):
    """Two log-likelihoods, in columns of their own, or their difference; no text is read."""

    kind: Literal["likelihood-pair"]
    first: Identifier | None = None
    """The column with the log-likelihood of the first text: the stereotype."""
    second: Identifier | None = None
    """The column with that of the second text: the anti-stereotype."""
    difference: Identifier | None = None
    """Instead of both: the column with the first log-likelihood less the second."""
    unrelated: Identifier | None = None
    """The column with the log-likelihood of a text without meaning there, if there is one: how often the first and the
    second are likelier says how well a model knows the language."""
    tie: float = Field(default=0.0, ge=0)
    """Log-likelihoods that differ by this or less are a tie."""

    outputs: ClassVar[Outputs] = {
        "likelihood_difference": "number",
        "likelier": ("first", "second", "tie"),
        "no_preference": REASONS,
    }
    reads_text: ClassVar[bool] = False
    roles: ClassVar[tuple[str, ...]] = ("first", "second")
    undetected: ClassVar[str] = (
        "no two columns of numbers look like log-likelihoods; --set first=COLUMN --set second=COLUMN names them"
    )

    def _check_itself(self) -> None:
        both = self.first is not None and self.second is not None
        if both == (self.difference is not None) or (not both and (self.first or self.second) is not None):
            raise ValueError("either 'first' and 'second', or 'difference'")
        if self.unrelated is not None and not both:
            raise ValueError("unrelated: its likelihood is compared with those of 'first' and 'second'")

    @property
    def reads(self) -> dict[str, str]:
        columns = {name: getattr(self, name) for name in ("first", "second", "difference", "unrelated")}
        return {name: column for name, column in columns.items() if column is not None}

    @property
    def makes(self) -> dict[str, ColumnType]:
        return {**super().makes, **({} if self.unrelated is None else {"language_score": "number"})}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        return {"language_score": (0, 1)} if self.unrelated is not None else {}
