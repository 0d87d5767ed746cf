"""The role that each option of a question has: delivered, or told by the groups that the options are of."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.instruments.multiple_choice.commitment import UNKNOWN
from tallybook.study.draft import category, named
from tallybook.study.names import header_name, identifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft

_ROLE = re.compile(r"(^|_)(role|type|tag|kind|bias_type|stereotype|group)$")
_TARGETS = re.compile(r"(^|_)(stereotyped_groups?|target_groups?|targets?|stereotyped)$")


def add_roles(made: Draft, survey: Survey) -> None:
    """Declare the roles of the options of a draft for a multiple choice, as far as the dump shows them."""
    options = made.instrument.get("options")
    if not isinstance(options, list) or "traits" in made.instrument:
        return
    paths = [made.columns[name]["path"] for name in options if name in made.columns]  # pyright: ignore[reportUnknownVariableType]
    if len(paths) != len(options):  # pyright: ignore[reportUnknownArgumentType]
        return
    cases = _delivered(made, survey, paths) or _of_groups(made, survey, paths) or _of_texts(made, survey, paths)
    if cases is None:
        return
    columns, labels, said = cases
    made.instrument["traits"] = {"role": columns}
    made.outcomes["role"] = category("Role of the answer", "chosen_role", named(labels))
    made.doubts.append(f"{said} See `instrument.traits`, and docs/multiple-choice.md for bias scores of roles.")


def _delivered(made: Draft, survey: Survey, paths: Sequence[str]) -> tuple[list[str], list[str], str] | None:
    """Find a column for each option, called alike, with the same few values: its role."""
    places = [re.sub(r"\D", "", path) or path[-1] for path in paths]
    found: dict[str, dict[str, str]] = {}
    for column in survey.columns:
        for place in places:
            if column.name not in paths and column.name.endswith(place):
                found.setdefault(column.name.removesuffix(place), {})[place] = column.name
    for stem, own in found.items():
        levels = {value for name in own.values() for value in survey.by_name[name].values}
        if _ROLE.search(header_name(stem)) and len(own) == len(places) and 1 < len(levels) <= _MOST:
            said = f"{', '.join(own.values())} are taken as the roles of the options."
            return [made.take(own[place]) for place in places], sorted(map(identifier, levels)), said
    return None


_MOST = 6


def _of_groups(made: Draft, survey: Survey, paths: Sequence[str]) -> tuple[list[str], list[str], str] | None:
    """Compare the group of each option, beside its text in a list, with the groups that the stereotype is of."""
    targets = next((column.name for column in survey.columns if _TARGETS.search(header_name(column.name))), None)
    beside = {path: f"answer_info.{path}" for path in paths}
    if targets is None or not all(name in survey.by_name for name in beside.values()):
        return None
    if not all(_is_pair(value) for name in beside.values() for value in survey.sample.get_column(name).drop_nulls()):
        return None
    groups = made.take(targets)
    roles: list[str] = []
    for path, name in beside.items():
        tag, role = f"group_{identifier(path)}", f"role_{identifier(path)}"
        made.columns[tag] = {"path": f"{name}.1"}
        cases: list[dict[str, Any]] = [
            {"value": "unknown", "is": {tag: "unknown"}},
            {"value": "target", "among": {tag: groups}},
        ]
        made.derive[role] = {"otherwise": "non_target", "cases": cases}
        roles.append(role)
    said = (
        f"The role of an option is target where its group is among {targets}, else non_target or unknown; were groups "
        "called otherwise there, targets would count as non-targets: check the counts of each role."
    )
    return roles, ["target", "non_target", "unknown"], said


def _is_pair(value: str) -> bool:
    try:
        found = json.loads(value)
    except ValueError:
        return False
    return isinstance(found, list) and len(found) == 2 and all(isinstance(one, str) for one in found)  # noqa: PLR2004  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _of_texts(made: Draft, survey: Survey, paths: Sequence[str]) -> tuple[list[str], list[str], str] | None:
    """Tell options that say that nobody knows from those that name somebody."""
    roles: list[str] = []
    wordings: set[str] = set()
    for path in paths:
        texts = survey.records.select(pl.col(path)).drop_nulls().unique().collect().get_column(path).sort()
        unknown = [text for text in texts if UNKNOWN.search(text)]
        wordings |= {*unknown}
        role = f"role_{identifier(path)}"
        case = {"value": "unknown", "is": {made.take(path): unknown}}
        made.derive[role] = {
            "otherwise": "named",
            "cases": [case] if unknown else [{"value": "unknown", "is": {made.take(path): ""}}],
        }
        roles.append(role)
    if not wordings or len(wordings) > _MOST_WORDINGS:
        for role in roles:
            made.derive.pop(role)
        return None
    said = f"Options that say {', '.join(sorted(wordings)[:3])} have the role unknown, all others named."
    return roles, ["named", "unknown"], said


_MOST_WORDINGS = 30
