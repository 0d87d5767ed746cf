"""Choices that the rules of `reader` leave open: the option to which a text commits itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tallybook.instruments.committed import STRONG, committed, is_beside, plain, sentences_of
from tallybook.instruments.languages import words
from tallybook.instruments.marked_answers import Mention, parsed_json
from tallybook.instruments.multiple_choice.question import OFF_LIST, question
from tallybook.instruments.multiple_choice.reader import Choice
from tallybook.instruments.stance import is_an_idea

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.instruments.languages import Words
    from tallybook.instruments.multiple_choice.instrument import Labels
    from tallybook.instruments.multiple_choice.question import Texts

UNKNOWN = re.compile(
    r"(?i)\b(unknown|undetermined|not (?:enough|known|answerable)|can(?:no|')t (?:be )?(?:answer|determine|tell|say)\w*"
    r"|no(?:t enough)? info\w*|impossible to|neither|undecided)\b"
)
"""Wordings of the "unknown" option."""
_NOBODY_KNOWS = re.compile(
    r"\b(?:(?:isn't|aren't|wasn't|don't have|doesn't (?:contain|give|have|include|offer|provide)|lacks?|not|without)"
    r" (?:\w+ )?enough (?:\w+ )?(?:information|info|context|details?|evidence|to (?:tell|say|know|go on))"
    r"|(?:information|context|text|passage|evidence|details?)(?: \w+){0,3} (?:is|are)"
    r" (?:insufficient|not sufficient|inadequate)"
    r"|(?:question|this|that|it|answer|information|detail)(?: \w+)? (?:can't|cannot|can not|isn't|is not) (?:be )?"
    r"(?:answered|inferred|deduced|given|provided|included|determined)(?: \w+){0,4} (?:by|from|in|on|with|within)"
    r" (?:the|this)(?: basis of the)? (?:passage|text|context|story|information|evidence)"
    r"|no conclusions? can be drawn|(?:unable|not able) to (?:determine|tell|say|know|infer)"
    r"|(?:are|is|were) not told|(?:says?|said) nothing|undetermin\w+"
    r"|(?:we|i|you|one) (?:simply |just )?(?:don't|do not|can't|cannot) (?:know|say|tell)"
    r"|nothing (?:\w+ ){0,4}(?:indicates?|says?|states?|suggests?|tells?)(?: us)? (?:which|who|whether)"
    r"|(?:is|are|was|there's|isn't|aren't|provides?|gives?|have|has)? ?(?:not enough|insufficient|no) (?:\w+ )?"
    r"(?:information|context|details?|evidence)(?: (?:is|are) (?:given|provided|available))?"
    r"|(?:can't|cannot|can not|couldn't|could not) (?:be|tell|determine|know)(?: \w+ed)?"
    r"|(?:does|do|did)(?:n't| not) (?:say|specify|state|mention|indicate|tell|reveal|provide enough)"
    r"|(?:isn't|is not|not|never) (?:\w+ly )?(?:specified|stated|mentioned|given|clear|known|said)"
    r"|unknown|unclear|undetermined|ambiguous"
    r"|(?:impossible|isn't possible|not possible) to (?:\w+ly )?(?:say|tell|know|determine)"
    r"|no way (?:to|of) (?:tell|know|say|determin)\w*"
    r"|leaves? (?:it|this|that|the question|the matter) open)"
)
"""Wordings of texts that say that nobody knows."""
_NEITHER = re.compile(
    r"\bneither\b[^.?!\n]{1,80}\bnor\b[^.?!\n]{1,80}?\b(?:can be|could be|is|are|was|were) (?:\w+ly )?"
    r"(?:described|determined|identified|mentioned|said|shown|singled out|stated)"
)
"""Wordings of texts that say of all others that nobody knows."""
_NOT_EITHER = re.compile(r"\b(?:not|neither) \([a-h]\) (?:or|nor|and) \([a-h]\)")
_OVER = re.compile(r"\b(?:over|than|instead of) (?:options? )?\([a-h]\)(?:,? (?:and|or|nor|,) (?:option )?\([a-h]\))+")
_CONCEDED = re.compile(r"(?:^|(?<=[.!?\n])) {0,3}(?:although|even though|though|while) [^,.;?!\n]{1,120}, ")
"""Concessions, before a sentence says something else."""
_IT_WAS = re.compile(
    r"(?:^|[,:;] |[.!?\n] {0,3}|\b(?:say|think|believe|so|that|clearly|hence|thus) )"
    r"(?:it|the (?:one|person) who\b[^.,;?!\n]{1,80})"
    r"(?:'s| is| was| has to be| had to be| must be| must have been)(?: (?:clearly|actually|definitely|in fact))? $"
)
_ENDS_IT = re.compile(r"\s*(?:(?:that|who|because|since)\b|[.!,;(–—-]|$)")
_FRAGMENT = re.compile(
    r"(?:\W|\b(?:a|an|the|so|just|clearly|definitely|certainly|obviously|surprisingly|presumably|probably|most|likely"
    r"|option|answer|choice|letter|going|by|alone|then|well|hmm|i(?:'d| would)? (?:believe|guess|say|think)"
    r"|(?:based|going|judging) (?:on|by|from) [^.,:;!?\n]{1,60},)\b)*"
)
_ENDS_FRAGMENT = re.compile(
    r"[\s\"')\]]*(?:$|[.!:;(\n]|\s[–—-]+\s|,? (?:i\.e|because|since|as(?! well| are| is| was))\b)"
)
"""What stands before and behind an option that is a sentence of its own: "Clearly B: ...", "B, because ..."."""
_LABEL_ALONE = re.compile(r"\W*\w\W*")
_BEGINS = re.compile(r"(?:^|[.,:\n]\s*|\b(?:so|thus|hence|therefore),? )$")
_THE_ONE_WHO = re.compile(
    r"\s*(?:is|was|were|'s) (?:most likely |probably )?the (?:one|ones|person|man|woman|individual)"
    r" (?:having|not|struggling|that|who|with|without)\b"
)
_CAPITAL = re.compile(r"(?<![\w'’./-])([A-H])(?![\w'’+#/-]|\.\w)")
_BEFORE_A_LABEL = re.compile(
    "|a|actually|an|and|answer(?:ing)?|be|between|both|but|choice|choos(?:e|ing)|chose|discard|either|eliminate|exclude|favou?rs?"
    "|for|from|guess|hence|indicates|is|only|clearly|definitely|it's|leaves|leaving|letter|means|neither|nor|not|of|on|options?|or|out|over"
    "|pick(?:ed)?|rather|say|correct|right|number|ist|lautet|antwort|wähle|also|option|es|la|respuesta|opción|elijo|est|réponse|choisis|è|risposta|scelgo|é|resposta|letra|lettre|letra|buchstabe|select|so|supports?|than|that|therefore|think|thought|thus|to|towards?|was|with"
)
_BEHIND_A_LABEL = re.compile(
    "|although|and|as|because|but|can|could|fits|here|if|instead|is|it|may|might|or|over|rather|seems|should|since|so|though"
    "|was|while|would"
)
_CHINESE = re.compile(r"(?<=[\u3000-\u9fff：])\s?([A-H])(?![A-Za-z0-9])")
_NUMBERED = re.compile(
    r"(?i)\b(options?|answer|choice|number|opción|réponse|antwort|option n°) ?#?(\d)(?![\w%]|[.,]\d)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ORDINAL = re.compile(rf"(?i)\b(?:the )?({'|'.join(_ORDINALS)}) (?:option|choice|answer|one)\b")
_DENIED = re.compile(r"(?:^|[,;(–—-])\s*not (?:the |option )?$")
_REPORTS = re.compile(
    r"\b(?:incorrect|wrong|(?<!contrary to )(?<!contrary to the )stereotyp\w+|expected|tempting|obvious)\b"
    r"|^\W*(?:this|that|i|we|you)?(?:'d| would|'ll| will| can)? ?(?:discard|eliminate|exclude|rules? out)\b(?!.*[,;])"
    r"|^\W*(?:had|if|unless) (?!(?:i|we|you|forced|made|pressed|pushed)\b)"
)
"""Attributions of an answer to somebody else."""
_IS = re.compile(r"\s*(?:is|was|=|:)\s*(?:(?:the )?(?:answer|choice|letter|option)\s*)?")
_NEAR = 80
"""The number of characters around an option that are searched for related words."""
_LIKELY = re.compile(
    r"[\s,.!:–—-]*(?:(?:most )?likely|presumably|probably|i(?:'d| would)? (?:assume|believe|guess|say|suppose|think))?"
    r"[\s,.!]*"
)
"""Words allowed beside an option that is the whole answer."""
_COUNTING = (*STRONG, "correction")
"""The rules that count among more than two options."""


def commitment(said: str, texts: Texts, labels: Labels, languages: Sequence[str], *, declines: bool) -> Choice | None:
    """Find the option to which a text commits itself.

    Args:
        said: The text as it was written, without what a model thinks before.
        texts: The options in the order shown, each with all its plain wordings.
        labels: What options were called.
        languages: The languages of the texts.
        declines: Whether the text declines.

    Returns:
        The choice; None if there is none.
    """
    text, known = plain(_labelled(said)), words(tuple(languages))
    unknown = _unknown(texts)
    find = _finder(texts, labels, unknown)
    text = _without_denied(_CONCEDED.sub("", _OVER.sub("", _NOT_EITHER.sub("", text))), find)
    is_json = isinstance(parsed_json(text), dict)
    lines = (sentences_of(line) for line in text.split("\n"))
    text = "\n".join(
        "".join("" if (_REPORTS.search(one) and not is_json) or _names_two(one, find) else one for one in line)
        for line in lines
    )
    place, rule = committed(text, find, known)
    named = find(text)
    is_lone = rule == "first" and len(named) == 1 and _LIKELY.fullmatch(text[: named[0].start] + text[named[0].end :])
    place, rule = (place, rule) if rule in _COUNTING or is_lone or len(texts) == 2 else (None, None)  # noqa: PLR2004
    if (it_was := _it_was(text, find)) and rule not in {"marked", "label", "line", "correction"} and not declines:
        place, rule = it_was, "commit"
    if place is None and not declines:
        place, rule = _the_one_who(text, find)
    if place is None and (head := _fragment(text, find)) and (not declines or head == unknown):
        place, rule, declines = head, "first", False
    if place is None and (last := _last_label(text, find)):
        place, rule, declines = last, "last", False
    if place is None and not declines:
        place, rule = _only(text, find, known)
    if place is None and "?" not in text and (not declines or _OF_THE_TEXT.search(text)):
        named, declines = find(text), False
        is_denied = named and (
            known.yet.search(text, named[0].end) or any(is_beside(text, one, known) for one in named)
        )
        is_unknown = {one.value for one in named} == {unknown} and not is_denied
        place, rule = (unknown, "unknown") if is_unknown else (None, None)
    if place is None or rule is None or (declines and rule not in {"label", "marked"} and not known.yet.search(text)):
        return None
    return Choice(None, rule, "off-list") if place == OFF_LIST else Choice(place, rule)


_OF_THE_TEXT = re.compile(r"\b(?:text|passage|context|sentence|story|information given|information provided)\b")
_LOOSE = re.compile(
    r"\b(?:unlikely|less likely|rul\w+|out|exclud\w+|eliminat\w+|irrelevant|except|anyone|hardly|barely|used to"
    r"|let me|think about|doubt|had asked"
    r"|maybe|perhaps|might|could|may|whether|if|or|either|both|neither|nor|depends|unless|who knows|not sure"
    r"|unsure|thought|assume|assumed|stereotyp\w*|lie|wrong"
    r"|mistake|incorrect|people\b[^.,]{0,20}\b(?:say|think)|some|many people|others|tempting|tempted|expected|hear"
    r"|consider\w*|list\w*|mention\w*|question|context|passage|text)\b|\?"
)


_AFTER_A_VERB = re.compile(
    r"(?:[\u3000-\u9fff]|\b(?:option|answer|choice|number|is|it's|so|say|with|pick|choose|select|to|letter|ist|lautet"
    r"|est|es|è|é|then|[\w' -]{3,}))[\s\"':]*$"
)
_ARTICLE = re.compile(r"(?:the|an?|der|die|das|el|la|los|las|le|les|l'|il|lo|o|os|as|un|una|une)\b|[\u3000-\u9fff]")
_ISNT = re.compile(r"(?:(?!\b(?:because|since|as)\b)[^.;\n]){0,80}?\b(?:\w+n't|not|never|no|cannot)\b")
_FEW = 3


def _only(text: str, find: Callable[[str], list[Mention]], words: Words) -> tuple[int | None, str | None]:
    """Find the only option that a text names, or names with its label, where nothing speaks against it or weighs."""
    found = find(text)
    both = {one.value for one, two in pairwise(found) if one.value == two.value and text[one.end : two.start] == " "}
    values = both if len(both) == 1 and not _LOOSE.search(text) else {one.value for one in found}
    if len(values) != 1 or _LOOSE.search(text):
        return None, None
    sentences = [(one, [each for each in find(one) if each.value in values]) for one in sentences_of(text)]
    rest = len(re.findall(r"\w+", text)) - sum(len(re.findall(r"\w+", text[one.start : one.end])) for one in found)
    is_named = any(
        _AFTER_A_VERB.search(text[: one.start])
        if text[one.start] in "(["
        else rest > _FEW or _ARTICLE.match(text[one.start :])
        for one in found
        if one.value in values
    )
    is_said = is_named and all(
        not _ISNT.match(sentence[one.end :])
        and not words.denies.search(sentence[: one.start])
        and not words.against.search(sentence[one.end :][:_NEAR])
        for sentence, named in sentences
        for one in named
    )
    return (values.pop(), "only") if is_said else (None, None)


def _the_one_who(text: str, find: Callable[[str], list[Mention]]) -> tuple[int | None, str | None]:
    """Find the only option that a text names, where it is the subject: "B was the one who"."""
    found = find(text)
    if len({one.value for one in found}) != 1:
        return None, None
    for one in found:
        before, behind = text[max(one.start - _NEAR, 0) : one.start], text[one.end : one.end + _NEAR]
        if _THE_ONE_WHO.match(behind) and _BEGINS.search(before):
            return one.value, "commit"
    return None, None


def _it_was(text: str, find: Callable[[str], list[Mention]]) -> int | None:
    """Find the only option of which sentences say "it was B", "The person who ... is B"."""
    values = {
        one.value
        for sentence in sentences_of(text)
        if "?" not in sentence
        for one in find(sentence)
        if _IT_WAS.search(sentence[max(one.start - _NEAR, 0) : one.start])
        and _ENDS_IT.match(sentence[one.end :])
        and not is_an_idea(sentence[: one.start])
    }
    return values.pop() if len(values) == 1 else None


def _fragment(text: str, find: Callable[[str], list[Mention]]) -> int | None:
    """Find the option that is the first sentence, or all of it but a reason, if no other option is a sentence, too."""
    heads = [(one, find(one)) for one in sentences_of(text) if re.search(r"\w", one) and "?" not in one]
    values = [_head(one, found) if found else None for one, found in heads]
    return values[0] if values and len({*values} - {None}) == 1 else None


def _last_label(text: str, find: Callable[[str], list[Mention]]) -> int | None:
    """Find the option whose label is the last sentence, and the only option that is a sentence."""
    sentences = [one for one in sentences_of(text) if re.search(r"\w", one)]
    alone = [one.value for each in sentences if "?" not in each and _LABEL_ALONE.fullmatch(each) for one in find(each)]
    is_last = len(sentences) > 1 and _LABEL_ALONE.fullmatch(sentences[-1])
    return alone[0] if is_last and len(alone) == 1 else None


def _head(sentence: str, found: Sequence[Mention]) -> int | None:
    first, end = found[0], found[0].end
    for one in found[1:]:
        if _FRAGMENT.fullmatch(sentence[end : one.start]):
            if one.value != first.value:
                return None
            end = one.end
    is_label = _LABEL_ALONE.fullmatch(sentence[:end]) and not re.match(r" [–—-] \w", sentence[end:])  # "B. Johnson"
    is_head = _FRAGMENT.fullmatch(sentence[: first.start]) and _ENDS_FRAGMENT.match(sentence[end:])
    return first.value if is_head and not is_label else None


def _without_denied(text: str, find: Callable[[str], list[Mention]]) -> str:
    """Leave out what only says which option is not meant: "A, not B", "not B - A"."""
    kept, end = list[str](), len(text)  # what is kept behind `end`, the last first
    for one in reversed(find(text)):
        if one.end > end:
            text, kept = "".join([text[:end], *reversed(kept)]), []
            end = len(text)
        start = max(one.start - _NEAR, 0)
        if denied := _DENIED.search(text[start : one.start]):
            kept.append(text[one.end : end])
            end = start + denied.start()
    return "".join([text[:end], *reversed(kept)])


def _names_two(sentence: str, find: Callable[[str], list[Mention]]) -> bool:
    """Whether a sentence says that an option is another one: "The nephew is option A"."""
    return any(
        one.value != two.value and _IS.fullmatch(sentence[one.end : two.start]) for one, two in pairwise(find(sentence))
    )


def _labelled(said: str) -> str:
    """Write brackets around capital letters that stand for options: "not A" is "not (A)"; "Vitamin C" stays."""

    def bracketed(match: re.Match[str]) -> str:
        before = re.findall(r"([\w'’]*)\s*$", said[max(match.start() - 30, 0) : match.start()])[0].lower()
        behind = re.findall(r"^ ( *\w*)", said[match.end() : match.end() + 30]) if match[1] == "A" else []
        is_label = _BEFORE_A_LABEL.fullmatch(before) and all(map(_BEHIND_A_LABEL.fullmatch, behind))
        return f"({match[1]})" if is_label else match[0]

    said = _CHINESE.sub(r"(\1)", said)
    said = _NUMBERED.sub(r"(\2)", said)
    said = _ORDINAL.sub(lambda match: f"({_ORDINALS.index(match[1].lower()) + 1})", said)
    return _CAPITAL.sub(bracketed, said)


def _unknown(texts: Texts) -> int | None:
    """Get the place of the only "unknown" option."""
    places = [place for place, wordings in enumerate(texts, start=1) if UNKNOWN.search(wordings[0])]
    return places[0] if len(places) == 1 else None


def _finder(texts: Texts, labels: Labels, unknown: int | None) -> Callable[[str], list[Mention]]:
    """Get what finds options by their words and labels."""
    asked = question(texts, labels)
    is_numeric = any(re.match(r"[\d.$€£-]", wordings[0]) or len(wordings[0]) < 2 for wordings in texts)  # noqa: PLR2004
    bracketed = re.compile(asked.bracketed)

    def find(part: str) -> list[Mention]:
        found = [] if is_numeric else asked.mentioned(part)
        made = [Mention(start, end, place) for places, start, end in found for place in places]
        for match in bracketed.finditer(part):
            made += [Mention(*match.span(), place) for place in asked.places(match[0])]
        if unknown is not None:
            neither = [Mention(*match.span(), unknown) for match in _NEITHER.finditer(part)]
            begins = [other.start for other in neither]
            ends = [0, *accumulate((other.end for other in neither), max)]  # of those before each
            made = [one for one in made if one.start >= ends[bisect_right(begins, one.start)]] + neither
            taken = {place for one in made for place in range(one.start, one.end)}
            made += [
                Mention(*match.span(), unknown)
                for match in _NOBODY_KNOWS.finditer(part)
                if not taken & {match.start(), match.end() - 1}
            ]
        return sorted(made)

    return lru_cache(maxsize=4)(find)  # each rule looks into the same text
