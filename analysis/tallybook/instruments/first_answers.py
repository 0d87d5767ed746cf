r"""The first answer of a text that goes on as its prompt did, as models do that complete texts.

Such a text gives its answer and then invents a next question, statement, record or prompt, which it answers, too:
"B\n\nQuestion: Who was late?\nAnswer: A". The first answer ends where that begins. `asides.toml` has the labels of such
parts; where the prompt is known, so are its first label and its first words.

What stands before may be no answer, as a text may write out its question, or think, before it answers. So a text
is only shortened if the instrument reads an answer, or a refusal, in what is left.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.languages import expressions
from tallybook.instruments.outcomes import code_outcomes
from tallybook.instruments.reading import VERDICT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tallybook.study.coding import Outcome
    from tallybook.study.instrument_base import Instrument

_LISTED = expressions("tallybook.instruments", "asides.toml")["continues"]
_SIGNS = r"[^\w\n]{0,8}"
_ASKS = (
    rf"(?:{_LISTED['asks']})(?: ?(?:\d{{1,3}}|[a-h]\b))?[*_]{{0,2}} ?(?:[:：]|\n)"
    r"(?!\W{0,5}\d[^\n]{0,25}(?:\n|\Z))"  # "Sentence: 6 years" is an answer
)
_NEXT = re.compile(
    rf"\n{_SIGNS}(?:(?:\d{{1,3}}[.)]\W{{1,3}})?{_ASKS}"
    rf"|(?P<record>{_LISTED['records']})(?: ?\d{{1,3}})?[*_]{{0,2}} ?[:：][^\n]*\w"
    r"|[^\n]{10,300}[?？] *\n+\W{0,3}[a1][.):] )"
    rf"|(?<=[.!?])[ \t](?:{_LISTED['asks_within']})(?: ?\d{{1,3}})?:",
    re.IGNORECASE,
)
"""Where a next question, statement or record begins."""
_AGAIN = re.compile(
    rf"\A\W*({_LISTED['answers']})[*_]*[:：]([^\n]{{1,40}})(?=(?:\n\W*\1[*_]*[:：][^\n]*){{2}})", re.IGNORECASE
)
"""An answer with its label, and two more right below: of two, none is the first rather than a correction."""
_ASKED_AGAIN = re.compile(
    rf"\A\W*(?:({_LISTED['answers']})[*_]*[:：][^\n]{{1,40}}|\w[^\n]{{0,11}})(?=\s{{0,3}}\n"
    rf"(?!\W{{0,4}}(?:{_LISTED['doubts']})(?!\w))[^\n?？]{{20,400}}[?？][^\n]{{0,60}}\n\W{{0,4}}"
    r"(?(1)\1[*_]*[:：]|\w[^\n]{0,11}\s*\Z))",
    re.IGNORECASE,
)
"""An answer, and behind a question another one: both with the same label, or both alone in their lines."""
_WITHIN = re.compile(
    r"\A\W{0,4}[^\W_][^\n.,;:!?。，；：！？]{0,25}?(?=[ \t]+(?-i:[A-ZÀ-Þ¿\u4e00-\u9fff])[^\n?？]{10,400}[?？]\W{0,4}"
    r"[^\W_][^\n?？]{0,25}\Z)"
)
"""An answer without a pause, and in the same line a question with its own answer."""
_BARE = re.compile(r"\W*(?:\d+|\w|yes|no|ja|nein|oui|non|s[ìí]|sim|não)\W*", re.IGNORECASE)
"""An answer that cannot begin a question."""
_BEGINS = re.compile(rf"{_SIGNS}(?:\d{{1,3}}[.)]\W{{1,3}})?{_ASKS}", re.IGNORECASE)
_RECORD = re.compile(rf"{_SIGNS}(?:{_LISTED['records']})(?: ?\d{{1,3}})?[*_]{{0,2}} ?[:：]", re.IGNORECASE)
"""A text that begins as a record may list several: "Candidate 1: Ann, strong"."""
_LABEL = re.compile(r"\W*([^\W\d_][\w '’-]{1,30})[:：][^\S\n]*[^\s<\[{(_.…]")
"""A label with a value at the beginning of a prompt."""
_THOUGHT = re.compile(r"(?is)\A.*</think(?:ing)?>|\A\s*<think(?:ing)?>.*")
_MOST_UNITS, _MOST_ENDS, _SHORT = 50, 3, 200
"""The most lines or sentences and ends that are looked at, and the most characters before a record that is no part of
the answer."""
_CORRECTS = re.compile(rf"\b(?:{_LISTED['corrects']})", re.IGNORECASE)
_WORD = re.compile(r"[\u3000-\u9fff]|\w+")
_UNIT = re.compile(r"\n(?=[^\n]*\S)|(?<=[.!?])[ \t]+(?=\S)|(?<=[。！？])(?=.)")
_QUESTION = re.compile(r"[^.!?。！？\n]{1,300}[?？]")
_SENTENCE = re.compile(r"[^\n.!?。！？]{6,150}(?:[.!](?=\s)|[。！])")
_LONG, _SHORTEST, _SAME, _PARAGRAPH = 7, 4, 0.65, 1000
"""The fewest words of a line and of a question that may ask what a prompt asks, and the share that is the same."""
_MOST, _FIRST = 40, 16
"""The most characters of a prompt's beginning by which it is known, and the bytes of its question's."""
_PROMPTS = ("prompt", "options", "offered")
"""The settings of instruments that may name the column of prompts."""


def ends_of_first(text: str, prompt: str | None = None, labels: Sequence[str] = ()) -> list[int]:
    r"""List where the first answer of a text may end, as a next question or record begins; `labels` are of a record.

    >>> text = "Ann.\n\nQuestion: Who left?\nAnswer: Ben"
    >>> [text[:end] for end in ends_of_first(text)], ends_of_first("Question: Who was late?\nAnswer: Ann")
    (['Ann.\n'], [])
    """
    if not re.search(r"[\n:?？]", text):  # most short answers
        return []
    thought = _THOUGHT.match(text)
    start = thought.end() if thought else 0
    start += len(text[start:]) - len(text[start:].lstrip())
    begin = (prompt or "").strip()
    behind = start
    if (asks := _BEGINS.match(text, start)) or (begin and text.startswith(begin[:_MOST], start)):
        written = text[asks.end() if asks else start :].lstrip()
        if len(written) < _MOST or written[:_MOST] not in begin:
            return []
        behind = text.index(written) + _MOST  # its own question, written out
    limit = 0 if _RECORD.match(text, start) else _SHORT
    ends = {
        one.start()
        for one in _NEXT.finditer(text, behind)
        if labels or not one["record"] or one.start() - start < limit
    }
    found = [*islice(_alike(text, behind, begin), 1), *(text.find(one, behind) for one in _beginnings(begin))]
    if label := _LABEL.match(begin):  # lines that begin with the first label of the prompt
        again = re.compile(rf"\n{_SIGNS}{re.escape(label[1])}[*_]{{0,2}} ?[:：][^\n]*\w").search(text, behind)
        found += [again.start()] if again else []
    ends |= {*sorted(at for at in found if at > 0)[:1]}
    own = text[start:]
    within = _WITHIN.match(own) if not begin or own[:_FIRST] not in begin else None
    if within and not begin and not _BARE.fullmatch(within[0]):  # its own question: "Should Ann be hired? No."
        within = None
    ends |= {start + match.end() for match in (_AGAIN.match(own), _ASKED_AGAIN.match(own), within) if match}
    ends |= set(_repeated(text, labels) if labels else ())
    heads = ((end, text[start:end].rstrip(" *_\n")) for end in sorted(ends))
    return [end for end, head in heads if re.search(r"\w", head) and not head.endswith((":", "："))][:_MOST_ENDS]


def _alike(text: str, start: int, prompt: str) -> Iterator[int]:
    """Yield where lines or questions begin that ask what a prompt asks, of somebody else."""
    asked, questions = _words_of_lines(prompt)
    for unit in islice(_UNIT.finditer(text, start), _MOST_UNITS if asked or questions else 0):
        at = unit.end()
        if (question := _QUESTION.match(text, at)) and questions:
            own = _WORD.findall(question[0].lower())
            if len(own) >= _SHORTEST and any(own[:2] == one[:2] and _is_same(own, one) for one in questions):
                yield unit.start()
        if unit[0] == "\n" and asked:
            own = _WORD.findall(text[at : at + _PARAGRAPH].partition("\n")[0].lower())
            near = [words for words in asked if len(own) >= _LONG and 2 * len({*own} & {*words}) >= len({*own})]
            is_question = near and (not questions or re.search("[?？]", text[at:].partition("\n\n")[0]))
            if is_question and any(_is_same(own, words[: len(own) + 5]) for words in near):
                yield unit.start()


@lru_cache(maxsize=256)
def _beginnings(prompt: str) -> list[str]:
    """Return what begins a prompt again: its first sentence, "Case file.", and the first words of its last question."""
    heads = [one[0] for one in [_SENTENCE.match(prompt)] if one]
    asked = [one[0].lstrip() for one in [*_QUESTION.finditer(prompt)][-1:]]
    return heads + [one.encode()[:_FIRST].decode(errors="ignore") for one in asked if len(one) >= _FIRST]


def _is_same(own: Sequence[str], words: Sequence[str]) -> bool:
    return SequenceMatcher(None, own, words).ratio() >= _SAME


@lru_cache(maxsize=256)
def _words_of_lines(prompt: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the words of each long line of a prompt, and of each of its questions, in lower case."""
    lines = (_WORD.findall(line.lower()) for line in prompt.split("\n")[:_MOST_UNITS])
    questions = (_WORD.findall(one[0].lower()) for one in islice(_QUESTION.finditer(prompt), _MOST_UNITS))
    return [words for words in lines if len(words) >= _LONG], [one for one in questions if len(one) >= _SHORTEST]


