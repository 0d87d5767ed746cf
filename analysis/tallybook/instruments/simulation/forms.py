"""The forms that simulated responses take: templates with slots, and what is true of a response in each form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal["answer", "refusal", "malformed"]
"""The kind of a form: a complete answer, a refusal, or a text that is cut off, empty, ambiguous or beside the point."""

WHOLE = 1_000
"""The number of parts of a complete answer."""

_SLOT = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Form:
    """A form of responses."""

    name: str  # how it is called in the file of the truth
    template: str  # the text; `{slot}` stands for a column or an expression
    kind: Kind = "answer"  # what it is
    status: str = "ok"  # the status that coding should give it
    kept: int = WHOLE  # how many parts of its answer (attributes, words) it keeps, in the order in which they are given
    reason: str = ""  # why it has no answer, by the instrument's own names; empty where it has one, or no such name
    delivered: str = "ok"  # the status with which it is delivered
    weight: float = 1.0  # how often it is drawn, beside the other forms of its kind
    plain: bool = True  # whether its text may be disguised (`tallybook.instruments.simulation.disguises`): code may not


def malformed(
    name: str, template: str, *, reason: str = "", status: str = "invalid", kept: int = 0, delivered: str = "ok"
) -> Form:
    """A form of texts that are not a complete answer."""
    return Form(name, template, "malformed", status, kept, reason, delivered, plain=False)


def filled(template: str, slots: Mapping[str, pl.Expr]) -> pl.Expr:
    """Fill a template.

    >>> answers = pl.DataFrame({"choice": ["smart"]})
    >>> answers.select(filled('{"answer": "{choice}"}', {})).item()
    '{"answer": "smart"}'
    """
    parts: list[pl.Expr] = []
    # A split at an expression with one group gives literal texts and slots in turn.
    for place, part in enumerate(_SLOT.split(template)):
        if place % 2:
            parts.append(slots.get(part, pl.col(part)))
        elif part:
            parts.append(pl.lit(part))
    return pl.concat_str(parts) if parts else pl.lit("")


def written(frame: pl.DataFrame, forms: Sequence[Form], slots: Mapping[str, pl.Expr]) -> pl.Series:
    """The texts of responses."""
    numbered = frame.with_row_index("_row")
    parts = [
        part.select("_row", filled(forms[form].template, slots).alias("text"))
        for form, part in parts_by(numbered, "form")
    ]
    return pl.concat(parts).sort("_row").get_column("text")


def parts_by(frame: pl.DataFrame, column: str) -> list[tuple[int, pl.DataFrame]]:
    """Take a frame apart."""
    return [(int(part.item(0, column)), part) for part in frame.partition_by(column)]
