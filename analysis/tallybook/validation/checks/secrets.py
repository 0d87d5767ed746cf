"""The check for texts that contain secrets or personal data: API keys, e-mail addresses."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.core.errors import DataError
from tallybook.sources.patterns import Pattern
from tallybook.sources.records import as_text
from tallybook.study.base import Characters, Identifier
from tallybook.study.check_base import DataCheck, Severity
from tallybook.study.record_sources import RecordSource
from tallybook.validation.safe import KEYS, masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.study.model import Study
    from tallybook.validation.checks.context import Context

EMAILS = r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
"""The pattern of e-mail addresses."""

_PATTERNS = {"keys": (KEYS, "no API key"), "emails": (EMAILS, "no e-mail address")}


class SecretsCheck(DataCheck):
    """Whether texts hold what looks like API keys, or e-mail addresses."""

    kind: Literal["secrets"]
    severity: Severity = "warning"
    """The severity of a failure."""
    columns: tuple[Identifier, ...] | None = None
    """The columns of responses whose texts are looked at; by default `text` and every column of the dump's files, those
    that the study does not read among them."""
    find: tuple[Literal["keys", "emails"], ...] = ("keys", "emails")
    """The secrets that are looked for; none that is found is shown whole."""
    allow: tuple[Characters, ...] = ()
    """Parts of texts that are no secrets, such as `@example.org`."""

    holds: ClassVar[str] = "Texts hold no API keys and no e-mail addresses."

    def named(self, study: Study) -> dict[str, Iterable[str]]:
        return {"columns": ("text",) if self.columns is None else self.columns}

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        rows = context.chosen(self.where)
        for column in self.columns or ("text",):
            yield from self._of_column(
                context, rows.select("file", "key", pl.col(column).cast(pl.String).alias("value")), column
            )
        if self.columns is None and not self.where:
            for name, frame in _beside_text(context):
                yield from self._of_column(context, frame.lazy(), name)

    def _of_column(self, context: Context, rows: pl.LazyFrame, column: str) -> Iterator[pl.DataFrame]:
        """Look for secrets in the values of a column."""
        for kind in self.find:
            pattern, expected = _PATTERNS[kind]
            every = pl.col("value").str.extract_all(pattern)
            for allowed in self.allow:
                every = every.list.filter(~pl.element().str.contains(allowed, literal=True))
            suspects = rows.filter(pl.col("value").str.contains(pattern))
            held = suspects.with_columns(every.list.first().alias("value")).filter(pl.col("value").is_not_null())
            shown = pl.col("value").map_elements(mask, return_dtype=pl.String)
            yield from context.failures(held, self.severity, column=column, value=shown, expectation=expected)


def _beside_text(context: Context) -> Iterator[tuple[str, pl.DataFrame]]:
    """Read the files of the responses again; yield each column but the text, with `file`, `key` and `value`."""
    from tallybook.sources.content import Content
    from tallybook.sources.record_responses import format_of

    files = context.rows.select(pl.col("file").unique().sort()).collect().to_series().to_list()
    for source in context.study.sources:
        if not isinstance(source, RecordSource):
            continue
        paths = [declared.path for declared in source.columns.values()]
        text = source.columns["text"].path if "text" in source.columns else None
        for name in files:
            if not any(Pattern.parse(form, is_path=True).match(name) is not None for form in source.forms):
                continue
            content = Content(context.data, name, source.encoding)
            with suppress(DataError):  # faults of a file are reported when it is first read
                read_as = format_of(source, content)
                for part in () if read_as is None else read_as.read(content, paths):
                    for place, column in enumerate(part.header):
                        values = as_text(part.typed.to_series(place)).alias("value")
                        if column != text:
                            yield (
                                column,
                                pl.DataFrame([values]).with_columns(pl.lit(name).alias("file"), part.keys.alias("key")),
                            )


def mask(secret: str) -> str:
    """Return a secret masked except for its beginning; for e-mail addresses the host is kept.

    >>> mask("sk-abcdefghijklmnopqrstuvwxyz"), mask("ann@mail.example.org")
    ('sk-abc… (29 characters)', 'a…@mail.example.org')
    """
    name, at, host = secret.partition("@")
    if at and re.fullmatch(EMAILS, secret):
        return f"{name[:1]}…@{host}"
    return masked(secret)
