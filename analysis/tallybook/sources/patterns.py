"""Patterns of file paths and record keys: `{model}/{group}.json`, `**/*.eval`, `{prompt:int}_{sample:int}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.study.source_base import PART

WILDCARDS = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
"""Wildcards in path patterns -> their regular expressions."""


_MOST_STEPS = 10**7
"""The number of ways to split a text into parts up to which Python's regular expressions are used."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of texts with named parts."""

    form: str  # the form as declared
    expression: re.Pattern[str]  # its regular expression
    integers: frozenset[str]  # the parts that are whole numbers

    @classmethod
    def parse(cls, form: str, *, is_path: bool = False) -> Pattern:
        """Parse a form: `{name}` matches any text without "/", `{name:int}` digits; in paths, `*` is a wildcard."""
        pieces: list[str] = []
        names: list[str] = []
        integers: set[str] = set()
        end = 0
        for field in PART.finditer(form):
            name, kind = field.groups()
            pieces += [
                _fixed(form[end : field.start()], is_path=is_path),
                f"(?P<{name}>{'[0-9]{1,18}' if kind else '[^/]+'})",
            ]
            names.append(name)
            if kind:
                integers.add(name)
            end = field.end()
        pieces.append(_fixed(form[end:], is_path=is_path))
        if len(set(names)) < len(names) or any(brace in PART.sub("", form) for brace in "{}"):
            raise UsageError(f"{form!r} is not a pattern of paths or keys: each part once, as {{name}} or {{name:int}}")
        return cls(form, re.compile("".join(pieces)), frozenset(integers))

    @property
    def names(self) -> tuple[str, ...]:
        """The named parts, in order."""
        return tuple(self.expression.groupindex)

    def match(self, text: str) -> dict[str, str | int] | None:
        """Return the parts of a text that matches; None if it does not match.

        >>> Pattern.parse("{prompt:int}_{sample:int}").match("12_4")
        {'prompt': 12, 'sample': 4}
        >>> Pattern.parse("{prompt:int}_{sample:int}").match("12-4") is None
        True
        """
        free = len(self.expression.groupindex) + self.form.count("*")
        if len(text) ** free > _MOST_STEPS:
            parts = self._in_linear_time(text)
        else:
            found = self.expression.fullmatch(text)
            parts = None if found is None else found.groupdict()
        if parts is None:
            return None
        return {name: int(part) if name in self.integers else part for name, part in parts.items()}

    def _in_linear_time(self, text: str) -> dict[str, str] | None:
        """Match a long text by a regular expression engine without backtracking."""
        whole = rf"\A(?:{self.expression.pattern})\z"
        try:
            texts = pl.Series([text])
        except UnicodeEncodeError:  # an unpaired surrogate
            return None
        return texts.str.extract_groups(whole).to_list()[0] if texts.str.contains(whole).item() else None


def _fixed(text: str, *, is_path: bool) -> str:
    """Return the regular expression of the text between captured parts."""
    if not is_path:
        return re.escape(text)
    return "".join(WILDCARDS.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/|\*)", text))
