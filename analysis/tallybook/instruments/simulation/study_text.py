"""The study file of a simulated dump: it reads the dump and computes what the true parameters can be compared with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tallybook.instruments.simulation.plan import Plan
    from tallybook.instruments.simulation.writing import DumpFormat

FIRST_LINE = (
    "# Simulated responses: no model wrote them. What is true of each stands in the file of the truth beside the"
)
"""The beginning of the study file of a simulated dump."""


def study_name(plan: Plan) -> str:
    """The name of a simulated study."""
    return f"simulated-{plan.scenario.instrument}"


def study_text(plan: Plan, dump: str, form: DumpFormat) -> str:
    """The study file of a simulated dump."""
    scenario = plan.scenario
    key = [*plan.factors, "item", "sample"]
    lines = [
        FIRST_LINE,
        "# dump; what the estimates should come close to, in parameters.csv.",
        "",
        f"name = {_quoted(study_name(plan))}",
        f"title = {_quoted(scenario.title)}",
        f"seed = {plan.seed}",
        f"key = [{', '.join(map(_quoted, key))}]",
        "cluster = []               # simulated responses are independent of each other",
        "",
        "# ---------------------------------------------------------------- sources",
        "",
        "[[sources]]",
        f"format = {_quoted(form)}",
        f"files = {_quoted(dump)}",
        f"require = [{', '.join(map(_quoted, [*key, 'status']))}]",
        "",
        "[sources.columns]",
        *_columns([*key, "status", *scenario.columns, "prompt"]),
        'text = { path = "text", normalise = [{ repair = "mac-roman" }] }    # some texts are UTF-8 misread',
        "",
        "# ---------------------------------------------------------------- factors",
        "",
        *_factor("model", "Model", {model: model.capitalize().replace("-", " ") for model in plan.models}),
    ]
    for factor in scenario.factors:
        lines += _factor(factor.name, factor.label, factor.levels)
    return "\n".join(lines) + "\n" + INSTRUMENTS[scenario.instrument].usual_declaration()


def _columns(names: Iterable[str]) -> list[str]:
    kinds = {"sample": ', type = "integer"'}
    return [f"{name} = {{ path = {_quoted(name)}{kinds.get(name, '')} }}" for name in names]


def _factor(name: str, label: str, levels: Mapping[str, str]) -> list[str]:
    shown = [f"{_quoted(level)} = {_quoted(text)}" for level, text in levels.items()]
    return [f"[factors.{name}]", f"label = {_quoted(label)}", "", f"[factors.{name}.levels]", *shown, ""]


def _quoted(text: str) -> str:
    """A text as TOML writes it: JSON's strings are strings of TOML."""
    return json.dumps(text, ensure_ascii=False)