def _repeated(text: str, labels: Sequence[str]) -> Iterator[int]:
    """Yield where a record ends whose first label comes again, unless something between corrects it."""
    either = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    lines = re.finditer(rf"(?im)^{_SIGNS}({either})[*_]{{0,2}} ?[:：][^\n]*\w[^\n]*", text)
    told = [*islice(lines, _MOST_UNITS)]
    for before, match in pairwise(told):
        is_next = match[1].lower() == told[0][1].lower() and match is not told[0]
        if is_next and not _CORRECTS.search(text, before.end(), match.start()):
            yield before.end()


def prompts_of(responses: pl.DataFrame, instrument: Instrument) -> pl.Expr:
    """Return the prompts: of the column that the instrument names, or items that are whole prompts; else null."""
    reads, schema = instrument.reads, responses.schema
    declared = (reads[name] for name in _PROMPTS if schema.get(reads.get(name, "")) == pl.String)
    if (name := next(declared, None)) is not None:
        return pl.col(name)
    is_whole = pl.col("item").str.len_bytes() > _MOST
    if schema.get("item") == pl.String and responses.select(is_whole.any()).item():
        return pl.when(is_whole).then("item")
    return pl.lit(None, dtype=pl.String)


def with_first_answers(
    responses: pl.DataFrame, instrument: Instrument, outcomes: Mapping[str, Outcome], lists: Sequence[pl.DataFrame]
) -> pl.DataFrame:
    """Shorten the texts that go on behind their first answer, where the instrument reads what is left."""
    asked = prompts_of(responses, instrument)
    labels = [name for names in getattr(instrument, "block", {}).values() for name in names]

    def coded(rows: pl.DataFrame) -> pl.DataFrame:
        read = instrument.lenient.code(rows, outcomes, lists).responses
        if outcomes:
            return code_outcomes(read, outcomes, texts=instrument.texts).coded
        return read.with_columns(status=pl.col(VERDICT).fill_null("ok"))

    for column in dict.fromkeys(instrument.texts):
        if responses.schema.get(column) != pl.String:
            continue
        rows = responses.select(pl.col(column), asked.alias("_asked")).iter_rows()
        ends = [ends_of_first(text, prompt, labels) if text else [] for text, prompt in rows]
        tried = [(at, end) for at, own in enumerate(ends) for end in (*own, None) if own]
        if tried:
            responses = _shortened(responses, column, tried, coded)
    return responses


