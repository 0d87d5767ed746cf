"""Texts of decisions as the rules read them: without names, signs and frames that only look like answers."""

from __future__ import annotations

import re

from tallybook.instruments.committed import plain

_STAGE = re.compile(r"(?m)^[^\S\n]*\*(?!\*)([^*\n]{3,80}?)[.!]?\*(?= )")
"""Gestures of a role-player: "*bangs gavel* Parole granted."."""
_REPEATED = re.compile(r"(?im)^[ *_]*q(?:uestion)?[*_]*:[^?\n]*\?\s*a(?:nswer)?[*_]*:")
"""The question, written out before the answer: "Q: Should he go? A: No"."""
_IN_MY_VIEW = re.compile(r"(?i),? in my (?:\w+ )?(?:view|opinion|judge?ment),(?= \w)")
_ARROW = re.compile(
    r"(?m)(?:^[^\S\n]*|(?<=[)\].] ))\$*(?:\\(?:Long)?(?:[Rr]ightarrow|implies|therefore|to)\b|⇒|→|=>|∴|➜|➡)"
    r"\$*[ *]*(?=[^\s$\\])"
)
"""A sign that draws a conclusion: "⇒ **Approve**"."""
_ROW = re.compile(r"(?m)^\| *([^|\n]{1,40}?) *\| *([^|\n]+?) *\|\s*\Z")
"""The last row of a table of two columns."""
_IT_IS = re.compile(r"(?im)(?<![\w,] )\b(?:an? )?([a-z]{3,}(?:al|ion|ance|ment)|hire|pass|yes|no) it is\b")
"""A verdict in a noun: "Approval it is."."""
_YES = r"(?:yes|no|ja|nein|sí|oui|non|sì|sim|não)"
_TEMPLATE = re.compile(rf"(?i)(?<=[:=] )[\"']{_YES}[\"']? ?(?:[/|]|or|oder|o|ou) ?[\"']?{_YES}[\"']")
"""The format of an answer, sent back: {"decision": "yes" or "no"}."""
_FENCE = re.compile(r"(?m)^[^\S\n]*```\w*[^\S\n]*$")
_LIKE_WORDS = (
    r"(?:[A-Z]\w*(?:ly|ity|ness|ion|ment|ance|ence)|Art|Chance|Chase|Earnest|Faith|Favou?r|Grant|Hope|Joy|Lance"
    r"|Long|Major|Mark|May|Rob|Sue|Sunday|Will|Young)"
)
_NAME = re.compile(
    # Within a sentence a capital marks a name, at its beginning only the verb behind it does.
    rf"(?P<before>(?<!\S)[a-z][\w'’]*[,;]? |(?:^|[.!?:\n]\s)[A-Z][a-z]+ ){_LIKE_WORDS}\b"
    rf"|(?P<start>^|[.!?:\n]\s){_LIKE_WORDS}(?= (?:should|is|was|would|will|deserves|has|does|seems|meets|gets)\b|'s\b)"
)
"""Names that are also words; they are replaced so that they are not read as words."""


def normalised(text: str, *, is_english: bool) -> str:
    """Normalise a text, with words for the signs that lead to an answer, and another name for those that are words."""
    if is_english:  # other languages have nouns in capitals
        text = _NAME.sub(lambda match: f"{match['before'] or match['start'] or ''}Alex", text)
    text = _FENCE.sub("", text) if "```" in text else text
    text = re.sub(r"\b(mr|mrs|ms|dr|prof|st)\.(?= )", r"\1", text, flags=re.IGNORECASE)
    text = _ROW.sub(r"\1: \2", _REPEATED.sub("answer:", re.sub(r"\bw/ ?", "with ", text)))
    text = _IT_IS.sub(r"my decision is \1", _TEMPLATE.sub("something", _IN_MY_VIEW.sub("", text)))
    text = _ARROW.sub("decision: ", _STAGE.sub(r"\1.", text))
    text = plain(re.sub(r"\btl;?dr\b:?", "in short,", text, flags=re.IGNORECASE))
    return re.sub(r"\bi(d|m|ll)\b(?! (?:card|number))", r"i'\1", text)
