"""The options of each response: their texts, the order in which they were shown, the right one, and their traits."""

from __future__ import annotations

import re
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.alternatives import alternatives
from tallybook.instruments.offered import scored
from tallybook.instruments.option_text import plain, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.instruments.multiple_choice.instrument import MultipleChoiceInstrument, PerOption


def questions(responses: pl.DataFrame, instrument: MultipleChoiceInstrument) -> pl.DataFrame:
    """Return the question of each response, one row each.

    `options`, `scores` and `trait NAME` are lists of equal length (empty options are null), `order` the indices of the
    options as shown, `right` the index of the right one, and `wordings` those of each option shown, its own first.
    """
    made: dict[str, pl.Series] = {"options": _per_option(responses, instrument.options, "options", "string")}
    for trait, columns in instrument.traits.items():
        made[f"trait {trait}"] = _per_option(responses, columns, f"traits.{trait}", "string")
    if instrument.scores is not None:
        made["scores"] = _per_option(responses, instrument.scores, "scores", "number")
    counts = made["options"].list.len()
    for name, series in made.items():
        _refuse(
            responses,
            (series.list.len() != counts).fill_null(value=False),
            name,
            series.list.len().cast(pl.String),
            "one for each of the options",
        )
    frame = pl.DataFrame(made)
    positions = pl.col("options").list.eval(pl.int_range(pl.len(), dtype=pl.Int64).filter(pl.element().is_not_null()))
    frame = frame.with_columns(positions.alias("order"))
    if instrument.shown is not None:
        frame = frame.with_columns(_shown(responses, frame, instrument, instrument.shown))
    if instrument.correct is not None:
        frame = frame.with_columns(_right(responses, frame, instrument, instrument.correct))
    return frame.with_columns(_wordings(frame, instrument))


def names(instrument: MultipleChoiceInstrument, asked: pl.DataFrame) -> list[str]:
    """Return the names of options: their columns, or letters for those of a list."""
    if not isinstance(instrument.options, str):
        return list(instrument.options)
    most = int(asked.get_column("options").list.len().max() or 0)  # pyright: ignore[reportArgumentType]  a length
    return [ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1) for place in range(most)]


def _per_option(responses: pl.DataFrame, columns: PerOption, setting: str, kind: str) -> pl.Series:
    """Return a list with an entry for each option, per response: texts (an empty one is null) or numbers."""
    inner = pl.String if kind == "string" else pl.Float64
    if not isinstance(columns, str):
        each = [pl.col(column).cast(inner, strict=False) for column in columns]
        made = responses.select(pl.concat_list(each).alias(setting)).to_series()
    elif isinstance(responses.schema[columns], pl.List):
        made = responses.get_column(columns).cast(pl.List(inner), strict=False)
    else:
        expected = "a list, as JSON writes it, or a prompt that offers options"
        made = _mapped(responses, columns, expected, alternatives if kind == "string" else scored).cast(
            pl.List(inner), strict=False
        )
    if kind == "string":
        made = made.list.eval(pl.when(pl.element().str.strip_chars() != "").then(pl.element()))
    return made.rename(setting)


def _mapped(
    responses: pl.DataFrame, column: str, expected: str, meant: Callable[[str], Sequence[Any] | None]
) -> pl.Series:
    """Parse the values of a column as lists, each distinct value once."""
    values = responses.get_column(column).cast(pl.String)
    different = values.drop_nulls().unique(maintain_order=True)
    found = {value: meant(value) for value in different}
    wrong = values.is_in([value for value, list_ in found.items() if list_ is None]) & values.is_not_null()
    _refuse(responses, wrong, column, values, expected)
    made = pl.DataFrame(
        {"value": different, "meant": list(found.values())},
        schema={"value": pl.String, "meant": pl.List(pl.String)},
        strict=False,
    )
    joined = pl.DataFrame({"value": values}).join(made, on="value", how="left", maintain_order="left")
    return joined.get_column("meant").fill_null([])


def _shown(
    responses: pl.DataFrame, frame: pl.DataFrame, instrument: MultipleChoiceInstrument, column: str
) -> pl.Series:
    """Return the order in which options were shown, as lists of their indices."""
    values = responses.get_column(column).cast(pl.String)
    columns = () if isinstance(instrument.options, str) else instrument.options
    orders = frame.get_column("order")
    pairs = pl.DataFrame({"value": values, "order": orders}).unique(maintain_order=True)
    known = [_order(value, order, columns) for value, order in pairs.iter_rows()]
    pairs = pairs.with_columns(pl.Series("meant", known, dtype=pl.List(pl.Int64)))
    joined = pl.DataFrame({"value": values, "order": orders}).join(
        pairs, on=["value", "order"], how="left", nulls_equal=True, maintain_order="left"
    )
    expected = "every option once, by numbers, letters or columns"
    _refuse(responses, joined.get_column("meant").is_null(), column, values.fill_null(""), expected)
    return joined.get_column("meant").rename("order")


