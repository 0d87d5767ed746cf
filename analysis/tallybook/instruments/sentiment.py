"""The sentiment of texts by TextBlob's default analyser, which uses a lexicon and runs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import polars as pl

from tallybook.core.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable


def scores(
    texts: pl.Series, quantity: Literal["polarity", "subjectivity"], progress: Callable[[int], None] = lambda _: None
) -> pl.Series:
    """Score the sentiment of texts; a missing text has no score.

    Source:
        Loria, S.: TextBlob (`TextBlob(text).sentiment`, the PatternAnalyzer).
    """
    try:
        from textblob import TextBlob
    except ImportError:
        raise MissingExtraError("TextBlob", "textblob") from None

    def score(text: str | None) -> float | None:
        progress(1)
        if text is None:
            return None
        polarity, subjectivity = cast("tuple[float, float]", TextBlob(text).sentiment)
        return polarity if quantity == "polarity" else subjectivity

    return pl.Series(texts.name, [score(text) for text in texts], dtype=pl.Float64)
