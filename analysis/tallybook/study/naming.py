"""Labels of terms and levels in tables and figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from tallybook.study.coding import Categories
from tallybook.study.locations import table_at
from tallybook_schemas.vocabulary import INVALID, MARGIN, REFUSAL, WALD

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study


_WORDS = {
    "min": "smallest",
    "max": "largest",
    "sd": "standard deviation",
    "mean_difference": "difference of means",
    "g": "G",
    "total_variation": "total variation distance",
    "share_significant": "share significant",
    "share_opposite": "share with the opposite sign",
    "heterogeneity": "Cochran’s Q",
    "i_squared": "I²",
    "chi_square": "chi-squared test",
    "cramer_v": "Cramér’s V",
    "cramer_v_corrected": "Cramér’s V, corrected",
    "cohen_kappa": "Cohen’s kappa",
    "fleiss_kappa": "Fleiss’ kappa",
    "krippendorff_alpha": "Krippendorff’s alpha",
    "icc_1": "ICC(1,1)",
    "icc_2": "ICC(2,1)",
    "icc_3": "ICC(3,1)",
    "order_effect": "order effect",
    "wald:abilities": "all abilities equal",
    "wald": "Wald test of all slopes",
    "likelihood_ratio": "likelihood ratio of all slopes",
    "log_likelihood": "log-likelihood",
    "log_likelihood_null": "log-likelihood of the intercept alone",
    "penalized_log_likelihood": "penalised log-likelihood",
    "pseudo_r_squared": "McFadden’s R²",
    "df_residual": "residual df",
    "aic": "AIC",
    "bic": "BIC",
}
"""Term -> its label, for terms with a fixed meaning."""


_SIGNS = {" - ": " − ", " || ": " || ", " / ": " / "}
"""The separator of the levels of a term -> that of their labels."""
_KINDS = {
    WALD: "{} (all levels)",
    MARGIN: "{} (average marginal effect)",
    "odds_ratio:": "{} (odds ratio)",
    "variance:": "Variance of {}",
    "share:": "Share of the variance, {}",
}
"""The prefix of a term of a regression -> the form of its label."""
_HEAD = re.compile(r"(?:(?! (?:by|for|from|in|of|on|to|with) ).)+")
_SINGULAR = ("as", "is", "os", "ss", "us")
"""Endings of nouns that end in s and are no plural: bias, analysis, ethos, class, status."""
_LABEL = re.compile(r"\{(factors|outcomes)\.([^{}]+)\}")
_BRACES = str.maketrans("{}", "()")
"""A translation of braces in labels to parentheses, so that labels are not taken for placeholders."""


def levels_of_pair(term: str) -> list[list[str]]:
    """List the ways to read a term as levels: as a pair of each sign."""
    return [term.split(sign) for sign in _SIGNS]


def _pair(study: Study, term: str) -> str | None:
    """Return the label of a level or a pair of levels, such as `men - women`; None if the term is neither."""
    for levels, shown in zip(levels_of_pair(term), _SIGNS.values(), strict=True):
        for factor in study.factors.values():
            if all(level in factor.levels for level in levels):
                return shown.join(factor.levels[level] for level in levels)
    return None


def coefficient_label(study: Study, term: str) -> str | None:
    """Return the label of a predictor, `group=women:age` as `Group: Women × Age`; None if the term is no predictor."""
    known = {name: one.label for name, one in (*study.outcomes.items(), *study.factors.items())}
    for name, factor in study.factors.items():
        known |= {f"{name}={level}": f"{factor.label}: {shown}" for level, shown in factor.levels.items()}
    if term in known:
        return known[term]
    for part, label in known.items():
        rest = coefficient_label(study, term.removeprefix(f"{part}:")) if term.startswith(f"{part}:") else None
        if rest is not None:
            return f"{label} × {rest}"
    return None


def term_label(study: Study, outcome: str, term: str) -> str:
    """Return the label of a term in tables and figures; of `yes: median` both parts are labelled."""
    declared = study.outcomes[outcome]
    known = (*declared.terms, REFUSAL, INVALID) if isinstance(declared, Categories) else ()
    head, colon, tail = term.partition(": ")
    if isinstance(declared, Categories) and term in known:
        return declared.shown(term)
    if term not in {*_WORDS, *study.outcomes} and (pair := _pair(study, term)) is not None:
        return pair
    for start, form in _KINDS.items():
        if term.startswith(start) and term not in _WORDS:
            return form.format(coefficient_label(study, own := term.removeprefix(start)) or own)
    if (coefficient := coefficient_label(study, term)) is not None:
        return coefficient
    if not colon:
        words = _WORDS.get(term, term)
        # such as s_AMB, s
        is_name = "_" in words or len(words) == 1 or any(letter.isupper() for letter in words[1:])
        return words if is_name else words[:1].upper() + words[1:]
    return f"{term_label(study, outcome, head)}: {_WORDS.get(tail) or _pair(study, tail) or tail}"


def is_named_by_outcome(study: Study, analysis: Analysis, outcome: str) -> bool:
    """Return whether an analysis has one term for a score, such as its mean, so that the score's label suffices."""
    return not isinstance(study.outcomes[outcome], Categories) and len(analysis.terms(study) or ()) == 1


