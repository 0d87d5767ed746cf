"""Which instrument reads the texts of a dump: each that could is tried on a sample."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, UsageError
from tallybook.drafting.names import free_name, identifier, plain
from tallybook.instruments import refusal
from tallybook.instruments.absolute_decision import coder as absolute_decision
from tallybook.instruments.attribute_choice import coder as choice
from tallybook.instruments.profile import block as attribute_block
from tallybook.instruments.reading import VERDICT
from tallybook.instruments.relative_decision import coder as relative_decision
from tallybook.instruments.word_association import coder as word_association
from tallybook.study.decisions import AbsoluteDecisionInstrument, RelativeDecisionInstrument
from tallybook.study.instruments import AttributeChoiceInstrument
from tallybook.study.word_association import WordAssociationInstrument, WordColumns, WordScoring

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey

Kind = Literal["attribute-choice", "word-association", "absolute-decision", "relative-decision", "profile"]

ENOUGH = 0.6
"""The share of texts that an instrument must read to be proposed."""
_SHORT = 80
"""How long the texts are at most, in characters, that say a number and little else."""
_RARE = 0.005
"""The share of texts that repeat a column to the letter, from which it may hold an option: chance repeats fewer."""
_MOST_OPTIONS = 12
"""How many different short answers are taken for options."""
_OPTION = re.compile(r"(.*?)_?([a-h]|[1-8])")
"""The name of one of several columns: what they have in common, and its place."""
_NAME = r"[A-Za-z][A-Za-z /'-]{1,40}?"
_BETWEEN = re.compile(rf"[;|•·\n]+|, *(?=\**{_NAME}[*\s]*:)")
"""What stands between the attributes of a block that is written on one line, or on several."""
_LINE = re.compile(rf"[\s*\-•#>]*({_NAME})[*\s]*[:：][*\s]*(\S.*?)\s*")
"""A line of a block: a name, a colon and a value."""


class Proposal(NamedTuple):
    """An instrument, and how much of the sample it reads.

    Attributes:
        kind: The instrument.
        share: The share of the sample's texts that it reads; 1 where there is nothing to read.
        options: Of `attribute-choice`: option -> the column that holds its text, or the text itself.
        are_columns: Whether `options` name columns.
        in_order: Whether the options were shown in their order, so that a letter or number chooses one.
        names: Of `word-association` and `relative-decision`: the columns of the groups and words.
        is_rating: Whether the texts are numbers on a scale.
        has_commas: Whether these have a comma before their decimals.
        attributes: Of `profile`: the name of an attribute in the texts -> its values there; empty if columns hold the
            answers.
    """

    kind: Kind
    share: float
    options: Mapping[str, str] = {}
    are_columns: bool = False
    in_order: bool = False
    names: WordColumns | None = None
    is_rating: bool = False
    has_commas: bool = False
    attributes: Mapping[str, pl.Series] = {}

    @property
    def columns(self) -> set[str]:
        """The columns that the instrument reads beside the text."""
        words = {} if self.names is None else self.names.model_dump()
        return {*words.values(), *(self.options.values() if self.are_columns else ())}


def propose(survey: Survey, roles: Roles, kind: Kind | None, names: WordColumns | None) -> Proposal:
    """Find the instrument that reads a dump.

    Args:
        survey: What the dump holds.
        roles: Which column is what.
        kind: The instrument, if the user knows it.
        names: The columns of groups and words, if the user names them.

    Returns:
        The first that reads enough of the texts: choices among options in columns, words assigned to groups, yes or no,
        profiles, choices among the same few short answers. Otherwise `profile` with what columns hold.

    Raises:
        UsageError: If the instrument that the user knows needs what the dump does not show.
    """
    if roles.text is None:
        return Proposal("profile", 1.0)
    texts = survey.sample.with_columns(
        pl.lit("ok").alias("status"), text=pl.col(roles.text).fill_null(""), file=pl.lit(""), key=pl.lit("")
    )
    # The more a form says of itself, the earlier it is tried: few different answers may be of any instrument.
    trials = (
        _named_options(texts, survey),
        _option_columns(texts, survey, roles),
        _word_association(texts, names),
        _relative_decision(texts, names),
        _absolute_decision(texts),
        _profile(texts),
        _rating(texts, has_commas=False),
        _rating(texts, has_commas=True) if survey.may_have_commas else None,
        _few_answers(texts),
    )
    possible = [trial for trial in trials if trial is not None and kind in {None, trial.kind}]
    if kind in {"word-association", "relative-decision"} and not possible:
        raise UsageError(_NEEDS_NAMES)
    if kind is not None and not possible and kind != "profile":
        raise UsageError(f"--instrument {kind}: no column and no answers that repeat look like options")
    enough = (trial for trial in possible if kind is not None or trial.share >= ENOUGH)
    return next(enough, Proposal("profile", 0.0))


_NEEDS_NAMES = (
    "which columns hold the groups and words? --set default=COLUMN --set stigma=COLUMN --set positive=COLUMN "
    "--set negative=COLUMN"
)


def _named_options(texts: pl.DataFrame, survey: Survey) -> Proposal | None:
    """Columns that are called alike but for a letter or number at their end: `option_a`, `option_b`, ..."""
    called: dict[str, dict[str, str]] = {}
    for column in survey.columns:
        found = _OPTION.fullmatch(plain(column.name))
        if found and column.kind == "text":
            called.setdefault(found[1], {})[found[2]] = column.name
    for places in called.values():
        for order in ("abcdefgh", "12345678"):
            names = [places[place] for place in order[: len(places)] if place in places]
            if len(names) == len(places) > 1:
                options = {identifier(plain(name)): name for name in names}
                return _choice(texts, options, are_columns=True, in_order=True)
    return None


def _option_columns(texts: pl.DataFrame, survey: Survey, roles: Roles) -> Proposal | None:
    """Columns of which each record's text repeats one: the fewest that explain the most."""
    used = {roles.text, roles.prompt, roles.model, roles.item, roles.sample}
    free = [column.name for column in survey.columns if column.name not in used and column.kind == "text"]
    said = _comparable("text")
    repeats = texts.select(
        *((_comparable(name) == said).fill_null(value=False).alias(name) for name in free),
    )
    likely = [name for name in free if repeats.get_column(name).sum() > _RARE * texts.height]
    if len(likely) < 2:  # noqa: PLR2004  a choice is between two at least
        return None
    different = [
        pair
        for pair in combinations(likely, 2)
        if texts.filter(_comparable(pair[0]) == _comparable(pair[1])).is_empty()
    ]
    options = {identifier(plain(name)): name for name in likely if any(name in pair for pair in different)}
    return _choice(texts, options, are_columns=True) if len(options) > 1 else None


