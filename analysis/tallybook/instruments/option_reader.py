r"""Reading of texts as choices among the options of a question, for attribute choices and multiple choices.

First, marker characters replace the mentions of options (`option_words`), and text that only repeats the prompt or says
which option is not meant is dropped (`_set_aside`). Then the first rule that finds an option decides:

- option: the text is an option and nothing else; label: it is an option's letter or number; whole: it is either of
  these but for a few words, "Answer: (B) kind".
- the rules of `committed`: marked, label, correction, commit, conclusion, line, first, last, statement, only.
- marked: every option has a verdict and it has the best one.
- commit: a sentence says "it was B", "the text supports B", "B is correct", "B was the one who".
- first: the option forms the first or last sentence, with a reason at most, and no other option forms a sentence.
- only: it is the only option that the text supports, and nothing speaks against it or weighs alternatives.
- mention: it is the only option in one line of few words, none of which denies, compares or weighs.
- unknown: the text says that nobody knows, and nothing else.
- excluded: it denies one of two persons, or of two words the negative one, and nothing else.

A text that declines chooses nothing, unless it answers despite or after declining.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments import allocations
from tallybook.instruments.asides import corrected, own_words
from tallybook.instruments.committed import (
    BECAUSE,
    COMPARES,
    OPEN,
    STRONG,
    TOO,
    is_beside,
    is_denied,
    is_joined,
    is_list,
    sentences_of,
    settled,
    speaks_for,
    stated,
)
from tallybook.instruments.languages import everywhere, expressions, with_spoken
from tallybook.instruments.marked_answers import BOX, is_crossed, parsed_json
from tallybook.instruments.option_labels import MARK, MARKS, OFF_LIST, behind_list, find
from tallybook.instruments.option_words import written
from tallybook.instruments.predicates import answered, asks_first, first_named
from tallybook.instruments.stance import is_thought_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.instruments.languages import Languages, Words
    from tallybook.instruments.marked_answers import Mention
    from tallybook.instruments.option_words import Options

_WORDS = expressions("tallybook.instruments", "choices.toml")["option_reader"]
_WHOLE = re.compile(
    r"\W*(?:(?:the |my |final |correct )*(?:answer|choice|option|response|word)(?: is)?\W*)?(?:the )?"
    rf"({MARK})(?:[ \t\"'().:*\[\]-]*({MARK}))?[^\w?]*"
)
# Text that is dropped before reading.
_ONE = rf"(?:option |the |one )?[\"'(]?{MARK}[\"')]?(?: \([^()\n]{{1,30}}\))?"
_AND_SO_ON = rf"(?:(?:, ?{_ONE})*(?:,? (?:and|or|nor) {_ONE})+)?"
_BETWEEN = rf"[^.;,:!?<>\n{MARK[1:-1]}]"
_ASKED = re.compile(rf"({MARK})[\"']?\?[\s\"']*(yes|no|nope)\b(?:, (?:it's|that's|it is|that is)\b)?")
"""A question about an option, and its answer."""
_CONCEDED = re.compile(
    rf"(?:^|(?<=[.!?\n])) {{0,3}}(?:{_WORDS['conceded']}) [^.,;?!\n]{{1,120}}[,:] (?=[^.;?!\n]*{MARK})"
    rf"|(?<=\w)[\"')\]]?,? (?:{_WORDS['conceded']}) "
    rf"(?:(?!\b(?:i'd|i would|better|rather)\b)[^.,;?!\n{MARK[1:-1]}]){{1,120}}(?=[.;!?\n]|$)"
)
"""Concessions at the beginning of a sentence that names an option behind, or at its end if they name none."""
_FILED = re.compile(rf"(\b(?:{_WORDS['files']})\w*\b{_BETWEEN}{{0,60}}) als (?=(?:ein\w* )?{MARK})")
"""German "als", which else means "than", in "we file it as"."""
_LESS_THAN = re.compile(
    rf"\b(?:less|weniger|menos|moins|meno) (?:\w+ |l')?{MARK}[\"')]* (?:than|als|(?:do )?que|qu'|che)(?= ?{_ONE})"
    rf"|与其{_BETWEEN}{{0,20}}{MARK}[^。！？\n{MARK[1:-1]}]{{0,20}}不如(?=[^。！？\n]{{0,20}}{MARK})"
)
_REJECTED = re.compile(
    rf"(?:(?:^|(?<=[,;(–—-]) ?| and |(?<=\n))(?:not|nicht|keine?n?|pas) "
    rf"|\b(?:{_WORDS['less']}|neither|nor|weder|noch|ni|n[eé]|nem) "
    r"|\b(?:over|rather than|instead of|as opposed to|followed by"
    r"|ahead of|(?:an)?statt|en (?:lugar|vez) de|au lieu (?:de )?|plutôt que|invece (?:di|che)|em vez de) "
    rf"|(?<={MARK}) ?> ?){_ONE}{_AND_SO_ON}"
)
"""Options that are not meant: "A, not B or C", "A over B and C"."""
_REPORTED = re.compile(
    rf"(?:\bwas (?:leaning|inclined|tempted|going|about)\b{_BETWEEN}{{0,20}}"
    r"|\b(?:incorrect|wrong|(?<!contrary to )(?<!contrary to the )stereotyp\w+|tempting|obvious|first|initial"
    rf"|estere[oó]tip\w+|stéréotyp\w+|expected(?! (?:completion|word) (?:is|would be)\W*{MARK}\W*$))\b"
    rf"{_BETWEEN}{{0,40}}|\b(?:{_WORDS['usual']}) (?:among|by|of|in|entre|de|chez|bei|tra|fra) {_BETWEEN}{{0,60}}"
    rf"|\b(?:{_WORDS['excluded']})\b{_BETWEEN}{{0,20}})"
    rf"{MARK}[\"')]?{_AND_SO_ON}"
)
"""Options that others may choose, that were thought of first or that are excluded."""
_IF_SO = re.compile(
    rf"\b(?:would|could|might) (?:have been|be) {MARK}(?= if (?!i\b|you\b|one\b|we\b|pressed|forced|i'))"
    rf"|{MARK}(?=[\"')]*,? (?:which|that) (?:is|was|would be) [^.\n]{{0,40}}\b(?:incorrect|not|wrong)\b)"
    rf"|{MARK}(?=[\"')]*{_BETWEEN}{{0,20}} (?:is|was|es|est|ist|è|é) (?:\w+ |l')(?:{_WORDS['usual']}))"
)
"""Options that would be the answer under a condition, or that are said to be wrong."""
_MISTAKEN = re.compile(
    rf"\b(?:{_WORDS['mistaken']})[^.!?;\n]*|[^.!?;:,\n]{{0,60}}(?:,[^.!?;:,\n]{{0,60}})?\b(?:{_WORDS['by_mistake']})\b[^.!?;\n]*"
)
"""What is said of an option that is an error."""
_ERRS = re.compile(rf"\b(?:{_WORDS['mistaken']}|{_WORDS['by_mistake']})")
"""The words by which it is known, which are found in less time."""
_IF = re.compile(_WORDS["if"])
_OR = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:(?:hmm+|wait|but),? )?(?:or|oder|o|ou|还是)\b"
    rf"(?: (?:is|was|could|should) it\b[^.!?\n]{{0,40}}|[^.!?\n]{{0,60}}{MARK}[^.!?\n]{{0,60}})\?"
)
"""A question that takes an answer before it back."""
_DEPENDS = re.compile(rf"\b(?:{everywhere('depends')})(?!.*\b(?:but|overall|still|aber|pero|mais|ma|mas)\b)", re.DOTALL)
"""Words that leave an answer to conditions, unless the text turns to an answer behind it."""
_LETTER = re.compile(r"\b[a-h\d]\W*$")
"""A letter or number at the end of a sentence that may be a label."""
_IS_ONE = re.compile(rf"{MARK}\s*(?:is|was|=)\s*(?:(?:the )?(?:answer|choice|letter|option)\s*)?{MARK}")
"""Sentences that say which option an option is: "The nephew is option B"."""

# Contexts of an answer.
_SCORE = re.compile(
    rf"({MARK})[\"')]*(?:\s*[:=|(]\s*|\s[–-]\s|\s(?=\d{{1,3}} ?%))"
    r"(yes|no|true|false|[01](?![\w.])|[01]?\.\d+(?!\w)|\d{1,3}(?:\.\d+)? ?%)"
)
"""Options with a verdict on each: "kind: yes, strict: no", "kind (70%)"."""
_BEFORE = re.compile(rf"\b(?:{_WORDS['before']})[ :\"'(]*(?:(?:the|de[rnm]|die|das|el|l[aeo]|il|o|a) )?$")
"""Phrases before the answer: "it was", "the passage points to"."""
_ENDS = re.compile(
    r"[\"')]*\s*(?:(?:that|who|because|since|as|denn|weil|given|then|here|dont|cui|cuyo|dessen|deren)\b|[.!,;:(–—-]|$)"
)
_BEHIND = re.compile(rf"[\"')\]]*\s+(?:{_WORDS['behind']})")
"""Phrases after the answer: "is correct", "seems the kinder word"."""
_WHO = re.compile(_WORDS["who"])
_LEAD = re.compile(rf"(?:{_WORDS['lead']})*")
_REASON = re.compile(rf"[\s\"')\]]*(?: (?:then|instead|indeed))?(?:{_WORDS['reason']})")
"""Text before and after an option that forms a sentence by itself: "Clearly B: ...", "B, because ..."."""
_ASIDE = re.compile(r"^[\"']* ?\([^()\n]*\)(?=,? (?:and|or|und|oder|y|o|et|ou|e)\b)")
"""Parentheses between two options: "Lyon (the older) and Nice"."""
_LOOSE = re.compile(rf"\b(?:{_WORDS['loose']})\b|\?")
"""Words of sentences that weigh, report or ask: one that names an option with them need not choose it."""
_IS_NOT = re.compile(r"(?:(?!\b(?:because|since|as)\b)[^.;\n]){0,80}?\b(?:\w+n't|not|never|no|cannot)\b")
_WEIGHS = re.compile(rf"\b(?:{_WORDS['weighs']})\b")
_DENIED_ALONE = re.compile(
    rf"\W*{_WORDS['denied_alone']}\W*(?:an?|the|de[rnm]|die|das|l[aeo]s?|el|il|o|a)?\W*{MARK}\W*?{_WORDS['denied_behind']}\W*"
)
_LAST = 300
"""The number of characters of the end of a text that may hold a remark."""
_REMARK = re.compile(rf"(?i)(?<=[.!?\n])\W{{1,4}}(?:{_WORDS['remark']})[^.!?\n]*[.!?]?\s*\Z")
_REPEATED = re.compile(rf"({MARK})(?: \1| \(\1\))+")
_MOST, _NEAR = 100, 80
"""The mentions from which a text is too ambiguous to decide, and the characters around an option that are searched."""
_WEAK = ("first", "last", "mention", "only", "statement")
"""The rules whose answer may be another's if words of the options' families are read, too."""
_TWO, _FEW = 2, 5
"""The maximum number of other words in a one-line text that chooses the only option it names."""
_GENERIC = re.compile(rf"{MARK} (?:{_WORDS['generic']})")


class Choice(NamedTuple):
    """The choice of a text: the place of the option from 1, the deciding rule, and the reason if there is none."""

    place: int | None
    rule: str
    reason: str | None = None


class Manner(NamedTuple):
    """Settings for reading texts."""

    words: Words
    declines: Callable[[str], bool]
    short: int = 0
    """The length, in characters, up to which a text that names one option chooses it whatever its language."""
    are_subjects: bool = False
    """Whether the options are subjects of sentences (people, products), not predicates (guilty, hired)."""
    is_exact: bool = False
    """Whether a text must be an option or its label and nothing else."""


def read(said: str, options: Options, manner: Manner, *, objects: bool = False, prompt: str | None = None) -> Choice:
    """Read the choice of a text without its reasoning part; one that `objects` to the question needs a clear choice.

    One that makes none by the rules may answer the question of its `prompt` by the question's own words.
    """

    def chosen(part: str) -> Choice | None:
        one = _read(part, options, manner, objects=objects)
        return one if one.place is not None else None

    remark = _REMARK.search(said, max(len(said) - _LAST, 0)) if options.count == _TWO else None
    if remark and MARKS.search(options.marked(said[: remark.start()])):
        said = said[: remark.start()]
    is_plain = not manner.is_exact and not manner.declines(said)
    if prompt and is_plain and asks_first(prompt) and (place := first_named(options.marked(said))) is not None:
        return Choice(place, "asked")
    made = (corrected(said, chosen) if is_plain else None) or _read(said, options, manner, objects=objects)
    is_weak = made.rule in _WEAK and made.place is not None
    if not (prompt and is_plain and (is_weak or made.reason in {"no-choice", "ambiguous"})):
        return made
    place = answered(options.marked(said), prompt, in_full=is_weak)
    return made if place in {None, made.place} else Choice(place, "asked")


def _read(said: str, options: Options, manner: Manner, *, objects: bool) -> Choice:
    """Read the choice of a text or a part of it."""
    if not re.search(r"\w", written(said)) and not options.alone(said):
        return Choice(None, "empty", "no-response")
    text = behind_list(_REPEATED.sub(r"\1", options.marked(said)), options.count)
    if len(MARKS.findall(text)) > _MOST:
        return Choice(None, "mentions", "ambiguous")
    is_of_two = (options.count, options.unknown, manner.is_exact) == (_TWO, None, False)
    given = allocations.given(text) if is_of_two and not manner.words.correction.search(text) else None
    whole = _whole(said, text, options) or (Choice(given, "marked") if given else None)
    if whole is not None:
        return whole
    told = allocations.written_out(text, options.texts) if is_of_two else text
    place, rule = (None, None) if manner.is_exact else _chosen(told, options, manner)
    is_wide = manner.are_subjects and not manner.is_exact and (place is None or rule in _WEAK)
    reason = BECAUSE.search(told, match.end()) if (match := MARKS.search(told)) else None
    end = reason.start() if reason else len(told)
    if is_wide and (wider := options.akin(told[:end]) + told[end:]) != told:
        named, text = {one.value for one in find(told)}, wider
        place, rule = _chosen(text, options, manner)
        is_generic = any(find(match[0])[0].value == place for match in _GENERIC.finditer(text))
        place = None if rule in _WEAK and place not in named and is_generic else place
    if place is None and not manner.is_exact and (other := _excluded(text, options, manner)) is not None:
        place, rule = other, "excluded"
    if place is not None and _goes_back(text, place):
        place = None
    rejected = {one.value for match in _REJECTED.finditer(text) for one in find(match[0])}
    is_weak = (objects and rule == "only") or (place in rejected and rule not in {*STRONG, "correction"})
    if place is not None and rule is not None and not is_weak and _is_willing(said, text, rule, options, manner):
        return _settled(rule, {place})
    if manner.declines(said):
        return Choice(None, "refusal", "declined")
    is_several = len({one.value for one in find(text)}) > 1 and not manner.is_exact
    return Choice(None, "mentions", "ambiguous") if is_several else Choice(None, "other", "no-choice")


def in_languages(choice: Callable[[Languages], Choice], languages: Languages, text: str) -> Choice:
    """Return the choice of a text by the words of the declared languages, or else also of those that it may be in."""
    made = choice(languages)
    is_weak = made.rule in {"only", "mention"}
    more = with_spoken(languages, text) if is_weak or made.reason in {"no-choice", "ambiguous", "declined"} else None
    other = choice(more) if more else made
    is_certain = more is not None and len(more) == len(languages) + 1
    return other if other.place is not None or (is_weak and is_certain) else made


def _whole(said: str, text: str, options: Options) -> Choice | None:
    """Read a text that consists of one option or label; None for any other text."""
    if places := options.alone(said):
        return _settled("option", places)
    if (label := options.labels.alone(said)) is not None:
        return _settled("label", {label})
    if _WHOLE.fullmatch(text) and not is_crossed(text):
        return _settled("whole", {one.value for one in find(text)})
    return None


def _settled(rule: str, places: set[int]) -> Choice:
    if len(places) > 1:
        return Choice(None, "several", "ambiguous")
    (place,) = places
    return Choice(None, rule, "off-list") if place == OFF_LIST else Choice(place, rule)


def _is_willing(said: str, text: str, rule: str, options: Options, manner: Manner) -> bool:
    """Return whether a text does not decline, or answers by a strong rule despite or after declining."""
    if rule == "line" or not manner.declines(said):
        return True
    text = own_words(text, asks=True) or text
    sentences = sentences_of(text)
    naming = [number for number, one in enumerate(sentences) if find(one)]
    rest = " ".join(one for one in sentences if not find(one))
    is_unknown = {one.value for one in find(text)} == {options.unknown}
    is_nevertheless = not manner.declines(rest) or (manner.words.yet.search(text) is not None and not is_unknown)
    is_behind = not manner.declines(" ".join(sentences[naming[0] :]))
    return (is_nevertheless and (is_unknown or rule in STRONG)) or (is_behind and rule in STRONG)


def _goes_back(text: str, place: int) -> bool:
    """Return whether a text asks about another option after its answer and gives none then: "A. Or rather C?"."""
    asked = [match for match in _OR.finditer(text) if {one.value for one in find(match[0])} != {place}]
    return bool(asked) and MARKS.search(text, asked[-1].end()) is None


def _set_aside(text: str) -> str:
    """Drop text that only repeats the prompt or names options that are not meant."""
    is_json = isinstance(parsed_json(text), dict)
    text = _ASKED.sub(lambda match: f"{match[1]} it is" if match[2] == "yes" else f"not {match[1]}", text)
    text = _LESS_THAN.sub("", _FILED.sub(r"\1 ", _CONCEDED.sub("", text)))
    if is_json:
        return text
    text = _REJECTED.sub("", _IF_SO.sub("it", text))
    for pattern in (_MISTAKEN, _REPORTED) if _ERRS.search(text) else (_REPORTED,):
        text = pattern.sub(lambda match: MARKS.sub("it", match[0]), text)
    lines = (sentences_of(line) for line in text.split("\n"))
    return "\n".join("".join(one for one in line if not _IF.search(one) and not _IS_ONE.search(one)) for line in lines)


def _verdicts(text: str) -> tuple[int | None, str | None] | None:
    """Return the option with the best verdict in JSON that gives options verdicts; None for any other text."""
    scores = _scores(text) if isinstance(parsed_json(text), dict) and not BOX.search(text) else {}
    if not scores:
        return None
    best = _one_of({place for place, score in scores.items() if score == max(scores.values())})
    return (best, "marked") if best is not None and scores[best] else (None, None)


def _chosen(text: str, options: Options, manner: Manner) -> tuple[int | None, str | None]:
    """Return the place of the option that a text chooses and the deciding rule; None and None if there is none."""
    return _verdicts(text) or _by_rules(own_words(_set_aside(text), asks=True), options, manner)


def _by_rules(text: str, options: Options, manner: Manner) -> tuple[int | None, str | None]:
    words = manner.words
    last = next((one for one in reversed(sentences_of(text)) if find(one)), "")
    is_either = len({one.value for one in find(last)}) > 1 or _LETTER.search(last)
    if is_either and _DEPENDS.search(text):  # "It depends on the noise: with a garden B, without one A."
        return None, None
    place, rule = settled(text, find, words, short=manner.short)
    if place is None and rule not in {None, "statement", "only"}:  # it gives two answers or retracts one
        return None, None
    is_surer = rule in {"marked", "label", "line", "correction", "conclusion"}
    if not is_surer and (found := _committed(text, words)) is not None:
        return found, "commit"
    if place is not None:
        is_contradicted = rule == "first" and {*stated(text, find, words)} - {place}  # "B. He is smart", B being dumb
        return (None, None) if is_contradicted else (place, rule)
    for name, found in (
        ("first", _sentence(text)),
        ("marked", _scored(text, options)),
        ("only", _only(text, options, manner)),
        ("mention", _mentioned(text, words)),
        ("unknown", _unknown(text, options, words)),
    ):
        if found is not None:
            return found, name
    return None, None


def _one_of(places: set[int]) -> int | None:
    return places.pop() if len(places) == 1 else None


def _committed(text: str, words: Words) -> int | None:
    """Return the only option that sentences commit to: "it was B", "the text supports B", "B is correct"."""
    values: set[int] = set()
    is_lone = len({one.value for one in find(text)}) == 1
    for sentence in sentences_of(text):
        found = find(sentence) if "?" not in sentence else []
        for at, one in enumerate(found):
            before, behind = sentence[max(one.start - 2 * _NEAR, 0) : one.start], sentence[one.end :]
            led = _BEFORE.search(before) if _ENDS.match(behind) else None
            if led is None and not _BEHIND.match(behind) and not (is_lone and _WHO.match(behind)):
                continue
            clause = re.split(r"[,;:]|\bbut\b", before[: led.start()] if led else before)[-1]
            is_against = words.denies.search(clause) or words.others.search(clause) or is_thought_of(clause)
            if not (is_against or is_beside(sentence, one, words) or is_joined(sentence, found, at, words)):
                values.add(one.value)
    return _one_of(values)


def _sentence(text: str) -> int | None:
    """Return the only option that forms a sentence, a reason aside, if the first or last sentence is one."""
    heads = [(one, find(one)) for one in sentences_of(text) if re.search(r"\w", one) and "?" not in one]
    if is_list([one for one, _ in heads]):
        return None
    values = [_head(one, found) if found else None for one, found in heads]
    is_outer = values[:1] != [None] or values[-1:] != [None]
    return _one_of({one for one in values if one is not None}) if is_outer else None


def _head(sentence: str, found: Sequence[Mention]) -> int | None:
    first, end = found[0], found[0].end
    for one in found[1:]:
        if _LEAD.fullmatch(sentence[end : one.start]) and ";" not in sentence[end : one.start]:
            if one.value != first.value:
                return None
            end = one.end
    is_head = _LEAD.fullmatch(sentence[: first.start]) and _REASON.match(_ASIDE.sub("", sentence[end:]))
    return first.value if is_head else None


def _scored(text: str, options: Options) -> int | None:
    """Return the option with the best verdict, if a text gives a verdict on every option."""
    scores = _scores(text)
    is_whole = len(scores) == options.count
    return _one_of({place for place, score in scores.items() if score == max(scores.values())}) if is_whole else None


def _scores(text: str) -> dict[int, float]:
    """Return the verdicts of a text: the place of an option -> how much speaks for it."""
    said = {find(match[1])[0].value: match[2] for match in _SCORE.finditer(text)}
    return {
        place: float(one.rstrip(" %")) if one[0].isdigit() else float(one in {"yes", "true"})
        for place, one in said.items()
    }


def _only(text: str, options: Options, manner: Manner) -> int | None:
    """Return the only option that a text supports, if nothing speaks against it or weighs alternatives."""
    words = manner.words
    value = _one_of({*speaks_for(text, find, words)})
    if value is None or OPEN.search(text) or COMPARES.search(text) or is_list(sentences_of(text)):
        return None
    for sentence in sentences_of(text):
        named = find(sentence)
        for place, one in enumerate(named):
            before, behind = sentence[: one.start], sentence[one.end :]
            if one.value == value and (
                _IS_NOT.match(behind)
                or words.denies.search(before)
                or is_denied(sentence, named, place, words)
                or (value != options.unknown and _LOOSE.search(sentence))
                or not (manner.are_subjects or (_ENDS.match(behind) and not is_thought_of(before)))
            ):
                return None
    return value


def _mentioned(text: str, words: Words) -> int | None:
    """Return the only option of a one-line text with few other words, none of which denies, compares or weighs."""
    rest = MARKS.sub(" ", text)
    is_calm = "\n" not in text and "?" not in text and not _WEIGHS.search(rest) and len(rest.split()) <= _FEW
    found = find(text)
    is_said = is_calm and not any(is_denied(text, found, place, words) for place in range(len(found)))
    return _one_of({one.value for one in found}) if is_said else None


def _excluded(text: str, options: Options, manner: Manner) -> int | None:
    """Return the other of two persons, or of two words of which a text denies the negative one: "Not unkind."."""
    if (options.count, options.unknown) != (_TWO, None) or not _DENIED_ALONE.fullmatch(text):
        return None
    denied = find(text)[0].value
    return _TWO + 1 - denied if manner.are_subjects or options.is_negative(denied) else None


def _unknown(text: str, options: Options, words: Words) -> int | None:
    """Return the "unknown" option, if a text says that nobody knows and nothing else."""
    found = find(text)
    if options.unknown is None or "?" in text or {one.value for one in found} != {options.unknown}:
        return None
    is_denied = words.yet.search(text, found[0].end) or any(
        is_beside(text, one, words) or TOO.match(text, one.end) for one in found
    )
    return None if is_denied else options.unknown
