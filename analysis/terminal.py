"""Untrusted text made safe to show on a terminal, in a log or in a CSV file."""

from __future__ import annotations

ELLIPSIS = "…"


def escaped(text: str) -> str:
    r"""Write every character that a terminal or a log could act upon as an escape.

    Args:
        text: Any text, for instance a model's response.

    Returns:
        The text on one line: control, format and separator characters (escape sequences, line ends, bidirectional
        overrides) are written as escapes.

    >>> escaped("a\x1b[31mred\n::error::x")
    'a\\x1b[31mred\\n::error::x'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def printable(text: str, limit: int = 80) -> str:
    """Shorten a text and escape it.

    Args:
        text: Any text, for instance a model's response.
        limit: The largest number of characters kept.

    Returns:
        The text, shortened and `escaped`.

    >>> printable("a long answer", limit=7)
    'a long…'
    """
    return escaped(text if len(text) <= limit else text[: limit - 1] + ELLIPSIS)