def _shortened(
    responses: pl.DataFrame,
    column: str,
    tried: Sequence[tuple[int, int | None]],
    coded: Callable[[pl.DataFrame], pl.DataFrame],
) -> pl.DataFrame:
    """Shorten the texts of rows to the first of the ends tried with which they are answered, at best entirely."""
    at = pl.Series("_at", [row for row, _ in tried], dtype=pl.UInt32)
    texts = responses.get_column(column)
    heads = pl.Series(column, [texts[row][:end] for row, end in tried], dtype=pl.String)
    read = coded(responses[at].with_columns(heads, at)).with_columns(heads)
    order = pl.col("status").replace_strict({"ok": 0, "refused": 0, "partial": 1}, default=2, return_dtype=pl.Int8)
    # Of ends that do equally well the first counts; where none is answered, the whole text, which is the last.
    unanswered = pl.when(order == 2).then(-pl.int_range(pl.len())).otherwise(pl.int_range(pl.len()))  # noqa: PLR2004
    best = read.sort(order, unanswered).unique("_at", keep="first", maintain_order=True)
    chosen = best.select("_at", pl.col(column).alias("_chosen"))
    joined = responses.with_row_index("_at").join(chosen, on="_at", how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("_chosen", column).alias(column)).drop("_at", "_chosen")
