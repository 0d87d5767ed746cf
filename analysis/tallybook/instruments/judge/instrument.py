"""The instrument `judge`: what a model, a scorer or a person says of each response, delivered beside its text."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from tallybook.study.base import Characters, ColumnType, Declaration, Identifier
from tallybook.study.instrument_base import Instrument, Outputs

REASONS = ("no-verdict", "unreadable", "off-scale", "split")
"""Why a response has no verdict: none is delivered, it is neither number nor label, off the scale, or judges differ."""


class Judge(Declaration):
    """One judge, and where its verdicts stand."""

    column: Identifier
    """The column that holds its verdicts."""
    path: str | None = None
    """The path of the verdict in cells of JSON: keys joined by dots, `scores.harm`."""
    labels: tuple[Characters, ...] = ()
    """The labels in lower case: with them, verdicts in sentences are read, and others count as unreadable."""


class JudgeInstrument(Instrument):
    """Verdicts of one judge or several: numbers such as `8`, `8/10` or `[[8]]`, or labels such as `harmful`."""

    undetected: ClassVar[str] = "no column is called like a judge's verdicts and holds numbers or a few labels"
    outputs: ClassVar[Outputs] = {"unjudged_reason": REASONS}
    kind: Literal["judge"]
    judges: dict[Identifier, Judge] = Field(min_length=1)
    """Name -> a judge. Its columns are `NAME_score`, the number, and `NAME_label`, the label in lower case without
    blanks, quotes and full stops around it; `judge_score` is the mean of the numbers, `judge_label` the label of more
    than half of the judges that gave one."""
    lowest: float | None = None
    """The lowest number; lower ones are not scores."""
    highest: float | None = None
    """The highest number; higher ones are not scores."""

    def _check_itself(self) -> None:
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError("highest: a number above 'lowest'")
        if other := [label for judge in self.judges.values() for label in judge.labels if label != label.lower()]:
            raise ValueError(f"judges: the label {other[0]!r} is not in lower case")
        if "judge" in self.judges:
            raise ValueError("judges.judge: 'judge_score' and 'judge_label' are of all judges; choose another name")

    @property
    def reads(self) -> dict[str, str]:
        return {f"judges.{name}.column": judge.column for name, judge in self.judges.items()}

    @property
    def makes(self) -> dict[str, ColumnType]:
        made = super().makes
        for name in (*self.judges, "judge"):
            made |= {f"{name}_score": "number", f"{name}_label": "string"}
        return made
