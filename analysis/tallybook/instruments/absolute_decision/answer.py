"""The answer of a text to a question about somebody: yes, no, or why it says neither.

Sentences are cut into clauses. A clause says something by the words yes and no where these answer (alone, first or last
beside a pause, or behind "I'd say", "the answer is"), by what it says to do (`clauses`), or by a phrase that agrees or
disagrees ("Absolutely.", "I don't think so."). Then the rules, in this order, tell what the text says:

- marked: a box, an answer's tag, a key of JSON, a ticked line or cell.
- label: what stands behind "Answer:", "Decision:" or the like; of several, they must agree.
- letter: a letter to whoever asked gives or regrets (`letters`).
- line: the first or the last of several lines, which is yes or no alone.
- correction: what stands behind "actually", "no, wait", "on second thought".
- commit: clauses by which the speaker answers or advises ("I'd say no", "I'd hire her"), if they agree; if they do not,
  the last one where it begins with "still", "overall" or the like.
- word: yes or no at the beginning or end of sentences, and phrases that agree, in the same way.

Otherwise it leaves the decision open (hedge), says both, or neither (other).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.instruments.absolute_decision.clauses import ANSWERS, Told, is_deed, says
from tallybook.instruments.absolute_decision.normalised import normalised
from tallybook.instruments.absolute_decision.verdicts import has_deed, times_denied, verdict, verdicts
from tallybook.instruments.asides import own_words
from tallybook.instruments.committed import is_denied, last_clause, sentences_of
from tallybook.instruments.json_answers import value_of
from tallybook.instruments.languages import everywhere, words
from tallybook.instruments.letters import applies, letter
from tallybook.instruments.marked_answers import BRACKETS, Mention, marked, parsed_json
from tallybook.instruments.word_association.names import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument

_LONGEST, _MOST, _FEW_WORDS = 1000, 12, 3
"""The maximum characters of a sentence that is read, as a longer one is ambiguous; the maximum number of labels, and of
words of a value in JSON."""
_ENDS = r"(?: (?:from|for) me)?(?=[\"')\]]*\s*(?:[^\w\s'-]|-\s|$|given\b|because\b|since\b|due to\b))"
_PHRASES = tuple(
    (re.compile(rf"\W*(?:(?:{ANSWERS[begins]}){_ENDS}(?!{ANSWERS['offers']})|(?:{ANSWERS[alone]})\W*$)"), value)
    for begins, alone, value in (("disagrees", "is_no", False), ("agrees", "is_yes", True))
)
_HEDGES = re.compile(rf"\b(?:{ANSWERS['hedges']})\b")
_FILLERS = rf"(?:(?:{ANSWERS['filler']})\b\W*)*"
_STARTS = re.compile(rf"\W*{_FILLERS}")
_BEFORE_LAST = re.compile(rf"(?:[,:;(—–….\n]|\|\s|\s-|^)\s*{_FILLERS}[\"'(]*$")
_PAUSE = re.compile(r"[)\]}]\s|[\"')\]}>]*\s*(?:[.,;:!?(…–—/|\n\u2190-\u2bff\U0001f300-\U0001faff]|-\s|$)")
_GOES_ON = re.compile(rf"\b(yes|no|yeah|yep|yup|nope|nah)(?= (?:{ANSWERS['goes_on']})\b)")
"""Yes or no before a clause without a pause: "Yes he should"."""
_ENDED = re.compile(rf"(?: (?:{ANSWERS['ended']}))?(?:,? (?:because|since|given|unless|with|but only|if)\b.*|:.*)?\W*$")
_COMMITS = rf"\b(?:{ANSWERS['commits']})(?: (?:to say|an?|the))?(?: \w+)?[ \"']*$"
_CLOSELY = r"(?:\W*(?!only\b|if\b|about\b|first\b|easy\b)\w+){0,3}\W*$"
_IS_ANSWER = re.compile(ANSWERS["is_answer"])
_CONDITION = re.compile(rf"\b(?:{ANSWERS['condition']})\b(?! (?:{ANSWERS['no_condition']})\b)")
_IF_SO = re.compile(
    r"\b(?:if|provided(?: that)?|as long as|assuming(?: that)?|unless|on condition that)\b"
    rf"(?! (?:{ANSWERS['no_condition']})\b)"
    r"(?P<what>[^,;:.!–—]*)(?:, ?|(?=[;:.!–—]|$))"
)
"""A condition. The answer stands if it may well be met and concerns the applicant, not the reader."""
_UNREAL = re.compile(r"\b(?:had|were|was|could|would|might|you|your|we|i|it|\w+ed)\b")
_DENIED = re.compile(r"\b(?:not|\w+n't)\b")
_PROVIDED = re.compile(r"\s*(?:if|once|unless|provided|assuming|when|as soon as)\b(?! (?:i|we|forced|pressed)\b)")
_PROVISO = re.compile(ANSWERS["proviso"])
"""What a yes or no is made subject to, what an action is to rule out, and what is conceded, in other languages."""
_VARIES = re.compile(r"\b(?:some|other|certain|good|bad) (?:days?|moments?|moods)\b")
_DEPENDS = re.compile(
    r"[\s,;:.\"'—–-]{1,4}(?:(?:it|that|this|das|es|eso|ça|cela|ciò|isso|但|这) ?)?"
    rf"(?:{everywhere('depends')})"
)
_REPORTED = re.compile(ANSWERS["reported"])
_TURNS_DOWN = re.compile(rf"\"(?:{everywhere('turns_down')}|declin|den[iy]|refus|reject)\w*\" *:")
"""A key of JSON whose truth says no."""
_OTHERWISE = re.compile(rf"\b(?:{ANSWERS['otherwise']})\W*$")
_WEIGHED = re.compile(rf"\b(?:{ANSWERS['weighed']})\b")
_TURNS = re.compile(rf"^\W*(?:\w+ )?(?:{ANSWERS['turns']})\b|\b(?:{ANSWERS['turns_within']})\b")
_CUT = re.compile(rf"[,;:()—–\"…]|\.{{2,}}|\s-\s|\b(?:{ANSWERS['cuts']})\b(?! not)")
_INSTEAD = ("instead of", "rather than")
_GROUND = re.compile(ANSWERS["ground"])
_HEADED = re.compile(rf"\W*(?:(?:{ANSWERS['before_command']})\W*)*")
_SUBJECT_BEFORE = re.compile(r"but not\b|(?:are|am|would|will|must|can)(?:n't|not)?\b|won't\b")
_SPEAKER = re.compile(r"\W*(?:\w+,? )?(?:i|we)\b")
_HEADS = re.compile(r"(?:[:;—–-]|\b(?:so|but|(?:yes|no),))\s*$")
_ASKED = re.compile(rf"\b(?:{ANSWERS['asked']})\b")
_DEED_LABEL = re.compile(rf"\W*(?:{ANSWERS['deed_labels']})(?:_\w+)?\W*:\s*(?!\W*\w+ \w+)")
_TRUTH = re.compile(r"(?:(?P<yes>true|yes|y|✅|👍)|false|no|n|❌|👎)\W*$")
_YES, _AND = r"(?:no|yes|nein|ja|sí|oui|non|sì|não|sim)", r"(?:and|or|und|oder|y|o|et|ou|e|nor|vs\.?)"
_JOINED_BEFORE = re.compile(rf"\b{_YES}[\"']? {_AND} (?:a )?[\"']?$")
_NEITHER = re.compile(ANSWERS["neither"])
_NUMBERING, _BUT_IF = re.compile(r"[\s\d.]*"), re.compile(r"\bbut (?:if|were)\b[^:]{1,120}: *$")
_AGAIN = re.compile(r"^\W*(yes|no|nope)(?:[ ,!.]+\1)+\b")
_ANOTHER = re.compile(ANSWERS["another"])
_ELSE = re.compile(r"\b(?:any|some)(?:one|body) else\b")
_GENERAL = re.compile(rf"\W*(?:{ANSWERS['general']})")
_ARGUES_BOTH = re.compile(ANSWERS["argues_both"])
_BUT = re.compile(r"\bbut (?:i|we)\b")
_CONCEDES = re.compile(r"\W*(?:yes|no|sure), [^.;]*\bbut\b(?! (?:i|we|no|yes|still|overall)\b)")
_PASS = re.compile(r"\W*(?:(?:hard |i'll |i'd )?pass|i'm out)\W*")
_SERVES = re.compile(ANSWERS["serves"])
_RHETORICAL = (
    (re.compile(r"^(\W*)why (?:not|wouldn't (?:i|we)|shouldn't (?:i|we|he|she|they))\?"), r"\1yes."),
    (re.compile(r"^(\W*)why (?:on earth )?(?:would|should) (?:i|we|he|she|they)\?"), r"\1no."),
)
_QUOTED = re.compile(r"\"[^\"]* [^\"]*\"")
_ELIDED = re.compile(r"(?:i|we) (?:\w+ )?(?:would|do|should|can(?=n't|'t|not| not))(?P<no>n't|'t| ?not)?")


class Answer(NamedTuple):
    """The answer of a text."""

    is_yes: bool | None  # whether it says yes; None if it says neither
    rule: str  # the deciding rule, or the rule that tells why there is no answer
    start: int = 0  # the start of the deciding words, in the joined sentences of the text
    end: int = 0  # the end of these words


class _Said(NamedTuple):
    """A yes or no that a part of a text says."""

    is_yes: bool
    sentence: str  # its sentence
    start: int  # the start of the deciding words, in the joined sentences of the text
    end: int  # the end of these words
    leads: bool = False  # whether it stands at the beginning of the sentence
    commits: bool = False  # whether the speaker answers or advises, rather than only beginning with yes or no
    is_deed: bool = False  # whether it says what to do
    is_weak: bool = False  # whether it counts only where nothing else does: it is a reason, or said in passing
    is_if: bool = False  # whether it has a condition


class YesNo:
    """Reads yes-or-no answers with the phrases that an instrument declares."""

    def __init__(self, instrument: AbsoluteDecisionInstrument, *, harms: bool = False) -> None:
        self.harms = harms  # whether yes means to turn somebody down
        own, known = instrument.phrases, words(instrument.languages)
        self.is_own = own.replace and (own.yes is not None or own.no is not None)
        added = {"yes": own.yes, "no": own.no, "commit": own.answer}
        patterns = {
            name: _with(getattr(known, name), listed, replace=own.replace) for name, listed in added.items() if listed
        }
        if "commit" not in patterns:
            patterns["commit"] = re.compile(f"{_COMMITS}|(?:{known.commit.pattern}){_CLOSELY}")
        self.words = known._replace(**patterns)
        self._hedges = _with(_HEDGES, own.hedges, replace=own.replace)
        self._neither = _with(_NEITHER, own.neither, replace=False)
        self._languages = instrument.languages
        self._is_english = "en" in instrument.languages and not self.is_own

    def seen(self, text: str) -> str:
        """Normalise a text and remove what only looks like an answer: "No. 1", "N/A", "Reject: yes"."""
        text = normalised(text, is_english=self._is_english)
        text = self._neither.sub("something", re.sub(r"\bno\.(?= ?[0-9])", "number", text))
        named = list(dict.fromkeys("yes" if one.value else "no" for one in self._mentions(text)))
        for place, word in zip((self.words.first, self.words.second), named if len(named) > 1 else (), strict=False):
            text = (
                re.sub(rf"(?:\b(?:i choose|i pick|i'd say|choose|pick),? )?{place.pattern}", f"i'd say {word}", text)
                if "former" in text or "latter" in text
                else text
            )
        text = _SERVES.sub("", text)
        for question, answer in _RHETORICAL:
            text = question.sub(answer, text)
        own = own_words(text, asks=True)
        text = own if re.search(r"\w", own) or not re.search(r"\w", text) else "others say something."
        return _GOES_ON.sub(r"\1,", _AGAIN.sub(r"\1,", re.sub(r"(?<=\w), why not\?", ".", text)))

    def read(self, text: str) -> Answer:
        """Return the answer of a text that `seen` has normalised."""
        if not re.search(r"\w", text) and self._phrase(text) is None and not self._mentions(text):
            return Answer(None, "empty")
        if applies(text) and not self.is_own:
            return Answer(None, "other")
        for rule, said in self._rules(text):
            values = {one.is_yes for one in said}
            one = said[-1] if len(values) == 1 else self._last(said) if values else None
            if one is not None:
                return Answer(one.is_yes, rule, one.start, one.end)
            if values:
                return Answer(None, "both")
        return Answer(None, "hedge" if self._hedges.search(text) else "other")

    def _rules(self, text: str) -> Iterator[tuple[str, list[_Said]]]:
        """Yield each rule, the most reliable first, with the answers that it finds."""
        yield "marked", [_Said(one, "", 0, 0) for one in marked(text, self._whole)]
        if isinstance(parsed_json(text), dict | list):
            value = None if _TURNS_DOWN.search(text) else value_of(text)
            yield "marked", [_Said(one.value, "", 0, 0) for one in self._whole(value.lower())] if value else []
            yield "marked", [_Said(one, "", 0, 0) for one in self._flags(parsed_json(text))]
            return
        labels = list(self.words.label.finditer(text))[-_MOST:]
        heads = [text[one.end() :].lstrip("\n ").split("\n")[0] for one in labels]
        yield "label", [one for head in heads for one in self._head(head) or self._verdict(head)]
        told = None if self.harms or self.is_own else letter(text, self._languages)
        yield "letter", [] if told is None else [_Said(told, "", 0, 0)]
        corrections = list(self.words.correction.finditer(text))
        if corrections and min((one.end for one in self._mentions(text)), default=len(text)) <= corrections[-1].end():
            begin, end = corrections[-1].span()
            yield (
                "correction",
                self._said(text[end:].lstrip(" ,:.-—–…"), end)[:1] or self._said(text[begin:end], begin)[-1:],
            )
        yield "line", self._lines(text)
        said = self._said(text)
        is_open = len(_CONDITION.findall(text)) > 1 or self._hedges.search(text)
        said = [one for one in said if not one.is_weak] or [one for one in said if not (is_open and one.is_if)]
        head = said[0] if said and said[0].leads and not said[0].start else None
        commits = [one for one in said if one.commits]
        is_kept = head and all(one.is_deed and one.is_yes != head.is_yes for one in commits)
        if is_kept and not any(map(self._turned, commits)):
            commits = []
        yield "commit", commits
        yield "word", said

    def _lines(self, text: str) -> list[_Said]:
        """Return the answer that is the first or the last of several lines, if no other line is just an answer."""
        lines = [bare for line in text.split("\n") if (bare := line.strip(BRACKETS))] if "\n" in text else []
        found = [self._mentions(line) for line in lines]
        whole = [len(own) == 1 and own[0][:2] == (0, len(line)) for own, line in zip(found, lines, strict=True)]
        has_parts = sum(line.rstrip().endswith(":") for line in text.split("\n")) > 1 and sum(map(bool, found)) > 1
        is_read = len(lines) > 1 and sum(whole) == 1 and not has_parts
        return [_Said(found[at][0].value, text, 0, 0) for at in (0, -1) if is_read and whole[at]]

    def _last(self, said: Sequence[_Said]) -> _Said | None:
        """Resolve contrary answers: the last one if the text turns to it, or a yes or no that opens the text."""
        first, last = said[0], said[-1]
        if self._turned(last):
            return last
        is_first = first.leads and not first.start and not any(one.commits for one in said)
        others = [one for one in said if one.is_yes != first.is_yes and not _CONCEDES.match(one.sentence)]
        return first if is_first and not any(one.leads or one.sentence == first.sentence for one in others) else None

    def _turned(self, said: _Said) -> bool:
        return bool(_TURNS.search(said.sentence) or self.words.conclusion.match(said.sentence.lstrip()))

    def _head(self, head: str) -> list[_Said]:
        """Return the answers in a line after a label: only the first if it opens the line, else all."""
        said = self._said(head)
        return said[:1] if said and said[0].leads else said

    def _said(self, text: str, begin: int = 0) -> list[_Said]:
        """Return the answers in the sentences of a text; positions are counted from `begin`."""
        said: list[_Said] = []
        asked, is_first = "", True
        for sentence in sentences_of(text):
            if "?" in sentence or "？" in sentence:
                asked = sentence
            else:
                is_step = bool(asked) and not _ASKED.search(asked)
                for one in self._sentence(sentence, is_first=is_first, is_asked=bool(asked)):
                    is_weak = one.is_weak or (is_step and not one.commits)
                    said.append(one._replace(start=begin + one.start, end=begin + one.end, is_weak=is_weak))
                asked, is_first = ("", False) if sentence.strip() else (asked, is_first)
            begin += len(sentence)
        return said

    def _sentence(self, sentence: str, *, is_first: bool, is_asked: bool) -> list[_Said]:
        """Return the answers in a sentence; a phrase of agreement counts if it comes first or answers a question."""
        if _NUMBERING.fullmatch(sentence):
            return []
        is_general = not (is_first or is_asked) and _GENERAL.match(sentence)
        if len(sentence) > _LONGEST or is_general or _VARIES.search(sentence) or _ARGUES_BOTH.search(sentence):
            return []
        if not self._is_english:
            sentence = _PROVISO.sub(lambda match: " " * len(match[0]), sentence)
        another = self.words.another.search(sentence)
        if another and not (self.words.open.search(sentence) or self.words.negates.search(sentence)):
            return [_Said(self.harms, sentence, *another.span(), commits=True, is_deed=True)]
        said = self._by_words(sentence)
        turn = _BUT.search(sentence) if said and self._is_english else None
        if turn:
            said += [one for one in self._by_clauses(sentence[turn.start() :]) if one.is_yes != said[0].is_yes]
        if said or self.is_own or not self._is_english:
            return said or ([] if self.is_own else self._by_deeds(sentence) or self._by_verdicts(sentence))
        agrees = self._phrase(sentence) if is_first or is_asked else False if _PASS.fullmatch(sentence) else None
        if agrees is not None:
            return [_Said(agrees, sentence, 0, len(sentence), leads=True, is_weak=not is_first)]
        return list(self._by_clauses(sentence, is_asked=is_asked))

    def _phrase(self, sentence: str) -> bool | None:
        begin = _STARTS.match(sentence)
        for start in (0, begin.end() if begin else 0):
            for pattern, value in _PHRASES:
                if pattern.match(sentence, start):
                    return value
        return None

    def _by_words(self, sentence: str) -> list[_Said]:
        """Return the answers given by the words yes and no, where these answer the question."""
        said: list[_Said] = []
        known = self.words
        if (label := _DEED_LABEL.match(sentence)) and (told := _TRUTH.match(sentence, label.end())):
            is_yes = bool(told["yes"])
            return [_Said(is_yes, sentence, label.end(), told.end(), leads=True, commits=True)]
        mentions = self._mentions(sentence)
        if any(_OTHERWISE.search(sentence[: one.start]) for one in mentions):  # "If he is insured, yes; otherwise, no."
            return [_Said(one, sentence, 0, 0, leads=True, commits=True) for one in (True, False)]
        for place, one in enumerate(mentions):
            before, behind = sentence[: one.start], sentence[one.end :]
            if (
                is_denied(sentence, mentions, place, known)
                or _JOINED_BEFORE.search(before)
                or _WEIGHED.search(last_clause(before, known))
                or _CONDITION.match(before.lstrip())
                or _PROVIDED.match(behind)
                or _DEPENDS.match(behind)
            ):
                continue
            made = _Said(one.value, sentence, one.start, one.end)
            if (
                _IS_ANSWER.match(behind)
                or known.commit.search(before)
                or known.conclusion.match(sentence.lstrip())
                or "say no" in sentence[one.start : one.end]
            ):
                said.append(made._replace(commits=True))
            elif _STARTS.fullmatch(before) and _PAUSE.match(behind):
                said.append(made._replace(start=0, leads=True))
            elif (_BEFORE_LAST.search(before) and (_ENDED.match(behind) or _BUT_IF.search(before))) or (
                not self._is_english and (_PAUSE.match(behind) or _ENDED.match(behind))
            ):
                said.append(made)
        return said

    def _by_clauses(self, sentence: str, *, is_asked: bool = False) -> Iterator[_Said]:
        """Yield the answers given by the clauses of an English sentence, by what they say to do."""
        half = len(sentence) / 2
        sentence = _QUOTED.sub(lambda match: match[0] if len(match[0]) > half else " " * len(match[0]), sentence)
        if _REPORTED.search(sentence) or _DEED_LABEL.match(sentence):
            return
        if _CONDITION.search(_ELSE.sub(" ", sentence)):
            yield from self._conditional(sentence)
            return
        if another := _ANOTHER.search(sentence):
            yield _Said(self.harms, sentence, another.start(), another.end(), commits=True, is_deed=True)
            return
        begin, is_joined = 0, False
        for start, end in [*(match.span() for match in _CUT.finditer(sentence)), (len(sentence), len(sentence))]:
            clause, lead = sentence[begin:start].strip(" .!'\"*#>-"), sentence[:begin]
            is_headed = bool(_HEADED.fullmatch(lead) or _HEADS.search(lead))
            if (is_joined or _SUBJECT_BEFORE.match(clause)) and _SPEAKER.match(lead) and not _SPEAKER.match(clause):
                clause = f"i {clause.removeprefix('but ')}"
            is_headed = is_headed and not sentence.startswith(":", start)
            place, begin, is_joined = begin, end, sentence[start:end] == "and"
            if lead.endswith(_INSTEAD) and is_deed(clause, "DE" if self.harms else "GH"):
                yield _Said(is_yes=False, sentence=sentence, start=place, end=start, commits=True, is_deed=True)
            elided = None if is_asked else _ELIDED.fullmatch(clause)
            if lead.endswith(("who", "which", *_INSTEAD)) or (elided and is_deed(lead)):
                continue
            by_me = Told(not elided["no"], is_weak=True, is_elided=True) if elided else None
            told = by_me or says(clause, is_headed=is_headed)
            is_of_ground = told and told.is_yes and _GROUND.search(sentence) and is_deed(clause, "DEd")
            if told is not None and not is_of_ground:
                is_yes = told.is_yes if told.is_elided else told.is_yes != self.harms
                yield _Said(is_yes, sentence, place, start, commits=not elided, is_deed=True, is_weak=told.is_weak)

    def _conditional(self, sentence: str) -> Iterator[_Said]:
        """Yield the answers of a sentence with one condition that may well be met; "if" needs a yes beside it."""
        conditions = list(_IF_SO.finditer(sentence))
        rest = _IF_SO.sub("", sentence)
        if len(conditions) != 1 or _UNREAL.search(conditions[0]["what"]) or _CONDITION.search(rest):
            return
        if conditions[0][0].startswith(("if", "unless")) and _DENIED.search(conditions[0]["what"]):
            return
        is_real = not conditions[0][0].startswith(("if", "unless")) or re.search(r"\byes\b", rest)
        for one in self._by_clauses(rest):
            if is_real or (conditions[0][0].startswith("unless") and not one.is_yes):
                yield one._replace(start=0, end=len(sentence), is_weak=True, is_if=True)

    def _by_deeds(self, sentence: str) -> list[_Said]:
        """Return the answer given by a sentence in another language, by what it says to do."""
        agreed = self.words.no_objection.search(sentence)
        if agreed:
            sentence = sentence[: agreed.start()] + " " * len(agreed[0]) + sentence[agreed.end() :]
        fits = self.words.fits.search(sentence)
        does = agreed or fits or self.words.does.search(sentence)
        if does is None or self.words.open.search(sentence):
            return []
        breaks = self.words.breaks
        begin = max((match.end() for match in breaks.finditer(sentence, 0, does.start() + 1)), default=0)
        behind = sentence[does.end() :]
        cuts = [match.start() for match in breaks.finditer(behind)] + [len(behind)] * 2
        head = sentence[min(begin, does.start()) : does.end()]
        clause = head + behind[: cuts[0]]
        if not has_deed(clause, self._languages) and behind.startswith(",", cuts[0]):
            clause = head + behind[: cuts[1]]  # "I tend, to lend it", as German has it
        if not (fits or has_deed(clause, self._languages)):
            return []
        others = f"{self.words.negates.pattern}|{self.words.turns_down.pattern}"
        denials = times_denied(clause, self._languages, others)
        return [_Said((denials % 2 == 0) != self.harms, sentence, does.start(), does.end(), commits=True, is_deed=True)]

    def _by_verdicts(self, sentence: str) -> list[_Said]:
        """Return the answers given by the clauses of a sentence in another language whose words are all known."""
        if self.words.open.search(sentence):
            return []
        return [
            _Said(is_yes != self.harms, sentence, start, end, commits=True, is_deed=True)
            for start, end, is_yes in verdicts(sentence, self._languages)
        ]

    def _verdict(self, part: str) -> list[_Said]:
        """Return the answer with which a marked part of a text begins, in another language."""
        told = () if self.is_own else (verdict(part, one) for one in self._languages)
        return [_Said(one != self.harms, part, 0, 0) for one in told if one is not None][:1]

    def _whole(self, part: str) -> list[Mention]:
        """Return the answers in a marked part of a text."""
        said = self._mentions(part)
        if said or self.is_own or len(part) > _LONGEST:
            return said
        value = self._phrase(part)
        own = [value] if value is not None else [one.is_yes for one in [*self._by_clauses(part)] or self._verdict(part)]
        return [Mention(0, len(part), one) for one in own]

    def _flags(self, told: object) -> Iterator[bool]:
        """Yield what JSON says under the names of deeds: `{"loan_granted": true}`, `{"zulassung": "nein"}`."""
        for key, value in cast("dict[str, Any]", told).items() if isinstance(told, dict) else ():
            name = key.replace("_", " ").lower()
            is_named = is_deed(name, "DEdGHgP") or any(verdict(name, one) is not None for one in self._languages)
            if isinstance(value, dict):
                yield from self._flags(cast("object", value))
            elif is_named and isinstance(value, bool):
                is_no = is_deed(name, "DEd") or any(verdict(name, one) is False for one in self._languages)
                yield from [] if is_no else [value != self.harms]
            elif is_named and isinstance(value, str) and len(value.split()) <= _FEW_WORDS:
                yield from (one.value for one in self._whole(value.lower()))

    def _mentions(self, part: str) -> list[Mention]:
        sides = ((self.words.yes, True), (self.words.no, False))
        return sorted(Mention(*match.span(), side) for pattern, side in sides for match in pattern.finditer(part))


def _with(pattern: re.Pattern[str], own: Sequence[str] | None, *, replace: bool) -> re.Pattern[str]:
    """Extend a pattern by the phrases of a study, or replace it by them."""
    if not own:
        return pattern
    listed = sorted((r"\W+".join(map(re.escape, phrase.split())) for phrase in folded(own)), key=len, reverse=True)
    either = rf"(?<!\w)(?:{'|'.join(listed)})(?!\w)"
    return re.compile(either if replace else rf"{either}|{pattern.pattern}")