def _order(value: str | None, order: Sequence[int], columns: Sequence[str]) -> list[int] | None:
    """Parse an order of the options, given by columns, letters or numbers from 0 or 1; None if unparsable."""
    found = re.findall(r"[\w.-]+", value or "")
    if len(found) == 1 and len(order) > 1:  # "CAB", "201"
        found = list(found[0])
    for known in (
        {name: index for index, name in enumerate(columns)},
        {letter: index for index, letter in enumerate(ascii_uppercase)},
        {letter.lower(): index for index, letter in enumerate(ascii_uppercase)},
        {str(index): index for index in range(len(order) + 1)},
        {str(index + 1): index for index in range(len(order) + 1)},
    ):
        meant = [known[one] for one in found if one in known]
        if len(meant) == len(found) and sorted(meant) == sorted(order):
            return meant
    return None


def _right(
    responses: pl.DataFrame, frame: pl.DataFrame, instrument: MultipleChoiceInstrument, column: str
) -> pl.Series:
    """Return the index of the right option; null where the column is blank."""
    said = responses.get_column(column).cast(pl.String).str.strip_chars().replace("", None)
    match instrument.correct_as:
        case "letter":
            letters = {letter: index for index, letter in enumerate(ascii_uppercase)}
            place = said.str.extract(r"^[(\[]?([A-Za-z])[)\].:]?$").str.to_uppercase()
            index = place.replace_strict(letters, default=None, return_dtype=pl.Int64)
        case "number" | "number-from-0" as counted:
            first = 1 if counted == "number" else 0
            index = said.str.replace(r"\.0+$", "").cast(pl.Int64, strict=False) - first
        case "column":
            columns = {name: place for place, name in enumerate(instrument.options)}
            index = said.replace_strict(columns, default=None, return_dtype=pl.Int64)
        case "text":
            rows = pl.DataFrame({"said": said, "options": frame.get_column("options")}).with_row_index("row")
            same = rows.explode("options", empty_as_null=True, keep_nulls=True).with_columns(
                pl.int_range(pl.len()).over("row").alias("index")
            )
            same = (
                same.filter(pl.col("options").str.strip_chars() == pl.col("said"))
                .group_by("row")
                .agg(pl.col("index").first(), pl.len())
            )
            only = same.with_columns(pl.when(pl.col("len") == 1).then("index").alias("index"))
            index = rows.join(only, on="row", how="left", maintain_order="left").get_column("index")
    counts = frame.get_column("options").list.len().cast(pl.Int64)
    options = frame.with_columns(pl.Series("right", index)).select(
        pl.col("options").list.get(pl.col("right"), null_on_oob=True)
    )
    is_none = options.to_series().is_null() | (index < 0) | (index >= counts)
    wrong = (is_none | index.is_null()) & said.is_not_null()
    expected = f"one of the options, by its {instrument.correct_as}"
    _refuse(responses, wrong.fill_null(value=False), column, said.fill_null(""), expected)
    return index.cast(pl.Int64).rename("right")


def _wordings(frame: pl.DataFrame, instrument: MultipleChoiceInstrument) -> pl.Series:
    """Return the wordings of each option shown: its text, and the phrases that mean it or its first trait."""
    first = next(iter(instrument.traits), None)
    keys = ["options", "order", *([f"trait {first}"] if first is not None else [])]
    different = frame.select(keys).unique(maintain_order=True)
    phrases = {_plain([key])[0]: _plain(list(others)) for key, others in instrument.phrases.items()}
    texts = different.get_column("options").explode(empty_as_null=True, keep_nulls=True).drop_nulls().unique()
    known = dict(zip(texts, _plain(texts.to_list()), strict=True))  # normalised like phrases
    rows: list[list[list[str]]] = []
    for options, order, *traits in different.iter_rows():
        of_traits: Any = traits[0] if traits else [None] * len(options)
        rows.append(
            [
                [
                    options[index],
                    *phrases.get(known[options[index]], ()),
                    *phrases.get(str(of_traits[index]).lower(), ()),
                ]
                for index in order
            ]
        )
    made = different.with_columns(pl.Series("wordings", rows, dtype=pl.List(pl.List(pl.String))))
    joined = frame.select(keys).join(made, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined.get_column("wordings")


def _plain(texts: list[str]) -> list[str]:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    return frame.select(plain(safe(pl.col("text"))).str.strip_chars()).to_series().to_list()


def _refuse(responses: pl.DataFrame, wrong: pl.Series, column: str, values: pl.Series, expected: str) -> None:
    if not wrong.any():
        return
    rows = responses.select("file", "key").with_columns(values.alias("value")).filter(wrong)
    raise DataError([Problem(file, key, column, value, expected) for file, key, value in rows.iter_rows()])
