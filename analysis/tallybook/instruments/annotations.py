"""Hand coding: the sheet for human coders, whose codes override those of the rules and measure their accuracy."""

from __future__ import annotations

import heapq
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.output import harmless
from tallybook.instruments.outcomes import completeness
from tallybook.sources.annotations import codable
from tallybook.study.coding import CODED_BY, Categories, ReasonOutcome
from tallybook_schemas.vocabulary import INVALID, REFUSAL, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.coding import Outcome, Overrides
    from tallybook.study.model import Study

PAIRS = pl.Schema({"outcome": pl.String, "rules": pl.String, "hand": pl.String, "count": pl.Int64})
"""The columns of the cross-tabulation of rule codes and hand codes: the outcome, both codes and the count."""
_AT, _ROW, _ON, _RULES, _HAND = "_at", "_row", "_on: ", "_rules: ", "_hand: "


class Settled(NamedTuple):
    """Responses after hand codes were applied."""

    coded: pl.DataFrame  # the responses
    unmapped: pl.DataFrame  # the unmapped attribute values that no hand code resolves
    findings: tuple[Problem, ...]  # the findings about responses without hand codes
    # the hand-coded responses, with their hand codes and their rule codes; None if there are none
    by_hand: pl.DataFrame | None
    problems: tuple[Problem, ...]  # hand codes that are impossible or contradictory


