"""The vocabulary that all stages share: statuses, names of columns, and settings of statistics."""

from __future__ import annotations

from typing import Literal

DELIVERED_STATUSES = ("ok", "truncated", "refused", "filtered", "empty", "error", "expired", "canceled")
"""The statuses with which a source delivers a response."""

CODED_STATUSES = ("ok", "partial", "refused", "invalid", "empty", "error")
"""The statuses of a response after coding: `partial` is usable but incomplete, `invalid` has nothing usable and no
refusal, `empty` no text at all."""

WITHOUT_ANSWER = ("refused", "invalid", "empty")
"""The coded statuses of delivered responses without an answer: those that can have a reason."""

ANSWERS = ("ok", "partial", "invalid", "empty")
"""The coded statuses of delivered responses that are no refusals."""

TALLY_STATUSES = ("ok", "refused", "invalid", "error")
"""The statuses of one outcome of a response after coding."""

ESTIMATE_STATUSES = (
    "ok", "no-data", "no-reference", "invalid-reference", "degenerate", "undetectable", "separated", "not-converged",
)  # fmt: skip
"""The status of an estimate: `ok`, or the reason why it has no number. A reference is invalid if its proportions do not
add up to 1; an effect is undetectable if no effect, however large, would be found."""

EXACT = "exact test over clusters"
"""Part of the method of comparisons with a group that does not vary between clusters."""

MARGIN, WALD = "margin:", "wald:"
"""The prefixes of the terms of average marginal effects, and of tests of whole predictors."""

VERDICTS = ("match", "erratum", "not-reproduced", "mismatch")
"""The results of comparing a printed number with the regenerated one."""

STRICTNESS = {
    "last-digit": "to the last digit",
    "tied-order": "but for the order of equally frequent entries",
    "either-rounding": "by another rounding",
    "tolerance": "within a stated tolerance",
}
"""The strictness of a match -> its description."""

REASONS = ("numeric-selection", "non-option-span", "no-response", "stereotype-awareness", "out-of-context")
"""The reasons why a response chooses none of the options (named as in Table 30 of Kamruzzaman, Shovon & Kim 2024)."""

CHOICE_COLUMNS = ("chosen_option", "chosen_polarity", "match_rule", "invalid_reason", "rule_reason")
"""The columns that the instrument `attribute-choice` creates."""

RESPONSE_COLUMNS = ("response_id", "model", "item", "sample", "text", "status", "count", "position", "file", "key")
"""The columns of responses other than factors and outcomes."""


REFUSAL = "refusal"
"""The term for refusals among the categories of an outcome."""

INVALID = "invalid"
"""The term, among the categories of an outcome, for responses that could not be coded."""

WORKING_COLUMNS = frozenset({
    "all", "answered", "coded", "divergence", "infinite", "k", "mean", "median", "missing", "rank", "scored", "sd",
    "squares",
})  # fmt: skip
"""Working columns of statistics, whose names factors must not have."""

Denominator = Literal["all", "answered", "coded"]
"""All responses, those that are not refusals, or those that have a category (or label, or value)."""

Alternative = Literal["two-sided", "greater", "less"]
"""The alternative hypothesis relative to the null value."""

StandardError = Literal["CV3", "CV3J", "CR1", "bootstrap"]
"""The standard error for clustered responses: the jackknife over clusters, around the estimate (CV3) or around the mean
of the replicates (CV3J); the usual sandwich with the factor G / (G - 1) (CR1); the bootstrap of clusters."""

DegreesOfFreedom = Literal["effective", "clusters"]
"""The degrees of freedom of clustered tests and intervals: from the effective number of clusters, or clusters - 1."""
