"""How models are called: the user's by identifiers that no published one has, the published ones as in the paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Settings = dict[str, Any]
"""Setting -> value, as they stand in a study file."""


def identifiers(names: Iterable[str], taken: Collection[str], own: Iterable[str] = ()) -> dict[str, str]:
    """Map models to identifiers of letters, digits, dots and hyphens; one that is published gets `-new`.

    >>> identifiers(["meta/llama-4 70B", "gpt-4", "meta/llama 4-70B"], ["gpt-4"])
    {'meta/llama-4 70B': 'meta-llama-4-70B', 'gpt-4': 'gpt-4-new', 'meta/llama 4-70B': 'meta-llama-4-70B-2'}
    """
    made: dict[str, str] = {}
    used = {one.casefold() for one in (*taken, *own)}
    for name in names:
        plain = "-".join(re.findall(r"[A-Za-z0-9._]+", name)).strip(".") or "model"
        plain = plain if plain[0].isalpha() else f"model-{plain}"
        tries = [plain, f"{plain}-new" if plain.casefold() in {one.casefold() for one in taken} else f"{plain}-2"]
        tries += [f"{plain}-{number}" for number in range(2, len(used) + 4)]
        made[name] = next(one for one in tries if one.casefold() not in used)
        used.add(made[name].casefold())
    return made


def model_factor(published: Settings, own: dict[str, str]) -> Settings:
    """Make the factor of the models: the user's first, then the published ones.

    >>> model_factor({"label": "Model", "levels": {"gpt-4": "GPT-4"}}, {"my model": "my-model"})
    {'label': 'Model', 'levels': {'my-model': 'my model', 'gpt-4': 'GPT-4 (published)'}}
    """
    levels = {identifier: name for name, identifier in own.items()}
    levels |= {name: f"{label} (published)" for name, label in published["levels"].items()}
    kept = {setting: one for setting, one in published.items() if setting not in {"derive", "levels"}}
    return kept | {"levels": levels}
