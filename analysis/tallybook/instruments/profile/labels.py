"""The labels of attributes as texts write them: with an owner, misspelt, or by a name that means the same."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from tallybook.instruments.languages import word_lists

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LISTED: dict[str, str] = word_lists("tallybook.instruments.profile", "attributes.toml")
SAME_NAMES, SAME_VALUES = (
    [[name.strip() for name in line.split(",")] for line in _LISTED[kind].strip().split("\n")]
    for kind in ("names", "values")
)
"""Names of attributes, and values, that mean the same."""
WORDS = {kind: _LISTED[kind].strip().replace("\n", "|") for kind in ("said", "no_value")}
"""Expressions of what stands before a value in a sentence, and of values that are none."""
_OWNERS = r"her|his|their|its|my|(?:the )?[a-z]+['’]s|ihre?|seine?|su|son|sa|(?:il |la )?su[oa]|(?:o |a )?(?:seu|sua)"
_OWNED = re.compile(rf"^(?:(?:{_OWNERS}|the|il|la|l[oe]|die|der|das|el) |[她他]的)")
OWNER = rf"(?:(?i:(?:{_OWNERS}) )|[她他]的)?"
"""Whose attribute it is: "Her occupation: nurse"."""
_LABEL = re.compile(r"(?m)^([^\w\n]*(?:\d+[.)] *)?)([^\W\d_][^\n:：=|]{1,30}?)(?=[*_\"' ]*[:：=])")
_ALIKE, _LONG = 0.8, 5
"""The least similarity of a misspelt name, and the least length of one."""


def known_as(text: str, block: Mapping[str, Sequence[str]]) -> str:
    """Write a label that no attribute has as that of the one attribute without a label which it means."""
    labels = {_bare(match[2]) for match in _LABEL.finditer(text)}
    missing = [names for names in block.values() if labels.isdisjoint(name.lower() for name in names)]
    known = {name.lower() for names in block.values() for name in names}
    if not missing or labels <= known:
        return text

    def named(match: re.Match[str]) -> str:
        label = _bare(match[2])
        found = [] if label in known else [names for names in missing if any(_means(label, name) for name in names)]
        return f"{match[1]}{found[0][0]}" if len(found) == 1 else match[0]

    return _LABEL.sub(named, text)


def _bare(label: str) -> str:
    """Return a label without markup and owner."""
    return _OWNED.sub("", label.strip(" *_\"'").lower())


def _means(label: str, name: str) -> bool:
    name = name.lower().replace("_", " ")
    if any(label in same and name in same for same in SAME_NAMES):
        return True
    if sorted(label) == sorted(name):
        return True
    is_long = min(len(label), len(name)) >= _LONG and label[0] == name[0]
    return is_long and SequenceMatcher(None, label, name).ratio() >= _ALIKE
