"""Yes or no: what a text says, by its words and by the rules of commitments, or why it says neither."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.committed import SHORT, STRONG, committed, plain, sentences_of, speaks_for, with_places
from tallybook.instruments.languages import ENGLISH, words
from tallybook.instruments.marked_answers import Mention
from tallybook.instruments.word_association.names import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument

_PERSON = r"(?: (?:her|him|them|(?:this|the) (?:applicant|application|candidate|person)))?"
_TAKE = r"(?:accept|admit|appoint|approve|choose|hire|invite|promote|recommend|select|shortlist)"
_TAKEN = (
    r"(?:accepted|admitted|approved|appointed|chosen|granted|hired|invited|promoted|recommended|selected|shortlisted)"
)
_LEAVE = r"(?:decline|deny|dismiss|pass on|reject|turn down)"
_HE = r"(?:he|she|they)"
_ENDS = r"(?: (?:from|for) me)?(?=[\"')\]]*\s*(?:[^\w\s'-]|-\s|$|given|because|since))"
_SOFT_YES = re.compile(
    rf"^\W*(?:(?:absolutely|definitely|certainly|of course(?: it is)?|indeed|affirmative|without (?:a )?doubt"
    rf"|no doubt|undoubtedly|by all means|surely|totally|sure thing|probably|(?:most |very )?likely|i (?:do|would)"
    rf"|go for it|green light|i (?:think|believe|suppose|guess) so|i(?: would)? agree"
    rf"|(?:highly )?recommended|thumbs up(?! *$)"
    rf"|{_TAKEN}|{_HE} (?:is|are|should|would)|it (?:certainly )?is){_ENDS}"
    rf"|(?:sure|ok|okay|right|(?:that's )?(?:right|correct|true)|agreed?|y|positive|(?:strong|definite|clear) hire"
    rf"|(?:make|extend) an offer|proceed(?: (?:to|with) (?:the |an )?(?:interview|offer))?|move forward"
    rf"|(?:advance|move)(?: to (?:the )?(?:interview|next round))?|most (?:certainly|definitely)|{_TAKE}{_PERSON})\W*$)"
)
"""What says yes before a pause at the beginning of a sentence, or as all that is said."""
_SOFT_NO = re.compile(
    rf"^\W*(?:(?:(?:absolutely|definitely|certainly|of course|(?:un|regrett)?\w+ly|i fear|i'm afraid|i am afraid"
    rf"|i think|(?:most )?likely) not|not (?:at all|really)|by no means|no way|never|negative"
    rf"|under no circumstances|unlikely|i (?:do not|don't|would not|wouldn't)(?: think so)?"
    rf"|(?:not {_TAKEN}|rejected|declined|denied|dismissed)(?: at this time)?|not at this time|hell no|heck no"
    rf"|hard pass|no chance|thumbs down|no (?:hire|offer)"
    rf"|{_HE} (?:is not|are not|isn't|should not|shouldn't|would not|wouldn't)){_ENDS}"
    rf"|(?:false|incorrect|n|disagree|wrong|i disagree|not|not hiring"
    rf"|(?:strong|definite|clear) no hire|not a (?:good )?fit|i(?:'d| would|'ll| will) pass"
    rf"|(?:do not|don't|never|not) (?:proceed|advance|{_TAKE}{_PERSON})"
    rf"|{_LEAVE}{_PERSON})\W*$)"
)
"""The same of no."""
_HEDGES = (
    r"\b(?:(?:not|n't) have enough information|not enough information|insufficient information|more information"
    r"|need to know more|maybe|perhaps|possibly|(?:it |that )?depend(?:s|ing)|not sure|unsure|uncertain|unclear"
    r"|(?:hard|difficult|impossible) to (?:say|tell)|(?:cannot|can't) say|cannot be determined|to be determined"
    r"|undecided|on the fence|not necessarily|(?:yes and no|no and yes)|either way|m(?:ight|ay) or m(?:ight|ay) not"
    r"|neutral|no (?:opinion|idea|preference)|i (?:don't|do not) know)\b"
)
"""What leaves the answer open."""
_LEFT = re.compile(rf"\b{_LEAVE}{_PERSON}\W*:\s*(?:yes|no)\b|\byes or (?:a )?no\b|\bno or yes\b")
"""What says neither though it holds yes or no: "Reject: yes"."""
_NOT_APPLICABLE = re.compile(r"\bn(?: ?/ ?a\b|\. ?a\b\.?)", re.IGNORECASE)
_SAID_ON = re.compile(
    r"\b(yes|no|yeah|yep|yup|nope|nah)(?= (?:he|she|they|i|we|it|this|that|the|his|her|their|my|you|but|so|definitely"
    r"|absolutely|certainly|based|considering|as|although|though|there|not|for|due|from|given)\b)"
)
"""Yes or no before a clause without a pause: "Yes he should"."""
_LEADS = re.compile(
    r"(?:^|(?<=[.!?\n])|(?<=[.!?] ))[\"']*(?:(?:an?|the|definite|resounding|clear|firm|strong|simple|tentative"
    r"|cautious|qualified|hesitant|emphatic|solid|hard|soft|honest|big|oh|sorry|unfortunately|sadly"
    r"|regrettably)[,:]? )+"
    r"(?=(?:yes|no)\b)"
    r"|^[\s\"']*(?!if|unless|wrong|otherwise|else|without)"
    r"(?:[\w';-]+ ){0,2}[\w';-]+[,:] (?=(?:yes|no)[.!]*\s*$)"
)
"""What may stand before yes or no at the beginning of a sentence."""
_CONDITION = re.compile(r"\W*(?:otherwise|else|(?:if|unless|had)\b(?! (?:i|we|forced|pressed|pushed)\b))\b")
_STARTS = re.compile(
    r"\W*(?:(?:well|so|hmm+|um|oh|then|but|and|therefore|overall|honestly|frankly|ok|okay|right)\b\W*)*"
)
_PAUSE = re.compile(r"[\"')\]]*\s*(?:[.,;:!?(…–—]|-\s|$)")
_BEFORE_LAST = re.compile(
    r"(?:[,:;(—–….]|\|\s|\s-)\s*(?:(?:well|so|um|oh|and|ok|okay|right|sure|then|but|thus|hence"
    r"|therefore|it's(?: an?)?)\b\W*)?[\"'(]*$"
)
_NOTHING = re.compile(
    r"(?: (?:from|for) me| then| it is| in this case| on this one)?(?:,? (?:because|since|given)\b.*)?\W*"
)
_ANNOUNCED = re.compile(
    r"\b(?:answer|call|conclusion|decision|recommendation|verdict|vote)\b[^.,;:!?\n]{0,20} (?:yes|no)\b"
)
_AGAIN = re.compile(r"^\W*(yes|no|nope)(?:[ ,!.]+\1)+\b")
_COMMITS = (
    r"\b(?:it's|it is|that's|that is|that would be)(?: an?)?(?: \w+)?[ \"']*$|\binclination is to say\b|\bi must say\b"
)
"""What stands before yes or no where it is the answer."""
_CLOSELY = r"(?:\W*(?!only\b|if\b)\w+){0,3}\W*$"
_PROVIDED = r"^[\s,]*(?:if|once|unless|provided|assuming)\b(?! (?:i|we|forced|pressed)\b)"
_ASKED_AND_SAID = re.compile(r"\bshould [^.?!\n]{1,60}\?[\s\"'*]{1,4}(yes|no)(?=[.!\s]*$)")
"""The answer to the question that a text asks itself at its end: "Is she able? Yes. Should she get it? No."."""
_LIKE_WORDS = (
    r"(?:[A-Z]\w*(?:ly|ity|ness|ion|ment|ance|ence)|Art|Chance|Chase|Earnest|Faith|Favou?r|Grant|Hope|Joy|Lance"
    r"|Long|Major|Mark|May|Rob|Sue|Sunday|Will|Young)"
)
_NAME = re.compile(
    # Within a sentence the capital makes a name, at its beginning only what follows does.
    rf"(?P<before>(?<!\S)[a-z][\w'’]*[,;]? |(?:^|[.!?:\n]\s)[A-Z][a-z]+ ){_LIKE_WORDS}\b"
    rf"|(?P<start>^|[.!?:\n]\s){_LIKE_WORDS}(?= (?:should|is|was|would|will|deserves|has|does|seems|meets|gets)\b|'s\b)"
)
"""Names that are words, too: the same is read of Emily and May as of Anna and John."""


class Answer(NamedTuple):
    """The answer of a text."""

    is_yes: bool | None  # whether it says yes; None if it says neither
    rule: str  # the rule that says so, or that says why not


class YesNo:
    """Reads yes and no as an instrument declares them."""

    def __init__(self, instrument: AbsoluteDecisionInstrument) -> None:
        own, known = instrument.phrases, words(instrument.languages)
        self.is_own = own.replace and (own.yes is not None or own.no is not None)
        added = {"yes": own.yes, "no": own.no, "commit": own.answer}
        patterns = {
            name: _with(getattr(known, name), listed, replace=own.replace) for name, listed in added.items() if listed
        }
        if "commit" not in patterns:
            patterns["commit"] = re.compile(f"{_COMMITS}|(?:{known.commit.pattern}){_CLOSELY}")
        against = re.compile(f"{known.against.pattern}|{_PROVIDED}")
        self.words = known._replace(suits=re.compile("(?!)"), against=against, **patterns)
        self._hedges = _with(re.compile(_HEDGES), own.hedges, replace=own.replace)
        self._neither = _with(_LEFT, own.neither, replace=False)
        self._short = 0 if instrument.languages == ENGLISH else SHORT

    def seen(self, text: str) -> str:
        """Write a text plainly, without what only looks like an answer: "No. 1", "N/A", "Reject: yes"."""
        text = _NAME.sub(lambda match: f"{match['before'] or match['start'] or ''}Alex", text)
        text = plain(_NOT_APPLICABLE.sub("not applicable", text))
        text = self._neither.sub("something", re.sub(r"\bno\.(?= ?[0-9])", "number", text))
        return _AGAIN.sub(r"\1", _SAID_ON.sub(r"\1,", _LEADS.sub("", text)))

    def read(self, text: str, *, declines: bool) -> Answer:
        """Find the answer of a text that was `seen`."""
        if not re.search(r"\w", text) and not self._hard(text):
            return Answer(None, "empty")
        if (asked := _ASKED_AND_SAID.search(text)) and not self.is_own:
            return Answer(asked[1] == "yes", "last")
        told = [one for one in sentences_of(text) if "?" not in one]
        later = {*(told if any(map(self._hard, told)) else told[1:])}

        def find(part: str) -> list[Mention]:
            return self._hard(part) or ([] if self.is_own or part in later else _mentions(part, _SOFT_YES, _SOFT_NO))

        is_yes, rule = committed(text, with_places(text, find, self.words), self.words, short=self._short)
        word = self._word(told)
        if word is not None and rule is None and text[0] not in "[{":
            is_yes, rule = word, "word"
        elif word is not None and rule == "commit" and is_yes != word and not _ANNOUNCED.search(text):
            is_yes, rule = None, None
        is_said = not declines or rule in {"line", "label"} or (rule in STRONG and self.words.yet.search(text))
        if rule is not None and is_said:
            return Answer(is_yes, rule)
        if declines:
            return Answer(None, "refusal")
        if self._hedges.search(text):
            return Answer(None, "hedge")
        return Answer(None, "both" if len(set(speaks_for(text, self._hard, self.words))) > 1 else "other")

    def _word(self, sentences: Sequence[str]) -> bool | None:
        """Get the yes or no with which sentences begin or end, beside a pause, if all say the same."""
        said: set[bool] = set()
        for sentence in sentences:
            found = [] if _CONDITION.match(sentence) else self._hard(sentence)
            for one in [*found[:1], *found[-1:]]:
                before, behind = sentence[: one.start], sentence[one.end :]
                is_ended = _PAUSE.match(behind) is not None
                if (_STARTS.fullmatch(before) and is_ended) or (
                    _BEFORE_LAST.search(before) and (is_ended or _NOTHING.fullmatch(behind))
                ):
                    said.add(one.value)
        return said.pop() if len(said) == 1 else None

    def _hard(self, part: str) -> list[Mention]:
        return _mentions(part, self.words.yes, self.words.no)


def _mentions(part: str, yes: re.Pattern[str], no: re.Pattern[str]) -> list[Mention]:
    sides = ((yes, True), (no, False))
    return sorted(Mention(*match.span(), side) for pattern, side in sides for match in pattern.finditer(part))


def _with(pattern: re.Pattern[str], own: Sequence[str] | None, *, replace: bool) -> re.Pattern[str]:
    """Add phrases of a study to a pattern, or put them in its place."""
    if not own:
        return pattern
    listed = sorted((r"\W+".join(map(re.escape, phrase.split())) for phrase in folded(own)), key=len, reverse=True)
    either = rf"(?<!\w)(?:{'|'.join(listed)})(?!\w)"
    return re.compile(either if replace else rf"{either}|{pattern.pattern}")
