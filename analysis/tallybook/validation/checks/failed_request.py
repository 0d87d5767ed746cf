"""The check for texts that are the message of a failed request instead of a model's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.sources.failed_requests import PATTERNS
from tallybook.study.base import Identifier
from tallybook.study.check_base import DataCheck, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.validation.checks.context import Context

_SHOWN = 80


class FailedRequestCheck(DataCheck):
    """Whether texts are what a model answered, or what was left in their place where a request failed."""

    kind: Literal["failed-request"]
    severity: Severity = "warning"
    """The severity of a failure."""
    columns: tuple[Identifier, ...] = ("text",)
    """The columns whose texts are looked at."""
    find: tuple[Literal["error", "page", "placeholder"], ...] = ("error", "page", "placeholder")
    """The texts that are looked for, in responses whose status is not `error`: messages of interfaces and programs;
    pages of the web; what stands for no text, such as `nan`, `None` and `#VALUE!`. `failed_texts` of sources gives the
    first two the status `error`."""

    holds: ClassVar[str] = "Texts are what models answered, but for failed requests with the status error."

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        rows = context.chosen(self.where).filter(pl.col("status") != "error")
        for column in self.columns:
            text = pl.col(column).cast(pl.String)
            for kind in self.find:
                pattern, expected = PATTERNS[kind]
                left = rows.filter(text.str.contains(pattern))
                shown = text.str.strip_chars().str.head(_SHOWN)
                yield from context.failures(left, self.severity, column=column, value=shown, expectation=expected)