def _rating(texts: pl.DataFrame, *, has_commas: bool) -> Proposal | None:
    """Short texts with one number in each, apart from the end of the scale: "4", "I'd say 4", "4/5"."""
    said = pl.col("text").str.strip_chars()
    said = said.str.replace_all(",", ".", literal=True) if has_commas else said
    number = said.str.extract(RATING).cast(pl.Float64, strict=False)
    read = texts.select(number=pl.when(said.str.len_chars() <= _SHORT).then(number), said=said)
    values = read.get_column("number").drop_nulls()
    declined = read.filter(pl.col("number").is_null() & refusal.declines(pl.col("said"))).height
    share = (values.len() + declined) / max(1, texts.height)
    is_scale = values.n_unique() > 2 and values.is_between(0, 100).all()  # noqa: PLR2004  two numbers may be codes
    return Proposal("profile", share, is_rating=True, has_commas=has_commas) if is_scale else None


RATING = r"^\D*?(-?\d+(?:\.\d+)?)(?:\s*(?:/|out of|of)\s*\d+)?\D*$"
"""A text with a single number, and perhaps the scale's end behind it."""


def _few_answers(texts: pl.DataFrame) -> Proposal | None:
    """The answers that are short and repeat."""
    said = texts.select(said=_comparable("text")).filter(pl.col("said").str.len_chars().is_between(1, 40))
    counts = (
        said.filter(~refusal.declines(pl.col("said")))
        .group_by("said")
        .len()
        .sort("len", "said", descending=[True, False])
        .filter(pl.col("len") > 1)
    )
    frequent = counts.filter(pl.col("len") >= 0.01 * texts.height).head(_MOST_OPTIONS)
    listed = frequent.get_column("said").sort().to_list()
    answers = [answer for answer in listed if not _quotes_one(answer, listed)]
    options: dict[str, str] = {}
    for answer in answers:
        options[free_name(answer, options)] = answer
    return _choice(texts, options, are_columns=False) if len(options) > 1 else None


