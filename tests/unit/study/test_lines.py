"""Lines of settings: every form of TOML, and the published studies against what the standard library reads."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.resources import STUDIES
from tallybook.study.locations import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def paths(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of everything in a parsed file: the slow, obvious twin."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(node, dict):
        inner += cast("dict[str, Any]", node).items()
    elif isinstance(node, list):
        inner += enumerate(cast("list[Any]", node))
    for key, value in inner:
        yield (*path, key)
        yield from paths(value, (*path, key))


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*/study.toml")), ids=lambda path: path.parent.name)
def test_every_setting_of_the_published_studies(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found, written = Lines(text), text.split("\n")
    named = [place for place in paths(tomllib.loads(text)) if isinstance(place[-1], str)]
    for place in named[:: max(1, len(named) // 6)]:
        assert str(place[-1]) in written[found.of(place) - 1]


EVERYTHING = '''# a comment with [brackets] and "quotes
plain = 1 # and another
"quoted key" = "a # no comment \\" ] }"
'literal.key' = 'C:\\\\'
dotted . "x.y".z = 1979-05-27T07:32:00Z
dotted.w = -inf
text = """
one "two" ""
] = [ { \\"""
"""
raw = \'\'\'
it's \\\\
\'\'\'\'
five = """a"""""
empty = ""
list = [ # comment ]
    1, [2, "],"],

    { a = 1, b.c = [ { d = "}" } ] }, # comment
]
none = []
nothing = {}

[ table . "sub table" ] # comment
key = true

[[array]]
a = 1
[array.inner]
b = 2
[[array.deep]]
[[array.deep]]
c = 3
[[array]]
[array.inner]
b = 4
[[array.deep]]
c = 5
[table]
late = 1
'''
WANTED = {
    ("plain",): 2, ("quoted key",): 3, ("literal.key",): 4, ("dotted",): 5, ("dotted", "x.y"): 5,
    ("dotted", "x.y", "z"): 5, ("dotted", "w"): 6, ("text",): 7, ("raw",): 11, ("five",): 14, ("empty",): 15,
    ("list",): 16, ("list", 0): 17, ("list", 1): 17, ("list", 1, 0): 17, ("list", 1, 1): 17, ("list", 2): 19,
    ("list", 2, "a"): 19, ("list", 2, "b"): 19, ("list", 2, "b", "c"): 19, ("list", 2, "b", "c", 0): 19,
    ("list", 2, "b", "c", 0, "d"): 19, ("none",): 21, ("nothing",): 22, ("table",): 24, ("table", "sub table"): 24,
    ("table", "sub table", "key"): 25, ("array",): 27, ("array", 0): 27, ("array", 0, "a"): 28,
    ("array", 0, "inner"): 29, ("array", 0, "inner", "b"): 30, ("array", 0, "deep"): 31, ("array", 0, "deep", 0): 31,
    ("array", 0, "deep", 1): 32, ("array", 0, "deep", 1, "c"): 33, ("array", 1): 34, ("array", 1, "inner"): 35,
    ("array", 1, "inner", "b"): 36, ("array", 1, "deep"): 37, ("array", 1, "deep", 0): 37,
    ("array", 1, "deep", 0, "c"): 38, ("table", "late"): 40,
}  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_form(end: str) -> None:
    text = EVERYTHING.replace("\n", end)
    assert set(WANTED) == set(paths(tomllib.loads(text)))
    found = Lines(text)
    assert {place: found.of(place) for place in WANTED} == WANTED


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment", "   "])
def test_nothing(text: str) -> None:
    assert Lines(text).of(("a", 1)) == 1


def test_what_is_missing_has_the_line_of_what_is_around() -> None:
    found = Lines(EVERYTHING)
    assert found.of(("array", 1, "deep", 0, "x")) == 37
    assert found.of(("array", 1, "inner", "x", "y", 3)) == 35
    assert found.of(("list", 2, "b", "x")) == 19
    assert found.of(("x",)) == found.of(()) == 1


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
VALUES = st.recursive(
    st.integers(-9, 9) | st.booleans() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def written(value: Any, blank: str) -> str:
    """A value as TOML, with blanks where they may stand; in lists they may be line ends."""
    if isinstance(value, dict):
        pairs = [
            f"{written(key, '')} = {written(inner, blank)}" for key, inner in cast("dict[str, Any]", value).items()
        ]
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{blank}{f',{blank}'.join(written(inner, blank) for inner in cast('list[Any]', value))}{blank}]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(sign):08x}" if sign in '"\\' else sign for sign in value) + '"'
    return str(value).lower()


@given(st.dictionaries(TEXTS, VALUES, max_size=4), st.sampled_from(["", " ", "\n", " # ]\n\t"]))
def test_whatever_is_written(content: dict[str, Any], blank: str) -> None:
    text = "".join(f"{written(key, '')} = {written(value, blank)}\n" for key, value in content.items())
    found, last = Lines(text), 0
    for key in content:  # every setting begins behind the one before
        assert found.of((key,)) > last
        last = found.of((key,))
