"""The specifications of a multiverse: a study once with each combination of alternative settings that can be."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pydantic import ValidationError

from tallybook.study.analysis_base import needed
from tallybook.study.base import faults_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study

DEFAULT = "default"
"""The alternative that is a setting's default."""


class Specification(NamedTuple):
    """A combination of alternatives."""

    label: str  # its settings and their values, in words
    chosen: dict[str, str]  # setting -> its value, in words
    study: Study  # a study of the analysis, and of those that it is computed from, with these settings


class Possible(NamedTuple):
    """The parts of the results that can be computed."""

    specifications: list[Specification]  # the combinations that can be, in the order of the alternatives
    # why others cannot be: setting and alternative, in words -> the last reason met
    refused: dict[tuple[str, str], str]


def target(of: str, setting: str) -> tuple[str, str]:
    """Name the analysis that a setting is of, and the setting.

    >>> target("gap", "denominator"), target("gap", "shares.denominator")
    (('gap', 'denominator'), ('shares', 'denominator'))
    """
    name, _, own = setting.rpartition(".")
    return name or of, own


def possible(study: Study, of: str, alternatives: Mapping[str, tuple[Any, ...]], place: str) -> Possible:
    """Combine all alternatives; what an analysis refuses is left out."""
    own = {name: one for name, one in study.analyses.items() if name in needed(study, of)}
    found, refused = list[Specification](), dict[tuple[str, str], str]()
    for values in product(*alternatives.values()):
        settings = dict(zip(alternatives, values, strict=True))
        chosen = {setting: said(value) for setting, value in settings.items()}
        changes: dict[str, dict[str, Any]] = {}
        for setting, value in settings.items():
            name, changed = target(of, setting)
            changes.setdefault(name, {})[changed] = value
        try:
            analyses = own | {name: _with(own[name], changed) for name, changed in changes.items()}
        except ValidationError as error:
            refused |= dict.fromkeys(chosen.items(), str(error.errors()[0]["msg"]))
            continue
        varied = study.model_copy(update={"analyses": analyses})
        faults = [fault for one in analyses.values() for fault in faults_of(one.check, varied, place)]
        if faults:
            refused |= dict.fromkeys(chosen.items(), str(faults[0]).removeprefix(f"{place}."))
        else:
            label = "; ".join(f"{setting} = {value}" for setting, value in chosen.items())
            found.append(Specification(label, chosen, varied))
    return Possible(found, refused)


def _with(analysis: Analysis, changed: Mapping[str, Any]) -> Analysis:
    settings = {**analysis.model_dump(exclude_unset=True), **changed}
    return type(analysis).model_validate({name: one for name, one in settings.items() if one != DEFAULT})


def said(value: Any) -> str:  # noqa: ANN401  a value of TOML
    """Say a value of a setting in words.

    >>> said("all"), said(["name", "job"]), said([]), said({"method": "holm"}), said(True)
    ('all', 'name + job', 'none', 'method holm', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        settings = cast("dict[str, Any]", value)
        return ", ".join(f"{name} {said(one)}" for name, one in settings.items()) or "none"
    if isinstance(value, list):
        return " + ".join(map(said, cast("list[Any]", value))) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value).replace(": ", ":")
