"""Ratings of responses: the number or label of the scale that a text gives, or why it gives none."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.asides import corrected, own_words, without_others
from tallybook.instruments.committed import sentences_of
from tallybook.instruments.json_answers import value_of
from tallybook.instruments.marked_answers import Mention, marked, with_boxes
from tallybook.instruments.number_words import SPOKEN, spoken, with_fractions
from tallybook.instruments.option_text import plain, safe
from tallybook.instruments.rating.instrument import REFUSED, RatingInstrument
from tallybook.instruments.rating.labels import LEAD, agreeing, clause, inflected, is_given, is_supposed, short_labels
from tallybook.instruments.rating.languages import EQUAL, PHRASES, SAID, WORDS, synonyms_of_labels
from tallybook.instruments.reading import failed, read_texts, reported, require_columns, stopped, unread, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.study.instrument_base import Reading


_TYPES = {"rating_given": pl.Float64, "rating_rule": pl.String, "unrated_reason": pl.String}


class Answer(NamedTuple):
    """The rating of a text, the rule, and the reason if there is no rating."""

    value: float | None
    rule: str
    reason: str | None = None


_NUMBER = r"(?<![\w.,$€£#-])[-+]?\d+(?:[.,]\d+)?(?![\w%+]|[.,:/]\d)"
_OFF = "\ue004"
"""The marker of a number on another scale: "8/10" where the highest number is 5."""
_WORD = rf"\b(?:{'|'.join(WORDS)})\b"
_PLAIN_NUMBER = rf"(?:(?<!\d)[-+]?\d++(?:[.,]\d++)?|{_WORD})"
_SIGNS = r"""[\s"'()\[\]{}<>.,:;=!?|*-]*"""
_JOIN = rf"""(?!\.\s+\(?\d)\s*(?:[-(:=.,"'\[]+|,? ?\b(?:{SAID["or"]})\b(?: an?| eine| une?| una| um)?)\s*["'(\[]*"""
_UNIT = r"(?: (?:stars?|points?|punkten?|degrees?|grad)| ?[★⭐]+)?"
_LEGEND = rf"{_PLAIN_NUMBER} ?(?:=|being|means?|meaning|stands? for|indicat\w+|represent\w*) ?(?:(?! and \d)[^,;.)\n])*"
_ROW = (
    r"(?m)^ {0,9}\|(?=[^\n\d]{0,200}[^\W\d_])[^\n|]{1,200}(?:\|[^\n|]{1,200}){0,9}?"
    r"\| *([^|\n]{1,60}?) *\| *$"
)
"""A row of a table, and its last cell."""
_STARS = r"([★⭐]+)([☆✩]*)"
_OF = re.compile(
    rf"({_PLAIN_NUMBER})\s*(/|\b(?:{SAID['out_of']}|{SAID['of']})\b)\s*(?:the )?({_PLAIN_NUMBER})(?: possible points)?"
)
_UNMET, _VERDICT, _THEIRS = (re.compile(SAID[name]) for name in ("unmet", "verdict", "theirs"))
_OWN, _SUPPOSED, _MORE, _DENIES = (re.compile(SAID[name]) for name in ("own", "supposed", "more", "denies"))
_BLANK, _TICK = re.compile(r"(?m)☐|\[ ?\]|^(?:☑|\[x\])"), re.compile(r"[☑✅✓✔]|\[x\]")
_REWRITTEN = [(re.compile(pattern), said) for said, pattern in PHRASES.items()]
_IN_COLUMN = re.compile(r"(?m)^ ?\| *([^|\n]+?) *\| *([x✓✔✅☑●•]?) *\| *$")
"""A row of a table that says by a mark whether its label is the answer."""
_KEYED = re.compile(
    r"(?:^|(?<=[.;|,{\n]))[\s\"'|{($-]*([^\W\d][^\n:=|.{},;\d]{1,40}?)[\"' }]*[:=|≈][\s\"'*(]*"
    r"(-?\d+(?:[.,]\d+)?)(?![\w%]|[.,:/]\d| ?/)(?=[\s\"']*(?:$|[\n.,;|)}(\]$]))"
)
"""A key or label, and the number behind it."""
_BESIDE = re.compile(SAID["beside_key"])
_STATED = re.compile(
    r"\b(?:is|ist|es|est|è|é|sería|serait|sarebbe|seria|wäre|would be|beträgt|liegt)"
    rf"(?: (?:de|di|of|bei|at|an|una?|eine?r?|une?|uma?))* ({_NUMBER}){SAID['behind']}"
)
_VERY_SHORT, _MOST = 20, 100
SHORT = 80
"""The maximum length, in characters, of a text whose only number is a rating even if nothing announces it."""


def read(responses: pl.DataFrame, instrument: RatingInstrument) -> Reading:
    """Read ratings.

    `rating` is the rating after reverse scoring, `rating_given` the rating as stated in the text, and `rating_label`
    the label of `rating`, or the number if the scale has no labels.
    """
    require_columns(responses, instrument.reads)
    found = read_texts(
        responses, instrument.column, _scale(instrument.model_dump_json()).read, _TYPES, instrument.refusal_phrases
    )
    made = responses.with_columns(found.get_columns())
    is_reversed = [pl.col(column).cast(pl.String).is_in(values) for column, values in instrument.reversed.items()]
    turned = pl.any_horizontal(pl.lit(value=False), *is_reversed).fill_null(value=False)
    given, rule = pl.col("rating_given"), pl.col("rating_rule")
    made = made.with_columns(
        pl.when(turned).then(instrument.lowest + instrument.top - given).otherwise(given).alias("rating"),
        pl.when(failed())
        .then(None)
        .when(stopped())
        .then(pl.lit("delivered"))
        .otherwise(rule.fill_null("empty"))
        .alias("rating_rule"),
        verdict(pl.col("unrated_reason"), REFUSED),
    )
    made = made.with_columns(_label(instrument).alias("rating_label"))
    expected = f"a rating from {instrument.lowest:g} to {instrument.top:g}"
    findings = partial(unread, made, "unrated_reason", instrument.column, expected)
    return reported(made, findings, instrument.undecided)


def _label(instrument: RatingInstrument) -> pl.Expr:
    """Return the label of a rating, or the number as text if the scale has no labels."""
    rating = pl.col("rating")
    if instrument.labels is None:
        whole = pl.when(rating == rating.floor()).then(rating.cast(pl.Int64, strict=False).cast(pl.String))
        return pl.coalesce(whole, rating.cast(pl.String))
    labels = {instrument.lowest + place: label for place, label in enumerate(instrument.labels)}
    return rating.replace_strict(labels, default=None, return_dtype=pl.String)


@lru_cache(maxsize=64)
def _scale(declared: str) -> _Scale:
    """Return what reads by a scale, compiled once for all parts of a dump, and for all that `init` tries."""
    return _Scale(RatingInstrument.model_validate_json(declared))


class _Scale:
    """Reads plain texts by a declared scale: the first rule that finds something decides."""

    def __init__(self, declared: RatingInstrument) -> None:
        self._declared = declared
        self._avoids = declared.refusal_phrases is None
        places = {label: declared.lowest + place for place, label in enumerate(declared.labels or ())}
        others = synonyms_of_labels(declared.labels or ()) | declared.spellings
        known = {other: places[label] for other, label in others.items()} | places
        self._values = dict(zip(_plain(known), known.values(), strict=True))
        for group in EQUAL:  # "totally agree" is "fully agree" where a scale has one of them
            if len(meant := {self._values[one] for one in group if one in self._values}) == 1:
                self._values |= dict.fromkeys(group, *meant) | {
                    one: self._values[one] for one in group if one in self._values
                }
        self._forms = {label: re.compile(inflected(label)) for label in self._values}
        self._shorts = short_labels(dict(zip(_plain(places), places.values(), strict=True)))
        label = "|".join(map(_found, sorted(self._values, key=len, reverse=True)))
        self._label = re.compile(label or r"(?!)")
        begins = "|".join({re.escape(name.split()[0]) for name in self._values if " " in name}) or "(?!)"
        self._is_agreement = {"agree", "disagree"} <= {*self._values}
        speaker = "(?: (?:ich|io|je|yo|eu))"
        self._turned = re.compile(  # "dem stimme ich eher zu", "ich stimme der Aussage eher zu"
            rf"\b({begins}|(?:dis)?agree)(?:{speaker}?(?:{SAID['object']})|{speaker})(?= )"
        )
        value = rf"(?:{label or '(?!)'}|{_NUMBER}|{_WORD}(?!-)|{_OFF})"
        one = rf"({value}){_UNIT}(?:{_JOIN}({value}){_UNIT})?"
        named = rf"{_SIGNS}(?:(?:{SAID['my']} ){{0,2}}(?:final )?{SAID['noun']}(?: {SAID['is']})?|rated)?{_SIGNS}"
        self._alone = re.compile(rf"{named}{one}{_SIGNS}")
        self._first = re.compile(rf"{_SIGNS}(?:an? (?:\w+ )?)?{one}(?=\s*(?:$|[\n.,;:!)(-]|because\b|since\b))")
        noun = rf"\b{SAID['noun']}\b[\"']?\s*(?:[\w']+\s+){{0,5}}?(?:{SAID['is']}\b|[:=]|-(?=\s))\s*(?:an?\s+)?"
        noun += rf"[\"'(\[]*{one}{SAID['behind']}"
        verb = (
            rf"\b(?:(?:i|we)(?:'d| would|'ll| will|'m| am| can(?: only)?)?|let's|and) (?:\w+ly |have to |rather )?"
            rf"(?:{SAID['verb']}|giving|going with|rating)\b(?: [\w']+){{0,6}}?"
            rf"(?: an?| as| at| with)*:? ?[\"'(\[]*{one}{SAID['behind']}"
        )
        verb += rf"|(?:{SAID['gives']})\b(?: [\w'-]+){{0,6}}?:? ?[\"'(\[]*{one}{SAID['behind']}"
        overall = rf"\boverall(?: \w+)?\s*[ :|=]\s*[\"'(\[]*{one}(?=\s*(?:$|[\n.,;|(]))"
        turned = (
            r"\b(?:(?:change|lower|raise|revise|adjust|push|bump|bring|lift|move|nudge|take)\w*"
            r" (?:it|this|that|him|her|my \w+)|(?:i'd|i would|i'll|let me) (?:go|move|come)|(?:it|that) comes)"
            rf"(?: up| down| back)? to (?:an? )?{one}{SAID['behind']}"
        )
        settled = (
            r"\b(?:if i (?:must|had to|have to|need to) (?:choose|decide|give one|pick)\b[^.!?\d]{0,30}"
            rf"|(?:{SAID['pressed']})\b[^.!?\d]{{0,90}}?[:, ]) ?[\"'(]*{one}{SAID['behind']}|"
            rf"\b(?:leaning(?: to| towards?)?|(?:in the end|on (?:reflection|second thought)|ultimately)[,:]?"
            rf"(?: \w+){{0,2}}?(?: it's| is)?) (?:an? )?{one}{SAID['behind']}|\bcloser to (?:an? )?{one}(?= than\b)"
            r"|\b(?:settle|land|decide|end|come|arrive)(?:s|d|ed)?(?: up| out)? (?:at|for|on|with) "
            rf"(?:an? )?{one}{SAID['behind']}"
            r"|\b(?:which|that|this) (?:leaves|makes|gives|brings|comes to)(?: (?:it|us|me|him|her|them))?"
            rf"(?: (?:at|to|with))? (?:an? )?{one}\W*$"
            r"|\d[^.!?\n]{0,60}?(?:\b(?:minus|less|plus|subtract\w*|deduct\w*|tak(?:e|ing) off|add\w*)\b[^.!?\n]{0,60}?"
            rf"(?:\b(?:makes|leaves|gives|is|equals)|=|:)|[-+] ?\d+ ?=) ?{one}\W*$"
            rf"|\b(?:{SAID['namely']})[,:]? (?:an? |une? |eine |um )?(?:(?:{SAID['noun']}|mark) )?{one}\W*$"
            rf"|({label or '(?!)'})[\s,;:(–-]{{1,3}}(?:(?:{SAID['namely']}|soit|so|thus),? )?\(?({_NUMBER})"
            r"(?=[),.;]|\W*$)"
            rf"|\b(?:so|hence|therefore|thus),? (?:i'd (?:say|give|choose) |it's |an? )?{one}\W*$"
        )
        self._final = re.compile(
            rf"\b(?:final|overall) (?:{noun})|\bfinal {SAID['noun']} {one}{SAID['behind']}|{overall}|{turned}|{settled}"
        )
        own = (
            rf"\b(?:{SAID['midpoint']})[,:]?(?: (?:{SAID['joins']}))*[,:]? {one}{SAID['behind']}|"
            rf"\b{SAID['noun']} of (?:an? )?{one}\b|(?:\bis|'s|\bmakes (?:it|this|that|him|her|them)) an? "
            rf"(?:(?:clear|decent|firm|good|high|low|solid|strong|weak) )?{one}{SAID['behind']}"
            rf"|\b{one} (?:(?:feels|is|seems|sounds) (?:about |more )?"
            r"(?:appropriate|fair(?:er|est)?|fine|good|okay|ok|justified|reasonable|right|better|closer|realistic)\b"
            rf"|is my (?:\w+ )?{SAID['noun']}\b|it is\b)"
            rf"|\b(?:una?|eine?|une?|uma?) {one} (?:{SAID['seems']})"
            rf" (?:(?!kaum\b|nicht\b|no\b|non\b|não\b|pas\b)\w+ )?(?:{SAID['fair']})"
        )
        number = rf"({_NUMBER}|{_WORD}(?!-))"
        self._marked = re.compile(
            rf"(?:{SAID['a_mark']}){number}{_UNIT}(?:{SAID['mark_ends']}\b|{SAID['behind']})"
            rf"|(?<!minus )({_PLAIN_NUMBER}) (?:points|punkte|puntos|punti|pontos)(?=\W*(?:$|[.,;!]))"
        )
        self._unmarked = re.compile(rf"({_NUMBER}|\b(?!one\b|un[oa]?\b){_WORD[2:]}){SAID['behind']}")
        earned = (
            r"\b(?:is|are|was|were|been) (?:hereby )?(?:awarded|given|graded|marked|rated|scored)"
            rf"(?: (?:an?|as|at|with))* {one}{SAID['behind']}"
        )
        earned += rf"|\b(?:deserves|earns|gets|merits|receives|warrants) (?:an? )?(?:\w+ )?{one}{SAID['behind']}"
        self._announced = re.compile(rf"(?:{noun})|(?:{verb})|(?:{earned})|(?:{own})")
        # "I agree 100%: 5": a number behind a pause ends the text, or is its only one behind a colon
        self._closing = re.compile(
            rf"(?:(?:[.,:;!?—–]|\s-)\s+|\s(?=\())(?:(?:so|thus|hence|therefore|at|to|namely|which is|that is),? )?"
            rf"\(?({_NUMBER})\W*$|(?s:\A\D*:\s+({_NUMBER})(?=[,;(]|\s[(–—-])\D*$)"
            rf"|\A[^.!?\n\d]{{2,60}}\(({_NUMBER})\)(?=[.!,;:]|\s*$)"
        )
        low, high = (self._end(end) for end in (declared.lowest, declared.top))
        told = r"(?: ?\([^()\n]{0,60}\))?"
        self._range = re.compile(
            rf"(?:{SAID['scale']} ?)?(?:\b(?:{SAID['from']}) ?)?{low}{told}"
            rf" ?(?:{SAID['to']}) ?{high}{told}|\b(?:{SAID['out_of']}) {high}|\b\w+-point\b"
            rf"|\(?满分 ?{high} ?\)?"
        )
        outs = "|".join(map(re.escape, _plain(declared.opt_outs))) or "(?!)"
        several = rf"(?:{outs})(?:\s*(?:/|,|\bor\b|\boder\b|\bo\b|\bou\b)\s*(?:{outs}))*"
        self._opt_out = re.compile(rf"{named}{SAID['before_opt_out']}{several}{SAID['after_opt_out']}{_SIGNS}")

    @staticmethod
    def _end(end: float) -> str:
        words = "|".join(rf"\b{word}\b" for word, number in WORDS.items() if number == end)
        return rf"(?<![\d.,])(?:{re.escape(f'{end:g}')}|{words or '(?!)'})(?!\w)"

    def read(self, text: str, *, declines: bool) -> Answer:
        """Return the rating of a plain text, or the reason for having none."""

        def said(part: str) -> Answer | None:
            one = self._read(part, declines=False)
            return None if one.value is None else one

        return (None if declines else corrected(text, said)) or self._read(text, declines=declines)

    def _read(self, text: str, *, declines: bool) -> Answer:
        text = value_of(text, is_named=True) or text
        text = text.rstrip("? ") if len(text) < _VERY_SHORT else text
        for pattern, said in _REWRITTEN:
            text = pattern.sub(said, text)
        text = re.sub(r"\s*(?:[→⇒]|-+>|=+>)\s*", ": ", text.replace("\ufe0f", ""))
        if len(told := self._verdicts(text)) > 1:
            return self._settled("verdict", {value for value, is_so in told if is_so} or {None, self._declared.top})
        text = _IN_COLUMN.sub(lambda row: f"[{'x' if row[2] else ' '}] {row[1]}", text)
        if _BLANK.search(boxes := with_boxes(text)) and (ticks := set(marked(boxes, self._whole))):
            return self._settled("ticked", ticks)
        text = re.sub("[\ufe0e\ufe0f\u20e3\U0001f300-\U0001faff✅✔❌]", "", text)  # a digit as a keycap, pictures
        text = re.sub(r"^\s*[✨⭐🌟]\s*(?=\d)|(?<=\d)\s*[✨⭐🌟]\s*$", "", text) if text.count("⭐") in {0, 2} else text
        if stars := re.fullmatch(rf"\s*{_STARS}\s*", text):
            text = f"{len(stars[1])}/{len(stars[0].strip())}" if stars[2] else str(len(stars[1]))
        elif not re.search(r"\d", text):  # "Trust: ★★★☆☆"
            text = re.sub(_STARS, lambda of: f"{len(of[1])}/{len(of[0])}" if of[2] else of[0], text)
        if not re.search(r"\w", text):
            return Answer(None, "empty", "no-response")
        text = with_fractions(without_others(own_words(text)))
        if self._opt_out.fullmatch(text.strip()):
            return Answer(None, "opt-out", "opted-out")
        for rule, values in self._rules(text, declines=declines):
            if values:
                return self._settled(rule, values)
        is_bare = self._avoids and not re.search(rf"\d|{self._label.pattern}", text)
        declines = declines or (is_bare and refusal.avoids(text))
        return Answer(None, "refusal", "declined") if declines else Answer(None, "other", "no-rating")

    def _whole(self, part: str) -> list[Mention]:
        """Return the rating that a part of a text is, as a mention."""
        found = self._alone.fullmatch(_TICK.sub("", part).strip())
        return [Mention(0, len(part), self._value(found[1]))] if found and found[2] is None else []

    def _rules(self, text: str, *, declines: bool) -> Iterator[tuple[str, set[float | None]]]:
        """Yield each rule, the most reliable first, with the ratings that it finds."""
        text = self._turned.sub(r"\1", text)
        short = self._shorts.get(re.split(r"[.!;\n]", text.strip(" .!\"'"), maxsplit=1)[0].strip(" \"'"))
        yield "alone", set() if short is None or self._label.search(text) else {short}
        parts_of_top = self._of_top(text)
        text = self._without_scale(agreeing(text) if self._is_agreement else text)
        lines = [line for line in text.splitlines() if line.strip()]
        parts = [part for line in lines for part in (line, *sentences_of(line)[1:])]  # "1." may begin an item
        alone = [match for part in parts if (match := self._alone.fullmatch(part))]
        first = self._first.match(text)
        yield "alone", self._values_of(match for match in (self._alone.fullmatch(text),) if match)
        yield "final", self._values_of(self._final.finditer(text))
        yield (
            "announced",
            self._values_of([*self._asserted(text, self._announced), *alone, *([first] if first else [])]),
        )
        yield "closing", set() if declines else self._values_of(self._closed(text))
        yield "keyed", self._keyed(text)
        yield "stated", set() if declines else self._stated_as(text)
        yield "of-highest", parts_of_top if len(parts_of_top) == 1 else set()
        yield "marked", set() if declines else self._only_mark(text)
        yield "mentioned", set() if declines else self._mentioned(text)
        yield "own", set() if declines or self._label.search(text) else self._only_own(text)

    def _values_of(self, matches: Iterable[re.Match[str]]) -> set[float | None]:
        return {self._value(said) for match in matches for said in match.groups() if said is not None}

    def _without_scale(self, text: str) -> str:
        """Remove mentions of the scale and the numbers of lists, and write "4/5" and "4 out of 5" as 4."""
        if len(re.findall(r"(?m)^\s*\d+[.)]\s+\S", text)) > 1:
            text = re.sub(r"(?m)^\s*\d+[.)]\s+(?=\S)", "", text)
        if len(re.findall(_LEGEND, text)) > 1:
            text = re.sub(_LEGEND, " ", text)
        if (self._declared.lowest, self._declared.top) == (0, 100):
            text = SPOKEN.sub(lambda match: f"{value:g}" if (value := spoken(match[0])) else match[0], text)
            text = re.sub(r"(?<=\d) ?(?:%|per ?cent\b|prozent\b|por ciento\b|pour cent\b|por cento\b)", "", text)
        text = re.sub(rf"\b(?:where|with) {_LEGEND}[,;)]", " ", self._range.sub(" ", text))
        text = _OF.sub(self._of_highest, text)
        if sum("|" in line and bool(re.search(r"\d", line)) for line in text.splitlines()) == 1:  # a table of one row
            text = re.sub(_ROW, r"\1", text)
        denied = rf"\bnot (?:quite )?(?:an? )?{_PLAIN_NUMBER}(?:,[^.!?;\n\d]{{0,60}})?,?"
        text = re.sub(rf"{denied} (?:but|more like|rather) (?=[^.!?;\n]*\d)", "", text)
        text = re.sub(rf"(?<=\d)[\"')]*,? {SAID['rather_than']}{_PLAIN_NUMBER}(?![\w.,]*\d)", "", text)
        return re.sub(r"(?<=\d)-(?=\d)", " - ", text).strip()

    def _of_highest(self, match: re.Match[str]) -> str:
        if self._value(match[3]) == self._declared.top:
            return match[1]
        return match[0] if re.fullmatch(SAID["of"], match[2]) else _OFF

    def _verdicts(self, text: str) -> list[tuple[float | None, bool]]:
        """Return the labels and numbers of the scale that stand alone before yes or no, and whether it is yes."""
        rows = [(row[1].strip(" *_\"'([•-"), row[2] is not None) for row in _VERDICT.finditer(text)]
        is_number = re.compile(_PLAIN_NUMBER).fullmatch
        return [(self._value(name), is_so) for name, is_so in rows if name in self._values or is_number(name)]

    def _of_top(self, text: str) -> set[float | None]:
        """Return the numbers that are stated as parts of the highest, "4/5" or "4 out of 5", and not denied."""
        return {
            self._value(match[1])
            for match in _OF.finditer(text)
            if self._value(match[3]) == self._declared.top
            and not re.fullmatch(SAID["of"], match[2])
            and not re.search(f"{SAID['denied']}|{SAID['others']}", clause(text, match.start()))
        }

    def _asserted(self, text: str, announced: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield the announced ratings that their sentence does not deny."""
        for match in islice(announced.finditer(text), _MOST):
            place = match.start(match.lastindex or 0)
            before = clause(text, match.start())
            is_met = not _UNMET.search(before) and not _UNMET.match(text, match.end())
            if is_met and not re.search(SAID["denied"], before) and not _THEIRS.search(clause(text, place)):
                yield match

    def _only_mark(self, text: str) -> set[float | None]:
        """Return the number that a text gives as a mark, "a 4", if no other number of it may be one."""
        marks = self._values_of(self._asserted(text, self._marked))
        others = self._values_of(self._asserted(text, self._unmarked))
        return marks if {one for one in others if self._is_on(one)} <= marks else set()

    def _only_own(self, text: str) -> set[float | None]:
        """Return the only number of the scale that a text names, in a clause in which the speaker speaks of himself."""
        own, others = set[float | None](), set[float | None]()
        for match in self._asserted(text, self._unmarked):
            value, before = self._value(match[1]), clause(text, match.start())
            if self._is_on(value) and (_OWN.search(before) or not _SUPPOSED.search(before)):
                is_open = _DENIES.search(before) or _MORE.match(text, match.end())
                is_own = _OWN.search(before) and not is_open
                (own if is_own else others).add(value)
        return own if len(own) == 1 and others <= own else set()

    def _keyed(self, text: str) -> set[float | None]:
        """Return the number behind the only key or label of a line that may be of the rating: "Trust: 3"."""
        pairs = [(key, self._value(said)) for key, said in _KEYED.findall(text)]
        kept = {value for key, value in pairs if self._is_on(value) and not _BESIDE.search(key)}
        return kept if len(kept) == 1 else set()

    def _stated_as(self, text: str) -> set[float | None]:
        """Return the only number that something is said to be: "my trust in her is 5"."""
        found = {self._value(match[1]) for match in self._asserted(text, _STATED)}
        return found if len(found) == 1 and self._is_on(*found) else set()

    def _closed(self, text: str) -> list[re.Match[str]]:
        """Return the only number of a text, if it ends the text after a pause: "I agree completely: 5"; else empty."""
        match = self._closing.search(text)
        start = match.start(match.lastindex or 1) if match else 0
        if match is None or re.search(rf"\d|{SAID['denied']}", clause(text, start).replace("100%", "")):
            return []
        is_on = self._is_on(self._value(match[match.lastindex or 1]))
        return [match] if is_on and not re.search(_NUMBER, text[:start]) else []

    def _mentioned(self, text: str) -> set[float | None]:
        """Return the labels that no word denies or grades, else the numbers of a short text that may be ratings."""
        given = [match for match in self._label.finditer(text) if is_given(match, self._values)]
        own = {self._value(match[0]) for match in given}
        if len(own) > 1:
            own = {self._value(match[0]) for match in given if not is_supposed(match)} or own
        if len(own) > 1 and re.match(SAID["turns"], clause(text, given[-1].start())):
            own = {self._value(given[-1][0])}
        if own or self._label.search(text) or len(text) > SHORT:
            return own
        numbers = rf"{_NUMBER}|\b(?!one\b|un[oa]?\b){_WORD[2:]}"
        said = [match for match in re.finditer(numbers, text) if not re.search(SAID["denied"], text[: match.start()])]
        values = [self._lone(text, match) for match in said]
        return set() if None in values else {value for value in values if self._is_on(value)}

    def _lone(self, text: str, match: re.Match[str]) -> float | None:
        """Return a number if only words that lead to a rating precede it, and what follows allows it; else None."""
        before = re.split("[,:]", clause(text, match.start()))[-1]
        words = re.findall(r"[\w'-]+", re.sub(r"\(?\b[a-z]\)", "", before))
        is_alone = all(word in LEAD or word.isdecimal() for word in words) and re.match(
            SAID["behind"], text[match.end() :]
        )
        return self._value(match[0]) if is_alone else None

    def _value(self, said: str) -> float | None:
        """Return the number that a label, number or word means; None for one on another scale."""
        value = self._values.get(said, WORDS.get(said))
        if value is None and not said[-1:].isdigit():
            value = next((self._values[label] for label, form in self._forms.items() if form.fullmatch(said)), None)
        return value if value is not None or said == _OFF else float(said.replace(",", "."))

    def _is_on(self, value: float | None) -> bool:
        scale = self._declared
        is_within = value is not None and scale.lowest <= value <= scale.top
        return is_within and (scale.decimals or float(value or 0).is_integer())

    def _settled(self, rule: str, values: set[float | None]) -> Answer:
        if len(values) > 1:
            return Answer(None, "several", "ambiguous")
        (value,) = values
        return Answer(value, rule) if self._is_on(value) else Answer(None, rule, "off-scale")


def _found(label: str) -> str:
    """Build the pattern of a label: a Chinese one may stand within a sentence, but not after a word of denial."""
    if re.match(r"[\u3000-\u9fff]", label):
        return r"(?<![不没未无非])(?<![不没未无非].)(?<![不没未无非]..)" + re.escape(label)
    return rf"(?<!\w){inflected(label)}(?!\w)"


def _plain(texts: Iterable[str]) -> list[str]:
    frame = pl.DataFrame({"text": list(texts)}, schema={"text": pl.String})
    return frame.select(plain(safe(pl.col("text")))).to_series().to_list()
