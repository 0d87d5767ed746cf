"""Texts of the data, shortened and made harmless for the logs of continuous integration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.validation.keys import KEYS, without_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

VALUE = 80
"""How many characters of a value are shown."""

# Runners of continuous integration act upon `##[error]`, `##vso[...]` and `##teamcity[...]` wherever they stand.
_COMMAND = re.compile(r"##(?=[A-Za-z]*\[)")
_SUSPECT = r"[^ -~]|##"
"""What a text must hold for `safe` to change it, beside its length: which other characters it writes as escapes is left
to it, for two editions of Unicode need not agree."""


def safe(text: str, limit: int = VALUE) -> str:
    r"""Shorten a text for a log: one line, no control characters, no commands of runners, no API keys.

    >>> safe("##[error]forged\n::error::too")
    '#\\x23[error]forged\\n::error::too'
    """
    return _COMMAND.sub(r"#\\x23", printable(without_keys(text), limit))


def safe_columns(frame: pl.DataFrame, limits: Mapping[str, int]) -> pl.DataFrame:
    """Make columns of a frame safe."""
    for name, limit in limits.items():
        text = pl.col(name)
        changes = (text.str.len_chars() > limit) | text.str.contains(_SUSPECT) | text.str.contains(KEYS)
        if frame.select(changes.any()).item():
            made = text.map_elements(lambda cell, limit=limit: safe(cell, limit), return_dtype=pl.String)
            frame = frame.with_columns(pl.when(changes).then(made).otherwise(text).alias(name))
    return frame
