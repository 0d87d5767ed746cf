"""Untrusted text as text of a Markdown document, and nothing else."""

from __future__ import annotations

import re

from tallybook.core.untrusted import visible

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

_MEANINGFUL = re.compile(r"([\\`*_{}\[\]<>#@|~$^&:!=\"])")

# Three colons are the fence of a division: Quarto warns of any in a finished document. An empty span parts them.
_ESCAPED_FENCE = re.compile(r"\\:(?=\\:\\:)")


def literal(text: str) -> str:
    r"""Text that Markdown, shortcodes and cross-references leave as it is.

    The text on one line with a backslash before each ASCII punctuation character, and no three colons together.

    >>> literal("{{< var x >}} *a* @tbl-1")
    '\\{\\{\\< var x \\>\\}\\} \\*a\\* \\@tbl\\-1'
    """
    return _ESCAPED_FENCE.sub(r"\\:[]{}", attribute(text))


def readable(text: str) -> str:
    r"""Text within a line that stays as it is, and that people can read in the source too.

    >>> readable("GPT-4o (mini), 1.5: *new* @x")
    'GPT-4o (mini), 1.5\\: \\*new\\* \\@x'
    """
    return _MEANINGFUL.sub(r"\\\1", visible(text))


def attribute(text: str) -> str:
    r"""Text that stays as it is in the value of an attribute.

    >>> attribute('say "a"')
    'say \\"a\\"'
    """
    return _PUNCTUATION.sub(r"\\\1", visible(text))