def _quotes_one(answer: str, others: list[str]) -> bool:
    """Whether an answer only says more than another: "no, rather not", "the answer is kind"; not "strongly agree"."""
    if any(re.match(rf"{re.escape(other)}\s*[,.;:!(\n–-]", answer) for other in others if other != answer):
        return True
    within = [other for other in others if other != answer and re.search(rf"\b{re.escape(other)}\b", answer)]
    return len(within) == 1 and len(answer.split()) - len(within[0].split()) >= _SENTENCE


_SENTENCE = 3
"""How many words make a sentence of an answer."""


def _choice(
    texts: pl.DataFrame, options: Mapping[str, str], *, are_columns: bool, in_order: bool = False
) -> Proposal | None:
    columns = {option: f"option_text_{place}" for place, option in enumerate(options)}
    values = [
        (pl.col(origin) if are_columns else pl.lit(origin)).alias(columns[option]) for option, origin in options.items()
    ]
    shown = tuple(columns) if in_order else None
    instrument = AttributeChoiceInstrument(kind="attribute-choice", options=columns, shown=shown, unmatched="ignore")
    try:
        read = choice.read(texts.with_columns(values), instrument).responses
    except DataError:  # empty or equal options
        return None
    return Proposal("attribute-choice", _share(read, "chosen_option"), options, are_columns, in_order)


def _absolute_decision(texts: pl.DataFrame) -> Proposal:
    instrument = AbsoluteDecisionInstrument(kind="absolute-decision", undecided="ignore")
    read = absolute_decision.read(texts, instrument).responses
    return Proposal("absolute-decision", _share(read, "answer"))


def _word_association(texts: pl.DataFrame, names: WordColumns | None) -> Proposal | None:
    if names is None:
        return None
    instrument = WordAssociationInstrument(
        kind="word-association", columns=names, scorings={"bias": WordScoring()}, unread="ignore"
    )
    read = word_association.read(texts, instrument, None).responses
    return Proposal("word-association", _share(read, "bias_bias"), names=names)


def _relative_decision(texts: pl.DataFrame, names: WordColumns | None) -> Proposal | None:
    if names is None:
        return None
    instrument = RelativeDecisionInstrument(kind="relative-decision", columns=names, undecided="ignore")
    read = relative_decision.read(texts, instrument, None).responses
    return Proposal("relative-decision", _share(read, "discriminatory"), names=names)


def _profile(texts: pl.DataFrame) -> Proposal | None:
    """Lines or parts of them with a name, a colon and a value, with the same names in most texts."""
    matches = ([_LINE.fullmatch(part) for part in _BETWEEN.split(text)] for text in texts.get_column("text"))
    named = Counter(
        name for of_text in matches for name in dict.fromkeys(match[1].strip().lower() for match in of_text if match)
    )
    frequent = [name for name, times in named.items() if times >= ENOUGH * texts.height]
    if len(frequent) < 2:  # noqa: PLR2004  one line with a colon is no profile
        return None
    read = attribute_block.parse(texts.get_column("text"), {name: [name] for name in frequent})
    share = read.select(pl.any_horizontal(pl.all().is_not_null()).mean()).item()
    return Proposal("profile", share, attributes={one.name: one.drop_nulls() for one in read.iter_columns()})


def _comparable(column: str) -> pl.Expr:
    """A text without case, quotes, and blanks and full stops at its ends."""
    return pl.col(column).str.to_lowercase().str.strip_chars(" \t\r\n\"'.!*`“”‘’")


def _share(read: pl.DataFrame, column: str) -> float:
    """The share of texts that are read: that give an answer, or decline to."""
    is_read = pl.col(column).is_not_null() | (pl.col(VERDICT) == "refused")
    return read.select(is_read.fill_null(value=False).sum()).item() / max(1, read.height)
