"""The parts of a study file that an instrument leads to: how texts are read, and the outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.drafting.instruments import RATING
from tallybook.drafting.names import free_name, identifier, plain, title, told_apart
from tallybook.study.decisions import ABSOLUTE_DECISIONS, ABSOLUTE_REASONS, RELATIVE_DECISIONS
from tallybook_schemas.vocabulary import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tallybook.drafting.draft import Draft, Settings
    from tallybook.drafting.instruments import Proposal
    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Column, Survey

_MOST = 0.9
"""The share of an attribute's values that must be numbers, or among a few, for all to be taken for such."""
_FEW, _RARE = 12, 0.02
"""How many values are few, and the share of all values from which one is among them."""
_ALIKE = {"normalise": [{"lower_case": True}, {"trim": True}]}
"""What makes "Nurse" and "nurse" one label."""
POINTS = [{"replace": [",", "."]}]
"""What makes a number of "3,5"."""


def add_instrument(made: Draft, proposal: Proposal) -> None:
    """Declare an instrument and the outcomes that it reads.

    Args:
        made: The draft.
        proposal: The instrument.
    """
    made.instrument = {"kind": proposal.kind}
    if proposal.names is not None:
        made.instrument["columns"] = {kind: made.take(column) for kind, column in proposal.names.model_dump().items()}
    match proposal.kind:
        case "attribute-choice":
            _add_choice(made, proposal)
        case "absolute-decision":
            made.outcomes["decision"] = _category("Decision", "answer", _named(ABSOLUTE_DECISIONS))
            made.outcomes["reason"] = _category(
                "Reason for no decision", "unanswered_reason", _named(ABSOLUTE_REASONS), kind="reason"
            )
        case "word-association":
            made.instrument["scorings"] = {"bias": {"constant": 0.0}}
            made.outcomes["bias"] = {"kind": "score", "label": "Bias", "attribute": "bias_bias"}
        case "relative-decision":
            made.outcomes["decision"] = _category("Decision", "rule_decision", _named(RELATIVE_DECISIONS))
        case "profile" if proposal.is_rating:
            # What has no number is left without one, and counted as such.
            rule = {"normalise": POINTS} if proposal.has_commas else {}
            made.derive["rating_text"] = {"from": "text", **rule, "extract": RATING, "missing": "", "otherwise": ""}
            made.outcomes["rating"] = {"kind": "score", "label": "Rating", "attribute": "rating_text"}
        case "profile" if proposal.attributes:
            _add_profile(made, proposal.attributes)
        case "profile":
            pass  # columns hold the answers


def add_columns(made: Draft, survey: Survey, roles: Roles) -> None:
    """Declare the outcomes that columns hold.

    Args:
        made: The draft.
        survey: What the dump holds.
        roles: Which column is what.
    """
    for column in roles.labels:
        _add_label(made, survey.by_name[column])
    for column in roles.scores:
        name = free_name(f"{plain(column)}_score", made.outcomes)
        points = {"normalise": POINTS} if survey.by_name[column].has_commas else {}
        attribute = made.take(column, settings={"type": "number", **points})
        made.outcomes[name] = {"kind": "score", "label": title(column), "attribute": attribute}


def _add_choice(made: Draft, proposal: Proposal) -> None:
    options: dict[str, str] = {}
    for option, origin in proposal.options.items():
        if proposal.are_columns:
            options[identifier(option)] = made.take(origin)
        else:
            name = f"option_{identifier(option)}"
            made.add_constant(name, origin)
            options[identifier(option)] = name
    made.instrument["options"] = options
    if proposal.in_order:
        made.instrument["shown"] = list(options)
    if not proposal.are_columns:
        made.doubts.append("The options are the answers that repeat. See `constants` and `instrument.options`.")
    made.outcomes["choice"] = _category("Choice", "chosen_option", _named(options))
    names = {
        identifier(option): title(option) if proposal.are_columns else origin
        for option, origin in proposal.options.items()
    }
    made.outcomes["choice"]["names"] = told_apart(names)
    made.outcomes["reason"] = _category("Reason for no choice", "invalid_reason", _named(REASONS), kind="reason")


def _add_profile(made: Draft, attributes: Mapping[str, pl.Series]) -> None:
    """What texts say of attributes: numbers, a few values again and again, or whatever comes."""
    block: dict[str, list[str]] = {}
    for called, values in attributes.items():
        name = free_name(called, {*made.columns, *made.factors, *block})
        block[name] = [called]
        declared: Settings = {"label": title(called), "attribute": name}
        alike = values.str.to_lowercase().str.strip_chars()
        counts = alike.value_counts(name="times").filter(pl.col("times") >= _RARE * alike.len())
        if alike.cast(pl.Float64, strict=False).is_not_null().sum() >= _MOST * alike.len():
            made.outcomes[name] = {"kind": "score"} | declared
        elif counts.height <= _FEW and counts.get_column("times").sum() >= _MOST * alike.len():
            shown = {value: value[:1].upper() + value[1:] for value in counts.get_column(alike.name).sort()}
            made.outcomes[name] = _of_values(title(called), name, shown) | _ALIKE
        else:
            made.outcomes[name] = {"kind": "label"} | declared | _ALIKE
    made.instrument |= {"attributes": "text", "block": block}


def _add_label(made: Draft, column: Column) -> None:
    """An answer that is coded already."""
    outcome = free_name(f"{plain(column.name)}_outcome", made.outcomes)
    shown = {value: value for value in sorted(column.values)}
    made.outcomes[outcome] = _of_values(title(column.name), made.take(column.name), shown)


def _of_values(label: str, attribute: str, shown: Mapping[str, str]) -> Settings:
    """A category for each value of an attribute, by how tables shall call it."""
    labels: dict[str, list[str]] = {}
    for value in shown:
        labels[free_name(value, labels)] = [value]
    names = told_apart({category: shown[value] for category, [value] in labels.items()})
    return _category(label, attribute, labels) | {"names": names}


def _named(labels: Iterable[str]) -> dict[str, list[str]]:
    """Categories that are called like the labels that mean them."""
    return {label: [label] for label in labels}


def _category(label: str, attribute: str, labels: dict[str, list[str]], kind: str = "category") -> Settings:
    return {"kind": kind, "label": label, "attribute": attribute, "labels": labels}
