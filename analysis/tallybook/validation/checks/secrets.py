"""Whether texts hold what should not leave its owner: API keys, e-mail addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.study.base import Characters, Identifier
from tallybook.study.check_base import DataCheck, Severity
from tallybook.validation.keys import KEYS, masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.study.model import Study
    from tallybook.validation.checks.context import Context

EMAILS = r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
"""What e-mail addresses look like."""

_PATTERNS = {"keys": (KEYS, "no API key"), "emails": (EMAILS, "no e-mail address")}


class SecretsCheck(DataCheck):
    """Whether texts hold what looks like API keys, or e-mail addresses."""

    kind: Literal["secrets"]
    severity: Severity = "warning"
    """The severity of a failure."""
    columns: tuple[Identifier, ...] = ("text",)
    """The columns whose texts are looked at."""
    find: tuple[Literal["keys", "emails"], ...] = ("keys", "emails")
    """What is looked for. What is found is never shown whole."""
    allow: tuple[Characters, ...] = ()
    """What is no secret: texts that contain one of these, such as `@example.org`."""

    holds: ClassVar[str] = "Texts hold no keys and no addresses."

    def named(self, study: Study) -> dict[str, Iterable[str]]:
        """List the columns that it names, by setting."""
        return {"columns": self.columns}

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        """Look for secrets in texts."""
        rows = context.chosen(self.where)
        for column in self.columns:
            text = pl.col(column).cast(pl.String)
            for kind in self.find:
                pattern, expected = _PATTERNS[kind]
                every = text.str.extract_all(pattern)
                for allowed in self.allow:
                    every = every.list.filter(~pl.element().str.contains(allowed, literal=True))
                suspects = rows.filter(text.str.contains(pattern)).select(
                    "file", "key", every.list.first().alias("value")
                )
                masked = pl.col("value").map_elements(mask, return_dtype=pl.String)
                held = suspects.filter(pl.col("value").is_not_null())
                yield from context.failures(held, self.severity, column=column, value=masked, expectation=expected)


def mask(secret: str) -> str:
    """Show the beginning of a secret only.

    >>> mask("sk-abcdefghijklmnopqrstuvwxyz"), mask("ann@mail.example.org")
    ('sk-abc… (29 characters)', 'a…@mail.example.org')
    """
    name, at, host = secret.partition("@")
    if at and re.fullmatch(EMAILS, secret):
        return f"{name[:1]}…@{host}"
    return masked(secret)
