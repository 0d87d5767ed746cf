"""Check whether strings are text: JSON and file names may hold half surrogate pairs, which are not characters."""

from __future__ import annotations

HALF = "Unicode text (this holds half of a surrogate pair)"
"""The replacement of half a surrogate pair."""


def is_text(text: str) -> bool:
    """Whether a string is Unicode text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