def within_a_sentence(label: str) -> str:
    """Lower-case a label's initial letter, unless it begins with an abbreviation.

    >>> within_a_sentence("Political party"), within_a_sentence("US region"), within_a_sentence("A")
    ('political party', 'US region', 'A')
    """
    return label if len(label) == 1 or label[1:2].isupper() else label[:1].lower() + label[1:]


def verb_of(label: str) -> str:
    """Return `are` for a label in the plural, else `is`.

    >>> [verb_of(label) for label in ("questions", "groups of people", "type of questions", "status")]
    ['are', 'are', 'is', 'is']
    """
    head = _HEAD.match(label)
    return "are" if head and head[0].endswith("s") and not head[0].endswith(_SINGULAR) else "is"


def with_labels(content: dict[str, Any]) -> dict[str, Any]:
    """Fill labels into tables and figures: `{factors.gender}`, `{factors.gender.male}`, `{outcomes.answer}`.

    >>> factors = {"gender": {"label": "Gender", "levels": {"male": "Men"}}}
    >>> tables = [{"title": "{outcomes.a} by {factors.gender}: {factors.gender.male}", "stub": "{factors.gender}"}]
    >>> with_labels({"factors": factors, "outcomes": {"a": {"label": "Answer"}}, "tables": tables})["tables"]
    [{'title': 'Answer by gender: men', 'stub': 'Gender'}]
    >>> factors = {"model": {"label": "Model", "levels": {"lyra": "Lyra 8B"}}}
    >>> with_labels({"factors": factors, "tables": [{"title": "Shares of {factors.model.lyra}"}]})["tables"]
    [{'title': 'Shares of Lyra 8B'}]
    """
    known = {kind: _named(table_at(content, kind)) for kind in ("factors", "outcomes")}

    def label(found: re.Match[str]) -> str:
        named = known[found[1]].get(found[2])
        if named is None:
            return found[0]
        plain = named.translate(_BRACES)
        is_of_data = found[2].endswith(f".{named}")
        is_name = is_of_data or found[2].startswith("model.")
        return plain if found.start() == 0 or is_name else within_a_sentence(plain)

    return content | {part: _filled(content[part], label) for part in ("tables", "figures") if part in content}


def _filled(value: Any, label: Callable[[re.Match[str]], str]) -> Any:  # noqa: ANN401  whatever stands there
    match value:
        case str():
            return _LABEL.sub(label, value)
        case list():
            return [_filled(one, label) for one in cast("list[Any]", value)]
        case dict():
            return {name: _filled(one, label) for name, one in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _named(declared: dict[str, Any]) -> dict[str, str]:
    """Map names of factors or outcomes, and `factor.level` of levels, to labels; the first of equal names wins."""
    known: dict[str, str] = {}
    for own in declared:
        labels = {own: table_at(declared, own).get("label")}
        labels |= {f"{own}.{level}": label for level, label in table_at(declared, own, "levels").items()}
        for name, label in labels.items():
            if isinstance(label, str):
                known.setdefault(name, label)
    return known
