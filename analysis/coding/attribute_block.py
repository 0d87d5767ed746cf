"""The block of attributes that closes a profile: `Occupation: teacher`, one attribute a line.

Models write it in many ways: with a heading ("Attributes:"), numbered or as a list, in bold, with a dash or an equals
sign for the colon, the value in square brackets, or the offered options repeated behind the value. The parser takes
the last line that names an attribute, since the description in front of the block may begin a sentence with the word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# List marks, numbering, quotes and emphasis before a name, emphasis around it, then what separates it from the value.
_LEAD = r"^[\s>\-–—*•·#_\"'\d.()\[\]]*?"
_SEPARATOR = r"[*_\"'\]]*\s*(?::|=|[-–—]\s)[\s*_\"']*"
_TRAIL = " \t*_\"'`;."


def parse(text: pl.Expr, block: Mapping[str, Sequence[str]]) -> list[pl.Expr]:
    """Read the attributes of profiles from their texts.

    Args:
        text: An expression of texts.
        block: Attribute -> the names under which it stands in the block.

    Returns:
        One expression of strings for each attribute, named after it; null where the text does not give it. A value
        that is an unfilled template (`[liberal/neutral/conservative]`) is kept as it stands: coding decides.
    """
    return [_attribute(text, names).alias(attribute) for attribute, names in block.items()]


def _attribute(text: pl.Expr, names: Sequence[str]) -> pl.Expr:
    alternatives = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))
    line = rf"(?im){_LEAD}(?:{alternatives}){_SEPARATOR}(?:.*\S)[ \t]*$"
    last = text.str.extract_all(line).list.last()
    value = last.str.replace(rf"(?is)^.*?(?:{alternatives}){_SEPARATOR}", "").str.strip_chars(_TRAIL + "\r\n")
    unbracketed = value.str.replace(r"^\[([^\[\]/]*)\]$", "$1").str.strip_chars(_TRAIL)
    return pl.when(unbracketed != "").then(unbracketed)
