"""What a study's data are held against beyond types and levels: the checks of `tallybook validate`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from tallybook.study.base import Characters, Declaration, FilePath, Identifier, all_faults

Proportion = Annotated[float, Field(ge=0, le=1)]
"""A share, between 0 and 1."""

Severity = Literal["error", "warning", "info"]
"""How grave a failure is. Errors make data invalid; warnings do with `--fail-on warning`; infos are only told."""

CodedStatus = Literal["ok", "partial", "refused", "invalid", "error"]
"""What coding made of a response."""


class _Check(Declaration):
    severity: Severity = "error"
    """How grave a failure of the check is."""
    where: dict[Identifier, str | tuple[str, ...]] = {}
    """Column -> the value (or values) of the responses that are checked; all responses otherwise."""


class CompleteCheck(_Check):
    """Whether the design is complete: every combination of models, items and samples is there just once."""

    kind: Literal["complete"]
    cross: Annotated[tuple[Identifier | tuple[Identifier, ...], ...], Field(min_length=1)] | None = None
    """The columns whose values are combined, by default those of the study's `key`. Columns in brackets are taken
    together, in the combinations that the data hold: `["model", ["group", "item"], "sample"]`."""
    values: dict[Identifier, tuple[str, ...] | Annotated[int, Field(ge=1, strict=True)]] = {}
    """Column -> the values that are expected; a whole number n stands for 0 to n - 1. Otherwise those that the data
    hold."""


class RateCheck(_Check):
    """Whether the share of responses with some status keeps within a bound, wherever it is taken."""

    kind: Literal["rate"]
    status: CodedStatus | Annotated[tuple[CodedStatus, ...], Field(min_length=1)]
    """The status that is counted, or several: `refused`, `invalid`."""
    at_most: Proportion = 1.0
    """The largest share."""
    at_least: Proportion = 0.0
    """The smallest share."""
    by: tuple[Identifier, ...] = ()
    """The columns within each combination of which the share is taken; all responses together otherwise."""
    from_n: int = Field(default=1, ge=1)
    """How many responses a combination must have for its share to be checked."""

    @model_validator(mode="after")
    @all_faults
    def _has_a_bound(self) -> RateCheck:
        if self.at_most == 1.0 and self.at_least == 0.0:
            raise ValueError("at_most: a bound, or 'at_least': every share lies between 0 and 1")
        if self.at_least > self.at_most:
            raise ValueError("at_least: no more than 'at_most'")
        return self

    @property
    def statuses(self) -> tuple[CodedStatus, ...]:
        """The statuses that are counted."""
        return (self.status,) if isinstance(self.status, str) else self.status


class ForeignKeyCheck(_Check):
    """Whether what responses name is in a list: a file of models, prompts, raters."""

    kind: Literal["foreign-key"]
    file: FilePath
    """The list, relative to the data folder: a file of any format that is read, a row an entry."""
    own: bool = False
    """Whether the file is the study's own: relative to the folder of the study file."""
    on: dict[Identifier, str] = Field(min_length=1)
    """Column of the responses -> column of the list. Every response must be equal to an entry in all of them."""


class EncodingCheck(_Check):
    """Whether texts were damaged on their way: wrongly decoded, cut off, mixed with control characters."""

    kind: Literal["encoding"]
    severity: Severity = "warning"
    """How grave a failure of the check is."""
    columns: tuple[Identifier, ...] = ("text",)
    """The columns whose texts are looked at."""
    find: tuple[Literal["mojibake", "replacement", "control", "cut"], ...] = (
        "mojibake",
        "replacement",
        "control",
        "cut",
    )
    """What is looked for: UTF-8 read as another encoding; the character U+FFFD, which stands for what could not be
    decoded; control characters other than tabs and line ends; texts that were cut, since several have just the
    greatest length."""


class SecretsCheck(_Check):
    """Whether texts hold what looks like keys of programming interfaces, or e-mail addresses."""

    kind: Literal["secrets"]
    severity: Severity = "warning"
    """How grave a failure of the check is."""
    columns: tuple[Identifier, ...] = ("text",)
    """The columns whose texts are looked at."""
    find: tuple[Literal["keys", "emails"], ...] = ("keys", "emails")
    """What is looked for. What is found is never shown whole."""
    allow: tuple[Characters, ...] = ()
    """What is no secret: texts that contain one of these, such as `@example.org`."""


class FailedRequestCheck(_Check):
    """Whether texts are what a model answered, or what was left in their place where a request failed."""

    kind: Literal["failed-request"]
    severity: Severity = "warning"
    """How grave a failure of the check is."""
    columns: tuple[Identifier, ...] = ("text",)
    """The columns whose texts are looked at."""
    find: tuple[Literal["error", "page", "placeholder"], ...] = ("error", "page", "placeholder")
    """What is looked for, in responses whose status is not `error`: messages of interfaces and programs; pages of the
    web; what stands for no text, such as `nan`, `None` and `#VALUE!`."""


class DriftCheck(_Check):
    """Whether outcomes are distributed as in a reference dump: new labels, and shifts that chance does not explain."""

    kind: Literal["drift"]
    severity: Severity = "warning"
    """How grave a failure of the check is."""
    file: FilePath
    """The reference: coded responses as `tallybook bundle` writes them (CSV or Parquet), relative to the folder of the
    study file. Without a column `count` each row is one response."""
    columns: tuple[Identifier, ...] = ()
    """The columns that are compared; by default the outcomes that are no scores, and `status`."""
    by: tuple[Identifier, ...] = ()
    """The columns within each combination of which they are compared."""
    alpha: float = Field(default=0.001, gt=0, lt=1)
    """The level of Pearson's chi-square test of homogeneity, adjusted after Bonferroni for the number of tests made."""
    from_effect: float = Field(default=0.1, ge=0, le=1)
    """The smallest Cramér's V that is told, however small the p-value."""


StudyCheck = Annotated[
    CompleteCheck | RateCheck | ForeignKeyCheck | EncodingCheck | SecretsCheck | FailedRequestCheck | DriftCheck,
    Field(discriminator="kind"),
]
