"""The words of the project: statuses and the columns every frame of one kind shares."""

from __future__ import annotations

from typing import Literal

DELIVERED_STATUSES = ("ok", "truncated", "refused", "filtered", "empty", "error", "expired", "canceled")
"""How a source delivered a response."""

CODED_STATUSES = ("ok", "partial", "refused", "invalid", "empty", "error")
"""What coding made of a response: `partial` is usable but incomplete, `invalid` holds nothing usable and no refusal,
`empty` no text at all."""

WITHOUT_ANSWER = ("refused", "invalid", "empty")
"""The coded statuses of responses that came and hold no answer: those that can have a reason."""

ANSWERS = ("ok", "partial", "invalid", "empty")
"""The coded statuses of responses that came and did not decline."""

TALLY_STATUSES = ("ok", "refused", "invalid", "error")
"""What coding made of one outcome of a response."""

ESTIMATE_STATUSES = (
    "ok", "no-data", "no-reference", "invalid-reference", "degenerate", "undetectable", "separated", "not-converged",
)  # fmt: skip
"""Why a number of an estimate exists, or why it does not: a reference is invalid if its proportions do not add up to 1,
an effect undetectable if none, however large, would be found."""

VERDICTS = ("match", "erratum", "not-reproduced", "mismatch")
"""What comparing a printed number with the regenerated one found."""

STRICTNESS = {
    "last-digit": "to the last digit",
    "tied-order": "but for the order of equally frequent entries",
    "either-rounding": "by another rounding",
    "tolerance": "within a stated tolerance",
}
"""How strict a match is, and how that is said."""

REASONS = ("numeric-selection", "non-option-span", "no-response", "stereotype-awareness", "out-of-context")
"""Why a response chooses none of the options (the names of Table 30 in Kamruzzaman, Shovon & Kim 2024)."""

CHOICE_COLUMNS = ("chosen_option", "chosen_polarity", "match_rule", "invalid_reason", "rule_reason")
"""The columns that the instrument `attribute-choice` makes."""

RESPONSE_COLUMNS = ("response_id", "model", "item", "sample", "text", "status", "count", "position", "file", "key")
"""Columns of responses that are neither factors nor outcomes."""


REFUSAL = "refusal"
"""The term under which refusals stand beside the categories of an outcome."""

INVALID = "invalid"
"""The term under which responses that could not be coded stand beside the categories of an outcome."""

WORKING_COLUMNS = frozenset(
    {
        "all",
        "answered",
        "coded",
        "divergence",
        "infinite",
        "k",
        "mean",
        "median",
        "missing",
        "rank",
        "scored",
        "sd",
        "squares",
    }
)
"""Columns that statistics make on their way: no factor can have such a name."""

Denominator = Literal["all", "answered", "coded"]
"""All responses, those that are no refusals, or those that have a category (or label, or value)."""

Alternative = Literal["two-sided", "greater", "less"]
"""On which side of the null value a test looks."""

StandardError = Literal["CV3", "CV3J", "CR1", "bootstrap"]
"""Of clustered responses: the jackknife over clusters, around the estimate or the mean of the replicates; the usual
sandwich with the factor G / (G - 1); the bootstrap of clusters."""

DegreesOfFreedom = Literal["effective", "clusters"]
"""Of clustered tests and intervals: those of the effective number of clusters, or one less than there are clusters."""
