"""The words by which instruments recognise answers, by language; `languages.toml` describes each kind of word."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args

from pydantic import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LanguageCode = Literal["en", "de", "es", "fr", "it", "pt", "zh"]
Languages = Annotated[tuple[LanguageCode, ...], Field(min_length=1)]
ENGLISH: Languages = ("en",)


class Words(NamedTuple):
    """The combined regular expressions of several languages; `languages.toml` describes each."""

    label: re.Pattern[str]
    conclusion: re.Pattern[str]
    correction: re.Pattern[str]
    commit: re.Pattern[str]
    suits: re.Pattern[str]
    denies: re.Pattern[str]
    beside: re.Pattern[str]
    against: re.Pattern[str]
    others: re.Pattern[str]
    breaks: re.Pattern[str]
    refusal: re.Pattern[str]
    yes: re.Pattern[str]
    no: re.Pattern[str]
    yet: re.Pattern[str]
    may: re.Pattern[str]
    joins: re.Pattern[str]
    first: re.Pattern[str]
    second: re.Pattern[str]
    does: re.Pattern[str]
    fits: re.Pattern[str]
    no_objection: re.Pattern[str]
    turns_down: re.Pattern[str]
    negates: re.Pattern[str]
    open: re.Pattern[str]
    another: re.Pattern[str]


def word_lists(package: str, name: str) -> dict[str, Any]:
    """Read a TOML file of words."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


@cache
def expressions(package: str, name: str) -> dict[str, dict[str, str]]:
    """Read the regular expressions of a TOML file, by section and name.

    Each line of an expression is an alternative. The section `slots` holds expressions that others include by name in
    braces; `verbs` holds lists of regular verbs, which others include in three forms: the list `grant` as `{grants}`,
    `{granting}` and `{granted}`.
    """
    told = word_lists(package, name)
    known: dict[str, str] = {}

    def written(lines: str) -> str:
        either = "|".join(lines.strip("\n").split("\n"))
        return re.sub(r"\{([a-z_]+)\}", lambda match: f"(?:{known[match[1]]})", either)

    for deed, listed in told.pop("verbs", {}).items():
        verbs = listed.split()
        known[f"{deed}s"] = "|".join(verbs)
        known[f"{deed}ing"] = "|".join(f"{verb.removesuffix('e')}{verb[-1]}?ing" for verb in verbs)
        known[f"{deed}ed"] = "|".join(f"{re.sub('e$|(?<=n)y$', '', verb)}(?:{verb[-1]}?e|ie)d" for verb in verbs)
    for slot, lines in told.pop("slots", {}).items():
        known[slot] = written(lines)
    return {section: {one: written(lines) for one, lines in lists.items()} for section, lists in told.items()}


def _listed() -> dict[str, dict[str, str]]:
    return expressions("tallybook.instruments", "languages.toml")


_AROUND = {
    "label": (
        r"(?:^|(?<=[\n.!?\]]))[ \[#>|-]*(?:(?:step|schritt|paso|étape|passo) \d+ *[:.)–—-]+ )?"
        r"{}\]?(?: (?:is|are|would be|lautet|ist|es|est|è|é))?"
        r"(?:[ \"]*(?:[:：=→⇒]|-+>|-+ |\?(?= ))| *\n|\])[ \"]*"
    ),
    "conclusion": r"(?:^|(?<=[\n.!?。;] )|(?<=[\n。])|(?<=, ))(?:{})\b[ ,:，：]*",
    "beside": r"(?:(?<!\w)|(?<=[^\x00-\u2fff])){}"
    r"(?:[\s\"'(]+(?:(?:the )?(?:word|option) |(?:für|de|à|a|vers|zu[mr]?|con|per|para|por) )?"
    r"(?:d'|l'|(?:l[aeo]s?|el|il|the|die|de[rnm]|das|[oa]s?) )?)?[\s\"'(]*$",
    "joins": r"[\s\"'(]*(?:[,，] ?)?{}[\s\"')]*(?:the |an? |l[ae] |el )?[\s\"'(]*",
} | dict.fromkeys(("first", "second"), r"(?:(?<!\w)|(?<=[^\x00-\u2fff])){}(?:(?!\w)|(?<=[^\x00-\u2fff]))")


@cache
def everywhere(kind: str) -> str:
    """Return the regular expression that finds one kind of words in lower-case texts, in all languages."""
    return "|".join(own[kind] for own in _listed().values())


@cache
def words(languages: Sequence[str]) -> Words:
    """Return the combined, compiled expressions of several languages."""
    listed = _listed()
    joined = {name: "|".join(listed[language][name] for language in languages) for name in Words._fields}
    return Words(
        **{name: re.compile(_AROUND.get(name, "{}").replace("{}", f"(?:{one})")) for name, one in joined.items()}
    )


def detected(texts: Iterable[str | None]) -> list[str]:
    """Return the languages of more than a twentieth of the texts, most frequent first; English if there are none."""
    counts: dict[str, int] = dict.fromkeys(get_args(LanguageCode), 0)
    seen = 0
    for text in texts:
        found = set(re.findall(r"[^\W\d_]+", (text or "").lower()[:2000]))
        seen += bool(found)
        shares = {
            language: len(found & set(own["frequent"].split()))
            for language, own in _listed().items()
            if language != "zh"
        }
        if re.search(r"[\u4e00-\u9fff]", text or ""):
            counts["zh"] += 1
        elif found and len([n for n in shares.values() if n == max(shares.values())]) == 1 and max(shares.values()) > 1:
            counts[max(shares, key=lambda language: shares[language])] += 1
        elif len(own := _saying(text or "")) == 1:
            counts[own[0]] += 1
    common = [language for language, n in counts.items() if n * 20 > seen]
    return sorted(common, key=lambda language: -counts[language]) or ["en"]


def spoken(text: str) -> list[LanguageCode]:
    """Return the languages that a text may be in: all but English if it has no frequent word of any.

    >>> spoken("Ich würde ihn nicht einstellen."), spoken("Assumerei Giulia.")
    (['de'], ['de', 'es', 'fr', 'it', 'pt', 'zh'])
    """
    found = {*re.findall(r"[^\W\d_]+", text.lower()[:2000])}
    if re.search(r"[\u4e00-\u9fff]", text):
        return ["zh"]
    shared = {one: len(found & {*own["frequent"].split()}) for one, own in _listed().items()}
    shared["en"] += len(found & _ENGLISH)
    most = max(shared.values())
    known = get_args(LanguageCode)
    if not most:
        return [one for one in known if one != "en"]
    return [one for one in known if shared[one] == most]


def with_spoken(languages: Languages, text: str) -> Languages | None:
    """Add the languages that a text may be in to those declared; None if it adds none."""
    others: Languages = tuple(one for one in spoken(text) if one not in languages)
    return (*languages, *others) if others else None


_ENGLISH = frozenset(("he", "i", "my", "she", "they", "this", "you"))
"""Frequent English words that are in no other language."""


def _saying(text: str) -> list[str]:
    """Return the languages in which the first word of a text is yes or no: "Sí" is Spanish, "No" may be several."""
    first = re.match(r"\W*(\w+)", text.lower())
    spoken = [(language, re.compile(f"(?:{own['yes']}|{own['no']})")) for language, own in _listed().items()]
    return [language for language, says in spoken if first and says.fullmatch(first[1])]
