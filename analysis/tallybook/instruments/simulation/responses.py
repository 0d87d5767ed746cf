"""Simulated responses in batches: answers are drawn, templates filled and texts disguised; and what is true of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tallybook.statistics.seeds import stream, stream_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.instruments.simulation.plan import Plan
    from tallybook.instruments.simulation.scenario import Form

BLOCK = 2**16
"""The number of responses of a cell that are drawn at once. With another number, other responses would be drawn."""
_SLOT = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")
_CURLY = {"'": "’"}
_FOREIGN = "’‘“”–—→•é…"
"""Characters beyond ASCII that a text may hold and still be mistaken for Mac Roman."""
_MISREAD = {character: character.encode().decode("mac-roman") for character in _FOREIGN}


class Batch(NamedTuple):
    """A batch of simulated responses."""

    # one row per response, as in a dump: the study's key, `status`, the columns that the instrument needs,
    # `prompt` and `text`
    dump: pl.DataFrame
    # the same responses: the study's key, the `status` that coding should give, the true outcomes, the `reason` of a
    # response without answer, and the `form` and `disguise` of its text
    truth: pl.DataFrame


class Draws:
    """The random numbers of one block of a cell: they depend on seed, cell, block and purpose, and on nothing else.

    Every purpose has its own random stream, of which every response takes the same amount: more responses, other cells
    or another purpose do not change what was drawn before.

    Attributes:
        rows: The number of responses in the block.
    """

    def __init__(self, seed: int, cell: Mapping[str, str], block: int, rows: int) -> None:
        self.rows = rows
        self._seed = seed
        self._key = pl.DataFrame({**cell, "block": str(block)})

    def uniform(self, purpose: str, numbers: int = 1) -> NDArray[np.float64]:
        """Draw uniform random numbers, a row for each response."""
        (key,) = stream_keys(self._seed, self._key, f"simulate {purpose}")
        return stream(key).random((self.rows, numbers))

    def choose(self, purpose: str, weights: Sequence[float]) -> NDArray[np.int64]:
        """Draw the index of one of several choices for each response, with these weights."""
        return chosen(self.uniform(purpose)[:, 0], weights)

    def order(self, purpose: str, things: int) -> NDArray[np.int64]:
        """Draw a random permutation for each response, all permutations being equally likely."""
        return np.argsort(self.uniform(purpose, things), axis=1, kind="stable")


def chosen(uniform: NDArray[np.float64], weights: Sequence[float]) -> NDArray[np.int64]:
    """Map uniform random numbers to the indices of choices with these weights.

    >>> chosen(np.array([0.0, 0.2, 0.3, 0.99]), [1, 0, 3]).tolist()
    [0, 0, 2, 2]
    """
    ends = np.cumsum(np.asarray(weights, dtype=np.float64))
    last = int(np.flatnonzero(np.asarray(weights) > 0)[-1])
    return np.minimum(np.searchsorted(ends / ends[-1], uniform, side="right"), last).astype(np.int64)


def gathered(things: Sequence[str], numbers: NDArray[np.int64]) -> pl.Series:
    """Return the texts with these indices.

    >>> gathered(["yes", "no"], np.array([1, 0, 0])).to_list()
    ['no', 'yes', 'yes']
    """
    return pl.Series(things, dtype=pl.String).gather(pl.Series(numbers))


def _misread(text: pl.Expr) -> pl.Expr:
    """Return UTF-8 text as if read as Mac Roman, if all its characters beyond ASCII are known ones."""
    curly = text.str.replace_many(_CURLY)
    is_known = ~curly.str.contains(rf"[^\x00-\x7f{_FOREIGN}]")
    return pl.when(is_known).then(curly.str.replace_many(_MISREAD)).otherwise(curly)


DISGUISES: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "none": lambda text: text,
    "windows-lines": lambda text: text.str.replace_all("\n", "\r\n", literal=True),
    "blanks-around": lambda text: pl.concat_str(pl.lit("\n\n "), text, pl.lit("  \n")),
    "no-break-spaces": lambda text: text.str.replace_all(" ", "\u00a0", literal=True),
    "zero-width": lambda text: pl.concat_str(pl.lit("\u200b"), text, pl.lit("\ufeff")),
    "capitals": lambda text: text.str.to_uppercase(),
    "curly-quotes": lambda text: text.str.replace_many(_CURLY),
    "mojibake": _misread,
}
"""Disguise -> what it does to a text. What it says stays the same; study files undo the last one by `repair`."""
_WEIGHTS = (0.86, *[0.02] * (len(DISGUISES) - 1))
"""The probability of each disguise."""


def filled(template: str, slots: Mapping[str, pl.Expr]) -> pl.Expr:
    """Build an expression that fills a template.

    >>> answers = pl.DataFrame({"choice": ["smart"]})
    >>> answers.select(filled('{"answer": "{choice}"}', {})).item()
    '{"answer": "smart"}'
    """
    # A split at an expression with one group gives literal texts and slots in turn.
    parts = [
        slots.get(part, pl.col(part)) if place % 2 else pl.lit(part) for place, part in enumerate(_SLOT.split(template))
    ]
    return pl.concat_str(parts)


def written(frame: pl.DataFrame, forms: Sequence[Form], slots: Mapping[str, pl.Expr]) -> pl.Series:
    """Write the text of each response from the template of its form."""
    return _by_number(frame, "form", lambda number: filled(forms[number].template, slots))


def disguised(texts: pl.Series, numbers: pl.Series) -> pl.Series:
    """Disguise each text by the disguise with the given number."""
    changes = list(DISGUISES.values())
    frame = pl.DataFrame({"text": texts, "disguise": numbers})
    return _by_number(frame, "disguise", lambda number: changes[number](pl.col("text")))


def _by_number(frame: pl.DataFrame, column: str, text: Callable[[int], pl.Expr]) -> pl.Series:
    """Compute texts by a separate expression for the rows with each number."""
    parts = [
        part.select("_row", text(int(part.item(0, column))).alias("text"))
        for part in frame.with_row_index("_row").partition_by(column)
    ]
    return pl.concat(parts).sort("_row").get_column("text")


def batches(plan: Plan) -> Iterator[Batch]:
    """Yield the simulated responses, cell by cell, in batches of about `BLOCK`."""
    waiting: list[pl.DataFrame] = []
    for drawn in _blocks(plan):
        waiting.append(drawn)
        if sum(frame.height for frame in waiting) >= BLOCK:
            yield _batch(plan, pl.concat(waiting))
            waiting = []
    if waiting:
        yield _batch(plan, pl.concat(waiting))


def _blocks(plan: Plan) -> Iterator[pl.DataFrame]:
    """Yield the answers of each block of a cell, with the form and disguise of each response."""
    scenario = plan.scenario
    for cell, effect, rows in plan.cells():
        level = cell[scenario.factor]
        for block, start in enumerate(range(0, rows, BLOCK)):
            numbers = np.arange(start, min(start + BLOCK, rows))
            draws = Draws(plan.seed, cell, block, len(numbers))
            yield scenario.answer(level, effect, draws, scenario.in_turn(level, numbers)).with_columns(
                *(pl.lit(level).alias(factor) for factor, level in cell.items()),
                pl.Series("form", draws.choose("form", plan.shares.probabilities)),
                pl.Series("disguise", draws.choose("disguise", _WEIGHTS)),
            )


def _batch(plan: Plan, drawn: pl.DataFrame) -> Batch:
    scenario, forms = plan.scenario, list(plan.scenario.forms)
    of_form = pl.DataFrame(
        [(form.name, form.status, form.delivered, form.reason or None, form.kept, form.plain) for form in forms],
        schema={
            **dict.fromkeys(("name_of_form", "true_status", "status", "reason_of_form"), pl.String),
            "kept": pl.Int64,
            "is_plain": pl.Boolean,
        },
        orient="row",
    )
    known = drawn.hstack(of_form[drawn.get_column("form")]).with_columns(
        pl.when("is_plain").then("disguise").otherwise(0).alias("disguise")
    )
    text = disguised(written(known, forms, scenario.slots), known.get_column("disguise"))
    key = [*plan.factors, "item", "sample"]
    dump = known.select(
        *key, "status", *scenario.columns, filled(scenario.prompt, scenario.slots).alias("prompt"), text.alias("text")
    )
    truth = known.select(
        *key,
        pl.col("true_status").alias("status"),
        *(value.alias(outcome) for outcome, value in scenario.outcomes.items()),
        pl.col("reason_of_form").alias("reason"),
        pl.col("name_of_form").alias("form"),
        pl.lit(pl.Series(list(DISGUISES))).gather(pl.col("disguise")).alias("disguise"),
    )
    return Batch(dump, truth)
