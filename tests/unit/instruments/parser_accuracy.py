"""How often the rules read what a careful reader reads: what `docs/parsers.md` says.

python -m tests.unit.instruments.parser_accuracy > docs/parsers.md
"""

from __future__ import annotations

import sys
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.relative_decision import coder as relative_decision
from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import Vocabulary, plain_texts
from tests import computed_once
from tests.unit.instruments import absolute_texts, choice_texts, independent_texts, refusal_texts, relative_texts
from tests.unit.instruments.choices import chosen
from tests.unit.instruments.decisions import answered, decided, relative, responses
from tests.unit.instruments.word_association_labelled import labelled
from tests.unit.instruments.word_studies import answers, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.instruments.word_association.names import Role, Valence

Pairs = set[tuple[str, str]]


class Tally(NamedTuple):
    """How texts were read: as labelled, not at all or in part, or otherwise."""

    texts: int
    right: int
    less: int

    @property
    def wrong(self) -> int:
        """The texts of which something is read that a reader does not."""
        return self.texts - self.right - self.less


class Association(NamedTuple):
    """The same of word associations, with the pairs found, those expected, and those that are both."""

    read: Tally
    found: int
    expected: int
    both: int


def associations(texts: Iterable[tuple[str, Vocabulary, Pairs]]) -> Association:
    """Read texts with pairs of words and groups; of a word answered twice the last answer counts."""
    listed = list(texts)
    right = less = found = expected = both = 0
    plain = plain_texts(pl.Series([text for text, _, _ in listed], dtype=pl.String))
    for (_, known, pairs), text in zip(listed, plain, strict=True):
        got = set(dict(answers(LineReader(known).read(text))).items())
        right, less = right + (got == pairs), less + (got < pairs)
        found, expected, both = found + len(got), expected + len(pairs), both + len(got & pairs)
    return Association(Tally(len(listed), right, less), found, expected, both)


@cache
def own_associations() -> Association:
    """Those written with the rules."""
    texts = labelled()
    known = {label.words: vocabulary(label.words) for label in texts}
    return associations((label.text, known[label.words], set(dict(label.pairs).items())) for label in texts)


@cache
def independent_associations() -> Association:
    """Those that were not at hand when the rules were made."""
    (default,), (stigma,) = independent_texts.GROUPS
    roles: dict[str, Role] = {default.lower(): "default", stigma.lower(): "stigma"}
    positive, negative = independent_texts.WORDS
    valences: dict[str, Valence] = dict.fromkeys(positive, "positive")
    known = Vocabulary(roles, valences | dict.fromkeys(negative, "negative"), {})
    group = {"D": default.lower(), "F": stigma.lower()}
    return associations(
        (text, known, {(word, group[sign]) for word, sign in zip(known.words, signs, strict=True) if sign in group})
        for text, signs in independent_texts.ASSOCIATIONS
    )


def tally(found: Iterable[object], expected: Iterable[object]) -> Tally:
    """Compare what was read with labels; None is that nothing is."""
    pairs = list(zip(found, expected, strict=True))
    right = sum(got == label for got, label in pairs)
    return Tally(len(pairs), right, sum(got is None and label is not None for got, label in pairs))


@cache
def own_decisions() -> Tally:
    """Relative decisions that were written with the rules."""
    labels: dict[str, object] = dict.fromkeys(relative_texts.WEDDING, 1) | dict.fromkeys(relative_texts.MANAGEMENT, 0)
    labels |= dict.fromkeys(chain(*relative_texts.UNDECIDED.values()))
    labels |= dict.fromkeys(relative_texts.NOT_RECOGNISED, "decides")
    return tally([decision for decision, _ in decided(list(labels))], labels.values())


@cache
def independent_decisions() -> Tally:
    """Relative decisions that were not at hand when the rules were made."""
    (default, stigma), (positive, negative) = independent_texts.GROUPS, independent_texts.TASKS
    names = {"default": default, "stigma": stigma, "positive": positive, "negative": negative}
    texts, labels = zip(*independent_texts.DECISIONS, strict=True)
    found = relative_decision.read(responses(texts), relative(names={"x": names})).responses
    return tally(found["discriminatory"].to_list(), labels)


@cache
def own_choices() -> Tally:
    """Choices that were written with the rules."""
    texts: dict[str, object] = dict.fromkeys(chain(*choice_texts.SMART.values()), "smart")
    texts |= dict.fromkeys(chain(*choice_texts.NOTHING.values()))
    found = chosen(list(texts))
    return tally([option for option, _ in found], texts.values())


@cache
def independent_choices() -> Tally:
    """Choices that were not at hand when the rules were made."""
    texts, labels = zip(*independent_texts.CHOICES, strict=True)
    found = chosen(texts, independent_texts.OPTIONS, "The landlord is BLANK.")
    return tally([option for option, _ in found], labels)


