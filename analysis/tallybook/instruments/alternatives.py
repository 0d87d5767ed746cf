"""The options that a prompt offers in words: "kind" or "strict"?, either X or Y, [X / Y], a line each."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tallybook.instruments.languages import everywhere, expressions
from tallybook.instruments.offered import beside, listed, written_out
from tallybook.instruments.rating.languages import is_degree

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = expressions("tallybook.instruments", "choices.toml")["alternatives"]
_QUOTES = re.compile(
    r"[“„”»«「『]\s*([^“”„»«」』\"\n]{1,60}?)\s*[”“«»」』]|\"([^\"\n]{1,60})\"|(?<!\w)['‘]([^'‘’\n]{1,60})['’](?!\w)"
    r"|\*\*([^*\n]{1,60})\*\*"
)
_QUOTED = "\ue000([^\ue001]+)\ue001"
_ITEM = r"[^\W_][^,;:/|.?!()\[\]{}<>\n，、。？：\ue000\ue001]{0,59}?"
_PLAIN_ITEM = rf"(?:(?!\b(?:{_WORDS['article']}|{_WORDS['or']})\b)[\w' -]){{1,59}}?"
_WORD = rf"(?:{_WORDS['before_word']} )?(?!(?:{_WORDS['article']}|{_WORDS['before_word']})\b)[^\W\d_][\w'-]+"
_NOUN = rf"(?:{_WORDS['article']}) [^\W\d_][\w'-]+"
_ALONE = rf"(?! (?:{_WORDS['belongs']})\b)"
_OR = rf"(?:\s*,?\s*\b(?:{_WORDS['or']})\b\.?\s*|\s*(?:还是|或者?)\s*|\s*[/|]\s*)"
_AND = rf"(?:\s*\b(?:{_WORDS['and']})\b\s*|[和与])"
_FORMS = tuple(
    re.compile(f"(?i){form}")
    for form in (
        rf"{_QUOTED}(?:\s*[,、]\s*{_QUOTED}|{_OR}{_QUOTED})*{_OR}{_QUOTED}",
        rf"(?:\b(?:{_WORDS['between']})\s+|在)(?:{_QUOTED}{_AND}{_QUOTED}|{_ITEM}{_AND}{_ITEM}(?=[,;:.?!\n]|$))",
        rf"[\[({{<\ue000]\s*{_ITEM}(?:\s*[/|]\s*{_ITEM})+\s*[\])}}>\ue001]",
        rf"(?<![^\s,;:]){_NOUN}{_OR}{_NOUN}{_ALONE}(?![\w'-])(?=[^.?!\n/]*(?:[?.]|$))",
        rf"(?:[:?—–]|\b(?:{_WORDS['either']}))\s+{_ITEM}(?:\s*,\s*{_ITEM})*{_OR}{_ITEM}(?=\s*(?:[.?!,;:\n]|$))",
        r"[是用更很，：][^，。？是用更很\n]{1,8}还是[^，。？\n]{1,8}?(?=[？?。]|$)",
        rf"(?<![^\s,;:]){_WORD}(?:{_OR}{_WORD})+(?![\w'-])(?=[^.?!\n/]*(?:[?.]|$))",
        rf"(?<!\w)(?P<same>{_WORDS['article']}) {_PLAIN_ITEM}{_OR}(?P=same) {_PLAIN_ITEM}(?=\s*[.?!]|$)",
    )
)
"""Options in quotes; between two; in brackets; nouns of a question; behind a sign or "either"; in Chinese; words;
more words with the same article."""
_LINES = re.compile(
    r"[?:？：][ \t]*\n+((?:[ \t]*[-*•–] [^\W_][^\n:?]{0,59}(?:\n|$)){2,6}|(?:[^\W_][^\n:?]{0,59}(?:\n|$)){2,6}(?=\n|$))"
)
_LED = re.compile(rf"(?i)^(?:[:?—–是用更很，：在\[({{<\ue000]|(?:{_WORDS['either']}|{_WORDS['between']})\b)\s*")
_PREPOSITION = re.compile(r"(?i)^(?:als|as|como|de|di) ")
_BETWEEN = re.compile(rf"(?i)^(?:{_WORDS['between']})\b")
_ASKS = re.compile(rf"(?i)[?？]|\b(?:{_WORDS['asks']})|[选哪词]")
_NO_OPTION = re.compile(rf"(?i)(?:{_WORDS['no_option']}|.|\d+)\W*")
_DECIDES = re.compile(rf"(?i)(?:{everywhere('yes')}|{everywhere('no')})\W*")
_MOST, _LONGEST = 6, 20_000
"""The most options of a prompt, and the most characters of one that is searched."""


@lru_cache(maxsize=4096)
def alternatives(prompt: str) -> tuple[str, ...] | None:
    """Return the options that a prompt offers in words, or with labels; None for yes and no, and if it offers none.

    >>> alternatives("Which word describes her better: “calm” or “cold”? Explain.")
    ('calm', 'cold')
    >>> alternatives("Was the driver calm or rude?"), alternatives("Should she go? Yes or no?")
    (('calm', 'rude'), None)
    """
    if (known := listed(prompt)) is not None or len(prompt) > _LONGEST:
        return tuple(known) if known else None
    prompt = written_out(prompt)
    text = _QUOTES.sub(lambda match: f"\ue000{next(filter(None, match.groups())).strip(' ,.')}\ue001", prompt)
    runs = [(match, _parts(match[0])) for form in _FORMS for match in [*form.finditer(text)][::-1]]
    if any(any(map(_DECIDES.fullmatch, parts)) for _, parts in runs):
        return None
    lines = [(match, [one.strip(" -*•–.") for one in match[1].splitlines()]) for match in _LINES.finditer(text)]
    for match, parts in [*lines, *runs]:
        if _is_asked(text, match) and _are_options(parts, is_led=_LED.match(match[0]) is not None):
            return tuple(parts)
    found = beside(prompt) or ()
    return tuple(found) if found and _ASKS.search(prompt) and _are_options(found, is_led=False) else None


def _is_asked(text: str, offer: re.Match[str]) -> bool:
    """Return whether a prompt asks for one of what it offers: anywhere if quotes or brackets are around it."""
    before = re.split(r"[.!]\s|\n\n", text[: offer.start()])[-1]
    sentence = before + offer[0] + re.split(r"(?<=[.?!\n])", text[offer.end() :])[0]
    return _ASKS.search(text if offer[0][0] in "\ue000[({<" else sentence) is not None


def _are_options(parts: Sequence[str], *, is_led: bool) -> bool:
    """Return whether what is offered are a few different options, which are of like length behind a sign."""
    sizes = [len(part.split()) for part in parts]
    is_alike = not is_led or max(sizes) <= 2 * min(sizes) + 1
    is_few = len({*map(str.lower, parts)}) == len(parts) <= _MOST
    is_scale = 2 * sum(map(is_degree, parts)) > len(parts)
    return is_alike and is_few and not is_scale and not any(map(_NO_OPTION.fullmatch, parts))


def _parts(offer: str) -> list[str]:
    """Return the options of an offer."""
    if len(quoted := re.findall(_QUOTED, offer)) > 1:
        return quoted
    signs = rf"{_OR}|\s*,\s*" + (rf"|{_AND}" if _BETWEEN.match(offer) else "")
    return [
        _PREPOSITION.sub("", part.strip(" ])}>\ue001"))
        for part in re.split(f"(?i){signs}", _LED.sub("", offer))
        if part
    ]
