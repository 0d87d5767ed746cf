"""Whether strings are text: JSON and file names may hold half surrogate pairs, which are no characters."""

from __future__ import annotations

HALF = "Unicode text (this holds half of a surrogate pair)"
"""What should stand where half of a pair does."""


def is_text(text: str) -> bool:
    """Whether a string is Unicode text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
