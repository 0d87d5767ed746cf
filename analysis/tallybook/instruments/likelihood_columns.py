"""Words in the names of columns of likelihoods, and what they say of the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.study.names import header_name

if TYPE_CHECKING:
    from tallybook.study.instrument_base import Sample

SIDES = (
    (
        {"stereo", "stereotype", "stereotypical", "stereotyped", "stereotyp", "estereotipo", "stereotipo", "pro"},
        {"anti", "antistereo", "antistereotype", "nonstereo", "antistereotyp", "antiestereotipo", "antistereotipo"},
    ),
    ({"more"}, {"less"}),
    ({"biased"}, {"unbiased"}),
    ({"male", "masculine", "he", "man", "men"}, {"female", "feminine", "she", "woman", "women"}),
    ({"first"}, {"second"}),
    ({"yes", "true", "ja", "oui", "si"}, {"no", "false", "nein", "non"}),
    ({"a"}, {"b"}),
    ({"1"}, {"2"}),
)
"""Words in the names of a pair's columns: of the first, of the second."""
LIKELIHOODS = {"logprob", "logprobs", "loglikelihood", "loglik", "logp", "logit", "ll", "lp", "pll", "likelihood"}
_LOSSES = {"nll", "loss", "surprisal", "crossentropy", "ce"}
_PERPLEXITIES = {"ppl", "perplexity"}
SHARES = {"prob", "probability", "p"}
SCORES = {"score", "scores"}
DIFFERENCES = {"diff", "difference", "delta", "logratio", "llr", "margin"}
WORDS: frozenset[str] = frozenset[str]().union(
    *(side for sides in SIDES for side in sides), LIKELIHOODS, _LOSSES, _PERPLEXITIES, SHARES, SCORES, DIFFERENCES
) - {"pro"}
"""Words in the names of columns of likelihoods; "pro" is in names of models, too."""


def header_parts(name: str) -> frozenset[str]:
    """Return the words of a column's name, those for log-likelihoods as one."""
    joined = f"{header_name(name)}_"
    for apart, together in (
        ("log_prob", "logprob"),
        ("log_p_", "logp_"),
        ("log_likelihood", "loglikelihood"),
        ("log_ratio", "logratio"),
    ):
        joined = joined.replace(apart, together)
    return frozenset(joined.rstrip("_").split("_"))


def log_likelihood(common: frozenset[str], sample: Sample, names: tuple[str, ...]) -> str:
    """Return the formula of a log-likelihood: `{}` for a column as it is, `-{}` for a loss; empty for other columns."""
    for kinds, form in ((LIKELIHOODS, "{}"), (_LOSSES, "-{}"), (_PERPLEXITIES, "-log({})")):
        if common & kinds:
            return form
    if common and not common & (SHARES | SCORES):
        return ""
    ends = [sample.responses.get_column(name).cast(pl.Float64, strict=False).drop_nulls() for name in names]
    if common & SHARES and all(((end > 0) & (end <= 1)).all() for end in ends):
        return "log({})"
    # Scores that are negative throughout are log-likelihoods.
    is_negative = all(end.len() and (end < 0).all() for end in ends)
    return "{}" if is_negative and (common & SCORES or not common) else ""
