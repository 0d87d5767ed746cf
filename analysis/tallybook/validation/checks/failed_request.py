"""The check for texts that are the message of a failed request instead of a model's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.study.base import Identifier
from tallybook.study.check_base import DataCheck, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.validation.checks.context import Context

_STATUS = r"(?:400|401|402|403|404|408|409|413|422|429|499|50[0-4]|52[0-9]|529)"
"""The HTTP statuses of failed requests to APIs of models."""
_REASONS = (
    r"bad (?:gateway|request)|connection (?:aborted|error|refused|reset|timed out)|context[_ ]length[_ ]exceeded"
    r"|(?:gateway|read|request) time-?d? ?-?out|insufficient[_ ]quota|internal server error"
    r"|(?:incorrect|invalid) api key|max retries exceeded|(?:overloaded|rate[_ ]limit(?:ed|[_ ]error)?)"
    r"|rate limit (?:exceeded|reached)|service (?:temporarily )?unavailable"
    r"|the (?:engine|model|server) is (?:currently )?overloaded|this model'?s maximum context length|too many requests"
    r"|unauthorized|upstream connect error|you exceeded your current quota"
)
_ERRORS = (
    r'\{\s*"error"\s*:',
    r'\{\s*"(?:object|type)"\s*:\s*"error"',
    r"\{\s*'error'\s*:",
    r"traceback \(most recent call last\)",
    r"(?-i:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout))(?:\(|: |$)",
    r"https?connectionpool\(",
    rf"{_STATUS}(?: (?:client|server) error)?[ :,–-]+(?:{_REASONS})",
    rf"(?:api |http )?(?:error|status)(?: code)?[ :#]*{_STATUS}\b",
    rf"(?:api |http )?error[ :]+(?:{_REASONS})",
    rf"(?:{_REASONS})\W*$",
    r"upstream connect error|you exceeded your current quota|rate limit (?:exceeded|reached) for",
)
_PLACEHOLDERS = r"nan|none|null|undefined|<na>|\[object object\]|#(?:error!|n/a|name\?|null!|ref!|value!)"
PATTERNS = {
    "error": (rf"(?i)^\s*(?:{'|'.join(_ERRORS)})", "an answer, not the message of a failed request"),
    "page": (r"(?i)^\s*<(?:!doctype html|html|head|\?xml)\b", "an answer, not a page of the web"),
    "placeholder": (rf"(?i)^\s*(?:{_PLACEHOLDERS})\s*$", "an answer, not a placeholder for one"),
}
"""Kind -> the pattern that its texts begin with, and the expectation."""
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
    pages of the web; what stands for no text, such as `nan`, `None` and `#VALUE!`."""

    holds: ClassVar[str] = "Texts are what models answered."

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        rows = context.chosen(self.where).filter(pl.col("status") != "error")
        for column in self.columns:
            text = pl.col(column).cast(pl.String)
            for kind in self.find:
                pattern, expected = PATTERNS[kind]
                left = rows.filter(text.str.contains(pattern))
                shown = text.str.strip_chars().str.head(_SHOWN).alias("value")
                yield from context.failures(
                    left.select("file", "key", shown),
                    self.severity,
                    column=column,
                    value=pl.col("value"),
                    expectation=expected,
                )