class HandCoding:
    """Overrides the codes that the rules give with hand codes, one part of the responses at a time.

    Attributes:
        coded: How many responses were coded by hand.
        changed: How many of these the rules coded differently.
    """

    def __init__(self, declared: Overrides, codes: pl.DataFrame, outcomes: dict[str, Outcome]) -> None:
        """Initialise without any responses."""
        self._declared = declared
        self._outcomes = outcomes
        self._answers = [name for name, one in outcomes.items() if not isinstance(one, ReasonOutcome)]
        renamed = {name: f"{_HAND}{name}" for name in (*outcomes, "status")}
        self._codes = codes.rename(renamed | {name: f"{_ON}{name}" for name in declared.on})
        self._found = pl.Series(_ROW, [], dtype=pl.String)
        self._problems: list[Problem] = []
        self._pairs: list[pl.DataFrame] = []
        self.coded = self.changed = 0

    def settle(self, coded: pl.DataFrame, unmapped: pl.DataFrame, findings: Sequence[Problem]) -> Settled:
        """Apply the hand codes to a part of the responses; only `add` updates the counts."""
        coded = coded.with_columns(pl.lit("rules").alias(CODED_BY))
        rows = self._matched(coded)
        if not rows.height:
            return Settled(coded, unmapped, tuple(findings), None, ())
        impossible = self._impossible(rows)
        rows, contradictions = self._settled(rows)
        settled = [*self._outcomes, "status"]
        new = rows.select(_AT, *settled, pl.lit("hand").alias(CODED_BY))
        coded = coded.with_row_index(_AT).update(new, on=_AT, how="left", include_nulls=True).drop(_AT)
        by_hand = set(rows.select("file", "key").iter_rows())
        told = [
            rows.filter(pl.col(f"{_HAND}{name}").is_not_null() | pl.col(f"{_HAND}status").is_not_null()).select(
                "file", "key", pl.lit(name).alias("outcome")
            )
            for name in self._outcomes
        ]
        unmapped = unmapped.join(pl.concat(told), on=["file", "key", "outcome"], how="anti", maintain_order="left")
        left = tuple(one for one in findings if (one.file, one.key) not in by_hand)
        return Settled(coded, unmapped, left, rows, (*impossible, *contradictions))

    def add(self, settled: Settled) -> None:
        """Add a settled part of the responses to the counts and problems."""
        self._problems += settled.problems
        if settled.by_hand is not None:
            self._found = pl.concat([self._found, settled.by_hand.get_column(_ROW)])
            self._count(settled.by_hand)

    def problems(self) -> list[Problem]:
        """List all problems of the hand codes once every part is added, including codes that match no response."""
        found = self._found.value_counts()
        counts = dict(found.iter_rows())
        wrong: list[Problem] = []
        for row in self._codes.iter_rows(named=True):
            times = counts.get(row[_ROW], 0)
            if times != 1 and not (times and "text" in self._declared.on):
                value = ", ".join(row[f"{_ON}{name}"] for name in self._declared.on)
                expected = f"what identifies one response ({times:,} have it)" if times else "a response that is read"
                wrong.append(Problem(self._declared.file, row[_ROW], ", ".join(self._declared.on), value, expected))
        return [*wrong, *self._problems]

    @property
    def pairs(self) -> pl.DataFrame:
        """The cross-tabulation of rule codes and hand codes for each outcome that was coded by hand."""
        together = pl.concat([pl.DataFrame(schema=PAIRS), *self._pairs])
        return together.group_by("outcome", "rules", "hand").agg(pl.col("count").sum()).sort("outcome", "rules", "hand")

    def _matched(self, coded: pl.DataFrame) -> pl.DataFrame:
        """Join hand codes to their responses, matching identifiers as they are or escaped as in output files."""
        on = [f"{_ON}{name}" for name in self._declared.on]
        keys = coded.select(pl.col(name).cast(pl.String).alias(f"{_ON}{name}") for name in self._declared.on)
        rows = coded.with_row_index(_AT)
        found = rows.hstack(keys).join(self._codes, on=on, how="inner", maintain_order="left")
        written = harmless(keys)
        if not written.equals(keys):
            others = rows.hstack(written).filter(~pl.col(_AT).is_in(found.get_column(_AT).implode()))
            found = pl.concat([found, others.join(self._codes, on=on, how="inner", maintain_order="left")])
        return found.drop(on)

    def _impossible(self, rows: pl.DataFrame) -> list[Problem]:
        """List hand codes of failed requests, and of outcomes that the response is not asked for."""
        failed = rows.filter(pl.col("status") == "error")
        problems = [
            Problem(self._declared.file, row, "", "", "a response that came; its request failed")
            for row in failed.get_column(_ROW)
        ]
        for name, outcome in self._outcomes.items():
            unasked = rows.filter(~outcome.is_asked & pl.col(f"{_HAND}{name}").is_not_null())
            problems += [
                Problem(self._declared.file, row, name, str(value), "nothing, as the response is not asked for it")
                for row, value in unasked.select(_ROW, f"{_HAND}{name}").iter_rows()
            ]
        return problems

    def _settled(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
        """Return rows with the final codes and status beside those of the rules, and contradictory hand codes."""
        hand_status = pl.col(f"{_HAND}status")
        silenced = hand_status.is_in(WITHOUT_ANSWER).fill_null(value=False)
        rows = rows.with_columns(pl.col(name).alias(f"{_RULES}{name}") for name in (*self._outcomes, "status"))
        rows = rows.with_columns(
            pl.when(~silenced).then(pl.coalesce(f"{_HAND}{name}", name)).alias(name) for name in self._answers
        )
        whole = completeness(
            [pl.col(name).is_not_null() for name in self._answers],
            [self._outcomes[name].is_asked for name in self._answers],
        )
        given = [pl.col(f"{_HAND}{name}").is_not_null() for name in (*self._answers, "status")]
        of_answer = pl.when(pl.any_horizontal(given)).then(whole).otherwise("status")
        rows = rows.with_columns(pl.when(silenced).then(hand_status).otherwise(of_answer).alias("status"))
        is_silent = pl.col("status").is_in(WITHOUT_ANSWER)
        file = self._declared.file
        without_value = rows.filter(hand_status.is_in(("ok", "partial")) & is_silent)
        problems = [
            Problem(file, row, "status", status, f"a code of {' or '.join(self._answers)} beside it")
            for row, status in without_value.select(_ROW, f"{_HAND}status").iter_rows()
        ]
        reasons = [name for name in self._outcomes if name not in self._answers]
        for name in reasons:
            answered = rows.filter(~is_silent & pl.col(f"{_HAND}{name}").is_not_null())
            problems += [
                Problem(file, row, name, reason, "nothing, since the response has an answer")
                for row, reason in answered.select(_ROW, f"{_HAND}{name}").iter_rows()
            ]
        rows = rows.with_columns(
            pl.when(is_silent).then(pl.coalesce(f"{_HAND}{name}", name)).alias(name) for name in reasons
        )
        return rows, problems

    def _count(self, rows: pl.DataFrame) -> None:
        """Update the counts and the pairs of codes; a missing value counts as a refusal or as invalid."""
        both = [(pl.col(name), pl.col(f"{_RULES}{name}")) for name in (*self._outcomes, "status")]
        differs = pl.any_horizontal(hand.ne_missing(rules) for hand, rules in both)
        self.coded += int(rows.get_column("count").sum())
        self.changed += int(rows.filter(differs).get_column("count").sum())
        for name, outcome in self._outcomes.items():
            given = pl.col(f"{_HAND}{name}").is_not_null()
            if name in self._answers:
                given = given | pl.col(f"{_HAND}status").is_in(WITHOUT_ANSWER).fill_null(value=False)
            pairs = rows.filter(given & outcome.is_asked).select(
                pl.lit(name).alias("outcome"),
                _code(f"{_RULES}{name}", f"{_RULES}status").alias("rules"),
                _code(name, "status").alias("hand"),
                "count",
            )
            self._pairs.append(pairs.cast(PAIRS))


def _code(value: str, status: str) -> pl.Expr:
    """Return a value as text or, where it is missing, whether the response is a refusal or invalid."""
    without = pl.when(pl.col(status) == "refused").then(pl.lit(REFUSAL)).otherwise(pl.lit(INVALID))
    return pl.coalesce(pl.col(value).cast(pl.String), without)


def sheet(study: Study, coded: pl.LazyFrame, sample: int = 0) -> pl.DataFrame:
    """Build the coding sheet: the responses that people should code.

    One row for each response that is `partial` or `invalid`, and for `sample` drawn at random from those that are `ok`
    or `refused`, in the order of the dump: the columns that identify it, model, item, sample, factors and text, and a
    blank column for each outcome, `status`, `coder` and `note`. The rules' codes are not shown, as they would bias
    coders. Responses that were coded by hand are skipped. If hand codes are matched by text (`overrides.on`), responses
    that match alike are one row, with only the columns matched and a count.
    """
    if CODED_BY in coded.collect_schema().names():
        coded = coded.filter(pl.col(CODED_BY) != "hand")
    by_rules = coded.filter(pl.col("status").is_in(["ok", "refused"]))
    positions = by_rules.select("position").collect(engine="streaming").to_series().sort().to_list()
    # Hashes make the draw reproducible across runs and machines.
    drawn = heapq.nsmallest(sample, positions, key=lambda one: sha256(f"{study.seed} {one}".encode()).digest())
    rows = coded.filter(pl.col("status").is_in(["partial", "invalid"]) | pl.col("position").is_in(drawn))
    on = ("response_id",) if study.overrides is None else study.overrides.on
    is_of_texts = "text" in on
    shown = dict.fromkeys(on if is_of_texts else [*on, "model", "item", "sample", *study.key, *study.factors, "text"])
    blank = dict.fromkeys([*codable(study), "status", "coder", "note"])
    columns = [name for name in shown if name not in blank]
    laid_out = rows.sort("position").select(columns).collect(engine="streaming")
    if is_of_texts:
        laid_out = laid_out.group_by(columns, maintain_order=True).agg(pl.len().alias("count"))
    return laid_out.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in blank)


def codes(study: Study) -> list[str]:
    """List the permitted codes of each column of the coding sheet."""
    lines: list[str] = []
    for name, outcome in codable(study).items():
        known = ", ".join(outcome.labels) if isinstance(outcome, Categories) else f"a {outcome.kind}"
        lines.append(f"{name}: {known}")
    return [*lines, "status: refused or invalid, of a response without answer"]
