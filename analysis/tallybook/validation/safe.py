"""Safe display of texts from the data in logs and reports: shortened, escaped, and with API keys masked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORMS = (
    r"\bsk-[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic and others
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",  # Amazon
    r"\bgh[pousr]_[A-Za-z0-9]{36,}",  # GitHub
    r"\bgithub_pat_[A-Za-z0-9_]{22,}",
    r"\bglpat-[A-Za-z0-9_-]{20,}",  # GitLab
    r"\bAIza[0-9A-Za-z_-]{35}",  # Google
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"\bhf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",  # JSON Web Tokens
    r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----",
)
KEYS = "|".join(_FORMS)
"""The pattern of API keys, as a regular expression for both Python and polars."""

_SHOWN = 6
VALUE = 80
"""The maximum number of characters of a value that are shown."""

# Continuous integration runners execute `##[error]`, `##vso[...]` and `##teamcity[...]` anywhere in a log.
_COMMAND = re.compile(r"##(?=[A-Za-z]*\[)")
_SUSPECT = r"[^ -~]|##"
"""Characters that `safe` may escape. Which of them it escapes is decided by `safe` alone, since two versions of Unicode
may differ."""


def safe(text: str, limit: int = VALUE) -> str:
    r"""Shorten a text for a log: one line, no control characters, no commands of runners, no API keys.

    >>> safe("##[error]forged\n::error::too")
    '#\\x23[error]forged\\n::error::too'
    """
    return _COMMAND.sub(r"#\\x23", printable(without_keys(text), limit))


def safe_columns(frame: pl.DataFrame, limits: Mapping[str, int]) -> pl.DataFrame:
    """Apply `safe` to columns of a frame; `limits` maps each column to its maximum length."""
    for name, limit in limits.items():
        text = pl.col(name)
        changes = (text.str.len_chars() > limit) | text.str.contains(_SUSPECT) | text.str.contains(KEYS)
        if frame.select(changes.any()).item():
            made = text.map_elements(lambda cell, limit=limit: safe(cell, limit), return_dtype=pl.String)
            frame = frame.with_columns(pl.when(changes).then(made).otherwise(text).alias(name))
    return frame


def masked(key: str) -> str:
    """Return a key masked except for its beginning.

    >>> masked("sk-abcdefghijklmnopqrstuvwxyz")
    'sk-abc… (29 characters)'
    """
    return f"{key[:_SHOWN]}… ({len(key)} characters)"


def without_keys(text: str) -> str:
    """Mask every key in a text.

    >>> without_keys("take sk-abcdefghijklmnopqrstuvwxyz!")
    'take sk-abc… (29 characters)!'
    """
    return re.sub(KEYS, lambda found: masked(found.group()), text)
