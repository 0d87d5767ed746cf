"""Escaping of untrusted text for Markdown documents, which then show it literally."""

from __future__ import annotations

import re

from tallybook.core.untrusted import visible

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

_MEANINGFUL = re.compile(r"([\\`*_{}\[\]<>#@|~$^&:!=\"])")

# Three colons open a fenced div, and Quarto warns of any left in a finished document: an empty span separates them.
_ESCAPED_FENCE = re.compile(r"\\:(?=\\:\\:)")


def literal(text: str) -> str:
    r"""Escape a text so that Markdown, shortcodes and cross-references leave it unchanged.

    >>> literal("{{< var x >}} *a* @tbl-1")
    '\\{\\{\\< var x \\>\\}\\} \\*a\\* \\@tbl\\-1'
    """
    return _ESCAPED_FENCE.sub(r"\\:[]{}", attribute(text))


def readable(text: str) -> str:
    r"""Escape only the characters with a meaning within a line of Markdown, so that its source stays readable.

    >>> readable("GPT-4o (mini), 1.5: *new* @x")
    'GPT-4o (mini), 1.5\\: \\*new\\* \\@x'
    """
    return _MEANINGFUL.sub(r"\\\1", visible(text))


def attribute(text: str) -> str:
    r"""Escape all punctuation of a text, for instance for the value of an attribute.

    >>> attribute('say "a"')
    'say \\"a\\"'
    """
    return _PUNCTUATION.sub(r"\\\1", visible(text))
