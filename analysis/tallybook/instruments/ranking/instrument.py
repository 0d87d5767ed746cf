"""The instrument `ranking`: an order of named options, or why a response gives none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from tallybook.instruments.decisions import Words
from tallybook.study.base import Characters, ColumnType, Identifier, must_differ
from tallybook.study.instrument_base import Instrument, Outputs

if TYPE_CHECKING:
    from collections.abc import Mapping


Listed = Identifier | Annotated[tuple[Identifier, ...], Field(min_length=2)]
"""A column that lists them, in JSON or between semicolons, or a column for each."""

REASONS = ("no-response", "declined", "ambiguous", "no-ranking")
"""Every reason why a response has no order."""
COMPLETENESS = ("complete", "tied", "partial")
"""All options in an order, all but some of them tied, or some of them absent."""


class RankingInstrument(Instrument):
    """Options that a response puts in an order."""

    has_own_columns: ClassVar[bool] = True
    undetected: ClassVar[str] = "name the options with --set options=a,b,c: texts, or the columns that hold them"
    outputs: ClassVar[Outputs] = {
        **dict.fromkeys(("ranked_first", "ranked_last", "first_position", "last_position"), "string"),
        "completeness": COMPLETENESS,
        "ranking_rule": "string",
        "unranked_reason": REASONS,
    }
    kind: Literal["ranking"]
    column: Identifier = "text"
    """The column that holds the text."""
    options: Annotated[dict[Identifier, Words], Field(min_length=2)] | None = None
    """Option -> how texts call it; case does not matter. With `offered`: the values there (with `groups`: there) that
    it stands for. Each has a rank of its own, `rank_OPTION`."""
    offered: Listed | None = None
    """The options of each response in the order of presentation: a column that lists them,
    in JSON or between semicolons, or a column for each."""
    prompt: Identifier | None = None
    """The column of the prompt: the end that it asks for first ("the safest first") tells which way an order goes that
    a text announces by its criterion ("from lowest to highest danger")."""
    groups: Listed | None = None
    """The group of each offered option, in the same form: results are of groups, not of options."""
    order: Literal["stated", "mentions"] = "stated"
    """Whether the order is the one that the text states, or that in which options are first mentioned, whatever the
    text says."""
    begins_with: Literal["best", "worst"] = "best"
    """Which option stands first where texts do not say."""
    absent: Literal["unranked", "last"] = "unranked"
    """The treatment of an option that an answer leaves out: not ranked, so that the last one is unknown; or the last,
    of several the one presented last. It has no rank either way."""
    repeated: Literal["uncoded", "first"] = "uncoded"
    """The treatment of an order that repeats an option: contradictory, or read up to there."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text declines, instead of the rules in `tallybook.instruments.refusal`."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that states no order, or several, unless it declines."""

    def _check_itself(self) -> None:
        if self.options is None and self.offered is None:
            raise ValueError("options: the options, or 'offered', the columns that hold them")
        if self.groups is not None and self.offered is None:
            raise ValueError("groups: they are those of 'offered' options")
        if isinstance(self.groups, tuple) and isinstance(self.offered, tuple) and len(self.groups) != len(self.offered):
            raise ValueError(f"groups: {len(self.groups)} columns for {len(self.offered)} of 'offered'")
        called = [phrase.lower() for phrases in (self.options or {}).values() for phrase in phrases]
        must_differ(called, "options")

    @property
    def reads(self) -> dict[str, str]:
        several: dict[str, str | tuple[str, ...] | None] = {
            "offered": self.offered,
            "groups": self.groups,
            "prompt": self.prompt,
        }
        alone = {setting: one for setting, one in several.items() if isinstance(one, str)}
        return {"column": self.column, **alone} | {
            f"{setting}[{number}]": name
            for setting, names in several.items()
            if isinstance(names, tuple)
            for number, name in enumerate(names, start=1)
        }

    @property
    def ranks(self) -> dict[str, str]:
        """Option -> the column of its rank."""
        return {name: f"rank_{name}" for name in self.options or {}}

    @property
    def makes(self) -> dict[str, ColumnType]:
        return {**super().makes, **dict.fromkeys(self.ranks.values(), "number")}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        most = len(self.offered) if isinstance(self.offered, tuple) else None if self.offered else len(self.ranks)
        return {name: (1, most) for name, kind in self.makes.items() if kind == "number"}
