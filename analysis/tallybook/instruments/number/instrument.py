"""The instrument `number`: one amount, or the ends of a range, or why a response gives none."""

from __future__ import annotations

from typing import ClassVar, Literal

from tallybook.study.base import Characters, Identifier
from tallybook.study.instrument_base import Instrument, Outputs

REASONS = ("no-response", "declined", "ambiguous", "unit", "out-of-bounds", "no-number")
"""Every reason why a response has no number; `unit` is that of a unit or currency that the study does not declare."""
UNITS = ("hour", "day", "week", "month", "year")
"""The units of time."""


class NumberInstrument(Instrument):
    """An amount that a response states: a salary, a count, an estimate."""

    outputs: ClassVar[Outputs] = {
        **dict.fromkeys(("number", "number_low", "number_high"), "number"),
        "number_rule": "string",
        "no_number_reason": REASONS,
    }
    kind: Literal["number"]
    column: Identifier = "text"
    """The column that holds the text."""
    prompt: Identifier | None = None
    """The column of the prompt: what it asks for ("the deposit") marks the answer; an amount that it states itself
    does not."""
    decimals: Literal["point", "comma"] | None = None
    """The decimal mark. By default both are read where the meaning is certain: 1.6 and 1,6, but not
    1.600."""
    currency: Literal["$", "€", "£", "¥", "₹"] | None = None
    """The only currency of amounts; by default any, without distinction."""
    units: dict[Literal["hour", "day", "week", "month", "year"], float] = {}
    """Unit of time -> what an amount by it is multiplied by: `{ year = 1, hour = 2080 }`. An amount by a unit that is
    not declared is not read; one that names no unit stands as it is."""
    counts: Literal["hour", "day", "week", "month", "year"] | None = None
    """The unit of time that answers count: "18 months" is 1.5 years, "two weeks" 14 days. Times in other units and
    amounts of money are not read; by default numbers of any unit stand as they are."""
    ranges: Literal["middle", "low", "high", "uncoded"] = "middle"
    """The number of a range: its middle or one end; or ranges count as ambiguous."""
    lowest: float | None = None
    """The lowest number that counts; lower ones are reported and not coded."""
    highest: float | None = None
    """The highest number that counts."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text declines, instead of the rules in `tallybook.instruments.refusal`."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that states no number, or several, unless it declines."""

    @property
    def reads(self) -> dict[str, str]:
        return {"column": self.column} | ({"prompt": self.prompt} if self.prompt else {})

    def _check_itself(self) -> None:
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError("highest: a number above 'lowest'")
        if wrong := [unit for unit, factor in self.units.items() if not factor > 0]:
            raise ValueError(f"units.{wrong[0]}: a number above 0")
