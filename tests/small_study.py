"""Study files of tests: what most of them begin with, in a few words; what a test is about is written behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def study_file(
    *columns: str,
    factors: Mapping[str, Sequence[str]],
    categories: Mapping[str, tuple[str, Sequence[str]]],
    scores: Sequence[str] = (),
    key: Sequence[str] = (),
    constants: Mapping[str, int] | None = None,
    files: str = "answers.csv",
    instrument: str = "profile",
    top: Sequence[str] = (),
) -> str:
    """Return the text of a study file up to its analyses.

    Args:
        columns: `name`, `name=path`, `name:type` or `name=path:type`.
        factors: Factor -> levels; labels are the names with a capital.
        categories: Outcome -> attribute and categories, whose labels in the data they are.
        scores: Outcomes that are scores of the attribute of their name.
        key: What identifies a response; nothing unless given.
        constants: Columns with the same value everywhere.
        files: The pattern of the CSV files.
        instrument: The kind of instrument.
        top: Further lines above the first section.
    """
    lines = ["", 'name = "small"', 'title = "A small study"', *([f"key = {_list(key)}"] if key else []), *top, ""]
    lines += ["[[sources]]", 'format = "csv"', f'files = "{files}"', "", "[sources.columns]"]
    for column in columns:
        place, _, kind = column.partition(":")
        name, _, path = place.partition("=")
        typed = f', type = "{kind}"' if kind else ""
        lines.append(f'{name} = {{ path = "{path or name}"{typed} }}')
    if constants:
        lines += ["", "[sources.constants]", *(f"{name} = {value}" for name, value in constants.items())]
    for name, levels in factors.items():
        labels = ", ".join(f'{level} = "{level.capitalize()}"' for level in levels)
        lines += ["", f"[factors.{name}]", f'label = "{name.capitalize()}"', f"levels = {{ {labels} }}"]
    lines += ["", "[instrument]", f'kind = "{instrument}"']
    for name, (attribute, terms) in categories.items():
        labels = ", ".join(f'{term} = ["{term}"]' for term in terms)
        lines += [*_outcome(name, "category", attribute), f"labels = {{ {labels} }}"]
    for name in scores:
        lines += _outcome(name, "score", name)
    return "\n".join(lines) + "\n"


def _outcome(name: str, kind: str, attribute: str) -> list[str]:
    label = f'label = "{name.capitalize()}"'
    return ["", f"[outcomes.{name}]", f'kind = "{kind}"', label, f'attribute = "{attribute}"']


def _list(names: Sequence[str]) -> str:
    return str(list(names)).replace("'", '"')
