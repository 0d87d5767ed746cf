"""The steps that all coders share: required columns, reading each distinct text once, verdicts and findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments import refusal
from tallybook.instruments.option_text import plain, safe
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from polars._typing import PolarsDataType

    from tallybook.instruments.decisions import TextPart

_AT_START = r"(?im)^[^\p{L}\p{N}\n]*"
VERDICT = "_verdict"
"""The column in which an instrument says that a response has no answer: `refused`, `invalid` or `error`; else null."""


def failed() -> pl.Expr:
    """Return whether the request failed, so that the source delivered no response."""
    return pl.col("status").is_in(["error", "expired", "canceled"])


def stopped() -> pl.Expr:
    """Return whether the source reports that the model or a filter refused."""
    return pl.col("status").is_in(["refused", "filtered"])


def require_columns(responses: pl.DataFrame, reads: Mapping[str, str]) -> None:
    """Raise UsageError if the responses lack a column that a setting names."""
    for setting, column in reads.items():
        if column not in responses.columns:
            raise UsageError(f"instrument.{setting}: the responses have no column {column!r}")


def named_in(column: str, text: str = "text") -> pl.Expr:
    """Return whether a column of texts holds the value of another column, whatever the case."""
    return pl.col(text).str.to_lowercase().str.contains(pl.col(column).str.to_lowercase(), literal=True)


def once(rows: pl.DataFrame, on: Sequence[str], read: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """Compute columns once for each distinct combination of the columns `on`; null where the first of these is null."""
    different = rows.filter(pl.col(on[0]).is_not_null()).unique(on, keep="first", maintain_order=True)
    made = different.select(on).hstack(read(different))
    return rows.select(on).join(made, on=on, how="left", nulls_equal=True, maintain_order="left").drop(on)


def read_texts(
    responses: pl.DataFrame,
    column: str,
    read: Callable[..., Sequence[Any]],
    types: Mapping[str, PolarsDataType],
    refusal_phrases: Sequence[str] | None,
    *,
    prompt: str | None = None,
) -> pl.DataFrame:
    """Read each distinct plain text once, and return the resulting columns for all responses.

    `read` takes a plain text, whether it `declines` and, if its column is given, the `prompt`. The last column is the
    reason for having no value.
    """

    def made(different: pl.DataFrame) -> pl.DataFrame:
        declines = refusal.declines(pl.col("said"), refusal_phrases) | refusal.is_coded(pl.col("said"))
        forms = different.select(plain(safe(pl.col("said"))), declines.alias("declines"), *asked).rows()
        rows = [read(form, declines=no, **dict(zip(asked, beside, strict=True))) for form, no, *beside in forms]
        return pl.DataFrame(rows, schema=dict(types), orient="row")

    asked = ["prompt"] if prompt else []
    came = pl.when(~(failed() | stopped())).then(pl.col(column).cast(pl.String)).alias("said")
    said = responses.select(came, *(pl.col(prompt or "").cast(pl.String).alias(name) for name in asked))
    found = once(said, said.columns, made).hstack(responses.select("status")).hstack(said.select("said"))
    last = [*types][-1]
    reason = pl.when(pl.col("said").is_null()).then(silence()).otherwise(last).alias(last)
    return found.with_columns(pl.when(~failed()).then(reason)).select(*types)


def silence() -> pl.Expr:
    """Return the reason of responses without a text to read: declined or no response."""
    return pl.when(stopped()).then(pl.lit("declined")).otherwise(pl.lit("no-response"))


def verdict(reason: pl.Expr, refused: Sequence[str] = ("declined",)) -> pl.Expr:
    """Return the verdict that follows from the reason for having no value; null for responses that have one."""
    return (
        pl.when(failed())
        .then(pl.lit("error"))
        .when(reason.is_in(refused))
        .then(pl.lit("refused"))
        .when(reason.is_not_null())
        .then(pl.lit("invalid"))
        .alias(VERDICT)
    )


def unread(read: pl.DataFrame, reason: str, column: str, expected: str) -> list[Problem]:
    """List a problem for each text that an instrument cannot read and that does not decline."""
    rows = read.filter((pl.col(VERDICT) == "invalid") & (pl.col(reason) != "no-response"))
    said = rows.select("file", "key", pl.col(column).cast(pl.String).fill_null("").alias("said"))
    return [Problem(file, key, column, text, expected) for file, key, text in said.iter_rows()]


def reported(read: pl.DataFrame, findings: Callable[[], Iterable[Problem]], undecided: str) -> Reading:
    """Report the findings, ignore them or raise them, as the instrument declares.

    Raises:
        DataError: If there are findings and `undecided` is `error`.
    """
    found = () if undecided == "ignore" else tuple(findings())
    if found and undecided == "error":
        raise DataError(list(found))
    return Reading(read, found)


def share_read(read: pl.DataFrame, column: str) -> float:
    """Return the share of texts that an instrument reads: those with a value in `column`, and refusals."""
    is_read = pl.col(column).is_not_null() | (pl.col(VERDICT) == "refused")
    return read.select(is_read.fill_null(value=False).sum()).item() / max(1, read.height)


def part(declared: TextPart) -> pl.Expr:
    r"""Extract the declared part of texts.

    >>> from tallybook.instruments.decisions import TextPart
    >>> texts = pl.DataFrame(
    ...     {"text": ["Task 1: a\n**Task 2:** b\nin task 3\nTask 3: c", "TASK 2 d task 3 e", "Task 22"]}
    ... )
    >>> texts.select(part(TextPart(after="Task 2", until="Task 3"))).to_series().to_list()
    [':** b\nin task 3\n', ' d ', 'Task 22']
    """
    text = pl.col(declared.column).cast(pl.String)
    if declared.after is not None:
        mark = _mark(declared.after)
        at_line, anywhere = rf"(?s)\A.*(?-s:{_AT_START}{mark})", rf"(?is)\A.*{mark}"
        text = _without(text, f"{_AT_START}{mark}", at_line, anywhere)
    if declared.until is not None:
        mark = _mark(declared.until)
        at_line = rf"{_AT_START}{mark}"
        text = _without(text, at_line, rf"{at_line}(?s:.*)\z", rf"(?i){mark}(?s:.*)\z")
    return text


def _mark(mark: str) -> str:
    """Build the pattern of a mark as whole words: "Task 2" is not in "Task 22"."""
    start, end = (r"\b" if character.isalnum() else "" for character in (mark[0], mark[-1]))
    return f"{start}{re.escape(mark)}{end}"


def _without(text: pl.Expr, at_line: str, cut_at_line: str, cut_anywhere: str) -> pl.Expr:
    return (
        pl.when(text.str.contains(at_line))
        .then(text.str.replace(cut_at_line, ""))
        .otherwise(text.str.replace(cut_anywhere, ""))
    )
