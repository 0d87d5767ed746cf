"""Hand codes of responses: they win over the rules, and say how far the rules are right; and the sheet for them."""

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
"""The columns of codes by the rules and by hand: how often which went together."""
_AT, _ROW, _ON, _RULES, _HAND = "_at", "_row", "_on: ", "_rules: ", "_hand: "


class Settled(NamedTuple):
    """Responses after their hand codes."""

    coded: pl.DataFrame  # the responses
    unmapped: pl.DataFrame  # the attributes without a value that no hand code settles
    findings: tuple[Problem, ...]  # the findings that none settles
    # the responses that have hand codes, with these and with what the rules said; None if there are none
    by_hand: pl.DataFrame | None
    problems: tuple[Problem, ...]  # codes that cannot be


class HandCoding:
    """Puts hand codes in the place of what the rules say, in however many parts responses come.

    Attributes:
        coded: How many responses were coded by hand.
        changed: How many of them the rules coded otherwise.
    """

    def __init__(self, declared: Overrides, codes: pl.DataFrame, outcomes: dict[str, Outcome]) -> None:
        """Begin."""
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
        """Apply the codes to a part of the responses; nothing is counted before `add`."""
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
        """Count a part of the responses."""
        self._problems += settled.problems
        if settled.by_hand is not None:
            self._found = pl.concat([self._found, settled.by_hand.get_column(_ROW)])
            self._count(settled.by_hand)

    def problems(self) -> list[Problem]:
        """List the faults of the codes, after all parts: codes of responses that do not exist, too."""
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
        """Count the pairs of codes, by the rules and by hand, for each outcome that was coded by hand."""
        together = pl.concat([pl.DataFrame(schema=PAIRS), *self._pairs])
        return together.group_by("outcome", "rules", "hand").agg(pl.col("count").sum()).sort("outcome", "rules", "hand")

    def _matched(self, coded: pl.DataFrame) -> pl.DataFrame:
        """The responses that have hand codes, beside these; a file may write what identifies them harmlessly."""
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
        """Codes of what did not come, or was not asked."""
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
        """The values and the status that hand codes leave, beside what the rules said; and codes that contradict."""
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
        """Count responses, and which codes go together: a response without a value is a refusal or invalid."""
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
    """Write a value, or the reason for having none, as text."""
    without = pl.when(pl.col(status) == "refused").then(pl.lit(REFUSAL)).otherwise(pl.lit(INVALID))
    return pl.coalesce(pl.col(value).cast(pl.String), without)


def sheet(study: Study, coded: pl.LazyFrame, sample: int = 0) -> pl.DataFrame:
    """Lay out the responses that people should code.

    A row for each response that is `partial` or `invalid`, and those drawn, in the order of the dump: the columns that
    identify it, model, item, sample and factors, the text; and, blank, a column for each outcome, `status`, `coder` and
    `note`. What the rules say is not told: it would sway people. Responses that were coded by hand are left out.
    Where the text is among what codes are of (`overrides.on`), responses that are equal in that are one row, counted.
    """
    if CODED_BY in coded.collect_schema().names():
        coded = coded.filter(pl.col(CODED_BY) != "hand")
    by_rules = coded.filter(pl.col("status").is_in(["ok", "refused"]))
    positions = by_rules.select("position").collect(engine="streaming").to_series().sort().to_list()
    # A number for each response that is the same in every run, and on every machine.
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
    """List the codes that people can write into the sheet."""
    lines: list[str] = []
    for name, outcome in codable(study).items():
        known = ", ".join(outcome.labels) if isinstance(outcome, Categories) else f"a {outcome.kind}"
        lines.append(f"{name}: {known}")
    return [*lines, "status: refused or invalid, of a response without answer"]
