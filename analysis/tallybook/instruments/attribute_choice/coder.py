"""The instrument `attribute-choice`: which of its options a response chooses, or why it chooses none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.attribute_choice import matching as option_matching
from tallybook.instruments.attribute_choice import reason_codes as unmatched
from tallybook.instruments.attribute_choice.commitment import committing
from tallybook.instruments.attribute_choice.forms import with_forms
from tallybook.instruments.attribute_choice.input import hand_codes, places, problems
from tallybook.instruments.attribute_choice.language import language
from tallybook.instruments.option_text import GAP, safe
from tallybook.instruments.reading import VERDICT, failed, reported, require_columns, stopped

if TYPE_CHECKING:
    from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
    from tallybook.study.instrument_base import Reading

_AT_ONCE = 250_000
"""The number of different choices read at once, which bounds memory."""

_DECLINING = ("no-response", "stereotype-awareness")
"""The reasons of responses that count as refused."""
_NOTHING = ("empty", "unfilled")
"""The rules of texts that say nothing, and do not decline."""


def read(responses: pl.DataFrame, instrument: AttributeChoiceInstrument) -> Reading:
    """Read choices.

    A response that chooses an option has an answer. One without is `refused` where the reason is `no-response` or
    `stereotype-awareness`, unless the text says nothing, else `invalid`; a failed request is `error`. A hand code wins
    over every rule.
    """
    require_columns(responses, instrument.reads)
    if faults := problems(responses, instrument):
        raise DataError(faults)
    read = responses.with_columns(*_by_rules(responses, instrument), hand_codes(instrument).alias("_hand"))
    by_hand, is_option = pl.col("_hand").is_not_null(), pl.col("_hand").is_in(list(instrument.options))
    came = ~failed()
    read = read.with_columns(
        pl.when(came & is_option).then("_hand").when(came & ~by_hand).then("_option").alias("chosen_option"),
        pl.when(came & by_hand).then(pl.lit("hand")).when(came).then("_rule").alias("match_rule"),
        pl.when(came & by_hand & ~is_option)
        .then("_hand")
        .when(came & ~by_hand)
        .then("_reason")
        .alias("invalid_reason"),
        pl.when(came & pl.col("_option").is_not_null())
        .then(pl.lit("option"))
        .when(came)
        .then("_reason")
        .alias("rule_reason"),
    )
    verdict = (
        pl.when(failed())
        .then(pl.lit("error"))
        .when(pl.col("invalid_reason").is_in(_DECLINING) & ~pl.col("match_rule").is_in(_NOTHING))
        .then(pl.lit("refused"))
        .when(pl.col("invalid_reason").is_not_null())
        .then(pl.lit("invalid"))
    )
    read = read.with_columns(*_polarity(instrument), verdict.alias(VERDICT))
    made = read.drop("_option", "_rule", "_reason", "_hand")
    return reported(made, lambda: _findings(read, instrument), instrument.unmatched)


def _by_rules(responses: pl.DataFrame, instrument: AttributeChoiceInstrument) -> list[pl.Series]:
    """Read each response by the rules: `_option` or `_reason`, and the `_rule` that says so."""
    options = list(instrument.options)
    choices = responses.select(
        pl.col("text"),
        *(pl.col(column).cast(pl.String).alias(f"option_{i}") for i, column in enumerate(instrument.options.values())),
        *(place.alias(f"place_{i}") for i, place in enumerate(places(responses, instrument))),
        _sentence(instrument).alias("sentence"),
        (failed() | stopped()).alias("no_text"),
    )
    chosen = pl.when(~pl.col("no_text")).then(option_matching.exact(len(options)))
    choices = choices.with_columns(chosen.alias("exact"))
    keys = [name for name in choices.columns if name not in {"no_text", "exact"}]
    # Many responses are alike, and most are an option: the other rules see each different one of the rest once.
    others = choices.filter(~pl.col("no_text") & pl.col("exact").is_null()).select(keys).unique(maintain_order=True)
    parts = [_beyond_exact(part, instrument).select(*keys, "chosen", "rule") for part in others.iter_slices(_AT_ONCE)]
    empty = others.clear().with_columns(pl.lit(None, dtype=pl.Int64).alias("chosen"), pl.lit("").alias("rule"))
    choices = choices.join(pl.concat([empty, *parts]), on=keys, how="left", nulls_equal=True, maintain_order="left")
    # A response that did not come may hold the text of another one that did.
    number = pl.when(~pl.col("no_text")).then(pl.coalesce("exact", "chosen"))
    return choices.select(
        number.replace_strict(range(len(options)), options, default=None, return_dtype=pl.String).alias("_option"),
        pl.when(pl.col("no_text"))
        .then(pl.lit("delivered"))
        .when(pl.col("exact").is_not_null())
        .then(pl.lit("exact"))
        .otherwise("rule")
        .alias("_rule"),
        pl.when(pl.col("no_text"))
        .then(pl.lit("no-response"))
        .when(number.is_null())
        .then(pl.col("rule").replace_strict(unmatched.REASON_OF, default=None, return_dtype=pl.String))
        .alias("_reason"),
    ).get_columns()


def _sentence(instrument: AttributeChoiceInstrument) -> pl.Expr:
    if instrument.context is None:
        return pl.lit(None, dtype=pl.String)
    return safe(pl.col(instrument.context).cast(pl.String)).str.replace_all(instrument.blank, f" {GAP} ", literal=True)


def _beyond_exact(choices: pl.DataFrame, instrument: AttributeChoiceInstrument) -> pl.DataFrame:
    """Code the choices that are not literally an option, by the other rules."""
    words = language(instrument.phrases, instrument.languages)
    found = option_matching.tolerant(
        with_forms(choices, len(instrument.options), words), len(instrument.options), words
    )
    is_option = (pl.col("chosen") >= 0).fill_null(value=False) & pl.lit(instrument.match == "tolerant")
    found = found.with_columns(
        pl.when(is_option).then("chosen").cast(pl.Int64).alias("chosen"),
        pl.when(is_option).then("rule").otherwise(unmatched.rule(words, instrument.blank)).alias("rule"),
    )
    return committing(found, instrument) if instrument.match == "tolerant" else found


def _polarity(instrument: AttributeChoiceInstrument) -> list[pl.Expr]:
    if instrument.given is None:
        return []
    given = pl.col(instrument.given).cast(pl.String)
    polarities = (
        pl.when(given == level).then(pl.col("chosen_option").replace_strict(of, default=None, return_dtype=pl.String))
        for level, of in instrument.polarity.items()
    )
    return [pl.coalesce(polarities).alias("chosen_polarity")]


def _findings(read: pl.DataFrame, instrument: AttributeChoiceInstrument) -> list[Problem]:
    """Report answers that are not an option and that nobody coded; refusals are not reported."""
    says = (pl.col(VERDICT) == "invalid") & ~pl.col("match_rule").is_in(_NOTHING)
    unknown = read.filter(pl.col("_hand").is_null() & says)
    options = [pl.col(column).cast(pl.String) for column in instrument.options.values()]
    return [
        Problem(file, key, "text", text, "one of the options " + ", ".join(f"'{option}'" for option in texts))
        for file, key, text, *texts in unknown.select("file", "key", "text", *options).iter_rows()
    ]
