"""Whether texts hold what should not leave its owner: keys of programming interfaces, e-mail addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.validation.keys import KEYS, masked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.study.checks import SecretsCheck
    from tallybook.validation.checks.context import Context

EMAILS = r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
"""What e-mail addresses look like."""

_PATTERNS = {"keys": (KEYS, "no key of a programming interface"), "emails": (EMAILS, "no e-mail address")}


def check(declared: SecretsCheck, context: Context) -> Iterator[pl.DataFrame]:
    """Look for secrets in texts.

    Args:
        declared: The check.
        context: The responses.

    Yields:
        A failure for each text and kind, with the beginning of the first one found: a report is no place for secrets.
    """
    rows = context.chosen(declared.where)
    for column in declared.columns:
        text = pl.col(column).cast(pl.String)
        for kind in declared.find:
            pattern, expected = _PATTERNS[kind]
            every = text.str.extract_all(pattern)
            for allowed in declared.allow:
                every = every.list.filter(~pl.element().str.contains(allowed, literal=True))
            suspects = rows.filter(text.str.contains(pattern)).select("file", "key", every.list.first().alias("value"))
            masked = pl.col("value").map_elements(mask, return_dtype=pl.String)
            held = suspects.filter(pl.col("value").is_not_null())
            yield from context.failures(held, declared.severity, column=column, value=masked, expectation=expected)


def mask(secret: str) -> str:
    """Show the beginning of a secret only.

    Args:
        secret: A key or an address.

    Returns:
        What tells its kind.

    >>> mask("sk-abcdefghijklmnopqrstuvwxyz"), mask("ann@mail.example.org")
    ('sk-abc… (29 characters)', 'a…@mail.example.org')
    """
    name, at, host = secret.partition("@")
    if at and re.fullmatch(EMAILS, secret):
        return f"{name[:1]}…@{host}"
    return masked(secret)
