"""The instrument `profile`: a person described by labelled attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.instruments.decisions import Words
from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.study.base import Characters, ColumnType, Identifier
from tallybook.study.instrument_base import Instrument, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.study.coding import Outcome


class ProfileInstrument(Instrument):
    """A profile of a person followed by a block of attributes, one a line."""

    has_own_columns: ClassVar[bool] = True
    kind: Literal["profile"]
    attributes: Literal["columns", "text"] = "columns"
    """Whether the source delivers the attributes as columns, or they are parsed from the text."""
    block: dict[Identifier, Words] = {}
    """Attribute -> the names under which it stands in the text's block."""
    languages: Languages = ENGLISH
    """The languages of the texts, whose words for answers and refusals are known."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text without attributes declines, instead of the rules in `tallybook.instruments.refusal`."""
    unmapped: Literal["report", "error"] = "report"
    """The treatment of a label outside the map: counted as `invalid` and reported, or an error."""

    @property
    def reads(self) -> dict[str, str]:
        return {"attributes": "text"} if self.attributes == "text" else {}

    @property
    def makes(self) -> dict[str, ColumnType]:
        return dict.fromkeys(self.block, "string") if self.attributes == "text" else {}

    @property
    def unmapped_is_error(self) -> bool:
        return self.unmapped == "error"

    def code(
        self, responses: pl.DataFrame, outcomes: Mapping[str, Outcome], lists: Sequence[pl.DataFrame] = ()
    ) -> Reading:
        from tallybook.instruments.profile import coder

        return coder.read(responses, outcomes, self)
