"""Names of files that are made of several things: `gpt-4o_temp0.csv` is a model and a condition, not a model.

Where every first part comes with every last part, they are two things. What a model's name consists of (`llama-3-8b`,
`qwen-3-70b-instruct`) is crossed, too, and is told by its words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.drafting.header_words import MODEL, NAMES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGNS = re.compile(r"(_+| +|-|\.(?!\d)|(?<!\d)\.)")
"""The separators within names; the point of a number is none."""
_SETTING = re.compile(r"(?P<key>[^\W\d_]+(?:[_-]?[^\W\d_]+)?)(?P<sign>[=_-]?)(?P<value>\d+(?:\.\d+)?)", re.IGNORECASE)
_KEYED = re.compile(r"(?P<key>\w+)=(?P<value>[^=]+)")
_WORDED = re.compile(r"(?P<key>[^\W\d]+)[_-](?P<value>[^\W\d_]+)")
_OF_MODELS = re.compile(
    r"\d+(\.\d+)?[bmt]?|\d+x\d+b|v\d[\d.]*|base|chat|instruct(ed)?|it|hf|turbo|mini|nano|micro|lite|pro|max|plus|ultra|flash"
    r"|small|medium|large|xx?l|tiny|preview|latest|exp|sonnet|haiku|opus|thinking|reasoning|reasoner|coder?|vision|vl|omni"
    r"|distill(ed)?|sft|dpo|rlhf|ppo|awq|gptq|gguf|int[48]|fp(8|16)|bf16|q\d\w*|tuned|finetuned|ft",
    re.IGNORECASE,
)
"""The words and numbers that models' names consist of."""
_PARTS = re.compile(r"(part|shard|chunk|batch|split|train|test|validation|valid|dev)s?", re.IGNORECASE)
_MOST = 4
"""The largest number of words of a condition."""


class Piece(NamedTuple):
    """A piece of names: the same in all of them, or a thing with a value for each."""

    name: str  # what it is: `model`, `temp`, `run`, `condition`; empty where all names have it
    values: list[str]


def pieces_of(stems: Sequence[str]) -> list[Piece]:
    """Divide names into the things that they are made of; empty for names of one thing.

    >>> pieces = pieces_of(["gpt-4o_temp0", "gpt-4o_temp1", "phi-3_temp0", "phi-3_temp1"])
    >>> [(one.name, one.values[0]) for one in pieces if one.values[0]]
    [('model', 'gpt-4o'), ('', '_'), ('', 'temp'), ('temp', '0')]
    >>> pieces_of(["llama-3-8b", "llama-3-70b", "qwen-3-8b", "qwen-3-70b"])
    []
    """
    different = [*dict.fromkeys(stems)]
    start, end = _shared(different), _shared([stem[::-1] for stem in different])[::-1]
    middles = [stem[len(start) : len(stem) - len(end)] for stem in different]
    if len(different) == 1 or not all(middles):
        return []
    found = _crossed(middles) or _condition(middles, has_models=bool(MODEL.search(start + end)))
    whole = [_same(start, different), *found, _same(end, different)] if found else []
    return [Piece(name, [dict(zip(different, values, strict=True))[stem] for stem in stems]) for name, values in whole]


def model_beside(pieces: Sequence[Piece]) -> str | None:
    """Return the model in what all names have in common: of `answers_gpt-4o_temp0` and `..._temp1`."""
    for piece in pieces if all(piece.name != "model" for piece in pieces) else ():
        words = re.split(r"[_ ]+", piece.values[0])
        if not piece.name and (found := next((word for word in words if MODEL.search(word)), None)):
            return found if re.search(r"\d", found) else piece.values[0].strip("_-. ")
    return None


def _same(text: str, stems: Sequence[str]) -> Piece:
    return Piece("", [text] * len(stems))


def _shared(stems: Sequence[str]) -> str:
    """Return what names begin with, up to a separator."""
    short = min(stems, key=len)
    size = next((place for place, sign in enumerate(short) if any(stem[place] != sign for stem in stems)), len(short))
    signs = [match.end() for match in _SIGNS.finditer(short) if match.end() <= size]
    first, last = ([0, 0, *signs])[-2:]
    # In "run_1" and "run_2" the word belongs to the number.
    return short[: first if _is_setting(short[first:last].rstrip("_-. ")) else last]


def _crossed(stems: Sequence[str]) -> list[Piece]:
    """Divide names into a model and a condition, each of which comes with each of the other."""
    split = [_SIGNS.split(stem) for stem in stems]  # words with the separators between them
    for place in [*range(-1, -2 * _MOST, -2), *range(1, 2 * _MOST, 2)]:
        # From the end, the words behind a separator are the condition; from the beginning, those before it.
        cut = place - 1 if place < 0 else place
        if any(len(words) < abs(cut) + (place > 0) for words in split):
            continue
        signs = {words[cut] for words in split}
        before = ["".join(words[:cut]) for words in split]
        behind = ["".join(words[cut + 1 :] if cut != -1 else []) for words in split]
        others, own = (before, behind) if place < 0 else (behind, before)
        is_whole = len({*others}) * len({*own}) == len({*zip(others, own, strict=True)})
        is_named = place < 0 and all(_is_setting(str(_SIGNS.split(other)[-1])) for other in others)
        if len(signs) > 1 or is_named or not is_whole or len({*own}) == 1 or not (all(others) and all(own)):
            continue
        [sign] = signs
        is_apart = all(sign not in _SIGNS.findall(other) for other in others)
        are_models = 2 * sum(bool(MODEL.search(other)) for other in {*others}) >= len({*others})
        numbered = is_apart and are_models and all(re.search(r"\d", other) for other in others)
        if condition := _condition(own, has_models=are_models, is_numbered=numbered):
            models = _crossed(others) or [Piece("model", others)]
            between = _same(sign, stems)
            return [*models, between, *condition] if place < 0 else [*condition, between, *models]
    return []


def _condition(values: Sequence[str], *, has_models: bool, is_numbered: bool = False) -> list[Piece]:
    """Return the pieces of a condition, a repetition or a part; empty for what may be a model."""
    for form in (_KEYED, _SETTING, _WORDED):
        found = [one for one in map(form.fullmatch, values) if one is not None]
        keys = {(one["key"].lower(), one.string[: one.start("value")]) for one in found}
        if len(found) < len(values) or len(keys) > 1:
            continue
        [(key, literal)] = keys
        if form is _KEYED or _is_setting(key) or (has_models and _PARTS.fullmatch(key)):
            name = "" if _PARTS.fullmatch(key) else key.replace("-", "_")
            return [_same(literal, values), Piece(name or "name_2", [one["value"] for one in found])]
    words = [word for value in values for word in _SIGNS.split(value)[::2]]
    if {*values} <= {str(number) for number in range(len({*values}) + 1)}:
        return [Piece("run", [*values])] if is_numbered else []
    if not has_models or any(map(MODEL.search, values)) or any(map(_OF_MODELS.fullmatch, words)):
        return []
    return [Piece("name_2" if all(map(_PARTS.fullmatch, values)) else "condition", [*values])]


def _is_setting(key: str) -> bool:
    """Return whether a word before a number is a setting of generation or a repetition."""
    own = key.replace("-", "_")
    return own in {"t", "tp", "topp", "r", "s", "k", *NAMES["sample"]} - {"n"} or bool(SETTINGS.search(own))