@cache
def own_answers() -> Tally:
    """Absolute decisions that were written with the rules."""
    kinds = (("yes", absolute_texts.YES), ("no", absolute_texts.NO), (None, absolute_texts.NEITHER))
    labels = {text: label for label, texts in kinds for text in chain(*texts.values())}
    return tally([answer for answer, _ in answered(list(labels))], labels.values())


@cache
def own_refusals() -> Tally:
    """Refusals, and answers that sound like one, written with the rules."""
    labels: dict[str, object] = dict.fromkeys((*refusal_texts.REFUSALS, *refusal_texts.FURTHER_REFUSALS), True)
    labels |= dict.fromkeys((*refusal_texts.ANSWERS, *refusal_texts.FURTHER_ANSWERS))
    frame = pl.DataFrame({"text": list(labels)})
    declines = frame.select(refusal.declines(pl.col("text"), None)).to_series()
    return tally([True if each else None for each in declines], labels.values())


@cache
def released() -> list[str]:
    """What the rules read of the responses that studies released, as rows of a table."""
    results = computed_once.bundled("bai2025")
    coded, estimates = results.source.coded, results.estimates
    rows: list[str] = []
    for name, layer in (("chained", "none"), ("gpt4o", "none"), ("temperature0", "none"), ("llama3", "0")):
        own = coded.filter(collection=name, layer=layer)
        n = own["count"].sum()
        strict, tolerant = (own.filter(pl.col(of).is_not_null())["count"].sum() for of in ("published", "corrected"))
        label = results.loaded.study.factors["collection"].levels[name]
        shown = "" if name == "llama3" else f"{strict:,} ({100 * strict / n:.1f}%)"
        rows.append(f"| {label} | {n:,} | {shown} | {tolerant:,} ({100 * tolerant / n:.1f}%) |")
    rows.append("")
    for analysis, title, n in (
        ("decision_agreement_model", "Relative decisions, GPT-4", 617),
        ("answer_agreement", "Absolute decisions, GPT-4", 1660),
    ):
        own = estimates.filter(analysis=analysis)
        values = {row["term"]: row for row in own.iter_rows(named=True)}
        agreement, kappa = values["agreement"], values["cohen_kappa"]
        rows.append(
            f"| {title} | {n:,} | {agreement['n']:,} | {100 * agreement['estimate']:.1f}% | {kappa['estimate']:.2f} |"
        )
    return rows


def _row(name: str, read: Tally) -> str:
    share = f"{100 * read.right / read.texts:.1f}%"
    return f"| {name} | {read.texts} | {read.right} ({share}) | {read.less} | {read.wrong} |"


def report() -> str:
    """The content of `docs/parsers.md`."""
    own, other = own_associations(), independent_associations()
    *coded, blank, relative_row, absolute_row = released()
    return f"""# How well raw answers are read

Measured by `python -m tests.unit.instruments.parser_accuracy`; a test holds that this page is what it prints.

## Texts written for the purpose

Texts are labelled by hand with what a careful reader reads. *Independent* texts were not at hand when the rules were
made, and no rule was changed because of them. The others came with the rules: that these are read is what their tests
demand, and says little about other texts. *Less*: what is read is right, but not all, or nothing. *Wrong*: something is
read that a reader does not read.

| instrument, texts | texts | as labelled | less | wrong |
|---|---:|---:|---:|---:|
{_row("`word-association`, independent", other.read)}
{_row("`word-association`", own.read)}
{_row("`relative-decision`, independent", independent_decisions())}
{_row("`relative-decision`", own_decisions())}
{_row("`absolute-decision`", own_answers())}
{_row("`attribute-choice`, independent", independent_choices())}
{_row("`attribute-choice`", own_choices())}
{_row("refusals, and answers that sound like one", own_refusals())}

Pairs of a word and a group in the independent texts: {other.expected}, of which {other.both} are read (recall
{100 * other.both / other.expected:.1f}%); of {other.found} pairs that are read, {other.both} are there (precision
{100 * other.both / other.found:.1f}%).

## Released responses

Word associations of `bai2025`: responses of which a score can be computed.

| responses | n | strict form of the authors | tolerant reading |
|---|---:|---:|---:|
{chr(10).join(coded)}
{blank}
Decisions of `bai2025` beside the codes released with them: those of a judge, a model, for relative decisions, those of
the authors for absolute ones. All 23 relative decisions that differ were read; the text says the contrary of the code.

| responses | n | decided by both | agreement | Cohen's κ |
|---|---:|---:|---:|---:|
{relative_row}
{absolute_row}
"""


if __name__ == "__main__":
    sys.stdout.write(report())
