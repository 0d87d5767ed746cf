"""Untrusted text as text of a Markdown document, and nothing else."""

from __future__ import annotations

import re

from tallybook.core.untrusted import visible

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

_MEANINGFUL = re.compile(r"([\\`*_{}\[\]<>#@|~$^&:!=\"])")

# Three colons are the fence of a division: Quarto warns of any in a finished document. An empty span parts them.
_ESCAPED_FENCE = re.compile(r"\\:(?=\\:\\:)")


def literal(text: str) -> str:
    r"""Escape a text so that Markdown, shortcodes and cross-references leave it as it is.

    >>> literal("{{< var x >}} *a* @tbl-1")
    '\\{\\{\\< var x \\>\\}\\} \\*a\\* \\@tbl\\-1'
    """
    return _ESCAPED_FENCE.sub(r"\\:[]{}", attribute(text))


def readable(text: str) -> str:
    r"""Escape a text within a line so that people can read the source too.

    >>> readable("GPT-4o (mini), 1.5: *new* @x")
    'GPT-4o (mini), 1.5\\: \\*new\\* \\@x'
    """
    return _MEANINGFUL.sub(r"\\\1", visible(text))


def attribute(text: str) -> str:
    r"""Escape a text for the value of an attribute.

    >>> attribute('say "a"')
    'say \\"a\\"'
    """
    return _PUNCTUATION.sub(r"\\\1", visible(text))
